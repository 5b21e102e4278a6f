// Cooperative yield: long work lets other work run in between, and gives way to short requests that are in progress:
// reads, and writes with a small body.
import { givesWay, PauseForShortRequests } from './pause-for-short-requests.ts';
import { isShortWrite } from './short-writes.ts';
import { type Clock, clockOfProcess } from './thread-clock.ts';

/**
 * The longest stretch of work at a time, in milliseconds: short while anybody waits for a short request, because that
 * waits for the stretch in progress, and longer otherwise, because each stretch has a fixed cost. Work outside a
 * transaction gets less than work inside one then, because transactions wait for it at every step. A write's stretches
 * are shorter than a feed's, which pauses for longer after each.
 */
const maxStretchMs = {
  short: { whileAwaited: 0.25, otherwise: 1 },
  inTransaction: { whileAwaited: 0.25, otherwise: 10 },
  outside: { whileAwaited: 0.25, otherwise: 1 },
  ofFeedInTransaction: { whileAwaited: 0.33, otherwise: 2 },
  ofFeed: { whileAwaited: 0.33, otherwise: 2 },
} as const;
/** Somebody counts as waiting for this long after the last short request. */
const lastShortMs = 1000;
/** The same for writes: who sends one in some seconds is to find pauses between long ones, too. */
const lastShortWriteMs = 10_000;
/** The processes of one server tell each other that somebody waits no more often than this. */
const tellShortMs = 1000;

/**
 * Requests that take longer are waiting for something else: a long read or a slow connection. Feeds and writes continue
 * beside them.
 */
const maxRequestMs = 100;
/**
 * The most that work of another process counts for: feeds pause for as long as it took, so that half of its time stays.
 */
const maxCountedElsewhereMs = 50;

/** What a request is to the work beside it: feeds and long writes give way to short ones, which all reads are. */
type RequestKind = 'read' | 'shortWrite' | 'longWrite';

/**
 * Kinds of work: that of a short request; that of a long write or of a feed, inside its transaction, which other writes
 * wait for, or outside.
 */
type Where = keyof typeof maxStretchMs;

const allKinds = ['short', 'inTransaction', 'ofFeedInTransaction', 'outside', 'ofFeed'] as const;

/** Decides which of several long-running jobs in one thread works next. */
export class Turns {
  readonly #clock: Clock;
  /**
   * Jobs waiting for their next stretch, one queue for the one thread. What is short goes first, then work inside a
   * transaction, because others wait for its end; otherwise the first to come goes first.
   */
  readonly #waiting: Readonly<Record<Where, (() => void)[]>> = {
    short: [],
    inTransaction: [],
    ofFeedInTransaction: [],
    outside: [],
    ofFeed: [],
  };
  #isDue = false;
  #endPause = (): void => undefined;
  /** When the requests in progress arrived, oldest first. */
  readonly #underWay: Readonly<Record<'short' | 'write', Set<{ readonly since: number }>>> = {
    short: new Set(),
    write: new Set(),
  };
  #lastShortAt = Number.NEGATIVE_INFINITY;
  #lastShortWriteAt = Number.NEGATIVE_INFINITY;
  #lastLongWriteAt = Number.NEGATIVE_INFINITY;
  #tellOthers: (() => void) | null = null;
  /** When all processes of the server last heard that somebody waits, whichever told it. */
  #lastToldAt = Number.NEGATIVE_INFINITY;
  readonly #feeds = new PauseForShortRequests(givesWay.feeds);
  readonly #writes = new PauseForShortRequests(givesWay.writes);

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
      if (workedMs < maxStretchMs[where][this.isAnybodyWaiting() ? 'whileAwaited' : 'otherwise']) return undefined;
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

  /** Other writes wait for the transaction of a write, so it is never delayed; nor is what is short. */
  #pauseOf(where: Where): PauseForShortRequests | null {
    if (where === 'inTransaction' || where === 'short') return null;
    return where === 'outside' ? this.#writes : this.#feeds;
  }

  /** See {@link isAnybodyWaiting}. */
  isAnybodyWaiting(): boolean {
    const now = this.#clock.now();
    // A request soon after one that was told has not been told.
    return now - this.#lastShortAt < lastShortMs || now - this.#lastToldAt < tellShortMs + lastShortMs;
  }

  /** See {@link areRequestsExpected}. */
  areRequestsExpected(): boolean {
    return this.isAnybodyWaiting() || this.#clock.now() - this.#lastLongWriteAt < lastShortMs;
  }

  /** See {@link areShortWritesExpected}. */
  areShortWritesExpected(): boolean {
    const now = this.#clock.now();
    return now - this.#lastShortWriteAt < lastShortWriteMs || now - this.#lastToldAt < tellShortMs + lastShortWriteMs;
  }

  /** See {@link shareWaiting}. */
  shareWaiting(tellOthers: () => void): () => void {
    this.#tellOthers = tellOthers;
    return () => {
      this.#lastToldAt = this.#clock.now();
    };
  }

  /** See {@link workOfFeedElsewhere}. */
  async workOfFeedElsewhere<T>(work: () => Promise<T>): Promise<T> {
    const now = this.#clock.now();
    if (this.#feeds.leftMs(now) > 0 && this.#isAnyUnderWay('short', now))
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
  requestUnderWay(kind: RequestKind): () => void {
    const since = this.#clock.now();
    const request = { since };
    if (kind !== 'longWrite') {
      if (!this.#isAnyUnderWay('short', since)) {
        this.#feeds.shortRequestBegins(since);
        this.#writes.shortRequestBegins(since);
      }
      this.#noteShort(since);
      if (kind === 'shortWrite') this.#lastShortWriteAt = since;
    } else this.#lastLongWriteAt = since;
    if (kind !== 'longWrite') this.#underWay.short.add(request);
    if (kind !== 'read') this.#underWay.write.add(request);
    return () => {
      this.#underWay.write.delete(request);
      if (kind === 'longWrite') this.#lastLongWriteAt = this.#clock.now();
      if (!this.#underWay.short.delete(request)) return;
      this.#noteShort(this.#clock.now());
      if (this.#underWay.short.size === 0) this.#schedule();
    };
  }

  #noteShort(now: number): void {
    this.#lastShortAt = now;
    if (this.#tellOthers === null || now - this.#lastToldAt < tellShortMs) return;
    this.#lastToldAt = now;
    this.#tellOthers();
  }

  /** Whether a request of this kind is in progress and began recently. */
  #isAnyUnderWay(kind: 'short' | 'write', now: number): boolean {
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

  /** What may continue now: all, unless somebody waits for a short request. */
  #kindsAt(now: number): readonly Where[] {
    if (!this.#isAnyUnderWay('short', now)) return allKinds;
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
 * @param where whether the work is that of a short request, whether it is inside a transaction, which others wait for,
 *   and whether that is a feed's
 */
export function cooperativeYield(where: Where): () => Promise<void> | undefined {
  return turnsOfProcess.yieldFor(where);
}

/** The kind of the work inside a transaction that writes so many records for a client. */
export function writeOf(records: number): Where {
  return isShortWrite(records) ? 'short' : 'inTransaction';
}

/**
 * Registers a request in progress, so that feeds give way to it.
 * @param kind a write waits for the transactions of feeds, so these are not delayed meanwhile
 * @returns a function to call when the request has been answered; further calls do nothing
 */
export function requestUnderWay(kind: RequestKind): () => void {
  return turnsOfProcess.requestUnderWay(kind);
}

/**
 * Joins the processes of one server: each knows then whether anybody waits at any of them. All together tell it
 * about once in a second while somebody does, however many requests there are.
 * @param tellOthers tells all other processes that somebody waits here
 * @returns a function to call when another process tells so
 */
export function shareWaiting(tellOthers: () => void): () => void {
  return turnsOfProcess.shareWaiting(tellOthers);
}

/**
 * Whether anybody has waited for a short request within a second: what the database is given to do for a feed or a long
 * write is then divided into short pieces.
 */
export function isAnybodyWaiting(): boolean {
  return turnsOfProcess.isAnybodyWaiting();
}

/**
 * Whether anybody has waited for a short request within a second, or for a long write in this process: the transactions
 * of feeds are short then, because others wait for them.
 */
export function areRequestsExpected(): boolean {
  return turnsOfProcess.areRequestsExpected();
}

/**
 * Whether anybody has sent a short write in the last ten seconds, or any short request to another process of the
 * server: long ones then leave time between them.
 */
export function areShortWritesExpected(): boolean {
  return turnsOfProcess.areShortWritesExpected();
}

/**
 * Runs a piece of a feed's work that another process does, such as a database server: while a short request is in
 * progress, it begins after the feeds' pause, and they pause after it for as long as it took. Within a transaction that
 * is not while a write is in progress.
 */
export function workOfFeedElsewhere<T>(work: () => Promise<T>): Promise<T> {
  return turnsOfProcess.workOfFeedElsewhere(work);
}
