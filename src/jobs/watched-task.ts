// A task whose rounds are work that is watched: what the log says of their parts, and a trace of each.
import type { Tracing } from '../model/tracing.ts';
import { inWork, kindOfError, workOf } from '../model/work.ts';
import type { Task } from './scheduler.ts';

/** The same task. One without a name belongs to the process itself, and is no work of the service. */
export function watchedTask(task: Task, tracing: Tracing | null): Task {
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
