// Lets other requests have their turn while one has much to do: the program answers all of them in one thread.
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Longest stretch of work at a time, milliseconds. */
const longestStretch = 10;

/** Makes a function to be awaited between pieces of work: it waits for the others once the stretch has been long enough. */
export function turnsOf(): () => Promise<void> | undefined {
  let since = performance.now();
  return () => {
    if (performance.now() - since < longestStretch) return undefined;
    return nextTurn().then(() => {
      since = performance.now();
    });
  };
}
