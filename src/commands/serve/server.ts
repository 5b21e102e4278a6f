// The serving process: a complete server, or one of its workers.
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { createApp, type App } from '../../app.ts';
import type { Config } from '../../config.ts';
import { collectAllSeldom, collectGarbage } from '../../model/garbage-collection.ts';
import type { Store } from '../../store/store.ts';
import { type Environment, type ExitCode, exitCodes } from '../environment.ts';
import { Interrupted } from '../failure.ts';
import type { Demonstration } from './demonstration.ts';
import { introduce } from './introduction.ts';
import { explainListenFailure } from './listen-failure.ts';

/** What the command line asks for. */
export interface ServeOptions {
  readonly demo: boolean;
  /** How many times faster than real time the demonstration runs. */
  readonly speed: number;
  readonly json: boolean;
}

/**
 * Serves until interrupted.
 * @throws OperatorError when storage cannot be used or the address is taken
 * @throws Interrupted when it is stopped before it serves
 */
export async function serveProcess(
  environment: Environment,
  config: Config,
  { demo, speed, json }: ServeOptions,
): Promise<ExitCode> {
  const { worker } = environment;
  const stopped = environment.interruption();
  let garbage: NodeJS.Timeout | undefined;
  const app = await explainListenFailure(config, () =>
    createApp(config, { now: environment.now, processMetrics: true, link: worker?.link }),
  );
  try {
    // A single worker runs the demonstration.
    const demonstration = demo && worker?.link.isLead !== false ? await offer(environment, stopped, app) : null;
    await explainListenFailure(config, () => app.listen());
    if (demonstration !== null) await live(app, environment, speed);
    if (worker?.isFirst !== false) await introduce(app, { environment, config, demo, json, demonstration });
    worker?.tellServing();
    garbage = setTimeout(settle, startIsOverMs).unref();
    if (!stopped.aborted) await once(stopped, 'abort');
    if (config.drainSeconds > 0) {
      app.drain();
      await pause(config.drainSeconds * 1000);
    }
    return exitCodes.done;
  } finally {
    clearTimeout(garbage);
    await app.close();
  }
}

/** After this time, the garbage of the start is collected; otherwise an idle process would keep it for hours. */
const startIsOverMs = 2000;

function settle(): void {
  collectGarbage();
  collectAllSeldom();
}

// The demonstration's code is loaded only when there is one: a production server never needs it.

async function offer(environment: Environment, stopped: AbortSignal, app: App): Promise<Demonstration | null> {
  const { offerDemonstration } = await import('./demonstration.ts');
  return offerDemonstration(
    app.store,
    app.addresses.baseUrl,
    (instant) => seed(environment, stopped, app.store, instant),
    environment.now(),
  );
}

async function seed(environment: Environment, stopped: AbortSignal, store: Store, instant: number): Promise<void> {
  const { seedDemo } = await import('../../demo/seed.ts');
  const terminal = environment.stderr.isTTY === true;
  environment.stderr.write(terminal ? '' : 'Filling the demonstration warehouse…\n');
  await seedDemo(store, instant, (step) => {
    if (stopped.aborted)
      throw new Interrupted('Interrupted while the demonstration warehouse was filled; the next start completes it.');
    if (terminal) environment.stderr.write(`\r\u001b[KFilling the demonstration warehouse: ${step}`);
  });
  if (terminal) environment.stderr.write('\r\u001b[K');
}

/** Lets the demonstration continue in real time. */
async function live(app: App, { now }: Environment, speed: number): Promise<void> {
  const { store, logger } = app;
  const { liveTask, tellWhetherItLives } = await import('../../demo/live-task.ts');
  await tellWhetherItLives(store, logger);
  app.runInBackground((signal, turns) => liveTask({ store, turns, logger, now, speed, signal }));
}
