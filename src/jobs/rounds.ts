// Runs pieces of background work again and again, one round at a time, until they are stopped.
import type { JobLeases } from '../store/job-leases.ts';

/** A piece of work that comes again and again. */
export interface Task {
  /**
   * Names it among all processes of a database: one of them at a time does a round. Null: each process does it for
   * itself.
   */
  readonly name: string | null;
  /** For the log where a round fails, such as 'old stock images could not be removed'. */
  readonly failure: string;
  /** Milliseconds from one round to the next. */
  readonly every: number;
  readonly round: () => Promise<unknown>;
}

/**
 * Starts tasks, each with its first round after a minute or, where it comes more often, after its own time; one that
 * was done lately, by whichever process, when it is due again.
 * @param failed is told which round threw, and what
 * @param renewEvery milliseconds after which a round that runs holds on to its lease
 * @returns stops them all and waits for the rounds that run
 */
export function startTasks(
  tasks: readonly Task[],
  leases: JobLeases,
  failed: (failure: string, error: unknown) => void,
  renewEvery = 20_000,
): () => Promise<void> {
  const running = tasks.map((task) =>
    startRounds({
      work: () => once(task, leases, renewEvery),
      first: Math.min(task.every, 60_000),
      every: task.every,
      failed: (error) => failed(task.failure, error),
    }),
  );
  return async () => void (await Promise.all(running.map((stop) => stop())));
}

/** One round, where it is due and no other process is at it. Returns after how many milliseconds to ask again. */
async function once({ name, every, round }: Task, leases: JobLeases, renewEvery: number): Promise<number> {
  if (name === null) {
    await round();
    return every;
  }
  const held = await leases.take(name, every);
  if (typeof held === 'number') return held;
  // A lease that cannot be renewed ends, and another process may begin the round too: each of them bears that.
  const renewing = setInterval(() => void held.renew().catch(() => undefined), renewEvery).unref();
  try {
    await round();
  } finally {
    clearInterval(renewing);
    await held.end();
  }
  return every;
}

interface Repetition {
  /** Returns after how many milliseconds it is to be done again. */
  readonly work: () => Promise<number>;
  /** Milliseconds before the first time, and after one that failed. */
  readonly first: number;
  readonly every: number;
  readonly failed: (error: unknown) => void;
}

/** A timer takes no more than 2^31 milliseconds. */
const longestTimer = 2_147_483_647;

/** Does work again and again. Returns what stops the repetition and waits for the work that runs. */
function startRounds({ work, first, every, failed }: Repetition): () => Promise<void> {
  let running: Promise<unknown> = Promise.resolve();
  let stopped = false;
  let timer: NodeJS.Timeout;
  const later = (milliseconds: number): void => {
    // The timer alone shall not keep the process alive.
    timer = setTimeout(round, Math.min(milliseconds, longestTimer)).unref();
  };
  const round = (): void => {
    running = work()
      .catch((error: unknown) => {
        failed(error);
        return every;
      })
      .then((next) => {
        if (!stopped) later(next);
      });
  };
  later(first);
  return async () => {
    stopped = true;
    clearTimeout(timer);
    await running;
  };
}
