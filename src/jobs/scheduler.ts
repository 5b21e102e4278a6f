// The scheduler: runs pieces of background work again and again, one round at a time, until they are stopped.
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
  /** From one round to the next. */
  readonly everyMs: number;
  readonly run: () => Promise<unknown>;
}

/**
 * Starts tasks, each with its first round after a minute or, where it comes more often, after its own time; one that
 * was done lately, by whichever process, when it is due again. A round that failed is tried again sooner: after ten
 * seconds, and twice as long after each further failure.
 * @param failed is told which round threw, and what
 * @param renewEveryMs after which a round that runs holds on to its lease
 * @returns stops them all and waits for the rounds that run
 */
export function startScheduler(
  tasks: readonly Task[],
  leases: Pick<JobLeases, 'take'>,
  failed: (failure: string, error: unknown) => void,
  renewEveryMs = 20_000,
): () => Promise<void> {
  const running = tasks.map((task) =>
    repeat({
      work: () => once(task, leases, renewEveryMs),
      firstMs: Math.min(task.everyMs, 60_000),
      everyMs: task.everyMs,
      failed: (error) => failed(task.failure, error),
    }),
  );
  return async () => void (await Promise.all(running.map((stop) => stop())));
}

/** One round, where it is due and no other process is at it. Returns after how many milliseconds to ask again. */
async function once(
  { name, everyMs, run }: Task,
  leases: Pick<JobLeases, 'take'>,
  renewEveryMs: number,
): Promise<number> {
  if (name === null) {
    await run();
    return everyMs;
  }
  const held = await leases.take(name, everyMs);
  if (typeof held === 'number') return held;
  // A lease that cannot be renewed ends, and another process may begin the round too: each of them bears that.
  const renewing = setInterval(() => void held.renew().catch(() => undefined), renewEveryMs).unref();
  try {
    await run();
  } catch (error) {
    // What is not given up ends with its lease.
    await held.giveUp().catch(() => undefined);
    throw error;
  } finally {
    clearInterval(renewing);
  }
  await held.end();
  return everyMs;
}

interface Repetition {
  /** Returns after how many milliseconds it is to be done again. */
  readonly work: () => Promise<number>;
  /** Before the first time. */
  readonly firstMs: number;
  /** From one time to the next, and most that one which failed is waited for. */
  readonly everyMs: number;
  readonly failed: (error: unknown) => void;
}

/** A timer takes no more than 2^31 milliseconds. */
const maxTimerMs = 2_147_483_647;

/** Before a round that failed is tried again; after each further failure twice as many. */
const retryAfterMs = 10_000;

/** Does work again and again. Returns what stops the repetition and waits for the work that runs. */
function repeat({ work, firstMs, everyMs, failed }: Repetition): () => Promise<void> {
  let running: Promise<unknown> = Promise.resolve();
  let stopped = false;
  let timer: NodeJS.Timeout;
  let failures = 0;
  const later = (waitMs: number): void => {
    // The timer alone shall not keep the process alive.
    timer = setTimeout(round, Math.min(waitMs, maxTimerMs)).unref();
  };
  const round = (): void => {
    running = work()
      .then(
        (next) => {
          failures = 0;
          return next;
        },
        (error: unknown) => {
          failed(error);
          failures += 1;
          return Math.min(everyMs, retryAfterMs * 2 ** (failures - 1));
        },
      )
      .then((next) => {
        if (!stopped) later(next);
      });
  };
  later(firstMs);
  return async () => {
    stopped = true;
    clearTimeout(timer);
    await running;
  };
}
