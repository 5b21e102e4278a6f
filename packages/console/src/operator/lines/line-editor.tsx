// Corrects a refused line in place: the record as JSON, with its faults next to it.
import { Alert, Button, Group, Stack, Text, Textarea } from '@mantine/core';
import { type ReactElement, useEffect, useRef, useState } from 'react';
import type { FeedLine } from '../../../../client/src/index.ts';
import { useTexts } from '../../texts/texts.ts';
import { Outcome, useAction } from '../confirmed.tsx';
import { useOperator } from '../contexts.ts';
import { NotJson, objectIn } from '../json-object.tsx';
import { useOperatorWords } from '../words/words.ts';
import { isOvertaken, type LineDraft, lineDraftIn, lineText, newLineDraft } from './line-draft.ts';

export function LineEditor({ line, onEnd }: { readonly line: FeedLine; readonly onEnd: () => void }): ReactElement {
  const say = useOperatorWords();
  const { say: sayCommon } = useTexts();
  const { platform } = useOperator();
  const [draft, setDraft] = useKeptDraft(line);
  const { text } = draft;
  const isStale = isOvertaken(draft, line);
  const record = objectIn(text);
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  const saving = useAction(async (given: object) => {
    await platform.editLine(line.id, given, { changedAt: line.changedAt });
    setDraft(null);
    onEnd();
    return null;
  });
  return (
    <Stack gap="sm">
      <Textarea
        ref={field}
        label={say('editLabel')}
        value={text}
        onChange={({ currentTarget }) => setDraft({ ...draft, text: currentTarget.value })}
        error={typeof record === 'string' ? <NotJson fault={record} /> : undefined}
        autosize
        minRows={6}
        maxRows={30}
        spellCheck={false}
        className="code"
      />
      {isStale ? (
        <Overtaken
          line={line}
          onTake={() => setDraft(newLineDraft(line))}
          onKeep={() => setDraft({ text, changedAt: line.changedAt })}
        />
      ) : (
        <Outcome error={saving.error} told={null} />
      )}
      <Group gap="xs">
        <Button
          disabled={typeof record === 'string' || isStale}
          loading={saving.isPending}
          onClick={() => typeof record === 'object' && saving.mutate(record)}
        >
          {say('save')}
        </Button>
        <Button
          variant="default"
          onClick={() => {
            setDraft(null);
            onEnd();
          }}
        >
          {sayCommon('cancel')}
        </Button>
      </Group>
    </Stack>
  );
}

/** What somebody else made of the line meanwhile: the reader decides which of the two goes on. */
function Overtaken(props: {
  readonly line: FeedLine;
  readonly onTake: () => void;
  readonly onKeep: () => void;
}): ReactElement {
  const { line, onTake, onKeep } = props;
  const say = useOperatorWords();
  return (
    <Alert color="yellow" role="alert" title={say('lineOvertaken', { actor: line.actor ?? '–' })}>
      <Stack gap="xs">
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard */}
        <pre className="raw" tabIndex={0}>
          {lineText(line)}
        </pre>
        <Text size="sm">{say('lineOvertakenHint')}</Text>
        <Group gap="xs">
          <Button variant="default" onClick={onTake}>
            {say('takeTheirs')}
          </Button>
          <Button variant="default" onClick={onKeep}>
            {say('keepMine')}
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}

/** Input survives a reload of the page, as long as the tab exists. */
function useKeptDraft(line: FeedLine): readonly [LineDraft, (draft: LineDraft | null) => void] {
  const name = `console-line-${line.id}`;
  const [draft, setDraft] = useState(() => lineDraftIn(sessionStorage.getItem(name), line));
  const change = (next: LineDraft | null): void => {
    if (next === null) sessionStorage.removeItem(name);
    else sessionStorage.setItem(name, JSON.stringify(next));
    setDraft(next ?? newLineDraft(line));
  };
  return [draft, change];
}
