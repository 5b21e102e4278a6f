// What is in stock by the newest images, how much of it is available, and what it is worth.
import { Button, Card, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import type { ArticleStock } from '../../../client/src/index.ts';
import { useSession } from '../contexts.ts';
import { Icon } from '../icons.tsx';
import { placeAddress } from '../route.ts';
import { useTexts, useWords } from '../texts/texts.ts';
import { walked } from './bounded-walk.ts';
import { FigureCard, figurePadding, figureSize } from './figure-card.tsx';
import { overviewWords } from './words.ts';

/** Pages of 100 places, and of 100 articles, that are read at most. */
const [maxStockPages, maxArticlePages] = [30, 30] as const;

export function StockFigures(): ReactElement {
  const say = useWords(overviewWords);
  const { number } = useTexts();
  const { client } = useSession();
  const stock = useQuery({
    queryKey: ['overview-stock'],
    queryFn: ({ signal }) => walked(client.stock, {}, maxStockPages, signal),
    staleTime: 300_000,
  });
  const places = stock.data?.records ?? [];
  const sum = (field: 'totalStockQuantity' | 'totalAvailableForSaleQuantity' | 'totalBlockedQuantity'): number =>
    places.reduce((total, place) => total + (place[field] ?? 0), 0);
  const total = sum('totalStockQuantity');
  const percent = total === 0 ? 0 : Math.round((sum('totalAvailableForSaleQuantity') / total) * 100);
  const more = stock.data?.isWhole === false ? '≥ ' : '';
  return (
    <>
      <FigureCard
        name={say('inStock')}
        icon="stock"
        address={placeAddress(['stock'])}
        value={stock.isPending ? undefined : stock.isError ? null : `${more}${number(total)}`}
        hint={
          stock.isSuccess ? say('availability', { percent, blocked: number(sum('totalBlockedQuantity')) }) : '\u00a0'
        }
        again={() => void stock.refetch()}
      />
      <StockValue places={stock.data?.records ?? null} />
    </>
  );
}

/** Prices are in the articles, which are long: they are read when somebody wants to know. */
function StockValue({ places }: { readonly places: readonly ArticleStock[] | null }): ReactElement {
  const say = useWords(overviewWords);
  const { number } = useTexts();
  const { client } = useSession();
  const [isAsked, setAsked] = useState(false);
  const [read, setRead] = useState(0);
  const prices = useQuery({
    queryKey: ['overview-prices'],
    queryFn: async ({ signal }) => {
      const { records, isWhole } = await walked(client.articles, {}, maxArticlePages, signal, setRead);
      const named = records.map((article) => [nameOf(article), article.articlePrice1 ?? null] as const);
      return {
        isWhole,
        count: records.length,
        prices: new Map(named),
      };
    },
    enabled: isAsked,
    staleTime: 300_000,
  });
  const worth =
    places === null || prices.data === undefined
      ? null
      : places.reduce(
          (total, place) => total + (place.totalStockQuantity ?? 0) * (prices.data.prices.get(nameOf(place)) ?? 0),
          0,
        );
  const missing = new Set(
    (places ?? []).map(nameOf).filter((name) => prices.data !== undefined && prices.data.prices.get(name) == null),
  ).size;
  return (
    <Card withBorder p={figurePadding}>
      <Stack gap="xs" align="flex-start">
        <Group justify="space-between" wrap="nowrap" align="flex-start" w="100%">
          <Text size="sm" c="dimmed">
            {say('value')}
          </Text>
          <Icon name="articles" />
        </Group>
        {worth === null ? (
          <Button
            variant="light"
            onClick={() => (prices.isError ? void prices.refetch() : setAsked(true))}
            loading={isAsked && prices.isFetching}
            disabled={places === null}
          >
            {say('workOut')}
          </Button>
        ) : (
          <Text fz={figureSize} fw={700} lh={1.25} className="number">
            {number(Math.round(worth))}
          </Text>
        )}
        <Text size="sm" c="dimmed" role="status">
          {prices.isFetching && say('workingOut', { count: read })}
          {prices.isError && prices.error.message}
          {worth !== null && say('valueHint', { missing: number(missing) })}
          {prices.data?.isWhole === false && ` (${say('valuePartly', { count: number(prices.data.count) })})`}
        </Text>
      </Stack>
    </Card>
  );
}

function nameOf({ activityCode, articleReference }: Pick<ArticleStock, 'activityCode' | 'articleReference'>): string {
  return `${activityCode}/${articleReference}`;
}
