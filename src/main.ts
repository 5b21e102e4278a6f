// The program: takes arguments, settings, streams and signals from the process, runs one command, and leaves its exit
// code.
import cluster, { type Worker } from 'node:cluster';
import { availableParallelism, userInfo } from 'node:os';
import type { Environment } from './commands/environment.ts';
import { runCommandLine } from './commands/program.ts';

/** A reader that went away (`… | head`) is no failure, and nothing can be told to it any more. */
for (const output of [process.stdout, process.stderr]) {
  output.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

/** What asks the program to end, with the exit code of who is ended by it. */
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

process.exitCode = await (cluster.worker === undefined
  ? runCommandLine(process.argv.slice(2), environment)
  : runAsWorker(cluster.worker));

/** A user of a container may have a number alone. */
function loginName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}

/**
 * The first signal asks the command to end, the second ends the process, with the codes that shells give (128 and the
 * signal's number).
 */
function interruption(): AbortSignal {
  const stop = new AbortController();
  for (const [signal, exitCode] of signals) {
    process.on(signal, () => {
      if (stop.signal.aborted) process.exit(exitCode);
      stop.abort();
    });
  }
  return stop.signal;
}

/**
 * Runs the same command line as one of several workers. A terminal, and some service managers, signal all processes of
 * a server: so a signal asks a worker to end too, and however many come, only the supervisor ends it at once.
 */
async function runAsWorker(worker: Worker): Promise<number> {
  // Before the log is made, which would try for ever to write its last lines to a supervisor that is gone.
  let hasLeft = false;
  process.once('exit', () => {
    if (!hasLeft && !process.connected) process.kill(process.pid, 'SIGKILL');
  });
  const { joinSupervisor } = await import('./workers/link.ts');
  const stop = new AbortController();
  for (const [signal] of signals) process.on(signal, () => stop.abort());
  const { place, link, stop: told, tellServing, leave } = await joinSupervisor(worker);
  const { variables, settingsFile, isFirst, isTerminal } = place;
  try {
    return await runCommandLine(process.argv.slice(2), {
      ...environment,
      ...{ variables, settingsFile },
      stderr: Object.assign(process.stderr, { isTTY: isTerminal }),
      interruption: () => AbortSignal.any([stop.signal, told]),
      worker: { link, isFirst, tellServing },
    });
  } finally {
    hasLeft = process.connected;
    leave();
  }
}
