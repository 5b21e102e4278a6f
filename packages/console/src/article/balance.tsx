// The movements of an article as a running balance: a line with a step at each.
import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useSession } from '../contexts.ts';
import { StepChart } from '../charts/step-chart.tsx';
import { placeAddress } from '../route.ts';
import { Section } from '../section.tsx';
import { Failed, Loading } from '../states.tsx';
import { useTexts, useWords } from '../texts/texts.ts';
import { filterOf, useStockOf } from './stock-by-place.tsx';
import { runningBalance } from './running-balance.ts';
import { articleWords } from './words.ts';

/** Pages of 100 movements that are read: older ones are in the list. */
const maxPages = 5;

export function Balance({
  activity,
  reference,
}: {
  readonly activity: string;
  readonly reference: string;
}): ReactElement {
  const say = useWords(articleWords);
  const { number, instant, say: sayCommon } = useTexts();
  const { client } = useSession();
  const stock = useStockOf({ activity, reference });
  const movements = useQuery({
    queryKey: ['balance-of', activity, reference],
    queryFn: async ({ signal }) => {
      const list = client.movements.ofArticle(reference);
      let page = await list.page({ ownerActivity: activity, sort: '-movementTimestamp', limit: 100 }, { signal });
      const records = [...page.records];
      for (let pages = 1; pages < maxPages && page.next !== null; pages += 1) {
        page = await list.pageAt(page.next, { signal });
        records.push(...page.records);
      }
      return records;
    },
  });
  const points =
    stock.data === undefined || movements.data === undefined ? [] : runningBalance(stock.data, movements.data);
  const [first, last] = [points[0], points.at(-1)];
  const values = points.map(({ balance }) => balance);
  const pending = stock.isPending || movements.isPending;
  const error = movements.error ?? stock.error;
  return (
    <Section
      title={say('balance')}
      aside={
        <a href={placeAddress(['movements'], { filter: filterOf(reference), activity })} className="more">
          {sayCommon('seeAll')}
        </a>
      }
    >
      {error !== null ? (
        <Failed error={error} again={() => void Promise.all([stock.refetch(), movements.refetch()])} />
      ) : pending ? (
        <Loading rows={3} />
      ) : first === undefined || last === undefined ? (
        <Text c="dimmed">{say('noMovements')}</Text>
      ) : (
        <>
          <StepChart
            points={points.map(({ at, balance }) => ({ at, value: balance }))}
            label={say('balanceText', {
              count: points.length,
              from: instant(new Date(first.at).toISOString()),
              to: instant(new Date(last.at).toISOString()),
              first: number(first.balance),
              last: number(last.balance),
              least: number(Math.min(...values)),
              most: number(Math.max(...values)),
            })}
          />
          <Text size="sm" c="dimmed">
            {say('balanceHint')}
          </Text>
        </>
      )}
    </Section>
  );
}
