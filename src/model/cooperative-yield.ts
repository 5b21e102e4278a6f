// Cooperative yield: long work lets other work run in between, and gives way to reads that are in progress.
import { givesWay, PauseForReads } from './pause-for-reads.ts';

/**
 * The longest stretch of work at a time, in milliseconds: short while anybody reads, because a new read waits for the
 * stretch in progress, and longer otherwise, because each stretch has a fixed cost. Work outside a transaction gets
 * less than work inside one then, because transactions wait for it at every step. A write's stretches are shorter than
 * a feed's, which pauses for longer after each.
 */
const maxStretchMs = {
  inTransaction: { whileRead: 0.25, unread: 10 },
  outside: { whileRead: 0.25, unread: 1 },
  ofFeedInTransaction: { whileRead: 0.33, unread: 2 },
  ofFeed: { whileRead: 0.33, unread: 2 },
} as const;
/** A client counts as reading for this long after its last request. */
const lastReadMs = 1000;
/** The processes of one server tell each other that somebody reads no more often than this. */
const tellReadMs = 1000;

/**
 * Requests that take longer are waiting for something else: a long read or a slow connection. Feeds and writes continue
 * beside them.
 */
const maxRequestMs = 100;
/**
 * The most that work of another process counts for: feeds pause for as long as it took, so that half of its time stays.
 */
const maxCountedElsewhereMs = 50;

/** The work of a feed is of two kinds: inside its transaction, which other writes wait for, and everything else. */
type Where = keyof typeof maxStretchMs;

const allKinds = ['inTransaction', 'ofFeedInTransaction', 'outside', 'ofFeed'] as const;

/** The time source and timers. Tests supply their own. */
export interface Clock {
  /** Milliseconds since an arbitrary instant. */
  now(): number;
  /** Runs after all short work that is already queued. */
  afterShortWork(run: () => void): void;
  /** Runs after this many milliseconds, unless the returned function is called first. */
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

/** Decides which of several long-running jobs in one thread works next. */
export class Turns {
  readonly #clock: Clock;
  /**
   * Jobs waiting for their next stretch, one queue for the one thread. Work inside a transaction goes first, because
   * others wait for its end; otherwise the first to come goes first.
   */
  readonly #waiting: Readonly<Record<Where, (() => void)[]>> = {
    inTransaction: [],
    ofFeedInTransaction: [],
    outside: [],
    ofFeed: [],
  };
  #isDue = false;
  #endPause = (): void => undefined;
  /** When the requests in progress arrived, oldest first. */
  readonly #underWay: Readonly<Record<'read' | 'write', Set<{ readonly since: number }>>> = {
    read: new Set(),
    write: new Set(),
  };
  #lastReadAt = Number.NEGATIVE_INFINITY;
  #tellOthers: (() => void) | null = null;
  /** When all processes of the server last heard that somebody reads, whichever told it. */
  #lastToldAt = Number.NEGATIVE_INFINITY;
  readonly #feeds = new PauseForReads(givesWay.feeds);
  readonly #writes = new PauseForReads(givesWay.writes);

  /** @param clock default: the clock of the process */
  constructor(clock: Clock = clockOfProcess) {
    this.#clock = clock;
  }

  /** See {@link cooperativeYield}. */
  yieldFor(where: Where): () => Promise<void> | undefined {
    const pause = this.#pauseOf(where);
    let since = this.#clock.now();
    return () => {
      const now = this.#clock.now();
      const workedMs = pause?.workedMs(since, now) ?? now - since;
      if (workedMs < maxStretchMs[where][this.isAnybodyReading() ? 'whileRead' : 'unread']) return undefined;
      pause?.after(workedMs, now);
      return new Promise<void>((resume) => {
        this.#waiting[where].push(() => {
          since = this.#clock.now();
          pause?.continues(since);
          resume();
        });
        this.#schedule();
      });
    };
  }

  /** Other writes wait for the transaction of a write, so it is never delayed. */
  #pauseOf(where: Where): PauseForReads | null {
    if (where === 'inTransaction') return null;
    return where === 'outside' ? this.#writes : this.#feeds;
  }

  /** See {@link isAnybodyReading}. */
  isAnybodyReading(): boolean {
    const now = this.#clock.now();
    // What was read soon after it was told has not been told.
    return now - this.#lastReadAt < lastReadMs || now - this.#lastToldAt < tellReadMs + lastReadMs;
  }

  /** See {@link shareReading}. */
  shareReading(tellOthers: () => void): () => void {
    this.#tellOthers = tellOthers;
    return () => {
      this.#lastToldAt = this.#clock.now();
    };
  }

  /** See {@link workOfFeedElsewhere}. */
  async workOfFeedElsewhere<T>(work: () => Promise<T>): Promise<T> {
    const now = this.#clock.now();
    if (this.#feeds.leftMs(now) > 0 && this.#isAnyUnderWay('read', now))
      await new Promise<void>((resume) => {
        this.#waiting.ofFeedInTransaction.push(() => {
          this.#feeds.continues(this.#clock.now());
          resume();
        });
        this.#schedule();
      });
    const since = this.#clock.now();
    try {
      return await work();
    } finally {
      const now = this.#clock.now();
      this.#feeds.notBefore(now + Math.min(now - since, maxCountedElsewhereMs));
    }
  }

  /** See {@link requestUnderWay}. */
  requestUnderWay(kind: 'read' | 'write'): () => void {
    const since = this.#clock.now();
    const request = { since };
    if (kind === 'read') {
      if (!this.#isAnyUnderWay('read', since)) {
        this.#feeds.readBegins(since);
        this.#writes.readBegins(since);
      }
      this.#noteRead(since);
    }
    this.#underWay[kind].add(request);
    return () => {
      if (!this.#underWay[kind].delete(request) || kind === 'write') return;
      this.#noteRead(this.#clock.now());
      if (this.#underWay.read.size === 0) this.#schedule();
    };
  }

  #noteRead(now: number): void {
    this.#lastReadAt = now;
    if (this.#tellOthers === null || now - this.#lastToldAt < tellReadMs) return;
    this.#lastToldAt = now;
    this.#tellOthers();
  }

  /** Whether a request of this kind is in progress and began recently. */
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
      const kinds = this.#kindsAt(now);
      const next = kinds.find((kind) => this.#waiting[kind].length > 0);
      if (next !== undefined) this.#waiting[next].shift()?.();
      if (this.#isAnyWaiting(kinds)) this.#schedule();
      else if (this.#isAnyWaiting(allKinds)) {
        this.#endPause();
        this.#endPause = this.#clock.later(() => this.#schedule(), Math.max(1, this.#shortestPauseMs(now)));
      }
    });
  }

  /** What may continue now: all, unless somebody reads. */
  #kindsAt(now: number): readonly Where[] {
    if (!this.#isAnyUnderWay('read', now)) return allKinds;
    // Writes wait for the feed's transaction, so delaying it would delay them.
    const isWriteUnderWay = this.#isAnyUnderWay('write', now);
    return allKinds.filter(
      (kind) => (this.#pauseOf(kind)?.leftMs(now) ?? 0) <= 0 || (kind === 'ofFeedInTransaction' && isWriteUnderWay),
    );
  }

  #shortestPauseMs(now: number): number {
    const waiting = allKinds.filter((kind) => this.#waiting[kind].length > 0);
    return Math.min(...waiting.map((kind) => this.#pauseOf(kind)?.leftMs(now) ?? 0));
  }

  #isAnyWaiting(kinds: readonly Where[]): boolean {
    return kinds.some((kind) => this.#waiting[kind].length > 0);
  }
}

const turnsOfProcess = new Turns();

/**
 * All requests share one thread. Returns a function to be awaited between pieces of work. Once a stretch has been long
 * enough, it waits until all short work is done and every job that takes precedence or has waited longer has had a
 * stretch; feed work also waits for the feeds' pause. A transaction keeps work outside it waiting for as long as it
 * runs in this thread, which is why batches are bounded.
 * @param where whether the work is inside a transaction, which others wait for, and whether that is a feed's
 */
export function cooperativeYield(where: Where): () => Promise<void> | undefined {
  return turnsOfProcess.yieldFor(where);
}

/**
 * Registers a request in progress, so that feeds give way to it.
 * @param kind a write waits for the transactions of feeds, so these are not delayed for reads meanwhile
 * @returns a function to call when the request has been answered; further calls do nothing
 */
export function requestUnderWay(kind: 'read' | 'write'): () => void {
  return turnsOfProcess.requestUnderWay(kind);
}

/**
 * Joins the processes of one server: each knows then whether anybody reads at any of them. All together tell it about
 * once in a second while somebody does, however many reads there are.
 * @param tellOthers tells all other processes that somebody reads here
 * @returns a function to call when another process tells so
 */
export function shareReading(tellOthers: () => void): () => void {
  return turnsOfProcess.shareReading(tellOthers);
}

/** Whether anybody has read within a second: what a feed has the database do is then divided into short pieces. */
export function isAnybodyReading(): boolean {
  return turnsOfProcess.isAnybodyReading();
}

/**
 * Runs a piece of a feed's work that another process does, such as a database server: while a read is in progress, it
 * begins after the feeds' pause, and they pause after it for as long as it took. Within a transaction that is not while
 * a write is in progress.
 */
export function workOfFeedElsewhere<T>(work: () => Promise<T>): Promise<T> {
  return turnsOfProcess.workOfFeedElsewhere(work);
}
