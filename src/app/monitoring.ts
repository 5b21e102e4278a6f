// Monitors an application: its metrics, traces, slow statements in the log, background work.
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { programVersion } from '../config/program-version.ts';
import { createMetrics, type Metrics } from '../http/metrics.ts';
import { createConnectionMetrics, createLongReadMetrics, createTaskMetrics } from '../jobs/metrics.ts';
import { createReplicaMetrics } from '../jobs/replica-metrics.ts';
import { startScheduler, type Task } from '../jobs/scheduler.ts';
import { observedTask } from '../jobs/observed-task.ts';
import type { Tracing } from '../model/tracing.ts';
import type { Store } from '../store/store.ts';
import { openTelemetry } from '../telemetry/open.ts';

/** The active monitoring. */
interface Watching {
  readonly metrics: Metrics;
  /** Null: tracing is off. */
  readonly tracing: Tracing | null;
  /** Starts background tasks, whose failures are counted and logged. Returns a function that stops them. */
  readonly start: (tasks: readonly Task[]) => () => Promise<void>;
  /** Sends the rest of traces and metrics, within some seconds. Never fails. */
  readonly close: () => Promise<void>;
}

/** @param processMetrics whether metrics of the process are collected too: only once per program */
export async function watch(
  config: Config,
  {
    store,
    logger,
    processMetrics,
  }: { readonly store: Store; readonly logger: Logger; readonly processMetrics: boolean },
): Promise<Watching> {
  const metrics = createMetrics({ process: processMetrics, program: programVersion });
  createLongReadMetrics(metrics.registry, () => store.longReads());
  createConnectionMetrics(metrics.registry, store.refusedConnections);
  createReplicaMetrics(metrics.registry, store.replicas);
  const countFailure = createTaskMetrics(metrics.registry);
  store.tellSlowStatements({
    overMs: config.slowStatementMs,
    tell: ({ facts, ...slow }) => logger.warn({ ...facts, ...slow }, 'slow statement'),
  });
  const { tracing, close } = await openTelemetry(config, {
    registry: metrics.registry,
    version: programVersion.version,
    onFault: (fault) => logger.warn({ fault }, 'traces or metrics could not be sent'),
  });
  return {
    metrics,
    tracing,
    close,
    start: (tasks) =>
      startScheduler(
        tasks.map((task) => observedTask(task, tracing)),
        store.jobLeases(),
        (failure, error) => {
          countFailure(failure);
          logger.error({ err: error }, failure);
        },
      ),
  };
}
