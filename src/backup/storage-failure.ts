// What the operator is told where the storage of document files does not work while an archive is made or read back.
import { OperatorError } from '../model/operator-error.ts';

/** Says why, which a client of the interface is never told. */
export function storageFailure(error: unknown): OperatorError {
  if (error instanceof OperatorError) return error;
  return new OperatorError(
    `The storage of the document files does not work: ${error instanceof Error ? error.message : String(error)}.`,
    'See what doctor says of it, and run the command again.',
    { cause: error },
  );
}

/** As `failed` of a storage that commands use. @throws OperatorError always */
export function throwStorageFailure(error: unknown): never {
  throw storageFailure(error);
}
