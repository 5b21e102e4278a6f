// When work that gives way to short requests in progress may continue.

/** By then most short requests are over. */
const firstPauseMs = 3;

/**
 * How feeds, and long writes outside their transactions, give way to short requests in progress. One that takes 3 ms on
 * its own runs to its end before they continue: on PostgreSQL it comes back to this thread several times, and would
 * find a stretch in progress each time. Feeds also pause after each stretch for three times its length. Writes do not,
 * and wait for the next request no sooner than after as long a time without a pause: half of the time is theirs,
 * however closely requests follow each other.
 */
export const givesWay = {
  feeds: { pausePerStretch: 3, putOffEveryMs: 0 },
  writes: { pausePerStretch: 0, putOffEveryMs: 2 * firstPauseMs },
} as const;

/**
 * The most that a stretch counts for: it is measured by wall-clock time, which also passes while the process is not
 * running.
 */
const maxCountedMs = 4;

/** When feeds, or long writes outside their transactions, may continue while somebody waits. */
export class PauseForShortRequests {
  readonly #rules: (typeof givesWay)[keyof typeof givesWay];
  /** Postponed when a short request arrives between two stretches. */
  #freeAt = Number.NEGATIVE_INFINITY;
  #putOffAt = Number.NEGATIVE_INFINITY;
  #isPutOff = false;
  /** Work done before the last stretch began does not count towards the next one. */
  #lastStretchAt = Number.NEGATIVE_INFINITY;

  constructor(rules: (typeof givesWay)[keyof typeof givesWay]) {
    this.#rules = rules;
  }

  /** The first of the short requests in progress has come. */
  shortRequestBegins(now: number): void {
    if (this.#isPutOff || now - this.#putOffAt < this.#rules.putOffEveryMs) return;
    this.notBefore(now + firstPauseMs);
    this.#putOffAt = now;
    this.#isPutOff = true;
  }

  continues(now: number): void {
    this.#lastStretchAt = now;
    this.#isPutOff = false;
  }

  /** @param since when the job last continued; others may have worked in between */
  workedMs(since: number, now: number): number {
    return now - Math.max(since, this.#lastStretchAt);
  }

  after(workedMs: number, now: number): void {
    this.notBefore(now + this.#rules.pausePerStretch * Math.min(workedMs, maxCountedMs));
  }

  notBefore(instant: number): void {
    this.#freeAt = Math.max(this.#freeAt, instant);
  }

  leftMs(now: number): number {
    return this.#freeAt - now;
  }
}
