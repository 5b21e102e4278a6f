// Waiting times in a fair queue: when a wait has to end, and which one would be too long, judged by the pace of recent
// turns.
import { createArrivals } from './arrivals.ts';

export interface WaitLimits {
  /** The longest wait for a turn. */
  readonly maxWaitMs: number;
  /**
   * The longest wait once the queue has not been empty for `maxWaitMs`: work that arrives faster than it is done is
   * better refused early. Absent: the same.
   */
  readonly maxOverloadWaitMs?: number;
}

/** One entry that waits; instants are of `performance.now`. */
export interface Wait {
  readonly since: number;
  readonly until: number;
  /** Ends the wait; null: it has not begun. */
  leave: (() => void) | null;
}

/** Everything that waits. */
interface Waits<Waiting extends Wait> {
  count(): number;
  /** Oldest first. */
  all(): readonly Waiting[];
  add(waiting: Waiting): void;
  remove(waiting: Waiting): void;
  /** Removes the entry whose turn it is, and measures the pace by it. */
  turn(waiting: Waiting, now: number): void;
  /** Ends waits longer than `maxOverloadWaitMs`, while that bound applies. */
  endStanding(now: number): void;
  /** Whether a newcomer would have to wait too long behind this many turns. */
  isTooLong(turnsBefore: number, maxWaitMs: number): boolean;
}

/**
 * @param end ends a wait and removes it from this list: it is `over`, or too long because the queue has been `standing`
 */
export function createWaits<Waiting extends Wait>(
  limits: WaitLimits,
  end: (waiting: Waiting, why: 'over' | 'standing') => void,
): Waits<Waiting> {
  const waiters = createArrivals<Waiting>();
  /** Since when the queue has not been empty. */
  let waitingSince = 0;
  const pace = createPace();
  const maxWaitNow = (now: number): number =>
    limits.maxOverloadWaitMs !== undefined && waiters.count() > 0 && now - waitingSince >= limits.maxWaitMs
      ? limits.maxOverloadWaitMs
      : limits.maxWaitMs;
  const watch = createAlarm((now) => {
    let next = Number.POSITIVE_INFINITY;
    for (const waiting of waiters.all()) {
      if (waiting.until <= now) end(waiting, 'over');
      else next = Math.min(next, waiting.until);
    }
    return next;
  });
  return {
    count: waiters.count,
    all: waiters.all,
    add: (waiting) => {
      if (waiters.count() === 0) waitingSince = waiting.since;
      waiting.leave = waiters.add(waiting);
      watch(waiting.until);
    },
    remove: ({ leave }) => leave?.(),
    turn: (waiting, now) => {
      waiting.leave?.();
      pace.turn(now, waitingSince);
    },
    endStanding: (now) => {
      const maxWaitMs = maxWaitNow(now);
      if (maxWaitMs === limits.maxWaitMs) return;
      for (let first = waiters.first(); first !== null && first.since <= now - maxWaitMs; first = waiters.first())
        end(first, 'standing');
    },
    isTooLong: (turnsBefore, maxWaitMs) =>
      turnsBefore * pace.turnEveryMs(waitingSince) > Math.min(maxWaitMs, maxWaitNow(performance.now())),
  };
}

/**
 * One timer for all waits, set for the one that ends first, because hardly any of them runs out.
 * @param ring called when it rings; returns the instant of the next one, infinite if there is none
 * @returns sets the timer, unless it rings before that instant anyway
 */
function createAlarm(ring: (now: number) => number): (until: number) => void {
  let timer: { readonly at: number; readonly handle: NodeJS.Timeout } | null = null;
  const set = (until: number): void => {
    if (timer !== null) {
      if (timer.at <= until) return;
      clearTimeout(timer.handle);
    }
    timer = { at: until, handle: setTimeout(rang, Math.max(1, until - performance.now())).unref() };
  };
  const rang = (): void => {
    timer = null;
    const next = ring(performance.now());
    if (next < Number.POSITIVE_INFINITY) set(next);
  };
  return set;
}

/**
 * How fast turns follow each other while there are always entries waiting. Measured over stretches, so that a moment
 * without processor time does not make it look slow.
 */
function createPace(): {
  readonly turn: (now: number, waitingSince: number) => void;
  /** Milliseconds from one turn to the next; 0 when that is not known yet. */
  readonly turnEveryMs: (waitingSince: number) => number;
} {
  let [start, turns, known] = [0, 0, 0];
  return {
    turn: (now, waitingSince) => {
      if (start < waitingSince) [start, turns, known] = [waitingSince, 0, 0];
      turns += 1;
      if (now - start >= paceStretch.ms && turns >= paceStretch.turns)
        [start, turns, known] = [now, 0, (now - start) / turns];
    },
    turnEveryMs: (waitingSince) => (start < waitingSince ? 0 : known),
  };
}

const paceStretch = { ms: 1000, turns: 16 } as const;
