// Asks questions on a terminal, one after another; answers to secret ones are not echoed.
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { OperatorError } from '../model/operator-error.ts';
import type { Environment } from './environment.ts';
import { Interrupted } from './failure.ts';

export interface Question {
  readonly text: string;
  readonly secret: boolean;
}

/** Asks one question after another and gives each answer to `take`, which throws when it will not do. */
export async function askAll(environment: Pick<Environment, 'stdin' | 'stderr'>, questions: readonly Question[], take: (answer: string, index: number) => void): Promise<void> {
  if (questions.length === 0) return;
  const { stdin, stderr } = environment;
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: stdin, output: silent, terminal: true, historySize: 0 });
  let stopped: Error | null = null;
  terminal.on('SIGINT', () => {
    stopped = new Interrupted();
    terminal.close();
  });
  // What is not secret is shown as it is typed; the line editor itself is silent.
  let echo = false;
  const show = (character: string | undefined): void => {
    if (echo && character !== undefined && /^[\x20-\x7e\u00a0-\uffff]+$/.test(character)) stderr.write(character);
  };
  stdin.on('keypress', show);
  try {
    const lines = terminal[Symbol.asyncIterator]();
    for (const [index, { text, secret }] of questions.entries()) {
      stderr.write(`${text}: `);
      echo = !secret;
      const line = await lines.next();
      stderr.write('\n');
      if (stopped !== null) throw stopped;
      if (line.done === true) throw new OperatorError('No answer was given.', 'Nothing was changed.');
      take(line.value.trim(), index);
    }
  } finally {
    stdin.off('keypress', show);
    terminal.close();
  }
}
