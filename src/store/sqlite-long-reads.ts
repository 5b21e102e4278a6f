// In charge of the process for long reads: started when it is needed, stopped when it is idle, ended when a read takes too long.
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Problem } from '../model/problem.ts';
import type { SqlValue, Statement } from './engine.ts';

export interface LongReadRequest { readonly id: number; readonly path: string; readonly text: string; readonly values: readonly SqlValue[] }
export interface LongReadAnswer { readonly id: number; readonly rows: unknown; readonly fault: string | null }

export interface LongReads {
  /**
   * @returns the rows as node:sqlite gives them
   * @throws Problem `unavailable` when the read takes longer than the limit
   */
  read(statement: Statement): Promise<unknown>;
  close(): void;
}

/** Milliseconds. */
export interface LongReadLimits { readonly slowest: number; readonly idle: number }

interface Waiting { readonly resolve: (rows: unknown) => void; readonly reject: (error: Error) => void }

/**
 * A process and not a thread: a thread inside SQLite cannot be stopped.
 * @param path file of the database
 */
export function createLongReads(path: string, limits: LongReadLimits = { slowest: 30_000, idle: 60_000 }): LongReads {
  let reader: ChildProcess | null = null;
  let idle: NodeJS.Timeout | undefined;
  let lastId = 0;
  const waiting = new Map<number, Waiting>();
  const stop = (reason: Error): void => {
    clearTimeout(idle);
    reader?.removeAllListeners();
    reader?.kill('SIGKILL');
    reader = null;
    for (const { reject } of waiting.values()) reject(reason);
    waiting.clear();
  };
  const settle = ({ id, rows, fault }: LongReadAnswer): void => {
    const asked = waiting.get(id);
    waiting.delete(id);
    if (fault === null) asked?.resolve(rows);
    else asked?.reject(new Error(fault));
  };
  const start = (): ChildProcess => {
    const started = fork(fileURLToPath(new URL('./sqlite-long-reader.ts', import.meta.url)), {
      serialization: 'advanced', execArgv: ['--disable-warning=ExperimentalWarning'], stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    started.on('message', settle);
    started.on('error', stop);
    started.on('exit', () => stop(new Error('the process for long reads ended')));
    return started;
  };
  return {
    read: async ({ text, values }) => {
      reader ??= start();
      clearTimeout(idle);
      hold(reader, true);
      lastId += 1;
      const id = lastId;
      const answered = new Promise<unknown>((resolve, reject) => waiting.set(id, { resolve, reject }));
      const limit = setTimeout(() => stop(tooSlow()), limits.slowest);
      reader.send({ id, path, text, values } satisfies LongReadRequest);
      try {
        return await answered;
      } finally {
        clearTimeout(limit);
        if (waiting.size === 0 && reader !== null) {
          hold(reader, false);
          // Reads that were answered together end one after another; each would leave a timer behind.
          clearTimeout(idle);
          idle = setTimeout(() => stop(tooSlow()), limits.idle).unref();
        }
      }
    },
    close: () => stop(new Error('storage is closed')),
  };
}

/** An idle reader shall not keep the program alive, one at work shall. */
function hold(reader: ChildProcess, busy: boolean): void {
  if (busy) {
    reader.ref();
    reader.channel?.ref();
  } else {
    reader.unref();
    reader.channel?.unref();
  }
}

function tooSlow(): Problem {
  return new Problem('unavailable', 'The query took too long. Narrow it with a condition on a field that has an index.', {}, { 'Retry-After': '30' });
}
