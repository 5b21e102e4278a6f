// The real program in a process of its own: `./logistics-connect serve` on an existing database, with a real token.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../src/http/port-check.ts';
import { activity } from './data.ts';
import type { Place } from './databases.ts';

/** The serving program. */
export interface Program {
  readonly pid: number;
  readonly port: number;
  /** Value of the header. */
  readonly authorization: string;
  readonly stop: () => Promise<void>;
}

export type Settings = Readonly<Record<string, string>>;

/** The program, from a checkout. */
export const launcher = join(import.meta.dirname, '..', 'logistics-connect');

/** Registers a client and a user, and issues their token for a server on this port. */
export async function grantAccess(
  place: Place,
  port: number,
  activities: readonly string[] = [activity.code],
): Promise<string> {
  const covered = activities.flatMap((code) => ['--activity', code]);
  const settings = settingsOf(place, { PORT: String(port) });
  const client = await command(settings, [
    'client',
    'add',
    'Bench',
    '--redirect',
    'http://127.0.0.1/callback',
    ...covered,
    '--json',
  ]);
  const login = `bench-${randomBytes(6).toString('hex')}`;
  await command(settings, ['user', 'add', login, ...covered, '--json'], `${randomBytes(12).toString('base64url')}\n`);
  return (
    'Bearer ' +
    `${(await command(settings, ['token', '--client', textOf(client, 'id'), '--user', login, '--json'])).accessToken}`
  );
}

/** A platform key that may send feeds. */
export async function feedKey(place: Place): Promise<string> {
  return textOf(await command(settingsOf(place), ['key', 'add', 'Bench', '--all', '--role', 'feed', '--json']), 'key');
}

/**
 * Starts the server and waits until it responds. Its log is written, but to a place that costs no disk.
 * @param settings in addition to those of the place; the read rate has no limit
 */
export async function startProgram(place: Place, settings: Settings = {}): Promise<Program> {
  const port = await freePort('127.0.0.1', 0);
  const authorization = await grantAccess(place, port);
  const child = launch(place, port, settings);
  await firstAnswer(child, port, authorization);
  return { pid: pidOf(child), port, authorization, stop: () => stop(child) };
}

/** Starts the server without waiting for it. */
export function launch(place: Place, port: number, settings: Settings = {}): ChildProcess {
  const child = spawn(launcher, ['serve', '--json'], {
    env: settingsOf(place, { PORT: String(port), RATE_READS: '0', ...settings }),
    stdio: 'ignore',
  });
  const end = (): void => void child.kill();
  process.once('exit', end);
  child.once('exit', () => process.off('exit', end));
  return child;
}

/** Waits for the first 200 response of a list. */
export async function firstAnswer(child: ChildProcess, port: number, authorization: string): Promise<void> {
  for (let attempt = 0; attempt < 6000; attempt += 1) {
    if (child.exitCode !== null) throw new Error(`the server ended with code ${child.exitCode}`);
    const answer = await fetch(`http://127.0.0.1:${port}/v1/articles/movements?limit=1`, {
      headers: { authorization },
    }).catch(() => null);
    if (answer?.status === 200) return void (await answer.arrayBuffer());
    if (answer !== null) throw new Error(`the first answer is ${answer.status}: ${await answer.text()}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error('the server does not answer');
}

export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill();
  await ended;
}

/** Starts a command of the program and leaves it running. */
export function start(place: Place, words: readonly string[]): ChildProcess {
  return spawn(launcher, words, { env: settingsOf(place), stdio: 'ignore' });
}

export function pidOf(child: ChildProcess): number {
  if (child.pid === undefined) throw new Error('a process cannot be started');
  return child.pid;
}

/** The program's environment for working on a place. */
export function settingsOf({ storage }: Place, settings: Settings = {}): NodeJS.ProcessEnv {
  const { PATH, HOME } = process.env;
  return {
    PATH,
    HOME,
    // One process is measured, unless a part says otherwise.
    WORKERS: '1',
    DATA_DIR: storage.dataDir,
    ...(storage.databaseUrl !== null && { DATABASE_URL: storage.databaseUrl }),
    ...settings,
  };
}

async function command(
  env: NodeJS.ProcessEnv,
  words: readonly string[],
  input = '',
): Promise<Readonly<Record<string, unknown>>> {
  const running = promisify(execFile)(launcher, words, { env });
  running.child.stdin?.end(input);
  const answer: unknown = JSON.parse((await running).stdout);
  if (typeof answer !== 'object' || answer === null) throw new Error(`${words.join(' ')} gave no object`);
  return { ...answer };
}

function textOf(answer: Readonly<Record<string, unknown>>, name: string): string {
  const value = answer[name];
  if (typeof value !== 'string') throw new Error(`an answer lacks ${name}`);
  return value;
}
