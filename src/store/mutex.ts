// Mutual exclusion: runs one piece of work at a time.

/** Runs a piece of work once all work given before it has ended, whether or not it failed. */
type Mutex = <T>(work: () => Promise<T>) => Promise<T>;

export function createMutex(): Mutex {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  };
}
