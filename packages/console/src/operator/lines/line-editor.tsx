// Corrects a refused line in place: the record as JSON, with its faults next to it.
import { Button, Group, Stack, Textarea } from '@mantine/core';
import { type ReactElement, useEffect, useRef, useState } from 'react';
import type { FeedLine } from '../../../../client/src/index.ts';
import { useTexts } from '../../texts/texts.ts';
import { Outcome, useAction } from '../confirmed.tsx';
import { useOperator } from '../contexts.ts';
import { NotJson, objectIn } from '../json-object.tsx';
import { useOperatorWords } from '../words/words.ts';
import { lineText } from './line-card.tsx';

export function LineEditor({ line, onEnd }: { readonly line: FeedLine; readonly onEnd: () => void }): ReactElement {
  const say = useOperatorWords();
  const { say: sayCommon } = useTexts();
  const { platform } = useOperator();
  const [text, setText] = useKeptDraft(line);
  const record = objectIn(text);
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  const saving = useAction(async (given: object) => {
    await platform.editLine(line.id, given);
    setText(null);
    onEnd();
    return null;
  });
  return (
    <Stack gap="sm">
      <Textarea
        ref={field}
        label={say('editLabel')}
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
        error={typeof record === 'string' ? <NotJson fault={record} /> : undefined}
        autosize
        minRows={6}
        maxRows={30}
        spellCheck={false}
        className="code"
      />
      <Outcome error={saving.error} told={null} />
      <Group gap="xs">
        <Button
          disabled={typeof record === 'string'}
          loading={saving.isPending}
          onClick={() => typeof record === 'object' && saving.mutate(record)}
        >
          {say('save')}
        </Button>
        <Button
          variant="default"
          onClick={() => {
            setText(null);
            onEnd();
          }}
        >
          {sayCommon('cancel')}
        </Button>
      </Group>
    </Stack>
  );
}

/** Input survives a reload of the page, as long as the tab exists. */
function useKeptDraft(line: FeedLine): readonly [string, (text: string | null) => void] {
  const name = `console-line-${line.id}`;
  const [text, setText] = useState(() => sessionStorage.getItem(name) ?? lineText(line));
  const change = (next: string | null): void => {
    if (next === null) sessionStorage.removeItem(name);
    else sessionStorage.setItem(name, next);
    setText(next ?? lineText(line));
  };
  return [text, change];
}
