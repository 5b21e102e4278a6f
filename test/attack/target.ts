// A server under attack: the real program in a process of its own on a copy of the prepared database, with a victim who
// goes on asking.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { freePort } from '../../src/http/port-check.ts';
import { launcher } from '../commands/fixture.ts';
import { until } from '../contract/until.ts';
import { copyDatabase, type Database } from './prepared.ts';
import type { Lap, Watched } from './watcher.ts';

export interface Target {
  readonly port: number;
  readonly pid: number;
  readonly database: Database;
  /** What the victim has seen, and the process has used, since the last time. */
  readonly lap: () => Promise<Lap>;
  /** The victim's quiet state, measured before any attack. */
  readonly quiet: Lap;
  /** The victim asks for nothing until it is to go on. */
  readonly pause: () => void;
  readonly resume: () => void;
  /** Another process on the same database; it ends with this one. @returns its port */
  readonly beside: (settings?: Settings) => Promise<{ readonly port: number; readonly pid: number }>;
  /** What the server has written to standard error. */
  readonly logged: () => string;
  readonly stop: () => Promise<void>;
}

export type Settings = Readonly<Record<string, string>>;

/** False, or why nothing can be measured here. */
export const skip: false | string =
  process.platform === 'linux' ? false : 'memory and processor time are read from /proc, which is Linux';

/** Attackers come from 127.0.0.1, the victim from another address. */
export const victimAddress = '127.0.0.2';

/**
 * Without limits of rate: what is attacked is what one request may cost, and that there are few of them would hide it.
 */
const unlimited: Settings = {
  RATE_READS: '0',
  RATE_WRITES: '0',
  RATE_LABELS: '0',
  RATE_PLATFORM: '0',
  RATE_ANONYMOUS: '0',
  RATE_SIGN_INS: '0',
  LOG_LEVEL: 'error',
};

export interface TargetOptions {
  /** What is done to the server or its database is nothing that other subjects can be measured on. */
  readonly ownServer?: boolean;
  /** Milliseconds from one request of the victim to the next; null: there is no victim, and a lap has nothing. */
  readonly pace?: number | null;
  /** What is done to the database before the server starts. */
  readonly prepare?: (database: Database) => Promise<void>;
  /** Settings that are known only then. */
  readonly moreSettings?: () => Promise<Settings>;
  /** Processes of the server; default: 1. */
  readonly workers?: number;
}

/** Starts a server and its victim, and measures the quiet state. */
export async function startTarget(
  settings: Settings = {},
  { pace = 25, prepare, moreSettings, workers = 1 }: TargetOptions = {},
): Promise<Target> {
  const database = await copyDatabase();
  const ends: (() => Promise<unknown>)[] = [() => database.remove()];
  const stop = async (): Promise<void> => {
    for (const end of ends.splice(0).reverse()) await end();
  };
  let logged = '';
  let found: Settings = {};
  const serve = async (more: Settings): Promise<{ readonly port: number; readonly pid: number }> => {
    const all = { ...unlimited, WORKERS: String(workers), ...found, ...settings, ...more };
    const server = await startProcess(database, all, (text) => {
      logged += text;
    });
    ends.push(server.stop);
    return server;
  };
  try {
    await prepare?.(database);
    found = (await moreSettings?.()) ?? {};
    const { port, pid } = await serve({});
    if (workers > 1) await until(async () => (await workersOf(port)) === workers);
    const { lap, pause, resume, end } = await startVictim({
      port,
      pid,
      workers,
      database: databaseName(database),
      token: database.tokens.victim,
      paths: victimPaths,
      pace: pace ?? 1_000_000,
      from: victimAddress,
    });
    ends.push(end);
    if (pace !== null) {
      // Code that runs for the first time is slow.
      await wait(600);
      await lap();
      await wait(800);
    }
    return {
      port,
      pid,
      database,
      lap,
      quiet: await lap(),
      pause,
      resume,
      beside: (more = {}) => serve(more),
      logged: () => logged,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Those that serve. The first begins alone: what comes then is not divided yet. */
async function workersOf(port: number): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  return Number(/^logistics_workers (\d+)$/m.exec(text)?.[1]);
}

function databaseName({ variables: { DATABASE_URL: url } }: Database): string | null {
  return url === undefined ? null : new URL(url).pathname.slice(1);
}

/** A page that is remembered, and pages of single articles that are read by an index. */
export const victimPaths: readonly string[] = Array.from({ length: 200 }, (_none, index) =>
  index % 2 === 0 ? '/v1/articles/movements?limit=10' : `/v1/articles/A${index}/movements?limit=10`,
);

async function startProcess(
  database: Database,
  settings: Settings,
  onLog: (text: string) => void,
): Promise<{ readonly port: number; readonly pid: number; readonly stop: () => Promise<unknown> }> {
  const port = await freePort('127.0.0.1', 0);
  const { PATH = '', NODE_COMPILE_CACHE } = process.env;
  const cache = NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE };
  const env = {
    ...{ PATH, HOME: database.folder },
    ...{ ...cache, ...database.variables, ...settings },
    PORT: String(port),
  };
  const child = spawn(launcher, ['serve', '--json'], { cwd: database.folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  child.stderr.setEncoding('utf8').on('data', onLog);
  await Promise.race([
    once(child.stdout, 'data'),
    once(child, 'exit').then(([code]) => {
      throw new Error(`the server ended with ${code}`);
    }),
  ]);
  child.stdout.resume();
  return {
    port,
    pid: child.pid ?? 0,
    stop: async () => {
      process.off('exit', kill);
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      kill();
      await ended;
    },
  };
}

async function startVictim(
  watched: Watched,
): Promise<Pick<Target, 'lap' | 'pause' | 'resume'> & { readonly end: () => Promise<unknown> }> {
  const thread = new Worker(new URL('./watcher.ts', import.meta.url), { workerData: watched });
  await once(thread, 'message');
  return {
    lap: async () => {
      const answered = once(thread, 'message');
      thread.postMessage('lap');
      const [lap] = await answered;
      return lap;
    },
    pause: () => thread.postMessage('pause'),
    resume: () => thread.postMessage('resume'),
    end: () => thread.terminate(),
  };
}
