// What was expected by a procurement, compared with what was received.
import { Badge, Group, Progress, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { ProcurementReport } from '../../../client/src/index.ts';
import { useSession } from '../contexts.ts';
import type { AnyRecord } from '../list/list-source.ts';
import { placeAddress } from '../route.ts';
import { Section } from '../section.tsx';
import { Failed, Loading } from '../states.tsx';
import { PlainTable } from '../table.tsx';
import { useTexts, useWords, type Words } from '../texts/texts.ts';
import { type ReceivedLine, receivedLines } from './received-lines.ts';

const english = {
  title: 'Expected and received',
  none: 'Nothing has been received yet.',
  article: 'Article',
  expected: 'Expected',
  received: 'Received',
  difference: 'Difference',
  lots: 'Lots',
  receptions: 'Receptions',
  reception: 'Reception',
  date: 'Received on',
  complete: 'complete',
  share: '{percent}% received',
} as const;

const words: Words<keyof typeof english> = {
  en: english,
  fr: {
    title: 'Attendu et reçu',
    none: 'Rien n’a encore été reçu.',
    article: 'Article',
    expected: 'Attendu',
    received: 'Reçu',
    difference: 'Écart',
    lots: 'Lots',
    receptions: 'Réceptions',
    reception: 'Réception',
    date: 'Reçue le',
    complete: 'complet',
    share: '{percent} % reçus',
  },
};

export default function ProcurementDetails({ record }: { readonly record: AnyRecord }): ReactElement {
  const say = useWords(words);
  const { client } = useSession();
  const [activity, unique] = [String(record.activityCode ?? ''), String(record.uniqueProcurementID ?? '')];
  const reports = useQuery({
    queryKey: ['reports-of-procurement', activity, unique],
    queryFn: async ({ signal }) =>
      (await client.procurementReports.ofProcurement(unique).page({ ownerActivity: activity, limit: 100 }, { signal }))
        .records,
  });
  return (
    <Section title={say('title')}>
      {reports.isPending ? (
        <Loading rows={3} />
      ) : reports.isError ? (
        <Failed error={reports.error} again={() => void reports.refetch()} />
      ) : (
        <>
          <Compared activity={activity} lines={receivedLines(record, reports.data)} />
          <Receptions reports={reports.data} />
        </>
      )}
    </Section>
  );
}

function Compared({
  activity,
  lines,
}: {
  readonly activity: string;
  readonly lines: readonly ReceivedLine[];
}): ReactElement {
  const say = useWords(words);
  const { number } = useTexts();
  const expected = lines.reduce((sum, line) => sum + line.expected, 0);
  const received = lines.reduce((sum, line) => sum + Math.min(line.received, line.expected), 0);
  const percent = expected === 0 ? 0 : Math.floor((received / expected) * 100);
  return (
    <>
      <Group wrap="nowrap">
        <Progress.Root size="xl" flex={1}>
          <Progress.Section
            value={percent}
            color={percent === 100 ? 'green' : undefined}
            aria-label={say('share', { percent })}
          />
        </Progress.Root>
        <Text size="sm">{say('share', { percent })}</Text>
      </Group>
      <PlainTable
        label={say('title')}
        columns={[
          { name: say('article') },
          { name: say('expected'), isRight: true },
          { name: say('received'), isRight: true },
          { name: say('difference'), isRight: true },
          { name: say('lots') },
        ]}
        rows={lines.map((line) => ({
          key: line.articleReference,
          cells: [
            <a key="article" href={placeAddress(['articles', activity, line.articleReference])}>
              {line.articleReference}
            </a>,
            number(line.expected),
            number(line.received),
            line.received === line.expected ? (
              <Badge className="state" key="complete" color="green" variant="outline">
                {say('complete')}
              </Badge>
            ) : (
              `${line.received > line.expected ? '+' : ''}${number(line.received - line.expected)}`
            ),
            line.lots.join(', ') || '–',
          ],
        }))}
      />
    </>
  );
}

function Receptions({ reports }: { readonly reports: readonly ProcurementReport[] }): ReactElement {
  const say = useWords(words);
  const { number, instant } = useTexts();
  if (reports.length === 0) return <Text c="dimmed">{say('none')}</Text>;
  return (
    <PlainTable
      label={say('receptions')}
      columns={[{ name: say('reception') }, { name: say('date') }, { name: say('received'), isRight: true }]}
      rows={reports.map((report) => ({
        key: String(report.id),
        cells: [
          report.svcReceptionUniqueID ?? report.receptionUniqueID ?? '–',
          report.actualReceptionDate === null ? '–' : instant(report.actualReceptionDate),
          number(report.entries.reduce((sum, { receivedQuantity }) => sum + (receivedQuantity ?? 0), 0)),
        ],
      }))}
    />
  );
}
