// Random numbers that are the same in every run: the demonstration data depends only on its seed.

export interface Random {
  /** From 0 (included) to 1 (excluded). */
  readonly next: () => number;
  /** A whole number, both ends included. */
  readonly int: (min: number, max: number) => number;
  readonly chance: (probability: number) => boolean;
  readonly pick: <T>(from: readonly T[]) => T;
}

/** A separate generator for each seed text (mulberry32, initialized with the FNV-1a hash of the text). */
export function createRandom(seed: string): Random {
  let state = 0x811c9dc5;
  for (let at = 0; at < seed.length; at += 1) state = Math.imul(state ^ seed.charCodeAt(at), 0x01000193);
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  const int = (min: number, max: number): number => min + Math.floor(next() * (max - min + 1));
  return {
    next,
    int,
    chance: (probability) => next() < probability,
    pick: (from) => elementAt(from, int(0, from.length - 1)),
  };
}

/** A choice in which each element occurs in proportion to its weight. */
export function weighted<T>(from: readonly T[], weight: (element: T) => number): (random: Random) => T {
  const sums: number[] = [];
  let total = 0;
  for (const element of from) {
    total += weight(element);
    sums.push(total);
  }
  return (random) => {
    const wanted = random.next() * total;
    let low = 0;
    let high = sums.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((sums[middle] ?? 0) > wanted) high = middle;
      else low = middle + 1;
    }
    return elementAt(from, low);
  };
}

function elementAt<T>(from: readonly T[], index: number): T {
  const found = from[index];
  if (found === undefined) throw new RangeError('There is nothing to pick from.');
  return found;
}
