// Messages of feeds, newest first, filtered by activity, records, feed and state.
import { Group } from '@mantine/core';
import type { ReactElement } from 'react';
import type { FeedMessage, PlatformQueryOf } from '../../../../client/src/index.ts';
import { placeAddress, usePlace } from '../../route.ts';
import { useTexts } from '../../texts/texts.ts';
import { ActivityChoice, ResourceChoice, StateChoice, useResourceName } from '../choices.tsx';
import { useOperator } from '../contexts.ts';
import { type Column, DataTable, Instant, PagedRows, PageFrame } from '../page-frame.tsx';
import { usePaged } from '../paged.ts';
import { StateBadge } from '../state-badge.tsx';
import { useOperatorWords } from '../words/words.ts';

const states = ['open', 'interrupted', 'done', 'refused', 'duplicate'] as const;

export function MessagesPage(): ReactElement {
  const say = useOperatorWords();
  const { platform } = useOperator();
  const { parameters } = usePlace();
  const asked = Object.fromEntries(
    ['activity', 'resource', 'feed', 'state'].flatMap((name) => {
      const value = parameters.get(name);
      return value === null || value === '' ? [] : [[name, value]];
    }),
  ) as NonNullable<PlatformQueryOf<'listFeedMessages'>>;
  const paged = usePaged(['messages', asked], async (after, signal) => {
    const page = await platform.messages({ ...asked, limit: 50, ...(after !== undefined && { after }) }, { signal });
    return { rows: page.messages, after: page.after };
  });
  const nameOf = (state: (typeof states)[number]): string => say(state === 'refused' ? 'stateRefused' : state);
  return (
    <PageFrame
      title={asked.feed === undefined ? say('messages') : `${say('messages')} · ${asked.feed}`}
      back={{ address: placeAddress(['operator', 'feeds']), label: say('feeds') }}
    >
      <Group gap="xs">
        <ActivityChoice />
        <ResourceChoice />
        <StateChoice
          label={say('state')}
          otherwise=""
          states={[{ value: '', label: say('anyState') }, ...states.map((value) => ({ value, label: nameOf(value) }))]}
        />
      </Group>
      <PagedRows paged={paged} nothing={say('noMessages')}>
        {(rows) => <MessageTable messages={rows} />}
      </PagedRows>
    </PageFrame>
  );
}

function MessageTable({ messages }: { readonly messages: readonly FeedMessage[] }): ReactElement {
  const say = useOperatorWords();
  const { number } = useTexts();
  const sayResource = useResourceName();
  const columns: readonly Column<FeedMessage>[] = [
    {
      name: 'id',
      label: say('message'),
      cell: ({ id }) => <a href={placeAddress(['operator', 'messages', id])}>{id}</a>,
    },
    { name: 'at', label: say('receivedAt'), cell: ({ receivedAt }) => <Instant at={receivedAt} /> },
    { name: 'resource', label: say('resource'), cell: ({ resource }) => sayResource(resource) },
    { name: 'feed', label: say('feed'), cell: ({ feed }) => feed },
    { name: 'state', label: say('state'), cell: ({ state }) => <StateBadge state={state} /> },
    ...(['read', 'new', 'changed', 'unchanged', 'refused'] as const).map(
      (name): Column<FeedMessage> => ({
        name,
        label: say(name),
        isNumber: true,
        cell: ({ counts }) => number(counts[name] ?? 0),
      }),
    ),
    { name: 'source', label: say('source'), cell: ({ source, channel }) => source ?? channel },
  ];
  return <DataTable label={say('messages')} columns={columns} rows={messages} keyOf={({ id }) => id} />;
}
