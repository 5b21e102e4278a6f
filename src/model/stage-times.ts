// Measures how long the stages of one piece of work took. Parts of a stage that run at the same time count once.
import type { Stage } from './work.ts';

export interface StageTimes {
  readonly begin: (stage: Stage) => void;
  readonly end: (stage: Stage) => void;
  /** Milliseconds spent in each stage so far, and in total since the start. */
  readonly until: () => { readonly stages: Readonly<Record<Stage, number>>; readonly total: number };
}

/** @param now milliseconds of a monotonic clock */
export function createStageTimes(now: () => number = () => performance.now()): StageTimes {
  const started = now();
  const stages: Readonly<Record<Stage, { running: number; since: number; total: number }>> = {
    wait: { running: 0, since: 0, total: 0 },
    storage: { running: 0, since: 0, total: 0 },
    carrier: { running: 0, since: 0, total: 0 },
    work: { running: 0, since: 0, total: 0 },
  };
  const totalOf = ({ running, since, total }: (typeof stages)[Stage], at: number): number =>
    running === 0 ? total : total + at - since;
  return {
    begin: (stage) => {
      const own = stages[stage];
      if (own.running === 0) own.since = now();
      own.running += 1;
    },
    end: (stage) => {
      const own = stages[stage];
      if (own.running === 1) own.total += now() - own.since;
      own.running -= 1;
    },
    until: () => {
      const at = now();
      return {
        stages: {
          wait: totalOf(stages.wait, at),
          storage: totalOf(stages.storage, at),
          carrier: totalOf(stages.carrier, at),
          work: totalOf(stages.work, at),
        },
        total: at - started,
      };
    },
  };
}
