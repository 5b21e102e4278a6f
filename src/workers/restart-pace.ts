// Decides when to replace a worker that has ended, and when to give up.

interface RestartPace {
  /**
   * A worker has ended.
   * @param servedMs how long it had served; 0: it never did
   * @param isAnyServing whether another one is serving
   * @returns delay before starting another one; null: do not, because workers repeatedly end before they serve, and
   *   none is serving
   */
  ended(servedMs: number, isAnyServing: boolean): number | null;
}

/** A worker that has served for this long did not end immediately. */
const soundMs = 10_000;
const firstPauseMs = 500;
const maxPauseMs = 30_000;
/** How many workers in a row may end before they serve until a server without a serving worker gives up. */
export const maxFailures = 5;

/** One for all workers of a server: what ends one immediately probably ends all of them. */
export function createRestartPace(): RestartPace {
  let quickEnds = 0;
  let failures = 0;
  return {
    ended: (servedMs, isAnyServing) => {
      quickEnds = servedMs >= soundMs ? 0 : quickEnds + 1;
      // Workers that served and were then killed, even repeatedly and all of them, for example by the system, will
      // serve again.
      failures = servedMs > 0 ? 0 : failures + 1;
      if (failures >= maxFailures && !isAnyServing) return null;
      return quickEnds === 0 ? firstPauseMs : Math.min(maxPauseMs, firstPauseMs * 2 ** (quickEnds - 1));
    },
  };
}
