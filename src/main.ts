// The program: takes arguments, settings, streams and signals from the process, runs one command, and sets its exit
// code.
import cluster, { type Worker } from 'node:cluster';
import { availableParallelism, userInfo } from 'node:os';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Environment } from './commands/environment.ts';
import { reportFailure } from './commands/failure.ts';
import { runCommandLine } from './commands/program.ts';
import { outputFailure, unseenUndone } from './commands/shown-once.ts';

process.stdout.on('error', endWithout);
// Nobody can be told of it, and a full disk under its log must not end a server: lines are lost until there is room.
process.stderr.on('error', () => undefined);

/** Signals that ask the program to end, each with the exit code of a process ended by it. */
const signals = [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const;

const environment: Environment = {
  variables: process.env,
  folder: process.cwd(),
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  now: Date.now,
  user: loginName(),
  nodeVersion: process.versions.node,
  interruption,
  processors: availableParallelism(),
  supervise: async (options) => (await import('./workers/supervisor.ts')).superviseWorkers(options),
};

/** Time that a process which was asked to end is held by what it left open, such as a request to a silent collector. */
const lingeringMs = 1000;
let isAskedToEnd = false;

process.exitCode = await (cluster.worker === undefined
  ? runCommandLine(process.argv.slice(2), environment)
  : runAsWorker(cluster.worker));
if (isAskedToEnd) setTimeout(() => process.exit(), lingeringMs).unref();

/**
 * Ends the program because its output cannot be written. A reader that has gone away (`… | head`) is no failure, and
 * can no longer be notified.
 */
async function endWithout(error: NodeJS.ErrnoException): Promise<void> {
  if (error.code === 'EPIPE') return;
  // First a command that has waited for its output may say more.
  await nextTurn();
  await unseenUndone();
  await nextTurn();
  if (!process.exitCode)
    process.exitCode = reportFailure(outputFailure(error), environment, '', process.argv.includes('--json'));
  process.exit();
}

/** A user in a container may have only a number. */
function loginName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}

/**
 * The first signal asks the command to end, the second ends the process, with the exit codes of shells (128 plus the
 * signal's number).
 */
function interruption(): AbortSignal {
  const stop = new AbortController();
  for (const [signal, exitCode] of signals) {
    process.on(signal, () => {
      if (stop.signal.aborted) process.exit(exitCode);
      isAskedToEnd = true;
      stop.abort();
    });
  }
  return stop.signal;
}

/**
 * Runs the same command line as one of several workers. A terminal, and some service managers, signal all processes of
 * a server: a signal therefore also asks a worker to end, and however many arrive, only the supervisor ends it
 * immediately.
 */
async function runAsWorker(worker: Worker): Promise<number> {
  // Registered before the log is created, which would try for ever to write its last lines to a supervisor that is
  // gone.
  let hasLeft = false;
  process.once('exit', () => {
    if (!hasLeft && !process.connected) process.kill(process.pid, 'SIGKILL');
  });
  const { joinSupervisor } = await import('./workers/link.ts');
  const stop = new AbortController();
  for (const [signal] of signals) process.on(signal, () => stop.abort());
  const { place, link, stop: told, tellServing, leave } = await joinSupervisor(worker);
  const { variables, settingsFile, isFirst, isTerminal } = place;
  const asked = AbortSignal.any([stop.signal, told]);
  try {
    return await runCommandLine(process.argv.slice(2), {
      ...environment,
      ...{ variables, settingsFile },
      stderr: Object.assign(process.stderr, { isTTY: isTerminal }),
      interruption: () => asked,
      worker: { link, isFirst, tellServing },
    });
  } finally {
    isAskedToEnd = asked.aborted;
    hasLeft = process.connected;
    leave();
  }
}
