// In charge of turns: pieces of work that come one after another, and long ones that let others have theirs in between.
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Runs pieces of work one after another, in the order in which they were given. */
export type Turn = <T>(work: () => Promise<T>) => Promise<T>;

export function createTurn(): Turn {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  };
}

/** Longest stretch of work at a time, milliseconds. */
const longestStretch = 10;

/** All requests share one thread. Makes a function to be awaited between pieces of work: it waits for the others once the stretch has been long enough. */
export function turnsOf(): () => Promise<void> | undefined {
  let since = performance.now();
  return () => {
    if (performance.now() - since < longestStretch) return undefined;
    return nextTurn().then(() => {
      since = performance.now();
    });
  };
}
