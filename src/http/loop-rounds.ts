// Shares out rounds of the event loop, so that what arrives meanwhile is seen between pieces of work.
import { createArrivals } from '../model/arrivals.ts';

/**
 * Work in one round, after which everything that has arrived is looked at: enough for several cheap
 * requests, since a round has a cost of its own, and little beside what the network takes.
 */
const roundMs = 1;

/** Pieces of work that begin in one round at most. */
const piecesInRound = 4;

/**
 * Rounds in a row that may go by without such work while connections arrive: the event loop takes in one of them in
 * each round, and would else take as many rounds of work to take in all. Work comes later by what these rounds take, a
 * few tenths of a millisecond each.
 */
const maxIdleRounds = 3;

/**
 * Makes the function to be awaited before a piece of work that has waited for its turn: as many begin in each round as
 * fit into it, in the order in which they asked, and one at least.
 * @param connections how many connections have been taken in so far
 */
export function createPace(connections: () => number): () => Promise<void> {
  const waiting: (() => void)[] = [];
  /** Of this round: when it began, and how many of its places are still to come. */
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
  // What a piece does until it waits itself is over before the next place of the round is given.
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

/** Makes the function that has things done at the end of the round: one call of the event loop for all of them. */
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
 * Makes the function that adds up what was spent of the last few milliseconds. By the clock: to be told of each round,
 * the event loop would have to make one more.
 * @returns what takes in when a piece of work began that has just ended, and says whether much was done lately
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
 * Does what is due some time after it was asked for, unless that is taken back: one timer for all, since each request
 * needs one and hardly any comes to its end.
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

/** What is due at an instant of `performance.now`. */
interface Due {
  readonly at: number;
  readonly expire: () => void;
}
