// In charge of reading values that are as new as the question, with one reading of each at a time.

interface UnderWay<T> {
  readonly reading: Promise<T>;
  /** For all who asked since that began. */
  next: Promise<T> | null;
}

/**
 * Makes what reads a value by its id. Each reading begins after it was asked for: who asks while one is under way is
 * given the one after it, and so is everybody else who asks meanwhile. However many ask, storage works for two.
 */
export function createCurrentReading<T>(read: (id: string) => Promise<T>): (id: string) => Promise<T> {
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
