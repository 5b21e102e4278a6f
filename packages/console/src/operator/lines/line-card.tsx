// A refused line: its place, why it was refused, its content, and the possible actions.
import { Button, Card, Group, Stack, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type ReactElement, useEffect, useRef } from 'react';
import { Reasons } from '../../states.tsx';
import type { FeedLine } from '../../../../client/src/index.ts';
import { Icon } from '../../icons.tsx';
import { placeAddress } from '../../route.ts';
import { useTexts } from '../../texts/texts.ts';
import { useResourceName } from '../choices.tsx';
import { ActionButton } from '../confirmed.tsx';
import { useOperator } from '../contexts.ts';
import { Instant } from '../page-frame.tsx';
import { StateBadge } from '../state-badge.tsx';
import { useOperatorWords } from '../words/words.ts';
import { lineText } from './line-draft.ts';
import { LineEditor } from './line-editor.tsx';
import { replayText } from './replay-text.ts';

export function LineCard({ line }: { readonly line: FeedLine }): ReactElement {
  const say = useOperatorWords();
  const { number } = useTexts();
  const { platform } = useOperator();
  const [isEditing, { open, close }] = useDisclosure();
  const isWaiting = line.state === 'refused';
  const editButton = useRef<HTMLButtonElement>(null);
  const wasEditing = useRef(false);
  // The editor takes the keyboard focus with it when it goes.
  useEffect(() => {
    if (wasEditing.current && !isEditing) editButton.current?.focus();
    wasEditing.current = isEditing;
  }, [isEditing]);
  return (
    <Card withBorder padding="lg" component="article" aria-label={line.id}>
      <Stack gap="sm">
        <LineHead line={line} />
        <ul className="reasons">
          {line.reasons.map(({ code, pointer, detail, count }) => (
            <li key={`${code} ${pointer}`}>
              <code>{pointer === '' ? code : pointer}</code> <Reasons reasons={[{ code, detail }]} />
              {count !== undefined && ` (${number(count)})`}
            </li>
          ))}
        </ul>
        {isEditing ? (
          <LineEditor line={line} onEnd={close} />
        ) : (
          <>
            <Content line={line} />
            {isWaiting && (
              <Group gap="xs" align="flex-start">
                <Button ref={editButton} variant="default" onClick={open} disabled={line.isLong}>
                  {say('edit')}
                </Button>
                <ActionButton
                  label={say('replay')}
                  act={async () => replayText(await platform.replayLine(line.id), say)}
                />
                <ActionButton
                  label={say('drop')}
                  color="red"
                  question={say('dropQuestion')}
                  act={async () => say('dropped', { count: number((await platform.dropLine(line.id)).dropped) })}
                />
              </Group>
            )}
          </>
        )}
      </Stack>
    </Card>
  );
}

function LineHead({ line }: { readonly line: FeedLine }): ReactElement {
  const say = useOperatorWords();
  const sayResource = useResourceName();
  const { number } = useTexts();
  return (
    <Group justify="space-between" align="flex-start">
      <Stack gap={0}>
        <Title order={2} size="h5">
          <a href={placeAddress(['operator', 'lines', line.id])}>
            {say('lineTitle', { line: number(line.line), record: number(line.record) })}
          </a>
        </Title>
        <Text size="sm" c="dimmed">
          {sayResource(line.resource)} · {line.feed} ·{' '}
          <a href={placeAddress(['operator', 'messages', line.message])}>{line.message}</a>
          {line.source === null ? '' : ` · ${line.source}`}
        </Text>
      </Stack>
      <Stack gap={2} align="flex-end">
        <StateBadge state={line.state} />
        <Text size="sm" c="dimmed">
          {line.actor === null ? '' : `${line.actor} · `}
          <Instant at={line.changedAt} />
        </Text>
        {line.replayedBy !== null && (
          <Text size="sm">
            {say('replayedBy')} <a href={placeAddress(['operator', 'messages', line.replayedBy])}>{line.replayedBy}</a>
          </Text>
        )}
      </Stack>
    </Group>
  );
}

function Content({ line }: { readonly line: FeedLine }): ReactElement {
  const say = useOperatorWords();
  if (line.isLong && line.content === null)
    return (
      <Text c="dimmed">
        <Icon name="warning" size={16} /> {say('tooLong')}
      </Text>
    );
  return (
    <Stack gap={4}>
      <Text size="sm" c="dimmed">
        {say(line.edited === null ? 'lineContent' : 'mended')}
      </Text>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard */}
      <pre className="raw" tabIndex={0}>
        {lineText(line)}
      </pre>
    </Stack>
  );
}
