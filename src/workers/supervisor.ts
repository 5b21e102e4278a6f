// Supervises the workers of a server: starts them on one port, gives each what they share, replaces those that end, and
// stops them all.
import cluster, { type Worker } from 'node:cluster';
import type { Writable } from 'node:stream';
import { OperatorError } from '../model/operator-error.ts';
import { textBlock } from '../model/text-block.ts';
import type { ConnectionCount } from '../model/worker-link.ts';
import type { FromWorker, ToWorker, WorkerPlace } from './worker-messages.ts';
import { type Crowding, type HandedConnections, watchHandovers } from './connection-handovers.ts';
import { createRestartPace, maxFailures } from './restart-pace.ts';
import { createCoordinator } from './coordination.ts';
import { forwardLines } from './line-forwarding.ts';

/** Events of workers, for the log. */
interface WorkerNews {
  /** The system started no process for it. `nextInMs` as in `ended`. */
  readonly notStarted: (number: number, reason: string, nextInMs: number | null) => void;
  /** `nextInMs`: delay until it is replaced; null: it is not. */
  readonly ended: (number: number, how: EndedWorker, nextInMs: number | null) => void;
  readonly serves: (number: number, pid: number) => void;
  /** It did not stop in time. */
  readonly killed: (number: number) => void;
}

interface EndedWorker {
  readonly pid: number;
  readonly exitCode: number | null;
  readonly signal: string | null;
}

export interface SupervisorOptions extends Pick<WorkerPlace, 'count' | 'port' | 'variables' | 'settingsFile'> {
  /** Destination of the workers' standard error. */
  readonly stderr: Writable & { readonly isTTY?: boolean };
  /** Aborted when the server should stop. */
  readonly stop: AbortSignal;
  /** How long workers continue before they stop. */
  readonly drainMs: number;
  /** For all workers together. */
  readonly connections: ConnectionCount;
  readonly news: WorkerNews;
}

/**
 * Time after which a worker that does not stop is killed, in addition to the time for draining: it lets running
 * requests end for up to 30 seconds.
 */
const stopPatienceMs = 45_000;

/**
 * The young generation may grow to three times this many MB in the main thread. The launcher sets the same for a
 * single-process server; this is for workers started without it.
 */
const youngGeneration = '--max-semi-space-size=16';

interface Running {
  readonly worker: Worker;
  readonly number: number;
  readonly handovers: HandedConnections;
  servesSince: number | null;
}

/**
 * Runs workers until the server is stopped. The first one alone does what is done once per start: it migrates the
 * database and prints the introduction for the operator; the others follow when it serves.
 * @returns the exit code of the server: the first worker's, if it never served; it has reported why
 * @throws OperatorError when workers repeatedly end before they serve, and none is serving
 */
export async function superviseWorkers(options: SupervisorOptions): Promise<number> {
  const { count, stop, news } = options;
  const running = new Map<number, Running>();
  const pauses = new Map<number, NodeJS.Timeout>();
  const coordinator = createCoordinator((number, message) => tell(running.get(number), message));
  const pace = createRestartPace();
  const over = Promise.withResolvers<number>();
  const state: { hasServed: boolean; failure: OperatorError | null } = { hasServed: false, failure: null };
  const isStopping = (): boolean => stop.aborted || state.failure !== null;

  const begin = (number: number): void => {
    pauses.delete(number);
    const worker = newWorker((reason) => notStarted(number, reason));
    if (worker === null) return;
    const one = runningAs(number, worker, { ...options, makeRoom }, () => !state.hasServed);
    running.set(number, one);
    one.worker.on('message', (message: FromWorker) => hear(one, message));
    one.worker.once('exit', (exitCode: number | null, signal: string | null) =>
      ended(one, { pid: one.worker.process.pid ?? 0, exitCode, signal }),
    );
  };
  // All of them, because nobody here knows which has an idle one.
  const makeRoom = (crowd: readonly string[]): void => {
    for (const one of running.values()) tell(one, { tell: 'make room', crowd });
  };
  const hear = (one: Running, message: FromWorker): void => {
    if (message.tell === 'serving') serves(one);
    else if (message.tell === 'connections ended') one.handovers.ended(message.numbers);
    else if (message.tell === 'ready') {
      coordinator.hears(one.number);
      tell(one, { tell: 'place', place: placeOf(options, one.number, !state.hasServed) });
      // It may have been told to stop before it was listening.
      if (isStopping()) tell(one, { tell: 'stop' });
    } else coordinator.hear(one.number, message);
  };
  const serves = (one: Running): void => {
    one.servesSince = performance.now();
    coordinator.joined(one.number);
    news.serves(one.number, one.worker.process.pid ?? 0);
    if (state.hasServed) return;
    state.hasServed = true;
    if (!isStopping()) for (let number = 2; number <= count; number += 1) begin(number);
  };
  const ended = (one: Running, how: EndedWorker): void => {
    running.delete(one.number);
    coordinator.left(one.number);
    if (isStopping() || !state.hasServed) {
      if (how.signal !== null && !isStopping())
        state.failure = new OperatorError(`The server was ended by ${how.signal} before it served.`, '');
      if (running.size === 0) over.resolve(state.hasServed ? 0 : (how.exitCode ?? 1));
      return;
    }
    const servedMs = one.servesSince === null ? 0 : performance.now() - one.servesSince;
    replace(one.number, servedMs, (pauseMs) => news.ended(one.number, how, pauseMs));
  };
  const notStarted = (number: number, reason: string): void => {
    if (!state.hasServed && !isStopping()) {
      state.failure = new OperatorError(`The first worker could not be started: ${reason}.`, '');
      over.resolve(1);
    }
    if (!isStopping()) replace(number, 0, (pauseMs) => news.notStarted(number, reason, pauseMs));
  };
  const replace = (number: number, servedMs: number, tellNews: (pauseMs: number | null) => void): void => {
    const pauseMs = pace.ended(servedMs, [...running.values()].some(isServing));
    tellNews(pauseMs);
    if (pauseMs !== null) pauses.set(number, setTimeout(begin, pauseMs, number));
    else {
      state.failure = noneServes();
      stopAll();
    }
  };
  const kill = ({ number, worker }: Running): void => {
    news.killed(number);
    worker.process.kill('SIGKILL');
  };
  const stopAll = (): void => {
    for (const pause of pauses.values()) clearTimeout(pause);
    for (const one of running.values()) tell(one, { tell: 'stop' });
    setTimeout(() => running.forEach(kill), options.drainMs + stopPatienceMs).unref();
    if (running.size === 0) over.resolve(0);
  };

  cluster.schedulingPolicy = cluster.SCHED_RR;
  cluster.setupPrimary();
  const execArgv = [...(cluster.settings.execArgv ?? []), youngGeneration];
  cluster.setupPrimary({ execArgv, stdio: ['ignore', 'inherit', 'pipe', 'ipc'] });
  stop.addEventListener('abort', stopAll);
  if (!stop.aborted) begin(1);
  else over.resolve(0);
  const exitCode = await over.promise;
  if (state.failure !== null) throw state.failure;
  return exitCode;
}

/**
 * Starts a process. Returns null if the system starts none, for want of memory, processes or files.
 * @param failed receives why, at once or soon
 */
function newWorker(failed: (reason: string) => void): Worker | null {
  try {
    const worker = cluster.fork();
    const isStarted = worker.process.pid !== undefined;
    // An error of one that runs concerns a message or a signal to it while it ends, which is told by itself.
    worker.on('error', (error) => (isStarted ? undefined : failed(error.message)));
    return isStarted ? worker : null;
  } catch (error) {
    failed(error instanceof Error ? error.message : String(error));
    return null;
  }
}

function runningAs(
  number: number,
  worker: Worker,
  { stderr, connections, makeRoom }: Pick<SupervisorOptions, 'stderr' | 'connections'> & Pick<Crowding, 'makeRoom'>,
  isAlone: () => boolean,
): Running {
  const handovers = watchHandovers(worker.process, connections, {
    refused: (reason, count) => tell({ worker }, { tell: 'connections refused', reason, count }),
    makeRoom,
  });
  const written = worker.process.stderr;
  if (written !== null) forwardLines(written, stderr, isAlone);
  return { worker, number, handovers, servesSince: null };
}

function isServing({ servesSince }: Running): boolean {
  return servesSince !== null;
}

function noneServes(): OperatorError {
  return new OperatorError(
    `Workers ended before they served, ${maxFailures} times, and none serves.`,
    textBlock`
      The lines above say how each of them ended. With WORKERS=1 the server runs in one process, which shows it plainly.
    `,
  );
}

function placeOf(options: SupervisorOptions, number: number, isFirst: boolean): WorkerPlace {
  const { count, port, variables, settingsFile, stderr } = options;
  return {
    ...{ number, count, port, variables, settingsFile, isFirst },
    isLead: number === 1,
    isTerminal: stderr.isTTY === true,
  };
}

/** A worker that has just ended receives nothing. */
function tell(one: Pick<Running, 'worker'> | undefined, message: ToWorker): void {
  if (one?.worker.isConnected() === true) one.worker.send(message, () => undefined);
}
