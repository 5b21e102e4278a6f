// Chance that can be repeated: the same seed gives the same numbers.

export interface Random {
  /** A whole number from 0 to below `end`. */
  readonly below: (end: number) => number;
  readonly pick: <Value>(values: readonly [Value, ...Value[]]) => Value;
  readonly shuffled: <Value>(values: readonly Value[]) => readonly Value[];
  /** True in one of so many cases. */
  readonly oneIn: (cases: number) => boolean;
}

/** Chance from a seed: the generator mulberry32, which is small and good enough to look around with. */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (end: number): number => Math.floor(next() * end);
  return {
    below,
    pick: (values) => values[below(values.length)] ?? values[0],
    shuffled: (values) =>
      values
        .map((value) => ({ value, at: next() }))
        .toSorted((one, other) => one.at - other.at)
        .map(({ value }) => value),
    oneIn: (cases) => below(cases) === 0,
  };
}
