// In charge of the thread that writes to the embedded database: started when there is something to write, stopped when it is idle.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { isObject } from '../model/scalar.ts';
import type { SqlValue, Statement } from './engine.ts';

/** What a column can be given. */
export type BoundValue = SqlValue | bigint | Uint8Array;

/** What the thread is told to do, one after the other. Steps with `within` belong to a transaction and do nothing without it. */
export type WriterStep =
  | { readonly do: 'begin' | 'commit' | 'rollback' | 'close' }
  /** Answers the rows. */
  | { readonly do: 'query'; readonly text: string; readonly values: readonly BoundValue[] }
  /** Runs one statement with each of the rows. */
  | { readonly do: 'each'; readonly text: string; readonly rows: readonly (readonly SqlValue[])[] }
  /** Answers a `StatementResult`. */
  | { readonly do: 'run'; readonly within: boolean; readonly text: string; readonly values: readonly BoundValue[] };

export interface WriterRequest { readonly id: number; readonly step: WriterStep }
export interface WriterAnswer { readonly id: number; readonly result: unknown; readonly fault: WriterFault | null }
/** An error on its way between threads, which would lose SQLite's code. */
export interface WriterFault { readonly message: string; readonly code: number }

/** What came of a statement: the names of its columns and its rows, or how many rows it changed. */
export interface StatementResult { readonly names: readonly string[]; readonly rows: unknown; readonly changes: number }

/** One connection that writes. Whoever begins a transaction ends it before another one begins. */
export interface SqliteWriter {
  /** Asks for the write lock once; fails as busy while another process holds it. */
  begin(): Promise<void>;
  commit(): Promise<void>;
  /** Does nothing where the transaction has ended already, as it does on a full disk. */
  rollback(): Promise<void>;
  /** @returns the rows as node:sqlite gives them */
  query(statement: Statement): Promise<unknown>;
  each(text: string, rows: readonly (readonly SqlValue[])[]): Promise<void>;
  /** @param within false: the statement is a transaction of its own */
  run(text: string, values: readonly BoundValue[], within: boolean): Promise<StatementResult>;
  close(): Promise<void>;
}

/** An error of SQLite, as node:sqlite names its parts. */
class SqliteFault extends Error {
  readonly errcode: number;

  constructor({ message, code }: WriterFault) {
    super(message);
    this.name = 'SqliteFault';
    this.errcode = code;
  }
}

/** The thread ended in the midst of something; the next step starts another one. */
export class WriterLost extends Error {}

interface Waiting { readonly resolve: (result: unknown) => void; readonly reject: (error: Error) => void }

/** A thread that has nothing to do is stopped after so many milliseconds: it holds some 20 MB. */
const idleFor = 30_000;

/**
 * @param path file of the database
 * @param idleAfter milliseconds after which an idle thread is stopped
 */
export function createSqliteWriter(path: string, idleAfter: number = idleFor): SqliteWriter {
  let thread: Worker | null = null;
  let idle: NodeJS.Timeout | undefined;
  let inTransaction = false;
  let lastId = 0;
  const waiting = new Map<number, Waiting>();
  const lose = (lost: Worker, reason: WriterLost): void => {
    if (thread !== lost) return;
    thread = null;
    inTransaction = false;
    for (const { reject } of waiting.values()) reject(reason);
    waiting.clear();
  };
  const settle = ({ id, result, fault }: WriterAnswer): void => {
    const asked = waiting.get(id);
    waiting.delete(id);
    if (waiting.size === 0) rest();
    if (fault === null) asked?.resolve(result);
    else asked?.reject(fault.code === 0 ? new Error(fault.message) : new SqliteFault(fault));
  };
  const start = (): Worker => {
    const started = new Worker(new URL('./sqlite-writer-thread.ts', import.meta.url), { workerData: path, execArgv: ['--disable-warning=ExperimentalWarning'] });
    started.on('message', settle);
    started.on('error', (error) => lose(started, new WriterLost('The thread that writes to the database failed.', { cause: error })));
    started.on('exit', () => lose(started, new WriterLost('The thread that writes to the database ended.')));
    return started;
  };
  const ask = (step: WriterStep): Promise<unknown> => {
    clearTimeout(idle);
    thread ??= start();
    thread.ref();
    lastId += 1;
    const id = lastId;
    const answered = new Promise<unknown>((resolve, reject) => waiting.set(id, { resolve, reject }));
    thread.postMessage({ id, step } satisfies WriterRequest);
    return answered;
  };
  /** An idle thread shall not keep the program alive, one at work shall. */
  const rest = (): void => {
    thread?.unref();
    if (!inTransaction) idle = setTimeout(() => void stop(), idleAfter).unref();
  };
  const stop = async (): Promise<void> => {
    clearTimeout(idle);
    const stopped = thread;
    // What is to be written while this one closes goes to a new one.
    thread = null;
    if (stopped === null) return;
    stopped.ref();
    stopped.postMessage({ id: 0, step: { do: 'close' } } satisfies WriterRequest);
    await once(stopped, 'exit');
  };
  const end = async (how: 'commit' | 'rollback'): Promise<void> => {
    inTransaction = false;
    // Without its thread a transaction is gone.
    if (thread !== null || how === 'commit') await ask({ do: how });
  };
  return {
    begin: async () => {
      await ask({ do: 'begin' });
      inTransaction = true;
      clearTimeout(idle);
    },
    commit: () => end('commit'),
    rollback: () => end('rollback'),
    query: ({ text, values }) => ask({ do: 'query', text, values }),
    each: async (text, rows) => void await ask({ do: 'each', text, rows }),
    run: async (text, values, within) => toStatementResult(await ask({ do: 'run', text, values, within })),
    close: stop,
  };
}

function toStatementResult(given: unknown): StatementResult {
  if (!isObject(given) || !Array.isArray(given.names) || typeof given.changes !== 'number') throw new Error('the writing thread answered something else');
  return { names: given.names.map(String), rows: given.rows, changes: given.changes };
}
