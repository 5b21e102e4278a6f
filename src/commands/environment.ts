// What a command gets from outside: settings, streams, clock and the request to stop; no command accesses the process
// itself.
import type { Readable, Writable } from 'node:stream';
import type { WorkerLink } from '../model/worker-link.ts';
import type { SupervisorOptions } from '../workers/supervisor.ts';

export type Input = Readable & { readonly isTTY?: boolean };
export type Output = Writable & { readonly isTTY?: boolean; readonly columns?: number };

export interface Environment {
  /** Environment variables: the settings. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Absolute path of the file that some of them come from; null or absent: there is none. */
  readonly settingsFile?: string | null;
  /** Absolute; relative paths are resolved against it. */
  readonly folder: string;
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Login name of the person who runs the program on this machine, for the audit trail. */
  readonly user: string;
  /** Version of Node that runs the program, like `24.21.0`. */
  readonly nodeVersion: string;
  /**
   * A signal that aborts when the process is asked to stop. A command that has called this ends itself cleanly; one
   * that never does is terminated at once, which is right when nothing can be left half done.
   */
  readonly interruption: () => AbortSignal;
  /** Processors available to this process; default: one. */
  readonly processors?: number;
  /** Runs this command line in workers; absent: workers are not possible. */
  readonly supervise?: (options: SupervisorOptions) => Promise<number>;
  /** This process is a worker. */
  readonly worker?: ServingWorker;
}

/** The tasks of a process that is one of several workers. */
interface ServingWorker {
  readonly link: WorkerLink;
  /** It is the first worker that this server starts, and prints the introduction for the operator. */
  readonly isFirst: boolean;
  readonly tellServing: () => void;
}

/** The exit codes common to all commands. */
export const exitCodes = {
  done: 0,
  /** Something was refused, or failed. */
  failed: 1,
  /** The command line itself is wrong. */
  usage: 2,
  /** The import completed, but some lines were refused. */
  linesRefused: 3,
  interrupted: 130,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** Writes one JSON value as one line. */
export function writeJson(output: Output, value: unknown): void {
  output.write(`${JSON.stringify(value)}\n`);
}

/** An instant in the JSON form of the command line: RFC 3339, UTC; null stays null. */
export function instantText(milliseconds: number | null): string | null {
  return milliseconds === null ? null : new Date(milliseconds).toISOString();
}
