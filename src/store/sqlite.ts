// The embedded engine: one SQLite file through node:sqlite, with one connection that reads and, in a thread of its own,
// one that writes.
import { textBlock } from '../model/text-block.ts';
import { setTimeout as pause } from 'node:timers/promises';
import { OperatorError } from '../model/operator-error.ts';
import { Problem } from '../model/problem.ts';
import type { BulkTarget, Engine, WriteTransaction } from './engine.ts';
import { conflictText, quotedName } from './engine.ts';
import type { WorkerLink } from '../model/worker-link.ts';
import { createLongReads, defaultLongReads, longReadLimits } from './long-reads.ts';
import { connect, isBusy, type Prepare, resultCode, statements, toRows } from './sqlite-connection.ts';
import { createLongReaders } from './sqlite-long-readers.ts';
import { sqliteSnapshot } from './sqlite-snapshot.ts';
import { createSqliteWriter, type SqliteWriter, WriterLost } from './sqlite-writer.ts';
import { statementRunner } from './statement.ts';
import { createMutex } from './mutex.ts';
import { createWriteQueue, noWriteQueue, writeQueueLimits } from './write-queue.ts';

/** How long a writer waits for another process to finish writing. */
const writerTimeoutMs = 60_000;

/**
 * Opens (and creates) the database file.
 * @param path file name; its folder is created, readable by its owner alone
 * @param clock milliseconds since 1970
 * @param link if this process is one of several workers: they take turns to write, and share the places for long reads
 * @throws OperatorError when the folder cannot be written or the file is not a database
 */
export function openSqlite(
  path: string,
  clock: () => number,
  longReadSettings = defaultLongReads,
  link: WorkerLink | null = null,
): Engine {
  const reader = connect(path);
  const readRows = statements(reader);
  const longReaders = createLongReaders(path, { maxReadMs: 1000 * longReadSettings.maxLongReadSeconds });
  const longReads = createLongReads(
    async (statement, stop) => toRows(await longReaders.read(statement, stop)),
    longReadSettings,
    link?.queue('long-reads', longReadLimits(longReadSettings)),
  );
  const writer = createSqliteWriter(path);
  const backgroundWriter = createSqliteWriter(path, undefined, 'background');
  const alone = createMutex();
  const line =
    link === null ? noWriteQueue : createWriteQueue(link.queue('writes', writeQueueLimits), String(link.number));
  let lastCommit: LastCommit = { by: writer, done: Promise.resolve() };
  /** One transaction at a time. The next one of the same writer is sent behind a commit in progress. */
  const aloneBy = <T>(by: SqliteWriter, work: () => Promise<T>): Promise<T> => {
    line.expect();
    return alone(async () => {
      await line.begin();
      try {
        // The caller that issued the commit receives its result.
        if (lastCommit.by !== by) await lastCommit.done.catch(() => undefined);
        return await work();
      } finally {
        line.end(lastCommit.done);
      }
    });
  };
  const writeBy = <T>(by: SqliteWriter, work: (transaction: WriteTransaction) => Promise<T>): Promise<T> =>
    guarded(async () => {
      const { result, commit } = await aloneBy(by, async () => {
        const ended = await worked(by, clock, work);
        lastCommit = { by, done: ended.commit.done };
        return ended;
      });
      await commit.done;
      return result;
    });
  const read = statementRunner('sqlite', ({ text, values }) =>
    guarded(async () => toRows(readRows(text).all(...values))),
  );
  return {
    dialect: 'sqlite',
    now: async () => clock(),
    read,
    readShort: read,
    dataVersion: () => versionIn(readRows),
    readLong: (statement, reading) =>
      statementRunner('sqlite', (compiled) => longReads.read(compiled, reading))(statement),
    snapshot: (work) => guarded(() => sqliteSnapshot(path, work)),
    longReads: longReads.counts,
    writeOnce: statementRunner('sqlite', (statement) =>
      guarded(() =>
        aloneBy(writer, async () => {
          statement.sent?.(1);
          return toRows(await writer.once(statement));
        }),
      ),
    ),
    write: (work) => writeBy(writer, work),
    writeInBackground: (work) => writeBy(backgroundWriter, work),
    optimize: () => aloneBy(writer, async () => void (await writer.once({ text: 'pragma optimize', values: [] }))),
    close: () =>
      alone(async () => {
        longReads.close();
        await longReaders.close();
        reader.close();
        await Promise.all([writer.close(), backgroundWriter.close()]);
      }),
  };
}

/** SQLite reads this from the memory shared by all processes; it counts changes by other connections. */
function versionIn(readRows: Prepare): number {
  try {
    const row: unknown = readRows('pragma data_version').get();
    return Array.isArray(row) ? Number(row[0]) : Number.NaN;
  } catch {
    // The next reader receives the error.
    return Number.NaN;
  }
}

/** The last commit that was sent, and its writer. */
interface LastCommit {
  readonly by: SqliteWriter;
  readonly done: Promise<void>;
}

/** A commit not answered yet: wrapped in an object, because a bare promise would be awaited when returned. */
interface Commit {
  readonly done: Promise<void>;
}

/**
 * Does work in a transaction and sends the commit. Its answer is not awaited, so that the next transaction begins as
 * soon as this one is on disk.
 */
async function worked<T>(
  writer: SqliteWriter,
  clock: () => number,
  work: (transaction: WriteTransaction) => Promise<T>,
): Promise<{ readonly result: T; readonly commit: Commit }> {
  await beginImmediate(writer);
  const { transaction, end } = openTransaction(writer, clock);
  try {
    const result = await work(transaction);
    end();
    return { result, commit: { done: writer.commit() } };
  } catch (error) {
    end();
    await writer.rollback();
    throw error;
  }
}

/**
 * The operations of a transaction; after its end they are refused, because they would run in another caller's
 * transaction.
 */
function openTransaction(
  writer: SqliteWriter,
  clock: () => number,
): { readonly transaction: WriteTransaction; readonly end: () => void } {
  let open = true;
  const requireOpen = (): void => {
    if (!open) throw new Error('this transaction has ended');
  };
  return {
    transaction: {
      now: async () => clock(),
      query: statementRunner('sqlite', async (statement) => {
        requireOpen();
        return toRows(await writer.query(statement));
      }),
      putRows: async (into, rows) => {
        requireOpen();
        await writer.each(insertText(into), rows);
      },
    },
    end: () => {
      open = false;
    },
  };
}

/** Waits for other processes by trying again: fairer than SQLite's own wait. */
async function beginImmediate(writer: SqliteWriter): Promise<void> {
  const deadline = performance.now() + writerTimeoutMs;
  for (;;) {
    try {
      return await writer.begin();
    } catch (error) {
      if (!isBusy(error)) throw error;
      if (performance.now() > deadline)
        throw new LockedTooLong(
          'The database has been locked by another process for a minute.',
          'Look for an import or a backup that hangs.',
          { cause: error },
        );
      await pause(2 + Math.random() * 8);
    }
  }
}

/** Busy, read-only, I/O error, full, cannot be opened. */
const passing: ReadonlySet<number> = new Set([5, 8, 10, 13, 14]);

/** A full disk or a held lock is nobody's mistake and temporary: clients get 503 and try again. */
async function guarded<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isPassing(error)) throw error;
    throw new Problem('unavailable', 'Storage cannot be written at the moment.', {}, { 'Retry-After': '30' }, error);
  }
}

function isPassing(error: unknown): boolean {
  if (error instanceof LockedTooLong || error instanceof WriterLost || passing.has(resultCode(error))) return true;
  return error instanceof OperatorError && passing.has(resultCode(error.cause));
}

/** Another process has been writing for the whole time that a writer waits. */
class LockedTooLong extends OperatorError {}

function insertText(into: BulkTarget): string {
  const names = into.columns.map((column) => quotedName(column.name));
  return textBlock`
    insert into ${quotedName(into.table)} (${names.join(', ')}) values
    (${names.map(() => '?').join(', ')})${conflictText(into)}
  `;
}
