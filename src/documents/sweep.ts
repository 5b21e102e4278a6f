// Removes document files that no row refers to, and those that were being received when a process died.
import { OperatorError } from '../model/operator-error.ts';
import type { DocumentStorage } from './storage.ts';

/**
 * Up to this age, a file may belong to a request that is still running: far longer than the server waits for the
 * slowest one.
 */
export const minSweepAgeMs = 3_600_000;

/** What one sweep removed. */
interface Swept {
  readonly files: number;
  readonly leftovers: number;
}

interface SweepOptions {
  readonly storage: DocumentStorage;
  /** Of the given names, those that rows refer to. */
  readonly known: (names: readonly string[]) => Promise<ReadonlySet<string>>;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * Sweeps the storage once. A file is stored before its row is committed, so a recent one without a row is left alone:
 * it may belong to a request that is still running, in this process or another. The age of a temporary file counts from
 * the last write to it.
 * @throws OperatorError when the files belong to another database; then none is removed
 * @throws AggregateError of what could not be removed, after all the rest was
 */
export async function sweepDocuments({ storage, known, now }: SweepOptions): Promise<Swept> {
  const before = now - minSweepAgeMs;
  const leftovers = await storage.removeLeftovers(before);
  if (!(await storage.isOurs())) {
    throw new OperatorError(
      'The document files belong to another database, so none of them is removed.',
      'Give each database a folder or prefix of its own; see docs/documents.md.',
    );
  }
  let files = 0;
  const failures: unknown[] = [];
  for await (const names of batches(storage, before)) {
    const referred = await known(names);
    for (const name of names.filter((each) => !referred.has(each))) {
      try {
        await storage.remove(name);
        files += 1;
      } catch (error) {
        failures.push(error);
      }
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} document files could not be removed`);
  return { files, leftovers };
}

const batchSize = 500;

/** Names of the files that are old enough, in batches. */
async function* batches(storage: DocumentStorage, before: number): AsyncGenerator<readonly string[]> {
  let names: string[] = [];
  for await (const { name, modifiedAt } of storage.list()) {
    if (modifiedAt >= before) continue;
    names.push(name);
    if (names.length === batchSize) {
      yield names;
      names = [];
    }
  }
  if (names.length > 0) yield names;
}
