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

const allKinds = ['inTransaction', 'ofFeedInTransaction', 'outside', 'ofFeed'] as const;
/** Whoever writes waits for the transaction of the feed: to hold that up would hold them up. */
const besideWrite = ['inTransaction', 'ofFeedInTransaction', 'outside'] as const;
const withoutFeeds = ['inTransaction', 'outside'] as const;

/** What turns are taken by. Tests put a clock of their own in its place. */
export interface Clock {
  /** Milliseconds since any instant. */
  now(): number;
  /** Runs once everything that is short and has come so far was done. */
  afterShortWork(run: () => void): void;
  /** Runs after so many milliseconds, unless the function that it gives is called before. */
  later(run: () => void, milliseconds: number): () => void;
}

const clockOfProcess: Clock = {
  now: () => performance.now(),
  afterShortWork: (run) => void setImmediate(run),
  later: (run, milliseconds) => {
    const timer = setTimeout(run, milliseconds);
    return () => clearTimeout(timer);
  },
};

/** Whose turn it is among those who have much to do in one thread. */
export class Turns {
  readonly #clock: Clock;
  /**
   * Those who wait for their next stretch, one queue for the one thread. Who is inside a transaction goes first, since
   * others wait for its end; otherwise who came first.
   */
  readonly #waiting: Readonly<Record<Where, (() => void)[]>> = {
    inTransaction: [],
    ofFeedInTransaction: [],
    outside: [],
    ofFeed: [],
  };
  #isDue = false;
  #endPause = (): void => undefined;
  /** When the requests that are under way came, in this order. */
  readonly #underWay: Readonly<Record<'read' | 'write', Set<{ readonly since: number }>>> = {
    read: new Set(),
    write: new Set(),
  };
  #lastReadAt = Number.NEGATIVE_INFINITY;
  /** When the last stretch of a feed began: what was done before is none of the work of the next one. */
  #lastFeedStretchAt = Number.NEGATIVE_INFINITY;
  /** Before that no feed goes on while somebody reads. Put off for a read that comes once between two stretches. */
  #feedsFreeAt = Number.NEGATIVE_INFINITY;
  #isPutOff = false;

  /** @param clock that of the process, unless it is said */
  constructor(clock: Clock = clockOfProcess) {
    this.#clock = clock;
  }

  /** See {@link cooperativeYield}. */
  yieldFor(where: Where): () => Promise<void> | undefined {
    const isOfFeed = where === 'ofFeed' || where === 'ofFeedInTransaction';
    let since = this.#clock.now();
    return () => {
      const now = this.#clock.now();
      const workedMs = now - (isOfFeed ? Math.max(since, this.#lastFeedStretchAt) : since);
      if (workedMs < (isOfFeed ? this.#feedStretchMs(now) : maxStretchMs[where])) return undefined;
      if (isOfFeed) {
        this.#feedsFreeAt = Math.max(this.#feedsFreeAt, now + pausePerStretch * Math.min(workedMs, maxCountedMs));
      }
      return new Promise<void>((resume) => {
        this.#waiting[where].push(() => {
          since = this.#clock.now();
          if (isOfFeed) {
            this.#lastFeedStretchAt = since;
            this.#isPutOff = false;
          }
          resume();
        });
        this.#schedule();
      });
    };
  }

  /** See {@link requestUnderWay}. */
  requestUnderWay(kind: 'read' | 'write'): () => void {
    const since = this.#clock.now();
    const request = { since };
    if (kind === 'read') {
      if (!this.#isPutOff && !this.#isAnyUnderWay('read', since)) {
        this.#feedsFreeAt = Math.max(this.#feedsFreeAt, since + firstPauseMs);
        this.#isPutOff = true;
      }
      this.#lastReadAt = since;
    }
    this.#underWay[kind].add(request);
    return () => {
      if (!this.#underWay[kind].delete(request) || kind === 'write') return;
      this.#lastReadAt = this.#clock.now();
      if (this.#underWay.read.size === 0) this.#schedule();
    };
  }

  #feedStretchMs(now: number): number {
    return now - this.#lastReadAt < lastReadMs ? feedStretchMs.whileRead : feedStretchMs.unread;
  }

  /** Whether a request of the kind is under way that has not been so for long. */
  #isAnyUnderWay(kind: 'read' | 'write', now: number): boolean {
    for (const request of this.#underWay[kind]) {
      if (now - request.since < maxRequestMs) return true;
      this.#underWay[kind].delete(request);
    }
    return false;
  }

  #schedule(): void {
    if (this.#isDue || !this.#isAnyWaiting(allKinds)) return;
    this.#isDue = true;
    this.#clock.afterShortWork(() => {
      this.#isDue = false;
      const now = this.#clock.now();
      const pauseMs = this.#isAnyUnderWay('read', now) ? this.#feedsFreeAt - now : 0;
      const kinds = pauseMs > 0 ? (this.#isAnyUnderWay('write', now) ? besideWrite : withoutFeeds) : allKinds;
      const next = kinds.find((kind) => this.#waiting[kind].length > 0);
      if (next !== undefined) this.#waiting[next].shift()?.();
      if (this.#isAnyWaiting(kinds)) this.#schedule();
      else if (this.#isAnyWaiting(allKinds)) {
        this.#endPause();
        this.#endPause = this.#clock.later(() => this.#schedule(), Math.max(1, pauseMs));
      }
    });
  }

  #isAnyWaiting(kinds: readonly Where[]): boolean {
    return kinds.some((kind) => this.#waiting[kind].length > 0);
  }
}

const turnsOfProcess = new Turns();

/**
 * All requests share one thread. Makes a function to be awaited between pieces of work: once the stretch has been long
 * enough it waits until everything that is short has been done, and those who go first or wait longer had a stretch;
 * what is of a feed, also for the pause of feeds. A transaction keeps those outside waiting for as long as it is at
 * work in this thread: batches have bounds.
 * @param where whether the work is done inside a transaction, which others wait for, and whether that is a feed's
 */
export function cooperativeYield(where: Where): () => Promise<void> | undefined {
  return turnsOfProcess.yieldFor(where);
}

/**
 * Tells that a request has come in, so that feeds give way to it.
 * @param kind a write waits for the transactions of feeds, which are not held up for reads then
 * @returns to be called when it has been answered; more than once does no harm
 */
export function requestUnderWay(kind: 'read' | 'write'): () => void {
  return turnsOfProcess.requestUnderWay(kind);
}
