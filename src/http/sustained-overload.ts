// Tells an overload that lasts from a burst, and says how many requests may be open in it: as many as are done in a
// short time, for who waits longer than that has gone by then, or slows down all others.

/** How many may be open while the overload lasts. */
interface OverloadLimits {
  readonly most: number;
  /** However slowly requests are done. */
  readonly least: number;
}

interface OverloadBound {
  /** To be called when a request begins to count. @param total how many were open before it */
  readonly opened: (total: number) => void;
  /** To be called when one has ended. */
  readonly ended: () => void;
  /**
   * How many may be open now.
   * @param total how many are
   * @param clients of how many clients
   * @returns null: there is no overload that lasts
   */
  readonly mostOpen: (total: number, clients: number) => number | null;
}

/**
 * An overload lasts once half of `most` have been open for a quarter of a second without a break, until less than half
 * of what may be open then are. Whoever comes at a fixed rate fills the server in about a second: with a second to
 * begin with, it had hundreds in line by then whose time was over before their turn.
 */
export function createOverloadBound({ most, least }: OverloadLimits): OverloadBound {
  let since = performance.now();
  let isSustained = false;
  /** Of the stretch that is being counted: its begin, and what has ended. */
  let [start, ends] = [since, 0];
  /** Requests that ended in a millisecond, in the last stretches. */
  let rates: readonly number[] = [];
  // One client alone has a limit of its own.
  const bound = (clients: number): number =>
    clients > 1 && rates.length > 0 ? Math.min(most, Math.max(least, Math.round(Math.max(...rates) * waitMs))) : most;
  const count = (now: number): void => {
    if (now - start < stretchMs) return;
    rates = [...rates.slice(1 - stretches), ends / (now - start)];
    [start, ends] = [now, 0];
  };
  const begin = (now: number): void => {
    isSustained = false;
    rates = [];
    [since, start, ends] = [now, now, 0];
  };
  return {
    opened: (total) => {
      if (total < (isSustained ? bound(2) : most) / 2) begin(performance.now());
    },
    ended: () => {
      ends += 1;
      if (isSustained) count(performance.now());
    },
    mostOpen: (total, clients) => {
      if (!isSustained) {
        if (total < most / 2) return null;
        const now = performance.now();
        if (now - since < sustainedAfterMs) return null;
        isSustained = true;
        count(now);
      }
      return bound(clients);
    },
  };
}

const sustainedAfterMs = 250;

/**
 * How long one may wait who is the last in a lasting overload: longer than an answer and the next request take on most
 * lines, so that the server always has something to do, and far less than clients wait.
 */
const waitMs = 150;

/** The quickest of some stretches counts, so that a moment without a processor does not make the server look slow. */
const stretchMs = 250;
const stretches = 4;
