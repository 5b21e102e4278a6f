// The clock and the timers by which jobs of one thread take turns.

/** The time source and timers. Tests supply their own. */
export interface Clock {
  /** Milliseconds since an arbitrary instant. */
  now(): number;
  /** Runs after all short work that is already queued. */
  afterShortWork(run: () => void): void;
  /** Runs after this many milliseconds, unless the returned function is called first. */
  later(run: () => void, milliseconds: number): () => void;
}

/** That of this process. */
export const clockOfProcess: Clock = {
  now: () => performance.now(),
  afterShortWork: (run) => void setImmediate(run),
  later: (run, milliseconds) => {
    const timer = setTimeout(run, milliseconds);
    return () => clearTimeout(timer);
  },
};
