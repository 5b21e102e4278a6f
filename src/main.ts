// The program: takes arguments, settings, streams and signals from the process, runs one command, and leaves its exit
// code.
import { userInfo } from 'node:os';
import { runCommandLine } from './commands/program.ts';

/** A reader that went away (`… | head`) is no failure, and nothing can be told to it any more. */
for (const output of [process.stdout, process.stderr]) {
  output.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

process.exitCode = await runCommandLine(process.argv.slice(2), {
  variables: process.env,
  folder: process.cwd(),
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  now: Date.now,
  user: loginName(),
  nodeVersion: process.versions.node,
  interruption,
});

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
  for (const [signal, exitCode] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    process.on(signal, () => {
      if (stop.signal.aborted) process.exit(exitCode);
      stop.abort();
    });
  }
  return stop.signal;
}
