// A state as a coloured word; the word carries all of the meaning.
import { Badge } from '@mantine/core';
import type { ReactElement } from 'react';
import { useOperatorWords } from './words/words.ts';
import type { OperatorWord } from './words/en.ts';

/** State of a message, line, write, program or advance of a clock → its displayed name and colour. */
const states = {
  open: ['open', 'yellow'],
  interrupted: ['interrupted', 'orange'],
  done: ['done', 'green'],
  refused: ['stateRefused', 'red'],
  duplicate: ['duplicate', 'gray'],
  dropped: ['stateDropped', 'gray'],
  replayed: ['stateReplayed', 'green'],
  accepted: ['accepted', 'green'],
  partly: ['partly', 'yellow'],
  failed: ['failed', 'red'],
  waiting: ['stateWaiting', 'gray'],
  running: ['stateRunning', 'yellow'],
} as const satisfies Readonly<Record<string, readonly [OperatorWord, string]>>;

export function StateBadge({ state }: { readonly state: keyof typeof states }): ReactElement {
  const say = useOperatorWords();
  const [word, color] = states[state];
  return (
    <Badge color={color} variant="light" autoContrast className="state">
      {say(word)}
    </Badge>
  );
}

/** Status of a response. */
export function StatusBadge({ status }: { readonly status: number }): ReactElement {
  const color = status >= 500 ? 'red' : status >= 400 ? 'orange' : 'green';
  return (
    <Badge color={color} variant="light" autoContrast className="state">
      {status}
    </Badge>
  );
}
