// Compares contenders fairly on a machine that does other things too: short runs in turn, medians of ratios.

/** What one run did. */
export interface Measured {
  /** Pages, answers or rows. */
  readonly done: number;
  readonly seconds: number;
  /** Processor time of the process that did the work, all its threads; 0 where the machine does not tell. */
  readonly cpuSeconds: number;
  /** Of single requests, milliseconds; absent: they were not timed. */
  readonly times?: { readonly median: number; readonly p99: number; readonly slowest: number };
}

/** Something that is measured beside others. */
export interface Contender {
  readonly name: string;
  /** One bounded run; called again and again. */
  readonly run: () => Promise<Measured>;
}

/** How often and how long things are measured. */
export interface Effort {
  /** Measured runs of each contender. */
  readonly rounds: number;
  /** Runs before them that do not count: code that has just started is slow. */
  readonly warmUps: number;
  /** Length of a run that is not bounded by its work. */
  readonly seconds: number;
  /** Small tables and files. */
  readonly quick: boolean;
}

/**
 * Runs all contenders in every round, each round in another order.
 * @returns per contender its measured runs, one a round
 */
export async function takeTurns(
  contenders: readonly Contender[],
  { warmUps, rounds }: Pick<Effort, 'warmUps' | 'rounds'>,
): Promise<readonly (readonly Measured[])[]> {
  const runs = contenders.map((): Measured[] => []);
  for (let round = -warmUps; round < rounds; round += 1) {
    for (const turn of contenders.keys()) {
      const index = (turn + round + warmUps) % contenders.length;
      const measured = await contenders[index]?.run();
      if (measured !== undefined && round >= 0) runs[index]?.push(measured);
    }
  }
  return runs;
}

/** Per second, by the wall clock: the median of the runs. */
export function rate(runs: readonly Measured[]): number {
  return median(runs.map(({ done, seconds }) => done / seconds));
}

/** Microseconds of processor time for one page, answer or row: the median of the runs; null where it is not known. */
export function cpuMicroseconds(runs: readonly Measured[]): number | null {
  return runs.some(({ cpuSeconds }) => cpuSeconds === 0)
    ? null
    : median(runs.map(({ done, cpuSeconds }) => (1e6 * cpuSeconds) / done));
}

/**
 * How the rate of one compares with that of the other: the median over the rounds, each of which had the same
 * neighbours.
 */
export function ratio(runs: readonly Measured[], peer: readonly Measured[]): number {
  return median(
    runs.flatMap((run, round) => {
      const other = peer[round];
      return other === undefined ? [] : [run.done / run.seconds / (other.done / other.seconds)];
    }),
  );
}

/** The middle value; of an even number the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length >> 1;
  const upper = sorted[half] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[half - 1] ?? Number.NaN) + upper) / 2;
}
