// Writes secrets that are shown only once: somebody must have them, or be told that nobody has.
import { OperatorError } from '../model/operator-error.ts';
import type { Environment } from './environment.ts';

/**
 * Writes a text with a secret to standard output, and waits until it is written.
 * @param remedy what to do with the secret that nobody has seen
 * @throws OperatorError when it cannot be written
 */
export async function showOnce({ stdout }: Pick<Environment, 'stdout'>, text: string, remedy: string): Promise<void> {
  const error = await new Promise<Error | null | undefined>((resolve) => {
    stdout.write(text, resolve);
  });
  if (error) throw outputFailure(error, remedy);
}

/** The failure of a command whose output could not be written. */
export function outputFailure(
  error: Error,
  remedy = 'What the command does may be done nevertheless. Make room where its output goes, or name another place.',
): OperatorError {
  return new OperatorError(`The output could not be written: ${error.message}.`, remedy, { cause: error });
}
