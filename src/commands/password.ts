// Reads a new password: twice without echo from a terminal, else one line of standard input. Never from the command
// line.
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { OperatorError } from '../model/operator-error.ts';
import type { Environment, Input } from './environment.ts';
import { Interrupted } from './failure.ts';

/** Bytes of the longest line that is accepted as a password. */
const maxBytes = 4096;

/**
 * @param check throws when the password is not acceptable; called before it has to be typed a second time
 * @throws OperatorError when none is given, or the two differ
 * @throws Interrupted on Ctrl-C
 */
export async function readNewPassword(
  environment: Environment,
  login: string,
  check: (password: string) => void,
): Promise<string> {
  if (environment.stdin.isTTY === true) return ask(environment, login, check);
  const password = await firstLine(environment.stdin);
  if (password === '')
    throw new OperatorError(
      'No password came on standard input.',
      'Pipe one line in, or run the command in a terminal to be asked for it.',
    );
  check(password);
  return password;
}

async function ask(environment: Environment, login: string, check: (password: string) => void): Promise<string> {
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: environment.stdin, output: silent, terminal: true, historySize: 0 });
  // One iterator for both answers, because lines pasted together arrive together.
  const answers: string[] = [];
  const waiting: { resolve: (line: string) => void; reject: (error: Error) => void }[] = [];
  let ended: Error | null = null;
  const end = (error: Error): void => {
    ended ??= error;
    for (const { reject } of waiting.splice(0)) reject(ended);
  };
  terminal.on('line', (line) => {
    const next = waiting.shift();
    if (next === undefined) answers.push(line);
    else next.resolve(line);
  });
  terminal.on('SIGINT', () => end(new Interrupted()));
  terminal.on('close', () => end(new OperatorError('No password was given.', 'Nothing was added.')));
  const answerTo = async (question: string): Promise<string> => {
    environment.stderr.write(question);
    try {
      return (
        answers.shift() ??
        (await new Promise<string>((resolve, reject) => {
          if (ended !== null) reject(ended);
          else waiting.push({ resolve, reject });
        }))
      );
    } finally {
      environment.stderr.write('\n');
    }
  };
  try {
    const password = await answerTo(`Password for ${login}: `);
    check(password);
    if ((await answerTo('The same again: ')) !== password)
      throw new OperatorError('The two passwords differ.', 'Nothing was added.');
    return password;
  } finally {
    terminal.close();
  }
}

async function firstLine(input: Input): Promise<string> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const chunk of input) {
    const part = Buffer.from(chunk);
    const end = part.indexOf(0x0a);
    parts.push(end < 0 ? part : part.subarray(0, end));
    length += part.length;
    if (end >= 0) break;
    if (length > maxBytes)
      throw new OperatorError(
        `The first line of standard input is longer than ${maxBytes} bytes: that is no password.`,
      );
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(parts)).replace(/\r$/, '');
  } catch {
    throw new OperatorError('The password on standard input is not UTF-8 text.', 'Nothing was added.');
  }
}
