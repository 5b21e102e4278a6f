// Divides the rounds of the event loop, so that new input is noticed between pieces of work.
import { createArrivals } from '../model/arrivals.ts';

/**
 * Work per round, after which everything that has arrived is processed: enough for several cheap requests, because a
 * round has a cost of its own, and little compared to network delays.
 */
const roundMs = 1;

/** The most pieces of work that begin in one round. */
const piecesInRound = 4;

/**
 * The most consecutive rounds without such work while connections arrive: the event loop accepts one of them per round,
 * and would otherwise take that many rounds of work to accept all of them. Work is delayed by these rounds, a few
 * tenths of a millisecond each.
 */
const maxIdleRounds = 3;

/**
 * Makes the function to be awaited before a piece of work that has waited for its turn: in each round as many begin as
 * fit into it, at least one, in the order of their requests.
 * @param connections how many connections have been accepted so far
 */
export function createPace(connections: () => number): () => Promise<void> {
  const waiting: (() => void)[] = [];
  /** Of this round: when it began, and how many of its places are left. */
  let since = 0;
  let left = 0;
  let [known, idleRounds] = [connections(), 0];
  const plan = (): void => {
    since = 0;
    left = Math.min(piecesInRound, waiting.length);
    const isArriving = connections() !== known;
    known = connections();
    if (left > 0 && isArriving && idleRounds < maxIdleRounds) {
      idleRounds += 1;
      setImmediate(plan);
      return;
    }
    idleRounds = 0;
    for (let count = 0; count < left; count += 1) setImmediate(next);
  };
  // A piece runs until it waits itself before the next place of the round is assigned.
  const next = (): void => {
    left -= 1;
    const now = performance.now();
    if (since === 0) since = now;
    if (now - since < roundMs) waiting.shift()?.();
    if (left === 0) plan();
  };
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      if (left === 0) plan();
    });
}

/** Makes the function that schedules work for the end of the round: one event loop callback for everything. */
export function createRoundEnd(): (work: () => void) => void {
  let due: (() => void)[] = [];
  const flush = (): void => {
    const now = due;
    due = [];
    for (const work of now) work();
  };
  return (work) => {
    if (due.push(work) === 1) setImmediate(flush);
  };
}

/**
 * Makes the function that adds up the time spent in the last few milliseconds. It uses the clock, because being
 * notified of each round would cost the event loop an additional one.
 * @returns a function that takes the start of a piece of work that has just ended, and returns whether much was done
 *   recently
 */
export function createRecentWork(): (since: number) => boolean {
  let [start, spent] = [0, 0];
  return (since) => {
    const now = performance.now();
    if (now - start > 2 * roundMs) [start, spent] = [now, 0];
    spent += now - since;
    return spent >= roundMs;
  };
}

/**
 * Calls functions after a fixed time, unless they are cancelled: one timer for all, because each request needs one and
 * hardly any expires.
 */
export function createExpiry(afterMs: number): (expire: () => void) => () => void {
  const due = createArrivals<Due>();
  let timer: NodeJS.Timeout | null = null;
  const look = (): void => {
    const now = performance.now();
    for (let next = due.first(); next !== null && next.at <= now; next = due.first()) next.expire();
    if (due.count() > 0 || timer === null) return;
    clearInterval(timer);
    timer = null;
  };
  return (expire) => {
    const takeBack = due.add({
      at: performance.now() + afterMs,
      expire: () => {
        takeBack();
        expire();
      },
    });
    timer ??= setInterval(look, afterMs / 4).unref();
    return takeBack;
  };
}

/** A function due at an instant of `performance.now`. */
interface Due {
  readonly at: number;
  readonly expire: () => void;
}
