// Runs command lines: in this process with streams of its own, or as the real program in a child process.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import type { Environment } from '../../src/commands/environment.ts';
import { runCommandLine } from '../../src/commands/program.ts';
import { copySqlite } from '../contract/prepared-databases.ts';
import { startedProgram } from '../contract/started-program.ts';

export { launcher } from '../contract/started-program.ts';
export const root = resolve(import.meta.dirname, '../..');
export const goodPassword = 'tall ships carry heavy crates';

export interface Run {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A folder of its own; gone when the test ends. */
export function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'commands-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export interface Place {
  /** Where relative paths are relative to; storage is in its `data`. */
  readonly folder: string;
  readonly variables?: Readonly<Record<string, string>>;
  readonly stdin?: string | Uint8Array | Readable;
  readonly terminal?: boolean;
  readonly now?: () => number;
  readonly signal?: AbortSignal;
}

/** Runs a command line in this process. */
export async function run(place: Place, ...args: readonly string[]): Promise<Run> {
  const output = (): PassThrough & { readonly isTTY?: boolean } =>
    Object.assign(new PassThrough(), place.terminal === true ? { isTTY: true, columns: 100 } : {});
  const [stdout, stderr] = [output(), output()];
  const read = Promise.all([text(stdout), text(stderr)]);
  const code = await runCommandLine(args, { ...environmentOf(place), stdout, stderr });
  stdout.end();
  stderr.end();
  const [out, error] = await read;
  return { code, stdout: out, stderr: error };
}

/** What a command is given there; nobody reads what it writes. */
export function environmentOf(place: Place): Environment {
  return {
    variables: place.variables ?? {},
    folder: place.folder,
    stdin: place.stdin instanceof Readable ? place.stdin : Readable.from([Buffer.from(place.stdin ?? '')]),
    stdout: new PassThrough(),
    stderr: new PassThrough(),
    now: place.now ?? Date.now,
    user: 'olga',
    nodeVersion: process.versions.node,
    interruption: () => place.signal ?? new AbortController().signal,
  };
}

/** Like `run`, for commands that must succeed; the one that makes a database is given one with all steps done. */
export async function succeed(place: Place, ...args: readonly string[]): Promise<string> {
  if (args[0] === 'activity' && args[1] === 'add') await prepareDatabase(place);
  const { code, stdout, stderr } = await run(place, ...args);
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${stderr}`);
  return stdout;
}

/** To run all steps takes thirty times as long as to copy a database in which they are done. */
async function prepareDatabase({ folder, variables = {} }: Place): Promise<void> {
  const data = join(folder, 'data');
  if (variables.DATABASE_URL === undefined && variables.DATA_DIR === undefined && !existsSync(data))
    await copySqlite(join(data, 'logistics-connect.db'));
}

/** The value that a command writes with --json; the test says what it expects of it. */
export async function json<Expected>(place: Place, ...args: readonly string[]): Promise<Expected> {
  return JSON.parse(await succeed(place, ...args, '--json'));
}

export interface Child {
  readonly pid: number;
  /** Resolves when standard output or standard error holds the text; rejects when the program ends before. */
  seen(wanted: string): Promise<string>;
  write(input: string): void;
  end(input?: string): void;
  signal(name: NodeJS.Signals): void;
  readonly hasEnded: () => boolean;
  /** Resolves when the program has ended; rejects with what it wrote when it has not long after this was asked for. */
  readonly ended: Promise<Run>;
}

/**
 * How long a program is waited for, its end or what it is to write, in milliseconds: a hundred times as long as it
 * takes, and less than the tests that wait for it have. A wait without an end would hang the whole run.
 */
const limitMs = 150_000;

/**
 * Starts the real program; it is killed when the test ends.
 * @param place `program`: by this file; otherwise by what starts it soonest
 */
export function start(
  t: TestContext,
  place: Place & { readonly program?: string; readonly path?: string },
  ...args: readonly string[]
): Child {
  const { command, first, variables } =
    place.program === undefined ? startedProgram() : { command: place.program, first: [], variables: {} };
  const child = spawn(command, [...first, ...args], {
    cwd: place.folder,
    // In one process, unless a test is about several: they would cost each test more than what it is about.
    env: {
      PATH: place.path ?? process.env.PATH ?? '',
      HOME: place.folder,
      WORKERS: '1',
      ...variables,
      ...place.variables,
    },
    stdio: 'pipe',
  });
  t.after(() => child.kill('SIGKILL'));
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    stdout += part;
  });
  child.stderr.setEncoding('utf8').on('data', (part: string) => {
    stderr += part;
  });
  child.stdin.on('error', () => undefined);
  let hasEnded = false;
  const closed = once(child, 'close').then(([code]): Run => {
    hasEnded = true;
    return { code: typeof code === 'number' ? code : null, stdout, stderr };
  });
  return {
    pid: child.pid ?? 0,
    hasEnded: () => hasEnded,
    get ended() {
      return withinLimit(closed, () => `${args.join(' ')} has not ended, and wrote: ${stdout}${stderr}`);
    },
    async seen(wanted) {
      const limit = AbortSignal.timeout(limitMs);
      for (;;) {
        if (stdout.includes(wanted) || stderr.includes(wanted)) return stdout + stderr;
        const over = await Promise.race([
          once(child.stdout, 'data', { signal: limit }),
          once(child.stderr, 'data', { signal: limit }),
          closed,
        ]).catch((error: unknown) => {
          throw limit.aborted ? new Error(`there is no "${wanted}" yet, but: ${stdout}${stderr}`) : error;
        });
        if (!Array.isArray(over) && !stdout.includes(wanted) && !stderr.includes(wanted))
          throw new Error(`ended with ${over.code} without "${wanted}": ${stdout}${stderr}`);
      }
    },
    write: (input) => void child.stdin.write(input),
    end: (input) => void child.stdin.end(input ?? ''),
    signal: (name) => void child.kill(name),
  };
}

/** Waits for the end of a program. @param complaint made when it has not come in time */
async function withinLimit(end: Promise<Run>, complaint: () => string): Promise<Run> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(complaint())), limitMs);
  try {
    return await Promise.race([end, promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Runs the real program to its end. */
export async function runProgram(
  t: TestContext,
  place: Place & { readonly program?: string; readonly path?: string },
  ...args: readonly string[]
): Promise<Run> {
  const child = start(t, place, ...args);
  child.end(typeof place.stdin === 'string' ? place.stdin : '');
  return child.ended;
}
