// What a command is given from outside: settings, streams, clock and the wish to stop; no command reads the process
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
  /** Absolute; relative paths are relative to it. */
  readonly folder: string;
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Login name of whoever runs the program on this machine, for the audit trail. */
  readonly user: string;
  /** Version of Node that runs the program, like `24.21.0`. */
  readonly nodeVersion: string;
  /**
   * A signal that aborts when the process is asked to stop. From the first call on the command ends itself in good
   * order; a command that never calls it is ended at once, which is right where nothing is left half done.
   */
  readonly interruption: () => AbortSignal;
  /** Processors that this process may use; absent: one. */
  readonly processors?: number;
  /** Runs this command line in workers; absent: there can be none. */
  readonly supervise?: (options: SupervisorOptions) => Promise<number>;
  /** This process is a worker. */
  readonly worker?: ServingWorker;
}

/** What a process has to do as one of several workers. */
interface ServingWorker {
  readonly link: WorkerLink;
  /** It is the first that this server starts, and tells the operator of it. */
  readonly isFirst: boolean;
  readonly tellServing: () => void;
}

/** The exit codes of every command. */
export const exitCodes = {
  done: 0,
  /** Something was refused, or failed. */
  failed: 1,
  /** The command line itself is wrong. */
  usage: 2,
  /** An import is done, but lines were refused. */
  linesRefused: 3,
  interrupted: 130,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** Writes one JSON value as one line. */
export function writeJson(output: Output, value: unknown): void {
  output.write(`${JSON.stringify(value)}\n`);
}

/** An instant as the command line writes it in JSON: RFC 3339, UTC; null stays null. */
export function instantText(milliseconds: number | null): string | null {
  return milliseconds === null ? null : new Date(milliseconds).toISOString();
}
