// Removes document files that no row refers to, and what was being received when a process died.
import { OperatorError } from '../model/operator-error.ts';
import type { DocumentStorage } from './storage.ts';

/**
 * Age up to which a file may belong to a request that is still running: far longer than the server waits for the
 * slowest one.
 */
export const youngMilliseconds = 3_600_000;

/** What one sweep has removed. */
interface Swept {
  readonly files: number;
  readonly leftovers: number;
}

interface SweepOptions {
  readonly storage: DocumentStorage;
  /** Names that rows refer to, of those that are given. */
  readonly known: (names: readonly string[]) => Promise<ReadonlySet<string>>;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * One sweep over the storage. A file is kept before its row is committed, so a young one without a row is left alone:
 * it may be that of a request which is still running, in this process or another. A temporary file is as old as the
 * last that was written to it.
 * @throws OperatorError when the files belong to another database; then none is removed
 * @throws AggregateError of what could not be removed, after all the rest was
 */
export async function sweepDocuments({ storage, known, now }: SweepOptions): Promise<Swept> {
  const before = now - youngMilliseconds;
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

/** Names of the files that are old enough. */
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
