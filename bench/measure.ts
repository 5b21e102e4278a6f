// Compares contenders fairly on a machine with other work: short runs in turn, medians of ratios.

/** The result of one run. */
export interface Measured {
  /** Pages, responses or rows. */
  readonly done: number;
  readonly seconds: number;
  /** Processor time of the process that did the work, all threads; 0 when the machine does not report it. */
  readonly cpuSeconds: number;
  /** For single requests, milliseconds; absent: they were not timed. */
  readonly times?: { readonly median: number; readonly p99: number; readonly slowest: number };
}

/** Something that is measured in comparison with others. */
export interface Contender {
  readonly name: string;
  /** One bounded run; called repeatedly. */
  readonly run: () => Promise<Measured>;
}

/** How often and how long to measure. */
export interface Effort {
  /** Measured runs of each contender. */
  readonly rounds: number;
  /** Uncounted runs before them, because code that has just started is slow. */
  readonly warmUps: number;
  /** Length of a run that has no other bound. */
  readonly seconds: number;
  /** Small tables and files. */
  readonly quick: boolean;
}

/**
 * Runs all contenders in every round, each round in another order.
 * @returns the measured runs of each contender, one per round
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

/** Runs without progress after which a contender counts as warm, what counts as progress, and the most runs. */
const idleRuns = 3;
const progress = 0.97;
const maxWarmUps = 30;

/**
 * Runs each contender until it takes no less processor time: code is compiled while it runs, and the more of it a
 * program has, the more requests that takes. Ours needs some 25,000 of them.
 * @param cost of a run, for each thing done
 */
export async function warmUp(contenders: readonly Contender[], cost: (measured: Measured) => number): Promise<void> {
  for (const { run } of contenders) {
    let least = Number.POSITIVE_INFINITY;
    let idle = 0;
    for (let count = 0; count < maxWarmUps && idle < idleRuns; count += 1) {
      const reached = cost(await run());
      idle = reached < progress * least ? 0 : idle + 1;
      least = Math.min(least, reached);
    }
  }
}

/** Per second of wall-clock time: the median of the runs. */
export function rate(runs: readonly Measured[]): number {
  return median(runs.map(({ done, seconds }) => done / seconds));
}

/** Microseconds of processor time per page, response or row: the median of the runs; null when unknown. */
export function cpuMicroseconds(runs: readonly Measured[]): number | null {
  return runs.some(({ cpuSeconds }) => cpuSeconds === 0)
    ? null
    : median(runs.map(({ done, cpuSeconds }) => (1e6 * cpuSeconds) / done));
}

/** The ratio of two rates: the median over the rounds, in each of which both had the same neighbours. */
export function ratio(runs: readonly Measured[], peer: readonly Measured[]): number {
  return median(
    runs.flatMap((run, round) => {
      const other = peer[round];
      return other === undefined ? [] : [run.done / run.seconds / (other.done / other.seconds)];
    }),
  );
}

/** The middle value; for an even number, the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length >> 1;
  const upper = sorted[half] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[half - 1] ?? Number.NaN) + upper) / 2;
}
