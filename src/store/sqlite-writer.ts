// In charge of the thread that writes to the embedded database: started when there is something to write, stopped when
// it is idle.
import { Worker } from 'node:worker_threads';
import { OperatorError } from '../model/operator-error.ts';
import type { SqlValue } from './engine.ts';
import type { CompiledStatement } from './statement.ts';

/** What the thread is told to do, one after the other. */
export type WriterStep =
  | { readonly do: 'begin' | 'commit' | 'rollback' | 'close' }
  /** Answers the rows: `query` within a transaction, `once` as one of its own. */
  | { readonly do: 'query' | 'once'; readonly text: string; readonly values: readonly SqlValue[] }
  /** Runs one statement with each of the rows. */
  | { readonly do: 'each'; readonly text: string; readonly rows: readonly (readonly SqlValue[])[] };

export interface WriterRequest {
  readonly id: number;
  readonly step: WriterStep;
}
export interface WriterAnswer {
  readonly id: number;
  readonly result: unknown;
  readonly fault: WriterFault | null;
}
/** An error on its way between threads, which would lose its kind. */
export interface WriterFault {
  readonly message: string;
  /** SQLite's code with its higher bits; 0 for other errors. */
  readonly code: number;
  /** Null where it is nothing that an operator can mend. */
  readonly remedy: string | null;
}

/**
 * One connection that writes. Whoever begins a transaction ends it before another one begins; without it, its steps are
 * refused.
 */
export interface SqliteWriter {
  /** Asks for the write lock once; fails as busy while another process holds it. */
  begin(): Promise<void>;
  /**
   * Ends the transaction at once, also where it then turns out that it cannot be committed: another one may begin
   * before the answer.
   */
  commit(): Promise<void>;
  /** Does nothing where the transaction has ended already, as it does on a full disk. */
  rollback(): Promise<void>;
  /** @returns the rows as node:sqlite gives them */
  query(statement: Pick<CompiledStatement, 'text' | 'values'>): Promise<unknown>;
  each(text: string, rows: readonly (readonly SqlValue[])[]): Promise<void>;
  /** The same for a statement that is a transaction of its own. */
  once(statement: Pick<CompiledStatement, 'text' | 'values'>): Promise<unknown>;
  close(): Promise<void>;
}

/** An error of SQLite, as node:sqlite names its parts. */
class SqliteFault extends Error {
  readonly code = 'ERR_SQLITE_ERROR';
  readonly errcode: number;

  constructor(message: string, errcode: number) {
    super(message);
    this.errcode = errcode;
  }
}

/** The thread ended in the midst of something; the next transaction starts another one. */
export class WriterLost extends Error {}

interface Waiting {
  readonly resolve: (answer: WriterAnswer) => void;
  readonly reject: (error: WriterLost) => void;
}

/** A thread that has nothing to do is stopped after so long: it holds some 20 MB. */
const usualIdleAfterMs = 30_000;

/**
 * Makes the one who writes to a file; its thread starts with the first step.
 * @param path file of the database
 * @param idleAfterMs after which an idle thread is stopped
 */
export function createSqliteWriter(path: string, idleAfterMs: number = usualIdleAfterMs): SqliteWriter {
  let thread: Worker | null = null;
  /** Ends when the thread before has. */
  let stopped: Promise<void> = Promise.resolve();
  let idle: NodeJS.Timeout | undefined;
  let closed = false;
  let inTransaction = false;
  /** Why the transaction is no more, until its writer has ended it. */
  let lost: WriterLost | null = null;
  let lastId = 0;
  const waiting = new Map<number, Waiting>();
  const refuseAll = (reason: WriterLost): void => {
    for (const { reject } of waiting.values()) reject(reason);
    waiting.clear();
  };
  const lose = (ended: Worker, reason: WriterLost): void => {
    if (thread !== ended) return;
    thread = null;
    if (inTransaction) lost = reason;
    refuseAll(reason);
  };
  const settle = (answer: WriterAnswer): void => {
    const asked = waiting.get(answer.id);
    waiting.delete(answer.id);
    if (waiting.size === 0) rest();
    asked?.resolve(answer);
  };
  const start = (): Worker => {
    const started = newThread(path);
    started.on('message', settle);
    started.on('error', (error) =>
      lose(started, new WriterLost('The thread that writes to the database failed.', { cause: error })),
    );
    started.on('exit', () => lose(started, new WriterLost('The thread that writes to the database ended.')));
    return started;
  };
  const send = (step: WriterStep): Promise<WriterAnswer> => {
    clearTimeout(idle);
    thread ??= start();
    thread.ref();
    lastId += 1;
    thread.postMessage({ id: lastId, step } satisfies WriterRequest);
    return new Promise((resolve, reject) => waiting.set(lastId, { resolve, reject }));
  };
  // The errors are made here and not where the answer arrives, so that their stack tells who asked.
  const ask = async (step: WriterStep): Promise<unknown> => {
    if (closed) throw new Error('the database is closed');
    const { result, fault } = await send(step);
    if (fault !== null) throw toError(fault);
    return result;
  };
  const askWithin = async (step: WriterStep): Promise<unknown> => {
    if (lost !== null) throw lost;
    return ask(step);
  };
  /** An idle thread shall not keep the program alive, one at work shall. */
  const rest = (): void => {
    thread?.unref();
    if (!inTransaction) idle = setTimeout(stop, idleAfterMs).unref();
  };
  /** What is to be written while this thread closes goes to a new one. */
  const stop = (): void => {
    clearTimeout(idle);
    const stopping = thread;
    thread = null;
    if (stopping === null) return;
    stopping.ref();
    stopped = new Promise((resolve) => stopping.once('exit', () => resolve()));
    stopping.postMessage({ id: 0, step: { do: 'close' } } satisfies WriterRequest);
  };
  return {
    begin: async () => {
      await ask({ do: 'begin' });
      inTransaction = true;
      clearTimeout(idle);
    },
    commit: async () => {
      const reason = lost;
      lost = null;
      inTransaction = false;
      if (reason !== null) throw reason;
      await ask({ do: 'commit' });
    },
    rollback: async () => {
      const isGone = lost !== null || thread === null;
      lost = null;
      inTransaction = false;
      // A connection that cannot even undo is given up, which undoes too.
      if (!isGone) await ask({ do: 'rollback' }).catch(stop);
    },
    query: ({ text, values }) => askWithin({ do: 'query', text, values }),
    each: async (text, rows) => void (await askWithin({ do: 'each', text, rows })),
    once: ({ text, values }) => ask({ do: 'once', text, values }),
    close: async () => {
      closed = true;
      stop();
      await stopped;
      // Nobody is left to answer, should the thread have died over it.
      refuseAll(new WriterLost('The thread that writes to the database ended.'));
    },
  };
}

function newThread(path: string): Worker {
  try {
    return new Worker(new URL('./sqlite-writer-thread.ts', import.meta.url), {
      workerData: path,
      execArgv: ['--disable-warning=ExperimentalWarning'],
    });
  } catch (error) {
    throw new WriterLost('The system allows no thread that writes to the database.', { cause: error });
  }
}

function toError({ message, code, remedy }: WriterFault): Error {
  const cause = code === 0 ? undefined : new SqliteFault(message, code);
  return remedy === null ? (cause ?? new Error(message)) : new OperatorError(message, remedy, { cause });
}
