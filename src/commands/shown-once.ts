// Writes secrets that are shown only once: somebody must have them, or be told that nobody has.
import { OperatorError } from '../model/operator-error.ts';
import type { Environment } from './environment.ts';

/**
 * Writes a text with a secret to standard output, and waits until it is written.
 * @param remedy what to do with the secret that nobody has seen; a function is called only then
 * @throws OperatorError when it cannot be written
 */
export async function showOnce(
  { stdout }: Pick<Environment, 'stdout'>,
  text: string,
  remedy: string | (() => Promise<string>),
): Promise<void> {
  const error = await new Promise<Error | null | undefined>((resolve) => {
    stdout.write(text, resolve);
  });
  if (!error) return;
  const sentence = typeof remedy === 'string' ? Promise.resolve(remedy) : remedy();
  undoing = sentence;
  throw outputFailure(error, await sentence);
}

let undoing: Promise<unknown> = Promise.resolve();

/** Resolves when what a command does about a secret that could not be shown is done, whether it succeeded or not. */
export async function unseenUndone(): Promise<void> {
  await undoing.catch(() => undefined);
}

/** The failure of a command whose output could not be written. */
export function outputFailure(
  error: Error,
  remedy = 'What the command does may be done nevertheless. Make room where its output goes, or name another place.',
): OperatorError {
  return new OperatorError(`The output could not be written: ${error.message}.`, remedy, { cause: error });
}
