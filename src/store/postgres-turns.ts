// In charge of which statements go to a PostgreSQL server together: a write to its socket and a process that wakes up
// cost more than most statements do.
import type { Row } from './engine.ts';
import { type Asked, sendTogether } from './postgres-batch.ts';
import { isLoss } from './postgres-faults.ts';
import { type Ask, type Connections, withLease } from './postgres-pool.ts';
import type { CompiledStatement } from './statement.ts';

/** Gives the rows of a statement. */
export type Query = (statement: CompiledStatement) => Promise<readonly Row[]>;

interface Waiting extends Asked {
  readonly fail: (error: unknown) => void;
}

/** Batches that are on their way at a time as long as the server answers soon, and of how many statements. */
const usualBatches = 2;
const maxTogether = 24;
/** Who has waited for so long does not wait for batches any more, but for a connection. */
const patienceMs = 5;

/**
 * Reads outside any transaction, each of which sees what was written before it began. What is asked while batches are
 * on their way goes with the next one; the order of statements that nobody awaited is not kept.
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
    }, patienceMs);
  };
  return (statement) => {
    const { promise, resolve, reject } = Promise.withResolvers<readonly Row[]>();
    waiting.push({ statement, answer: resolve, fail: reject });
    // When all that has arrived by now has been looked at: it may ask too.
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

/** Returns the statements that the server has passed over because one before them failed. Never fails itself. */
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

/** The statements of one connection, in the order in which they are asked. */
interface Sequence {
  readonly query: Query;
  /** Resolves when all that was asked has ended, well or not. */
  readonly settled: () => Promise<void>;
}

/** What is asked while a batch is on its way goes with the next one. After one that failed all others fail. */
export function createSequence(ask: Ask): Sequence {
  let waiting: Waiting[] = [];
  let sending: Promise<void> | null = null;
  const send = async (): Promise<void> => {
    // Whoever asks several things at once has done so by then.
    await undefined;
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      await ask((client) => sendTogether(client, batch)).catch((error: unknown) => {
        // Of those that were answered nobody hears any more.
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
