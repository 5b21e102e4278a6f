// What the operator is told when the document storage fails while an archive is made or read back.
import { OperatorError } from '../model/operator-error.ts';

/** Gives the reason, which a client of the interface never learns. */
export function storageFailure(error: unknown): OperatorError {
  if (error instanceof OperatorError) return error;
  return new OperatorError(
    `The storage of the document files does not work: ${error instanceof Error ? error.message : String(error)}.`,
    'See what doctor says of it, and run the command again.',
    { cause: error },
  );
}

/** The `failed` callback for a storage used by commands. @throws OperatorError always */
export function throwStorageFailure(error: unknown): never {
  throw storageFailure(error);
}
