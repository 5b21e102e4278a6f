// In charge of cooperative yield: long pieces of work let others have their turn in between.

/**
 * Longest stretch of work at a time. What is outside is short, because a transaction waits for it at every step; so is
 * what a feed does in its transactions, because it comes again and again for as long as the feed is.
 */
const maxStretchMs = { inTransaction: 10, ofFeed: 1, outside: 1 };

type Where = keyof typeof maxStretchMs;

/**
 * Those who wait for their next stretch, one queue for the one thread. Who is inside a transaction goes first, since
 * others wait for its end; otherwise who came first.
 */
const waiting: Readonly<Record<Where, (() => void)[]>> = { inTransaction: [], ofFeed: [], outside: [] };
let isDue = false;

/**
 * All requests share one thread. Makes a function to be awaited between pieces of work: once the stretch has been long
 * enough it waits until everything that is short has been done, and those who go first or wait longer had a stretch. A
 * transaction keeps those outside waiting for as long as it is at work in this thread: batches have bounds.
 * @param where whether the work is done inside a transaction, which others wait for, and whether that is a feed's
 */
export function cooperativeYield(where: Where): () => Promise<void> | undefined {
  let since = performance.now();
  return () => {
    if (performance.now() - since < maxStretchMs[where]) return undefined;
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
    (waiting.inTransaction.shift() ?? waiting.ofFeed.shift() ?? waiting.outside.shift())?.();
    if (waiting.inTransaction.length + waiting.ofFeed.length + waiting.outside.length > 0) schedule();
  });
}
