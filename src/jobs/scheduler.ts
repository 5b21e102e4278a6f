// The scheduler: runs background tasks periodically, one round of each at a time, until they are stopped.
import type { JobLeases } from '../store/job-leases.ts';

/** A piece of work that is repeated. */
export interface Task {
  /**
   * Its name among all processes of a database: only one of them at a time runs a round. Null: each process runs it for
   * itself.
   */
  readonly name: string | null;
  /** Log text for a failed round, such as 'old stock images could not be removed'. */
  readonly failure: string;
  /** Time between two rounds. */
  readonly everyMs: number;
  readonly run: () => Promise<unknown>;
}

/**
 * Starts tasks. The first round comes after a minute or, for shorter intervals, after one interval; if any process ran
 * the task recently, when it is due again. A failed round is retried sooner: after ten seconds, doubled with each
 * further failure up to a quarter of an hour.
 * @param failed receives the task whose round threw, and the error
 * @param renewEveryMs interval at which a running round renews its lease
 * @returns stops all tasks and waits for the running rounds
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

/** Runs one round if it is due and no other process is running it. Returns after how many milliseconds to ask again. */
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
  // A lease that cannot be renewed ends, and another process may begin the round too: every round tolerates that.
  const renewing = setInterval(() => void held.renew().catch(() => undefined), renewEveryMs).unref();
  try {
    await run();
  } catch (error) {
    // A lease that is not given up expires.
    await held.release().catch(() => undefined);
    throw error;
  } finally {
    clearInterval(renewing);
  }
  await held.end();
  return everyMs;
}

interface Repetition {
  /** Returns the number of milliseconds until the next run. */
  readonly work: () => Promise<number>;
  /** Delay before the first run. */
  readonly firstMs: number;
  /** Interval between runs; a failed one is retried sooner. */
  readonly everyMs: number;
  readonly failed: (error: unknown) => void;
}

/** A timer accepts at most 2^31 milliseconds. */
const maxTimerMs = 2_147_483_647;

/** Delay before a failed round is retried; doubled with each further failure. */
const retryAfterMs = 10_000;

/** The alert about failing work counts the failures of an hour: what fails for ever has several in each. */
const maxRetryAfterMs = 900_000;

/** Runs work repeatedly. Returns a function that stops the repetition and waits for the running work. */
function repeat({ work, firstMs, everyMs, failed }: Repetition): () => Promise<void> {
  let running: Promise<unknown> = Promise.resolve();
  let stopped = false;
  let timer: NodeJS.Timeout;
  let failures = 0;
  const later = (waitMs: number): void => {
    // The timer alone must not keep the process alive.
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
          return Math.min(everyMs, maxRetryAfterMs, retryAfterMs * 2 ** (failures - 1));
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
