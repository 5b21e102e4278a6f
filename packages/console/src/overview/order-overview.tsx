// Orders of the last days by state, and what their preparation reports say.
import { Button, Group, SimpleGrid, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import { StackedDays } from '../charts/stacked-days.tsx';
import { useSession } from '../contexts.ts';
import { placeAddress } from '../route.ts';
import { Section } from '../section.tsx';
import { Failed, Loading } from '../states.tsx';
import { useTexts, useWords } from '../texts/texts.ts';
import { ParcelsOnTheirWay, Receptions } from './counted-figures.tsx';
import { FigureCard } from './figure-card.tsx';
import { dayFrom, onDay, type OrderName, ordersNamed, since } from './filters.ts';
import { type OrderFigures, orderFigures } from './order-figures.ts';
import { readOrders } from './read-orders.ts';
import { StockFigures } from './stock-figures.tsx';
import { type OverviewWord, overviewWords } from './words.ts';

/** Days to look back. */
const days = 14;
/** Pages of 100 orders that are read when the overview is opened, and on each request for more. */
const [firstPages, morePages] = [3, 30] as const;

/** What was read of the orders of the last days, and how to read more. */
interface ReadFigures {
  /** Null: nothing has been read. */
  readonly figures: OrderFigures | null;
  readonly isWhole: boolean;
  /** Number of orders that were read. */
  readonly count: number;
  /** The oldest of them; null: none. */
  readonly oldest: string | null;
  readonly error: Error | null;
  readonly again: () => void;
  readonly readMore: () => void;
  readonly isReadingMore: boolean;
  /** Orders read since more were requested. */
  readonly progress: number;
}

function useReadFigures(now: number, start: string): ReadFigures {
  const { client } = useSession();
  const [progress, setProgress] = useState(0);
  const read = useInfiniteQuery({
    queryKey: ['overview-orders', start],
    queryFn: ({ pageParam, signal }) =>
      readOrders(client, start, pageParam, pageParam === null ? firstPages : morePages, signal, setProgress),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    // Additional pages are not refetched automatically: after an absence, only the first pages are read again.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
  });
  const orders = read.data?.pages.flatMap((page) => page.orders) ?? [];
  const reports = read.data?.pages.flatMap((page) => page.reports) ?? [];
  const isWhole = !read.hasNextPage;
  return {
    figures: read.data === undefined ? null : orderFigures(orders, reports, now, days, isWhole),
    isWhole,
    count: orders.length,
    oldest: orders.at(-1)?.customerOrderPlacementDate ?? null,
    error: read.error,
    again: () => void read.refetch(),
    readMore: () => void read.fetchNextPage(),
    isReadingMore: read.isFetchingNextPage,
    progress,
  };
}

/** @param props.now milliseconds since 1970 */
export function OrderOverview({ now }: { readonly now: number }): ReactElement {
  const say = useWords(overviewWords);
  const { number } = useTexts();
  const start = dayFrom(now, 1 - days);
  const read = useReadFigures(now, start);
  const { figures, isWhole, error, again } = read;
  const shown = (value: (of: OrderFigures) => string): string | null | undefined =>
    figures === null ? (error === null ? undefined : null) : value(figures);
  const counted = (orders: readonly OrderName[]): string => `${isWhole ? '' : '≥ '}${number(orders.length)}`;
  const late = ordersNamed(figures?.late ?? []);
  const short = ordersNamed(figures?.short ?? []);
  /** Which part of them the list behind the figure has, where a filter cannot name all. */
  const listed = (orders: readonly OrderName[] | undefined, { named }: { readonly named: number }): string =>
    orders === undefined || named === orders.length ? '' : `; ${say('listHas', { named, count: orders.length })}`;
  return (
    <>
      <SimpleGrid cols={{ base: 2, lg: 4 }} spacing={{ base: 'xs', xs: 'md' }}>
        <StockFigures />
        <FigureCard
          name={say('late')}
          icon="orders"
          address={placeAddress(['orders'], { filter: late.filter })}
          value={shown((of) => counted(of.late))}
          hint={`${say('lateHint')}${listed(figures?.late, late)}`}
          again={again}
        />
        <FigureCard
          name={say('short')}
          icon="orders"
          address={placeAddress(['orders'], { filter: short.filter })}
          value={shown((of) => counted(of.short))}
          hint={`${say('shortHint')}${listed(figures?.short, short)}`}
          again={again}
        />
        <FigureCard
          name={say('preparation')}
          icon="orders"
          address={placeAddress(['orders'], {
            filter: since('customerOrderPlacementDate', start),
            sort: '-customerOrderPlacementDate',
          })}
          value={shown(({ medianMs }) =>
            medianMs === null ? '–' : say('hours', { hours: number(Math.round(medianMs / 360_000) / 10) }),
          )}
          hint={preparationHint(read, say, number)}
          again={again}
        />
        <ParcelsOnTheirWay now={now} />
        <Receptions now={now} />
      </SimpleGrid>
      <Section title={say('ordersByState')}>
        {figures === null ? (
          error === null ? (
            <Loading isChart />
          ) : (
            <Failed error={error} again={again} />
          )
        ) : (
          <OrderDays figures={figures} />
        )}
        {figures !== null && !isWhole && <Partly read={read} />}
      </Section>
    </>
  );
}

function preparationHint(
  { figures, isWhole, count }: ReadFigures,
  say: (name: OverviewWord, values?: Readonly<Record<string, string | number>>) => string,
  number: (value: number) => string,
): string {
  if (figures === null) return say('preparationOf');
  return say(isWhole ? 'preparationHint' : 'preparationPartly', { count, loaded: number(figures.loaded) });
}

function OrderDays({ figures }: { readonly figures: OrderFigures }): ReactElement {
  const say = useWords(overviewWords);
  return (
    <StackedDays
      label={say('ordersByState')}
      parts={[say('shipped'), say('preparing'), say('waiting')]}
      days={figures.days.map(({ day, counts }) => ({
        day,
        address: placeAddress(['orders'], { filter: onDay('customerOrderPlacementDate', day) }),
        counts: [counts.shipped, counts.preparing, counts.waiting],
      }))}
    />
  );
}

/** Says how many orders the figures cover, and reads more. */
function Partly({ read }: { readonly read: ReadFigures }): ReactElement {
  const say = useWords(overviewWords);
  const { say: sayCommon, instant } = useTexts();
  return (
    <Group gap="sm" mt="sm">
      <Text size="sm" c="dimmed" role="status">
        {read.isReadingMore
          ? say('readingOrders', { count: read.progress })
          : say('partly', { count: read.count, instant: instant(read.oldest ?? '') })}
        {!read.isReadingMore && read.error !== null && ` ${sayCommon('failed')}`}
      </Text>
      <Button variant="light" loading={read.isReadingMore} onClick={read.readMore}>
        {say('countOrders')}
      </Button>
    </Group>
  );
}
