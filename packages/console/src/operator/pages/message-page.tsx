// One message of a feed: its source, its outcome, and its refused lines.
import { Card, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { Reasons } from '../../states.tsx';
import type { FeedMessage } from '../../../../client/src/index.ts';
import { placeAddress } from '../../route.ts';
import { useTexts } from '../../texts/texts.ts';
import { useResourceName } from '../choices.tsx';
import { ActionButton } from '../confirmed.tsx';
import { useOperator } from '../contexts.ts';
import { RefusedLines } from '../lines/refused-lines.tsx';
import { replayText } from '../lines/replay-text.ts';
import { Answered, Facts, Instant, PageFrame } from '../page-frame.tsx';
import { StateBadge } from '../state-badge.tsx';
import { useOperatorWords } from '../words/words.ts';

export function MessagePage({ id }: { readonly id: string }): ReactElement {
  const say = useOperatorWords();
  const { platform } = useOperator();
  const query = useQuery({
    queryKey: ['platform', 'message', id],
    queryFn: ({ signal }) => platform.message(id, { signal }),
    // Refetched while it is still being received.
    refetchInterval: ({ state }) => (state.data?.state === 'open' ? 3000 : false),
  });
  return (
    <PageFrame
      title={`${say('message')} ${id}`}
      back={{ address: placeAddress(['operator', 'messages']), label: say('messages') }}
      actions={query.data === undefined ? undefined : <Actions message={query.data} />}
    >
      <Answered query={query}>
        {(message) => (
          <>
            <About message={message} />
            <Counts message={message} />
            <RefusedOf message={message} />
          </>
        )}
      </Answered>
    </PageFrame>
  );
}

/** Refused lines that the server keeps of a message. */
const mostKept = 100_000;

function RefusedOf({ message }: { readonly message: FeedMessage }): ReactElement | null {
  const say = useOperatorWords();
  const { number } = useTexts();
  const { id, state, countsOnly, counts } = message;
  const refused = counts.refused ?? 0;
  if (refused === 0) return null;
  const nothing = countsOnly ? 'countsOnly' : state === 'refused' ? 'refusedWhole' : 'noLinesLeft';
  return (
    <>
      <RefusedLines asked={{ message: id, state: 'refused' }} nothing={say(nothing)} isPart />
      {refused > mostKept && !countsOnly && state !== 'refused' && (
        <Text>{say('moreRefused', { count: number(mostKept) })}</Text>
      )}
    </>
  );
}

function Actions({ message }: { readonly message: FeedMessage }): ReactElement {
  const say = useOperatorWords();
  const { number } = useTexts();
  const { platform } = useOperator();
  const hasRefused = message.counts.refused !== 0 && message.state !== 'open';
  return (
    <>
      {message.state === 'open' && (
        <ActionButton
          label={say('endMessage')}
          question={say('endQuestion')}
          color="red"
          act={async () => {
            await platform.endMessage(message.id);
            return say('ended');
          }}
        />
      )}
      {hasRefused && (
        <>
          <ActionButton
            label={say('replayAll')}
            question={say('replayAllQuestion')}
            act={async () => replayText(await platform.replayLines(message.id), say)}
          />
          <ActionButton
            label={say('dropAll')}
            question={say('dropAllQuestion')}
            color="red"
            act={async () => say('dropped', { count: number((await platform.dropLines(message.id)).dropped) })}
          />
        </>
      )}
    </>
  );
}

function About({ message }: { readonly message: FeedMessage }): ReactElement {
  const say = useOperatorWords();
  const { bytes } = useTexts();
  const sayResource = useResourceName();
  const { replayOf, fault, note } = message;
  return (
    <Card withBorder padding="lg">
      <Facts
        facts={[
          [say('state'), <StateBadge key="state" state={message.state} />],
          [say('activity'), message.activityCode],
          [say('resource'), sayResource(message.resource)],
          [say('feed'), message.feed],
          [say('channel'), message.channel],
          [say('source'), message.source],
          [say('mapping'), message.mapping],
          [say('sourceId'), message.messageId],
          [say('sequence'), message.sequence === null ? null : String(message.sequence)],
          [say('note'), note === null ? null : `${note.code ?? ''} ${(note.missing ?? []).join('–')}`.trim()],
          [
            say('replayOf'),
            replayOf === null ? null : (
              <a key="replay" href={placeAddress(['operator', 'messages', replayOf])}>
                {replayOf}
              </a>
            ),
          ],
          [say('bytes'), bytes(message.bytes)],
          [say('actor'), message.actor],
          [say('receivedAt'), <Instant key="received" at={message.receivedAt} />],
          [say('finishedAt'), <Instant key="finished" at={message.finishedAt} />],
          [
            say('fault'),
            fault === null ? null : (
              <span key="fault">
                <code>{fault.code}</code> <Reasons reasons={[{ code: fault.code ?? '', detail: fault.detail ?? '' }]} />
              </span>
            ),
          ],
        ]}
        hidesEmpty
      />
    </Card>
  );
}

const countNames = [
  ...(['lines', 'skipped', 'read', 'new', 'changed', 'unchanged'] as const),
  ...(['refused', 'warned', 'withdrawn'] as const),
];

function Counts({ message: { counts, warnings } }: { readonly message: FeedMessage }): ReactElement {
  const say = useOperatorWords();
  const { number, pair } = useTexts();
  return (
    <Stack gap="sm">
      <Title order={2} size="h4">
        {say('counts')}
      </Title>
      <Card withBorder padding="lg">
        <Facts facts={countNames.map((name) => [say(name), number(counts[name] ?? 0)])} />
      </Card>
      {warnings.length > 0 && (
        <>
          <Title order={2} size="h4">
            {say('warnings')}
          </Title>
          <ul>
            {warnings.map(({ line, pointer, detail }) => (
              <li key={`${line} ${pointer}`}>
                <Text span>
                  {pair(say('lineTitle', { line: number(line), record: '' }).replace(/,.*/, ''), detail)}
                </Text>
              </li>
            ))}
          </ul>
        </>
      )}
    </Stack>
  );
}
