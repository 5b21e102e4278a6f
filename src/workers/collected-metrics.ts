// In charge of the metrics of a server of several workers: asks all of them, and keeps what those had counted that have
// ended, so that no count goes back.
import type { ReportedMetrics } from '../model/worker-link.ts';

/** Those of a worker that does not answer in time are left out. */
const patienceMs = 2000;

interface CollectedMetrics {
  /**
   * Asks workers for their metrics.
   * @returns those of each that answered, and those of workers that have ended
   */
  collect(workers: readonly number[]): Promise<readonly ReportedMetrics[]>;
  /** A worker answered. */
  reported(worker: number, id: number, metrics: ReportedMetrics): void;
  /** What a worker had counted when it was last asked counts on. */
  ended(worker: number): Promise<void>;
}

interface Question {
  readonly awaited: Set<number>;
  readonly answers: ReportedMetrics[];
  readonly done: () => void;
}

/** @param ask asks a worker for its metrics, by the id of the question */
export function createCollectedMetrics(ask: (worker: number, id: number) => void): CollectedMetrics {
  const questions = new Map<number, Question>();
  const latest = new Map<number, ReportedMetrics>();
  let departed: ReportedMetrics | null = null;
  let lastId = 0;
  const noLongerAwaited = (worker: number): void => {
    for (const { awaited, done } of questions.values()) if (awaited.delete(worker) && awaited.size === 0) done();
  };
  return {
    collect: async (workers) => {
      lastId += 1;
      const id = lastId;
      const { promise, resolve } = Promise.withResolvers<void>();
      const question: Question = { awaited: new Set(workers), answers: [], done: resolve };
      questions.set(id, question);
      const timer = setTimeout(resolve, patienceMs);
      if (question.awaited.size === 0) resolve();
      for (const worker of workers) ask(worker, id);
      await promise;
      clearTimeout(timer);
      questions.delete(id);
      return departed === null ? question.answers : [...question.answers, departed];
    },
    reported: (worker, id, metrics) => {
      latest.set(worker, metrics);
      const question = questions.get(id);
      if (question?.awaited.has(worker) !== true) return;
      question.answers.push(metrics);
      question.awaited.delete(worker);
      if (question.awaited.size === 0) question.done();
    },
    ended: async (worker) => {
      noLongerAwaited(worker);
      const last = latest.get(worker);
      latest.delete(worker);
      if (last === undefined) return;
      const counted = last.filter(isCount);
      departed = departed === null ? counted : await sumOf([departed, counted]);
    },
  };
}

/** A gauge says how something is now, which nobody can say of a process that is no more. */
function isCount(metric: unknown): boolean {
  return (
    typeof metric === 'object' &&
    metric !== null &&
    'type' in metric &&
    (metric.type === 'counter' || metric.type === 'histogram')
  );
}

async function sumOf(metrics: readonly ReportedMetrics[]): Promise<ReportedMetrics> {
  // Few servers ever need it.
  const { AggregatorRegistry } = await import('prom-client');
  return AggregatorRegistry.aggregate(metrics.map((each) => [...each].map(toObject))).getMetricsAsJSON();
}

function toObject(metric: unknown): object {
  return typeof metric === 'object' && metric !== null ? metric : {};
}
