// A task whose rounds are observed: their parts are logged, and each round has a trace.
import type { Tracing } from '../model/tracing.ts';
import { inWork, kindOfError, workOf } from '../model/work.ts';
import type { Task } from './scheduler.ts';

/** The same task, observed. One without a name concerns only this process, and is not observed. */
export function observedTask(task: Task, tracing: Tracing | null): Task {
  const { name, run } = task;
  if (name === null) return task;
  return {
    ...task,
    run: async () => {
      const span = tracing?.begin(`task ${name}`, { 'logistics.task': name }) ?? null;
      try {
        await inWork(
          workOf(() => ({ task: name, ...(span !== null && { trace: span.traceId }) }), { span }),
          run,
        );
        span?.end();
      } catch (error) {
        span?.end({}, kindOfError(error));
        throw error;
      }
    },
  };
}
