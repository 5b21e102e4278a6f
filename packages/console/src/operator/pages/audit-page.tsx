// The audit trail: who wrote what, when, from where, and with what outcome.
import { Button, Group, TextInput } from '@mantine/core';
import type { FormEvent, ReactElement } from 'react';
import type { AuditPage as AuditAnswer } from '../../../../client/src/index.ts';
import { useDraft } from '../../kept-draft.ts';
import { goTo, placeAddress, usePlace } from '../../route.ts';
import { ActorName } from '../actor-name.tsx';
import { ActivityChoice } from '../choices.tsx';
import { useOperator } from '../contexts.ts';
import { localDay, startOfDay } from '../local-day.ts';
import { type Column, DataTable, Instant, PagedRows, PageFrame } from '../page-frame.tsx';
import { usePaged } from '../paged.ts';
import { StateBadge } from '../state-badge.tsx';
import { useOperatorWords } from '../words/words.ts';

type Entry = AuditAnswer['entries'][number];

const names = ['action', 'actor', 'operationId', 'since'] as const;

export function AuditPage(): ReactElement {
  const say = useOperatorWords();
  const { platform } = useOperator();
  const { parameters } = usePlace();
  const given = Object.fromEntries(names.map((name) => [name, parameters.get(name) ?? '']));
  const activity = parameters.get('activity') ?? '';
  const asked = {
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== '')),
    ...(activity !== '' && { activityCode: activity }),
  };
  // Without parameters, today's trail: its beginning may be years ago.
  const day = given.since === '' && given.operationId === '' ? today() : given.since;
  const since = day === undefined || day === '' ? {} : { since: startOfDay(day) };
  const paged = usePaged(['audit', asked], async (after, signal) => {
    const page = await platform.audit(
      { ...asked, ...since, limit: 50, ...(after !== undefined && { after }) },
      { signal },
    );
    return { rows: page.entries, after: page.entries.length < 50 ? null : page.after };
  });
  return (
    <PageFrame title={say('audit')} intro={say('auditIntro')}>
      <Search key={JSON.stringify(asked)} given={given} activity={activity} />
      <PagedRows paged={paged} nothing={say('noEntries')}>
        {(entries) => <EntryTable entries={entries} />}
      </PagedRows>
    </PageFrame>
  );
}

function today(): string {
  return localDay(new Date());
}

interface SearchProps {
  readonly given: Readonly<Record<string, string>>;
  readonly activity: string;
}

function Search({ given, activity }: SearchProps): ReactElement {
  const say = useOperatorWords();
  const [typed, setTyped, forgetTyped] = useDraft('audit-search', given);
  const search = (event: FormEvent): void => {
    event.preventDefault();
    forgetTyped();
    goTo(placeAddress(['operator', 'audit'], { ...typed, activity }));
  };
  const input = (name: (typeof names)[number], label: string, type = 'text'): ReactElement => (
    <TextInput
      type={type}
      label={label}
      value={typed[name] === '' && name === 'since' && typed.operationId === '' ? today() : (typed[name] ?? '')}
      onChange={({ currentTarget }) => setTyped({ ...typed, [name]: currentTarget.value })}
    />
  );
  return (
    <form onSubmit={search}>
      <Group gap="sm" align="flex-end">
        <ActivityChoice />
        {input('action', say('action'))}
        {input('actor', say('clientOrKey'))}
        {input('operationId', say('operationId'))}
        {input('since', say('day'), 'date')}
        <Button type="submit">{say('search')}</Button>
      </Group>
    </form>
  );
}

function EntryTable({ entries }: { readonly entries: readonly Entry[] }): ReactElement {
  const say = useOperatorWords();
  const columns: readonly Column<Entry>[] = [
    { name: 'at', label: say('at'), cell: ({ at }) => <Instant at={at} /> },
    { name: 'action', label: say('action'), cell: ({ action }) => <code>{action}</code> },
    { name: 'outcome', label: say('outcome'), cell: ({ outcome }) => <StateBadge state={outcome} /> },
    {
      name: 'actor',
      label: say('actor'),
      cell: ({ actor, actorKind, subject }) => (
        <a href={placeAddress(['operator', 'audit'], { actor })}>
          <ActorName id={actor} subject={subject} isListed={actorKind !== 'command'} />
        </a>
      ),
    },
    { name: 'activities', label: say('activity'), cell: ({ activityCodes }) => activityCodes.join(', ') || '–' },
    { name: 'target', label: say('target'), cell: (entry) => <Target entry={entry} /> },
    { name: 'address', label: say('address'), cell: ({ address }) => address ?? '–' },
    { name: 'details', label: say('details'), cell: (entry) => <Details entry={entry} /> },
  ];
  return <DataTable label={say('audit')} columns={columns} rows={entries} keyOf={({ id }) => id} />;
}

/** What was changed; users and clients by name. */
function Target({ entry: { action, target } }: { readonly entry: Entry }): ReactElement {
  if (target === null) return <>–</>;
  return <ActorName id={target} subject={null} isListed={/^(user|client)\./.test(action)} />;
}

function Details({ entry }: { readonly entry: Entry }): ReactElement {
  const say = useOperatorWords();
  if (entry.details === null) return <>–</>;
  return (
    <details>
      <summary className="more">{say('details')}</summary>
      <pre className="details">{JSON.stringify({ operationId: entry.operationId, ...entry.details }, null, 2)}</pre>
    </details>
  );
}
