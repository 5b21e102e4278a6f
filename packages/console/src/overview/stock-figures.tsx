// The stock according to the newest images, how much of it is available, and its value.
import { Button, Card, Group, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import { ErrorText } from '../states.tsx';
import type { ArticleStock } from '../../../client/src/index.ts';
import { useSession } from '../contexts.ts';
import { Icon } from '../icons.tsx';
import { placeAddress } from '../route.ts';
import { useTexts, useWords } from '../texts/texts.ts';
import { walked } from './bounded-walk.ts';
import { FigureCard, figurePadding } from './figure-card.tsx';
import { overviewWords } from './words.ts';

/** Pages of 100 places that are read when the overview is opened, and on each request for more. */
const [firstPages, morePages] = [3, 60] as const;
/** The most pages of 100 articles that are read. */
const maxArticlePages = 60;

/** The places of the stock that have been read. */
interface StockRead {
  /** Null: nothing has been read. */
  readonly places: readonly ArticleStock[] | null;
  readonly isWhole: boolean;
  readonly error: Error | null;
  readonly again: () => void;
  /** Resolves when more was read, or with false when that failed. */
  readonly readMore: () => Promise<boolean>;
  readonly isReadingMore: boolean;
  /** Places read since more were requested. */
  readonly progress: number;
}

function useStock(): StockRead {
  const { client } = useSession();
  const [progress, setProgress] = useState(0);
  const stock = useInfiniteQuery({
    queryKey: ['overview-stock'],
    queryFn: ({ pageParam, signal }) => {
      const maxPages = pageParam === null ? firstPages : morePages;
      return walked(client.stock, {}, pageParam, { maxPages, signal, onProgress: setProgress });
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    // As with orders: additional pages are not refetched automatically.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
  });
  return {
    places: stock.data?.pages.flatMap(({ records }) => records) ?? null,
    isWhole: !stock.hasNextPage,
    error: stock.error,
    again: () => void stock.refetch(),
    readMore: async () => (await stock.fetchNextPage()).isSuccess,
    isReadingMore: stock.isFetchingNextPage,
    progress,
  };
}

export function StockFigures(): ReactElement {
  const say = useWords(overviewWords);
  const { number } = useTexts();
  const stock = useStock();
  const places = stock.places ?? [];
  const sum = (field: 'totalStockQuantity' | 'totalAvailableForSaleQuantity' | 'totalBlockedQuantity'): number =>
    places.reduce((total, place) => total + (place[field] ?? 0), 0);
  const total = sum('totalStockQuantity');
  const percent = total === 0 ? 0 : Math.round((sum('totalAvailableForSaleQuantity') / total) * 100);
  const isRead = stock.places !== null;
  // Has the same height while loading, so that nothing below it moves afterwards.
  const availability = say('availability', {
    percent: isRead ? percent : '…',
    blocked: isRead ? number(sum('totalBlockedQuantity')) : '…',
  });
  const ofFirst =
    isRead && stock.isWhole ? '' : ` (${say('stockPartly', { count: isRead ? places.length : firstPages * 100 })})`;
  return (
    <>
      <FigureCard
        name={say('inStock')}
        icon="stock"
        address={placeAddress(['stock'])}
        value={isRead ? `${stock.isWhole ? '' : '≥ '}${number(total)}` : stock.error === null ? undefined : null}
        hint={`${availability}${ofFirst}`}
        again={stock.again}
      />
      <StockValue stock={stock} />
    </>
  );
}

/** Prices are in the articles, which are long: they and the rest of the stock are read only on request. */
function StockValue({ stock }: { readonly stock: StockRead }): ReactElement {
  const say = useWords(overviewWords);
  const { number } = useTexts();
  const { client } = useSession();
  const [isAsked, setAsked] = useState(false);
  const [read, setRead] = useState(0);
  const prices = useQuery({
    queryKey: ['overview-prices'],
    queryFn: async ({ signal }) => {
      const bounds = { maxPages: maxArticlePages, signal, onProgress: setRead };
      const { records, next } = await walked(client.articles, {}, null, bounds);
      const named = records.map((article) => [nameOf(article), article.articlePrice1 ?? null] as const);
      return { isWhole: next === null, count: records.length, prices: new Map(named) };
    },
    enabled: isAsked,
    staleTime: 300_000,
  });
  const workOut = async (): Promise<void> => {
    if (!stock.isWhole && !(await stock.readMore())) return;
    if (prices.isError) void prices.refetch();
    else setAsked(true);
  };
  const places = stock.places ?? [];
  const priceOf = (place: ArticleStock): number | null => prices.data?.prices.get(nameOf(place)) ?? null;
  const worth = places.reduce((total, place) => total + (place.totalStockQuantity ?? 0) * (priceOf(place) ?? 0), 0);
  const isKnown = stock.places !== null && prices.data !== undefined;
  const missing = new Set(places.filter((place) => priceOf(place) === null).map(nameOf)).size;
  const error = prices.error ?? (stock.places === null ? null : stock.error);
  const partly = prices.data?.isWhole === false ? ` (${say('valuePartly', { count: number(prices.data.count) })})` : '';
  if (isKnown)
    return (
      <FigureCard
        name={say('value')}
        icon="articles"
        address={placeAddress(['stock'])}
        value={`${stock.isWhole ? '' : '≥ '}${number(Math.round(worth))}`}
        hint={`${say('valueHint', { missing })}${partly}`}
        again={() => void prices.refetch()}
      />
    );
  return (
    <Card withBorder p={figurePadding}>
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <Text size="sm" c="dimmed">
          {say('value')}
        </Text>
        <Icon name="articles" />
      </Group>
      <Group my={4}>
        <Button
          variant="light"
          onClick={() => void workOut()}
          loading={stock.isReadingMore || prices.isFetching}
          disabled={stock.places === null}
        >
          {say('workOut')}
        </Button>
      </Group>
      <Text size="sm" c="dimmed" role="status">
        {stock.isReadingMore && say('readingStock', { count: stock.progress })}
        {prices.isFetching && say('workingOut', { count: read })}
        {error !== null && <ErrorText error={error} />}
      </Text>
    </Card>
  );
}

function nameOf({ activityCode, articleReference }: Pick<ArticleStock, 'activityCode' | 'articleReference'>): string {
  return `${activityCode}/${articleReference}`;
}
