// In charge of the order in which processes write to one embedded database: workers of a server stand in a line, each
// with all that waits in it, instead of trying again and again until they meet nobody.
import type { QueueLimits } from '../model/fair-queue.ts';
import type { TurnQueue } from '../model/worker-link.ts';

/**
 * Longest wait for the turn. It gives an order, the lock of the database what is right: so whoever has waited for so
 * long goes on without it, and meets the lock.
 */
const maxWaitMs = 30_000;
/** Transactions and time of one turn, where others wait for theirs. */
const maxAtOnce = 16;
const maxTurnMs = 50;

/** Of all workers: turns go round them. */
export const writeLineLimits: QueueLimits = {
  places: 1,
  maxPerClient: 1,
  maxWaiting: Number.MAX_SAFE_INTEGER,
  maxWaitingPerClient: Number.MAX_SAFE_INTEGER,
  maxWaitMs,
};

/** Around each transaction of a process; they come one after another. */
interface WriteLine {
  /** One more transaction is wanted: the turn that comes next is for it too. */
  expect(): void;
  /** Waits for the turn, unless this process has it. */
  begin(): Promise<void>;
  /** The transaction is over when `committed` is; then the turn goes on, unless more may be done in it. */
  end(committed: Promise<void>): void;
}

/**
 * @param queue the one of all workers
 * @param worker name of this one
 */
export function createWriteLine(queue: Pick<TurnQueue, 'enter' | 'isAwaited'>, worker: string): WriteLine {
  /** Those who wait in this process, or are at work. */
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

/** Of a process that is alone: whoever else writes, a command, is met at the lock. */
export const noWriteLine: WriteLine = {
  expect: () => undefined,
  begin: async () => undefined,
  end: () => undefined,
};
