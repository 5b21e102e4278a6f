// The order in which processes write to one embedded database: the workers of a server queue, each with everything that
// waits in it, instead of retrying until the lock happens to be free.
import type { QueueLimits } from '../model/fair-queue.ts';
import type { TurnQueue } from '../model/worker-link.ts';

/**
 * Longest wait for a turn. The queue only provides order, the database lock provides correctness: a worker that has
 * waited this long proceeds without a turn, and relies on the lock.
 */
const maxWaitMs = 30_000;
/** Transactions and time of one turn, while others wait for theirs. */
const maxAtOnce = 16;
const maxTurnMs = 50;

/** Over all workers: they take turns. */
export const writeQueueLimits: QueueLimits = {
  places: 1,
  maxPerClient: 1,
  maxWaiting: Number.MAX_SAFE_INTEGER,
  maxWaitingPerClient: Number.MAX_SAFE_INTEGER,
  maxWaitMs,
};

/** Called around each transaction of a process; they run one after another. */
interface WriteQueue {
  /** Announces one more transaction: the next turn covers it too. */
  expect(): void;
  /** Waits for the turn, unless this process already has it. */
  begin(): Promise<void>;
  /** The transaction is over when `committed` settles; then the turn passes on, unless more may be done in it. */
  end(committed: Promise<void>): void;
}

/**
 * @param queue shared by all workers
 * @param worker name of this worker
 */
export function createWriteQueue(queue: Pick<TurnQueue, 'enter' | 'isAwaited'>, worker: string): WriteQueue {
  /** Transactions of this process that wait or are running. */
  let wanted = 0;
  let turn: { readonly giveBack: () => void; readonly until: number; left: number } | null = null;
  return {
    expect: () => {
      wanted += 1;
    },
    begin: async () => {
      if (turn !== null) return;
      const giveBack = await queue.enter(worker).catch(() => () => undefined);
      turn = { giveBack, until: performance.now() + maxTurnMs, left: Math.min(maxAtOnce, wanted) };
    },
    end: (committed) => {
      wanted -= 1;
      if (turn === null) return;
      turn.left -= 1;
      const isOver = turn.left <= 0 || performance.now() > turn.until;
      if (wanted > 0 && !(isOver && queue.isAwaited())) return;
      const { giveBack } = turn;
      turn = null;
      void committed.catch(() => undefined).then(giveBack);
    },
  };
}

/** For a process that is alone: other writers, such as a command, only contend for the lock. */
export const noWriteQueue: WriteQueue = {
  expect: () => undefined,
  begin: async () => undefined,
  end: () => undefined,
};
