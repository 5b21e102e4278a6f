// Reads values that are at least as recent as the request for them, with one reading of each at a time.

interface UnderWay<T> {
  readonly reading: Promise<T>;
  /** For all requests made since the current reading began. */
  next: Promise<T> | null;
}

/**
 * Makes a function that reads a value by its id. Each reading begins after it was requested: requests made during a
 * reading share the next one. However many requests there are, storage handles at most two readings.
 */
export function createSharedRead<T>(read: (id: string) => Promise<T>): (id: string) => Promise<T> {
  const underWay = new Map<string, UnderWay<T>>();
  const begin = (id: string): Promise<T> => {
    const entry: UnderWay<T> = { reading: read(id), next: null };
    underWay.set(id, entry);
    const done = (): void => {
      if (entry.next === null) underWay.delete(id);
    };
    entry.reading.then(done, done);
    return entry.reading;
  };
  return (id) => {
    const entry = underWay.get(id);
    if (entry === undefined) return begin(id);
    const again = (): Promise<T> => begin(id);
    entry.next ??= entry.reading.then(again, again);
    return entry.next;
  };
}
