// Decides which statements go to a PostgreSQL server together: a write to its socket and a process wake-up cost more
// than most statements do.
import { isAnybodyWaiting, workOfFeedElsewhere } from '../model/cooperative-yield.ts';
import type { Row, SqlValue } from './engine.ts';
import { type BatchedStatement, sendTogether } from './postgres-batch.ts';
import { isLoss } from './postgres-faults.ts';
import { type Ask, type Connections, withLease } from './postgres-pool.ts';
import type { CompiledStatement } from './statement.ts';

/** Runs a statement and returns its rows. */
export type Query = (statement: CompiledStatement) => Promise<readonly Row[]>;

interface Waiting extends BatchedStatement {
  readonly fail: (error: unknown) => void;
}

/** Batches in flight at a time while the server answers quickly, and the statements in each. */
const usualBatches = 2;
const maxTogether = 24;
/** A statement that has waited this long no longer waits for batches, only for a connection. */
const timeoutMs = 5;

/**
 * Reads outside any transaction, each of which sees everything written before it began. Statements issued while batches
 * are in flight go with the next batch; the order of statements that were not awaited is not kept.
 */
export function createReads(connections: Connections, maxBatches: number): Query {
  const waiting: Waiting[] = [];
  let running = 0;
  let allowed = usualBatches;
  let isPlanned = false;
  let isImpatient = false;
  const begin = (): void => {
    while (waiting.length > 0 && running < Math.min(allowed, maxBatches)) {
      running += 1;
      void readTogether(connections, waiting.splice(0, maxTogether)).then((again) => {
        running -= 1;
        waiting.unshift(...again);
        begin();
      });
    }
    if (waiting.length === 0) allowed = usualBatches;
    else growImpatient();
  };
  const growImpatient = (): void => {
    if (isImpatient) return;
    isImpatient = true;
    setTimeout(() => {
      isImpatient = false;
      allowed = running + 1;
      begin();
    }, timeoutMs);
  };
  return (statement) => {
    const { promise, resolve, reject } = Promise.withResolvers<readonly Row[]>();
    waiting.push({ statement, answer: resolve, fail: reject });
    // Runs after everything received so far has been handled, since that may issue statements too.
    if (!isPlanned) {
      isPlanned = true;
      setImmediate(() => {
        isPlanned = false;
        begin();
      });
    }
    return promise;
  };
}

/** Returns the statements that the server skipped because one before them failed. Never fails itself. */
async function readTogether(connections: Connections, batch: readonly Waiting[]): Promise<readonly Waiting[]> {
  let answered = 0;
  try {
    await withLease(connections, ({ ask }) =>
      ask((client) =>
        sendTogether(
          client,
          batch.map(({ statement, answer }) => ({
            statement,
            answer: (rows) => {
              answered += 1;
              answer(rows);
            },
          })),
        ),
      ),
    );
    return [];
  } catch (error) {
    const [failed, ...others] = batch.slice(answered);
    failed?.fail(error);
    if (!isLoss(error)) return others;
    for (const other of others) other.fail(error);
    return [];
  }
}

/** The statements of one connection, in the order in which they are issued. */
interface Sequence {
  readonly query: Query;
  /** Resolves when every statement issued has ended, successfully or not. */
  readonly settled: () => Promise<void>;
}

/**
 * The server is done with as much in a millisecond or two, in UTF-16 units of values: background work waits for that
 * while anybody waits, since what was sent cannot be held up any more (`bench/README.md`, part i).
 */
const pieceCharacters = 8192;

/** The first items of background work that go to the server at a time: while anybody waits, no more than a piece. */
export function firstPiece<T>(items: readonly T[], valuesOf: (item: T) => readonly SqlValue[]): number {
  if (!isAnybodyWaiting()) return items.length;
  let characters = 0;
  const last = items.findIndex((item) => {
    for (const value of valuesOf(item)) characters += String(value).length;
    return characters >= pieceCharacters;
  });
  return last < 0 ? items.length : last + 1;
}

/**
 * Statements issued while a batch is in flight go with the next one. After a failure, all later ones fail.
 * @param isInBackground while anybody waits, they go in pieces, and give way
 */
export function createSequence(ask: Ask, isInBackground: boolean): Sequence {
  const waiting: Waiting[] = [];
  const run = isInBackground ? workOfFeedElsewhere : (work: () => Promise<void>): Promise<void> => work();
  let sending: Promise<void> | null = null;
  const send = async (): Promise<void> => {
    // Callers that issue several statements at once have done so by then.
    await undefined;
    while (waiting.length > 0) {
      const count = isInBackground ? firstPiece(waiting, ({ statement }) => statement.values) : waiting.length;
      const batch = waiting.splice(0, count);
      await run(() => ask((client) => sendTogether(client, batch))).catch((error: unknown) => {
        // Has no effect on those already answered.
        for (const { fail } of batch) fail(error);
      });
    }
    sending = null;
  };
  return {
    query: (statement) => {
      const { promise, resolve, reject } = Promise.withResolvers<readonly Row[]>();
      waiting.push({ statement, answer: resolve, fail: reject });
      sending ??= send();
      return promise;
    },
    settled: async () => {
      while (sending !== null) await sending;
    },
  };
}
