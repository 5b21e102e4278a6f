// In charge of turns: pieces of work that come one after another, and long ones that let others have theirs in between.

/** Runs a piece of work when those that were given before it have ended, also where they failed. */
export type Turn = <T>(work: () => Promise<T>) => Promise<T>;

export function createTurn(): Turn {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  };
}

/**
 * Longest stretch of work at a time, milliseconds. What is outside is short, because a transaction waits for it at
 * every step.
 */
const longestStretch = { inTransaction: 10, outside: 1 };

type Where = keyof typeof longestStretch;

/**
 * Those who wait for their next stretch, one queue for the one thread. Who is inside a transaction goes first, since
 * others wait for its end; otherwise who came first.
 */
const waiting: Readonly<Record<Where, (() => void)[]>> = { inTransaction: [], outside: [] };
let isDue = false;

/**
 * All requests share one thread. Makes a function to be awaited between pieces of work: once the stretch has been long
 * enough it waits until everything that is short has been done, and those who go first or wait longer had a stretch. A
 * transaction keeps those outside waiting for as long as it is at work in this thread: batches have bounds.
 * @param where whether the work is done inside a transaction, which others wait for
 */
export function turnsOf(where: Where): () => Promise<void> | undefined {
  let since = performance.now();
  return () => {
    if (performance.now() - since < longestStretch[where]) return undefined;
    return new Promise<void>((resume) => {
      waiting[where].push(() => {
        since = performance.now();
        resume();
      });
      schedule();
    });
  };
}

function schedule(): void {
  if (isDue) return;
  isDue = true;
  setImmediate(() => {
    isDue = false;
    (waiting.inTransaction.shift() ?? waiting.outside.shift())?.();
    if (waiting.inTransaction.length + waiting.outside.length > 0) schedule();
  });
}
