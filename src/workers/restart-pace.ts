// Decides when a worker that has ended is replaced, and when that is given up.

interface RestartPace {
  /**
   * A worker has ended.
   * @param servedMs for which it had served; 0: it never did
   * @param isAnyServing whether another one serves
   * @returns after how long to start another one; null: not at all, since workers end before they serve again and
   * again, and none serves
   */
  ended(servedMs: number, isAnyServing: boolean): number | null;
}

/** Who has served for so long did not end at once. */
const soundMs = 10_000;
const firstPauseMs = 500;
const maxPauseMs = 30_000;
/** Ends before they served, one after another, before a server where no worker serves gives up. */
export const maxFailures = 5;

/** One for all workers of a server: what ends one at once likely ends each. */
export function createRestartPace(): RestartPace {
  let quickEnds = 0;
  let failures = 0;
  return {
    ended: (servedMs, isAnyServing) => {
      quickEnds = servedMs >= soundMs ? 0 : quickEnds + 1;
      // Workers that served and are killed, all of them again and again by the system, say, will serve again.
      failures = servedMs > 0 ? 0 : failures + 1;
      if (failures >= maxFailures && !isAnyServing) return null;
      return quickEnds === 0 ? firstPauseMs : Math.min(maxPauseMs, firstPauseMs * 2 ** (quickEnds - 1));
    },
  };
}
