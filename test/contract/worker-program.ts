// The program with several workers, to be asked over HTTP in place of an application in the test's own process.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { freePort } from '../../src/http/port-check.ts';
import { startedProgram } from './started-program.ts';
import { until } from './until.ts';

/** `TEST_WORKERS`: how many workers; 0: tests ask an application in their own process. */
export const workersWanted = Number(process.env.TEST_WORKERS ?? 0);

export interface SentRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly payload: string | Buffer | undefined;
}

export interface RawAnswer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly rawPayload: Buffer;
}

interface WorkerProgram {
  /** Each request has a connection of its own, and so may meet another worker than the one before. */
  readonly ask: (sent: SentRequest) => Promise<RawAnswer>;
  readonly logged: () => string;
  readonly stop: () => Promise<void>;
}

/** Starts the program; all workers serve. */
export async function startWorkerProgram(
  folder: string,
  variables: Readonly<Record<string, string>>,
): Promise<WorkerProgram> {
  const port = await freePort('127.0.0.1', 0);
  const program = startedProgram();
  const child = spawn(program.command, [...program.first, 'serve', '--json'], {
    cwd: folder,
    env: {
      PATH: process.env.PATH ?? '',
      HOME: folder,
      ...program.variables,
      ...variables,
      WORKERS: String(workersWanted),
      PORT: String(port),
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const lines: string[] = [];
  child.stderr.setEncoding('utf8').on('data', (part: string) => lines.push(part));
  const logged = (): string => lines.join('');
  const serving = (): number => logged().split('"a worker serves"').length - 1;
  await until(() => {
    if (child.exitCode !== null) throw new Error(`the program ended with ${child.exitCode}: ${logged()}`);
    return serving() === workersWanted;
  }, 120);
  return { ask: (sent) => asked(port, sent), logged, stop: () => stopped(child, logged) };
}

async function asked(port: number, { method, url, headers, payload }: SentRequest): Promise<RawAnswer> {
  const sent = request({
    ...{ host: '127.0.0.1', port, method, path: url, headers },
    agent: new Agent({ keepAlive: false }),
  });
  sent.end(payload);
  const [answer] = await once(sent, 'response');
  // A body that is refused is not read to its end.
  sent.on('error', () => undefined);
  return { statusCode: answer.statusCode, headers: answer.headers, rawPayload: await buffer(answer) };
}

async function stopped(child: ChildProcess, logged: () => string): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const [code] = await ended;
  if (code !== 0) throw new Error(`the program ended with ${code}: ${logged()}`);
  // Nobody was asked to end a worker.
  if (logged().includes('a worker ended')) throw new Error(`a worker ended: ${logged()}`);
}
