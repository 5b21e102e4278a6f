// The stock of an article according to the newest image: by stock unit, lot and grade.
import { Text } from '@mantine/core';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { ArticleStock } from '../../../client/src/index.ts';
import { useSession } from '../contexts.ts';
import { filterText } from '../list/filter.ts';
import { placeAddress } from '../route.ts';
import { Section } from '../section.tsx';
import { Failed, Loading } from '../states.tsx';
import { PlainTable } from '../table.tsx';
import { useTexts, useWords } from '../texts/texts.ts';
import { articleWords } from './words.ts';

/** Places of one article that are read; more are said to be left out. */
const maxPlaces = 1000;

interface ArticleName {
  readonly activity: string;
  readonly reference: string;
}

export function useStockOf({ activity, reference }: ArticleName): UseQueryResult<readonly ArticleStock[]> {
  const { client } = useSession();
  return useQuery({
    queryKey: ['stock-of', activity, reference],
    queryFn: async ({ signal }) => {
      const places: ArticleStock[] = [];
      const query = { filter: filterOf(reference), ownerActivity: activity, limit: 100 };
      for await (const place of client.stock.records(query, { signal })) {
        places.push(place);
        if (places.length === maxPlaces) break;
      }
      return places;
    },
  });
}

export function StockByPlace({ activity, reference }: ArticleName): ReactElement {
  const say = useWords(articleWords);
  const { number, instant, say: sayCommon } = useTexts();
  const stock = useStockOf({ activity, reference });
  const [first] = stock.data ?? [];
  return (
    <Section
      title={say('stock')}
      aside={
        <a href={placeAddress(['stock'], { filter: filterOf(reference), activity })} className="more">
          {sayCommon('seeAll')}
        </a>
      }
    >
      {stock.isPending ? (
        <Loading rows={2} />
      ) : stock.isError ? (
        <Failed error={stock.error} again={() => void stock.refetch()} />
      ) : first === undefined ? (
        <Text c="dimmed">{say('noStock')}</Text>
      ) : (
        <>
          <PlainTable
            label={say('stock')}
            columns={[
              ...[{ name: say('stockUnit') }, { name: say('lot') }, { name: say('grade') }],
              { name: say('total'), isRight: true },
              { name: say('available'), isRight: true },
              { name: say('blocked'), isRight: true },
            ]}
            rows={stock.data.map((place) => ({
              key: String(place.id),
              cells: [
                place.stockUnitID ?? '–',
                place.articleLotNumber ?? '–',
                place.gradeCode ?? '–',
                number(place.totalStockQuantity ?? 0),
                number(place.totalAvailableForSaleQuantity ?? 0),
                number(place.totalBlockedQuantity ?? 0),
              ],
            }))}
          />
          <Text size="sm" c="dimmed">
            {first.stockImageExtractionDate !== null &&
              say('stockOf', { instant: instant(first.stockImageExtractionDate) })}
          </Text>
          {stock.data.length === maxPlaces && <Text c="dimmed">{say('more', { count: maxPlaces })}</Text>}
        </>
      )}
    </Section>
  );
}

export function filterOf(reference: string): string {
  return filterText([{ field: 'articleReference', operator: '==', value: reference }]);
}
