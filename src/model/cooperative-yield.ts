// In charge of cooperative yield: long pieces of work let others have their turn in between, and feeds give way to
// reads that are under way.

/**
 * Longest stretch of work at a time. What is outside is short, because a transaction waits for it at every step. What a
 * feed does comes again and again for as long as the feed is: shorter still while anybody reads, since a read that
 * comes waits for the stretch that has begun; longer where nobody does, since every stretch has a cost of its own.
 */
const maxStretchMs = { inTransaction: 10, outside: 1 };
const feedStretchMs = { whileRead: 0.5, unread: 2 };
/** Somebody counts as reading for so long after their last request. */
const lastReadMs = 1000;

/**
 * How much of the time feeds have while reads are under way: each stretch is followed by a pause of so many times its
 * length. A read that takes 3 ms by itself has all of them before a feed goes on.
 */
const pausePerStretch = 3;
const firstPauseMs = 3;
/** Requests that take longer wait for something else: a long read, a slow line. Feeds go on beside them. */
const maxRequestMs = 100;
/** What a stretch counts for at most: its time is that of the clock, which also runs while nothing is done. */
const maxCountedMs = 4;

/** The two kinds of a feed are its work within a transaction, which other writes wait for, and all else. */
type Where = 'inTransaction' | 'ofFeedInTransaction' | 'outside' | 'ofFeed';

/**
 * Those who wait for their next stretch, one queue for the one thread. Who is inside a transaction goes first, since
 * others wait for its end; otherwise who came first.
 */
const waiting: Readonly<Record<Where, (() => void)[]>> = {
  inTransaction: [],
  ofFeedInTransaction: [],
  outside: [],
  ofFeed: [],
};
let isDue = false;
let pause: NodeJS.Timeout | undefined;

/** When the requests that are under way came, in this order. */
const underWay: Readonly<Record<'read' | 'write', Set<{ readonly since: number }>>> = {
  read: new Set(),
  write: new Set(),
};
let lastReadAt = Number.NEGATIVE_INFINITY;
/** When the last stretch of a feed began: what was done before is none of the work of the next one. */
let lastFeedStretchAt = 0;
/** Before that no feed goes on while somebody reads. Put off for a read that comes once between two stretches. */
let feedsFreeAt = 0;
let isPutOff = false;

/**
 * All requests share one thread. Makes a function to be awaited between pieces of work: once the stretch has been long
 * enough it waits until everything that is short has been done, and those who go first or wait longer had a stretch;
 * what is of a feed, also for the pause of feeds. A transaction keeps those outside waiting for as long as it is at
 * work in this thread: batches have bounds.
 * @param where whether the work is done inside a transaction, which others wait for, and whether that is a feed's
 */
export function cooperativeYield(where: Where): () => Promise<void> | undefined {
  const isOfFeed = where === 'ofFeed' || where === 'ofFeedInTransaction';
  let since = performance.now();
  return () => {
    const now = performance.now();
    const workedMs = now - (isOfFeed ? Math.max(since, lastFeedStretchAt) : since);
    if (workedMs < (isOfFeed ? feedStretch(now) : maxStretchMs[where])) return undefined;
    if (isOfFeed) feedsFreeAt = Math.max(feedsFreeAt, now + pausePerStretch * Math.min(workedMs, maxCountedMs));
    return new Promise<void>((resume) => {
      waiting[where].push(() => {
        since = performance.now();
        if (isOfFeed) {
          lastFeedStretchAt = since;
          isPutOff = false;
        }
        resume();
      });
      schedule();
    });
  };
}

/**
 * Tells that a request has come in, so that feeds give way to it.
 * @param kind a write waits for the transactions of feeds, which are not held up for reads then
 * @returns to be called when it has been answered; more than once does no harm
 */
export function requestUnderWay(kind: 'read' | 'write'): () => void {
  const since = performance.now();
  const request = { since };
  if (kind === 'read') {
    if (!isPutOff && !isAnyUnderWay('read', since)) {
      feedsFreeAt = Math.max(feedsFreeAt, since + firstPauseMs);
      isPutOff = true;
    }
    lastReadAt = since;
  }
  underWay[kind].add(request);
  return () => {
    if (!underWay[kind].delete(request) || kind === 'write') return;
    lastReadAt = performance.now();
    if (underWay.read.size === 0) schedule();
  };
}

function feedStretch(now: number): number {
  return now - lastReadAt < lastReadMs ? feedStretchMs.whileRead : feedStretchMs.unread;
}

/** Whether a request of the kind is under way that has not been so for long. */
function isAnyUnderWay(kind: keyof typeof underWay, now: number): boolean {
  for (const request of underWay[kind]) {
    if (now - request.since < maxRequestMs) return true;
    underWay[kind].delete(request);
  }
  return false;
}

function schedule(): void {
  if (isDue || !isAnyWaiting(allKinds)) return;
  isDue = true;
  setImmediate(() => {
    isDue = false;
    const now = performance.now();
    const pauseMs = isAnyUnderWay('read', now) ? feedsFreeAt - now : 0;
    const kinds = pauseMs > 0 ? (isAnyUnderWay('write', now) ? besideWrite : withoutFeeds) : allKinds;
    const next = kinds.find((kind) => waiting[kind].length > 0);
    if (next !== undefined) waiting[next].shift()?.();
    if (isAnyWaiting(kinds)) schedule();
    else if (isAnyWaiting(allKinds)) {
      clearTimeout(pause);
      pause = setTimeout(schedule, Math.max(1, pauseMs));
    }
  });
}

const allKinds = ['inTransaction', 'ofFeedInTransaction', 'outside', 'ofFeed'] as const;
/** Whoever writes waits for the transaction of the feed: to hold that up would hold them up. */
const besideWrite = ['inTransaction', 'ofFeedInTransaction', 'outside'] as const;
const withoutFeeds = ['inTransaction', 'outside'] as const;

function isAnyWaiting(kinds: readonly Where[]): boolean {
  return kinds.some((kind) => waiting[kind].length > 0);
}
