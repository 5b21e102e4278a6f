// Asks questions on a terminal, one after another; answers to secret ones are not echoed.
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { OperatorError } from '../model/operator-error.ts';
import type { Environment } from './environment.ts';
import { Interrupted } from './failure.ts';

interface Question {
  readonly text: string;
  readonly secret: boolean;
}

/**
 * Asks one question after another and passes each trimmed answer to `take`, which throws when it is not acceptable.
 * @throws Interrupted on Ctrl-C
 * @throws OperatorError when the input ends before the questions
 */
export async function prompt(
  { stdin, stderr }: Pick<Environment, 'stdin' | 'stderr'>,
  questions: readonly Question[],
  take: (answer: string, index: number) => void,
): Promise<void> {
  if (questions.length === 0) return;
  let isShown = false;
  const output = new Writable({
    write: (chunk, _encoding, done) => {
      if (isShown) stderr.write(chunk);
      done();
    },
  });
  const terminal = createInterface({ input: stdin, output, terminal: true, historySize: 0 });
  let stopped: Error | null = null;
  terminal.on('SIGINT', () => {
    stopped = new Interrupted();
    terminal.close();
  });
  // Text pasted behind an answer may be the next secret.
  terminal.on('line', () => {
    isShown = false;
  });
  try {
    const lines = terminal[Symbol.asyncIterator]();
    for (const [index, { text, secret }] of questions.entries()) {
      isShown = true;
      terminal.setPrompt(`${text}: `);
      terminal.prompt();
      isShown = !secret;
      const line = await lines.next();
      if (secret || line.done === true) stderr.write('\n');
      if (stopped !== null) throw stopped;
      if (line.done === true) throw new OperatorError('No answer was given.', 'Nothing was changed.');
      take(line.value.trim(), index);
    }
  } finally {
    terminal.close();
  }
}
