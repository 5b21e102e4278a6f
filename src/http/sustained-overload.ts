// Distinguishes a lasting overload from a burst, and bounds the open requests during one to the number that is done in
// a short time: requests that wait longer are abandoned by then, or slow down all others.

/** Bounds for the duration of the overload. */
interface OverloadLimits {
  readonly most: number;
  /** The minimum, however slowly requests are processed. */
  readonly least: number;
}

interface OverloadBound {
  /** Must be called when a request begins to count. @param total how many were open before it */
  readonly opened: (total: number) => void;
  /** Must be called when one has ended. */
  readonly ended: () => void;
  /**
   * How many may be open now.
   * @param total how many are
   * @param clients number of clients that have any
   * @returns null: there is no lasting overload
   */
  readonly mostOpen: (total: number, clients: number) => number | null;
}

/**
 * An overload counts as lasting once half of `most` have been open for a quarter of a second without interruption,
 * until fewer than half of the number then allowed are open. Clients at a fixed rate fill the server in about a second:
 * when detection took a second, hundreds of requests had by then been queued that would expire before their turn.
 */
export function createOverloadBound({ most, least }: OverloadLimits): OverloadBound {
  let since = performance.now();
  let isSustained = false;
  /** The stretch being measured: its beginning, and the number of requests that have ended. */
  let [start, ends] = [since, 0];
  /** Requests ended per millisecond, in the last stretches. */
  let rates: readonly number[] = [];
  // A single client has a limit of its own.
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
 * How long the last request may wait in a lasting overload: long enough for the server never to be idle, since
 * more requests come than it can serve, and short, because the garbage collector copies what waits.
 */
const waitMs = 50;

/**
 * The fastest of several stretches counts, so that a moment without processor time does not make the server look slow.
 */
const stretchMs = 250;
const stretches = 4;
