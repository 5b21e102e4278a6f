// What waits in the outbox of an activity, for one consumer or for nobody; looking moves no position.
import type { ReactElement } from 'react';
import type { WaitingEntries } from '../../../../client/src/index.ts';
import { placeAddress, usePlace } from '../../route.ts';
import { useTexts } from '../../texts/texts.ts';
import { useOperator } from '../contexts.ts';
import { type Column, DataTable, Instant, PagedRows, PageFrame } from '../page-frame.tsx';
import { usePaged } from '../paged.ts';
import { useOperatorWords } from '../words/words.ts';

type Entry = WaitingEntries['entries'][number];

export function WaitingPage(): ReactElement {
  const say = useOperatorWords();
  const { platform } = useOperator();
  const { parameters } = usePlace();
  const [activity, consumer] = [parameters.get('activity') ?? '', parameters.get('consumer') ?? ''];
  const paged = usePaged(['waiting', activity, consumer], async (after, signal) => {
    const query = { activity, ...(consumer !== '' && { consumer }), ...(after !== undefined && { after }) };
    const page = await platform.waitingEntries(query, { signal });
    return { rows: page.entries, after: page.after };
  });
  return (
    <PageFrame
      title={say('waitingOf', { activity, consumer: consumer === '' ? say('nobody') : consumer })}
      intro={say('waitingIntro')}
      back={{ address: placeAddress(['operator', 'outbox']), label: say('outbox') }}
    >
      <PagedRows paged={paged} nothing={say('nothingWaits')}>
        {(entries) => <EntryTable entries={entries} />}
      </PagedRows>
    </PageFrame>
  );
}

function EntryTable({ entries }: { readonly entries: readonly Entry[] }): ReactElement {
  const say = useOperatorWords();
  const { number } = useTexts();
  const columns: readonly Column<Entry>[] = [
    { name: 'number', label: say('changeNumber'), isNumber: true, cell: ({ changeNumber }) => number(changeNumber) },
    { name: 'kind', label: say('entryKind'), cell: ({ kind }) => say(`entry-${kind}`) },
    { name: 'key', label: say('entryKey'), cell: ({ key }) => <code>{key}</code> },
    { name: 'at', label: say('waitingSince'), cell: ({ at }) => <Instant at={at} /> },
    { name: 'operation', label: say('entryOperation'), cell: ({ operationId }) => <code>{operationId}</code> },
  ];
  return <DataTable label={say('outbox')} columns={columns} rows={entries} keyOf={({ position }) => position} />;
}
