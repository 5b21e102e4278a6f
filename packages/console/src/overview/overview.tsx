// The first page: what is in stock, how orders do, and what is expected, each number a link to the list behind it.
import { SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import { StackedDays } from '../charts/stacked-days.tsx';
import { useSession } from '../contexts.ts';
import { placeAddress } from '../route.ts';
import { Section } from '../section.tsx';
import { Failed, Loading } from '../states.tsx';
import { PlainTable } from '../table.tsx';
import { useTexts, useWords } from '../texts/texts.ts';
import { type Walked, walked } from './bounded-walk.ts';
import { FigureCard } from './figure-card.tsx';
import { dayFrom, onDay, ordersNamed, since } from './filters.ts';
import { type OrderFigures, onTheirWayDays, orderFigures } from './order-figures.ts';
import { StockFigures } from './stock-figures.tsx';
import { overviewWords } from './words.ts';

/** Days that are looked back on. */
const days = 14;
/** Pages of 100 orders, of reports and of procurements that are read at most. */
const maxPages = 10;

export function Overview(): ReactElement {
  const { say } = useTexts();
  // The figures are those of the moment in which the page was opened.
  const [now] = useState(() => Date.now());
  return (
    <Stack gap="lg">
      <Title order={1} size="h2">
        {say('overview')}
      </Title>
      <OrderOverview now={now} />
      <NewestOrders />
    </Stack>
  );
}

interface Read {
  readonly figures: OrderFigures;
  readonly isWhole: boolean;
}

function OrderOverview({ now }: { readonly now: number }): ReactElement {
  const say = useWords(overviewWords);
  const { number } = useTexts();
  const { client } = useSession();
  const start = dayFrom(now, 1 - days);
  const read = useQuery({
    queryKey: ['overview-orders', start],
    queryFn: async ({ signal }): Promise<Read> => {
      const [orders, reports] = await Promise.all([
        walked(
          client.orders,
          { filter: since('customerOrderPlacementDate', start), sort: '-customerOrderPlacementDate' },
          maxPages,
          signal,
        ),
        walked(
          client.orderReports,
          { filter: since('firstPackageCreationDate', start), sort: '-id' },
          maxPages,
          signal,
        ),
      ]);
      return {
        figures: orderFigures(orders.records, reports.records, now, days),
        isWhole: orders.isWhole && reports.isWhole,
      };
    },
    staleTime: 60_000,
  });
  const { data: figures } = { data: read.data?.figures };
  const shown = (value: (of: OrderFigures) => string): string | null | undefined =>
    figures === undefined ? (read.isError ? null : undefined) : value(figures);
  const again = (): void => void read.refetch();
  const onTruck = dayFrom(now, -onTheirWayDays);
  return (
    <>
      <SimpleGrid cols={{ base: 2, lg: 4 }} spacing={{ base: 'xs', xs: 'md' }}>
        <StockFigures />
        <FigureCard
          name={say('late')}
          icon="orders"
          address={placeAddress(['orders'], { filter: ordersNamed(figures?.late ?? []) })}
          value={shown(({ late }) => number(late.length))}
          hint={say('lateHint')}
          again={again}
        />
        <FigureCard
          name={say('short')}
          icon="order-reports"
          address={placeAddress(['order-reports'], { filter: ordersNamed(figures?.short ?? []) })}
          value={shown(({ short }) => number(short.length))}
          hint={say('shortHint')}
          again={again}
        />
        <FigureCard
          name={say('preparation')}
          icon="order-reports"
          address={placeAddress(['order-reports'], { filter: since('lastPackageLoadDate', start) })}
          value={shown(({ medianMs }) =>
            medianMs === null ? '–' : say('hours', { hours: number(Math.round(medianMs / 360_000) / 10) }),
          )}
          hint={say('preparationHint')}
          again={again}
        />
        <FigureCard
          name={say('onTheirWay')}
          icon="movements"
          address={placeAddress(['order-reports'], { filter: since('lastPackageLoadDate', onTruck) })}
          value={shown(({ parcelsOnTheirWay }) => number(parcelsOnTheirWay))}
          hint={say('onTheirWayHint')}
          again={again}
        />
        <Receptions now={now} />
      </SimpleGrid>
      <Section title={say('ordersByState')}>
        {read.isError ? (
          <Failed error={read.error} again={again} />
        ) : figures === undefined ? (
          <Loading isChart />
        ) : (
          <StackedDays
            label={say('ordersByState')}
            parts={[say('shipped'), say('preparing'), say('waiting')]}
            days={figures.days.map(({ day, counts }) => ({
              day,
              address: placeAddress(['orders'], { filter: onDay('customerOrderPlacementDate', day) }),
              counts: [counts.shipped, counts.preparing, counts.waiting],
            }))}
          />
        )}
        {read.data?.isWhole === false && (
          <Text size="sm" c="dimmed">
            {say('partly', { count: number(maxPages * 100) })}
          </Text>
        )}
      </Section>
    </>
  );
}

function Receptions({ now }: { readonly now: number }): ReactElement {
  const say = useWords(overviewWords);
  const { number } = useTexts();
  const { client } = useSession();
  const filter = since('expectedReceiptDate', dayFrom(now, 0));
  const expected = useQuery({
    queryKey: ['overview-receptions', filter],
    queryFn: ({ signal }) => walked(client.procurements, { filter }, maxPages, signal),
    staleTime: 60_000,
  });
  const told = ({ records, isWhole }: Walked<unknown>): string => `${number(records.length)}${isWhole ? '' : '+'}`;
  return (
    <FigureCard
      name={say('receptions')}
      icon="procurements"
      address={placeAddress(['procurements'], { filter })}
      value={expected.isPending ? undefined : expected.isError ? null : told(expected.data)}
      hint={say('receptionsHint')}
      again={() => void expected.refetch()}
    />
  );
}

function NewestOrders(): ReactElement {
  const { say, instant, fieldName } = useTexts();
  const { client } = useSession();
  const orders = useQuery({
    queryKey: ['newest-orders'],
    queryFn: async ({ signal }) => (await client.orders.page({ sort: '-dateCreation', limit: 8 }, { signal })).records,
  });
  const columns = ['orderUniqueID', 'customerOrderPlacementDate', 'deliveryAddressCity', 'deliveryAddressCountry'];
  return (
    <Section
      title={say('recentOrders')}
      aside={
        <a href={placeAddress(['orders'])} className="more">
          {say('seeAll')}
        </a>
      }
    >
      {orders.isPending ? (
        <Loading />
      ) : orders.isError ? (
        <Failed error={orders.error} again={() => void orders.refetch()} />
      ) : (
        <PlainTable
          label={say('recentOrders')}
          columns={columns.map((name) => ({ name: fieldName(name) }))}
          rows={orders.data.map((order) => ({
            key: String(order.id),
            cells: [
              <a key="order" href={placeAddress(['orders', order.activityCode, order.orderUniqueID])}>
                {order.orderUniqueID}
              </a>,
              instant(order.customerOrderPlacementDate ?? ''),
              order.deliveryAddressCity,
              order.deliveryAddressCountry,
            ],
          }))}
        />
      )}
    </Section>
  );
}
