// The details of an order: its progress, its parcels and where they are, its documents and its labels.
import { Badge, Group, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useSession } from '../contexts.ts';
import type { AnyRecord } from '../list/list-source.ts';
import { placeAddress } from '../route.ts';
import { Section } from '../section.tsx';
import { Failed, Loading } from '../states.tsx';
import { PlainTable } from '../table.tsx';
import { useTexts, useWords } from '../texts/texts.ts';
import { Documents } from './documents.tsx';
import { OrderLabels } from './labels.tsx';
import { Parcels } from './parcels.tsx';
import { preparedLines, type Report, stateOf } from './reports.ts';
import { orderWords } from './words.ts';

/** Reports of one order that are read; there are rarely more than two. */
const maxReports = 100;

export default function OrderDetails({ record }: { readonly record: AnyRecord }): ReactElement {
  const { client } = useSession();
  const [orderId, unique, activity] = [record.id, record.orderUniqueID, record.activityCode].map(String) as [
    string,
    string,
    string,
  ];
  const reports = useQuery({
    queryKey: ['reports-of-order', orderId],
    queryFn: async ({ signal }) =>
      (await client.orderReports.ofOrder(unique).page({ ownerActivity: activity, limit: maxReports }, { signal }))
        .records,
  });
  return (
    <Stack gap="lg">
      {reports.isPending ? (
        <Loading rows={4} isLong />
      ) : reports.isError ? (
        <Failed error={reports.error} again={() => void reports.refetch()} />
      ) : (
        <>
          <Preparation order={record} reports={reports.data} />
          <Parcels activity={activity} reports={reports.data} />
        </>
      )}
      {/* They are read meanwhile, and shown where they stay. */}
      <Stack gap="lg" display={reports.isPending ? 'none' : undefined}>
        <Documents orderId={orderId} activity={activity} />
        <OrderLabels orderId={orderId} order={unique} activity={activity} />
      </Stack>
    </Stack>
  );
}

function Preparation({
  order,
  reports,
}: {
  readonly order: AnyRecord;
  readonly reports: readonly Report[];
}): ReactElement {
  const say = useWords(orderWords);
  const { number } = useTexts();
  const state = stateOf(reports);
  const lines = preparedLines(order, reports);
  const short = lines.filter(({ ordered, prepared }) => prepared !== null && prepared < ordered);
  return (
    <Section
      title={say('preparation')}
      aside={
        <Group gap="xs">
          <Badge
            className="state"
            size="lg"
            variant="outline"
            color={state === 'shipped' ? 'green' : state === 'waiting' ? 'gray' : 'blue'}
          >
            {say(state)}
          </Badge>
          {short.length > 0 && (
            <Badge className="state" size="lg" variant="outline" color="red">
              {say('short', { count: short.length })}
            </Badge>
          )}
        </Group>
      }
    >
      <PlainTable
        label={say('preparation')}
        columns={[
          { name: say('article') },
          { name: say('ordered'), isRight: true },
          { name: say('prepared'), isRight: true },
          { name: say('missing'), isRight: true },
        ]}
        rows={lines.map(({ articleReference, ordered, prepared }) => ({
          key: articleReference,
          cells: [
            <a key="article" href={placeAddress(['articles', String(order.activityCode ?? '-'), articleReference])}>
              {articleReference}
            </a>,
            number(ordered),
            prepared === null ? '–' : number(prepared),
            prepared === null || prepared >= ordered ? '–' : number(ordered - prepared),
          ],
        }))}
      />
    </Section>
  );
}
