// A victim that knows exactly how long the main thread that serves it worked until it was answered. What `/proc` tells
// of a thread is only brought up to date when the thread stops, or at its next tick, 3 to 4 ms later; Node cannot read
// the exact counter of another process, so the victim is a program in Python.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { until } from '../contract/until.ts';
import { processOfConnection } from './processes.ts';

interface Wanted {
  readonly port: number;
  /** Of the processes whose main threads serve. */
  readonly pids: readonly number[];
  readonly token: string;
  /** Asked for in turn. */
  readonly paths: readonly string[];
  /** From one request to the next; a later answer delays the next request. */
  readonly paceMs: number;
  /** Address that the victim comes from. */
  readonly from: string;
}

/** What the victim saw while it asked. */
interface Seen {
  /** Milliseconds that the main thread that serves it worked, for whatever, until each request was answered. */
  readonly worked: readonly number[];
  /** How often each status came. */
  readonly statuses: Readonly<Record<string, number>>;
}

interface ExactVictim {
  /** Asks for so long. Throws if the server does not answer. */
  readonly ask: (milliseconds: number) => Promise<Seen>;
  readonly end: () => Promise<void>;
}

const python = 'python3';
const program = fileURLToPath(new URL('exact-victim.py', import.meta.url));

/** False, or why nothing can be measured here. */
export function skipExactVictim(): false | string {
  const wanted = { port: 0, pids: [process.pid], token: '', paths: [], paceMs: 1, from: '127.0.0.1' };
  const { error, status, stderr } = spawnSync(python, [program], {
    input: `${JSON.stringify(wanted)}\n`,
    encoding: 'utf8',
  });
  if (error !== undefined) return `${python} cannot be started: ${error.message}`;
  return status === 0 ? false : stderr;
}

/** The table of connections may lack some while others come and go. */
async function servingProcess({ pids, port }: Wanted, from: number): Promise<number> {
  let found: number | undefined;
  await until(async () => {
    found = processOfConnection(pids, { port, from });
    return found !== undefined;
  });
  return found ?? assert.fail('no process serves the victim');
}

export async function startExactVictim(wanted: Wanted): Promise<ExactVictim> {
  const child = spawn(python, [program], { stdio: ['pipe', 'pipe', 'inherit'] });
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const next = async (): Promise<string> => {
    const line = await lines.next();
    if (line.done === true) throw new Error('the victim ended, see above');
    return line.value;
  };
  child.stdin.write(`${JSON.stringify(wanted)}\n`);
  await next();
  return {
    ask: async (milliseconds) => {
      child.stdin.write(`${milliseconds}\n`);
      const from = Number(await next());
      child.stdin.write(`${await servingProcess(wanted, from)}\n`);
      return JSON.parse(await next());
    },
    end: async () => {
      process.off('exit', kill);
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.stdin.end();
      await ended;
    },
  };
}
