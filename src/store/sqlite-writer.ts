// Writes to the embedded database, through a thread that exists while there is something to write.
import type { SqlValue } from './engine.ts';
import { toError, type WriterAnswer, type WriterRequest, type WriterStep } from './sqlite-writer-steps.ts';
import {
  endThread,
  releaseThread,
  type ThreadListener,
  takeThread,
  usualIdleAfterMs,
  type WriterKind,
  type WriterThread,
} from './sqlite-writer-threads.ts';
import type { CompiledStatement } from './statement.ts';

/**
 * One connection that writes. A caller that begins a transaction ends it before the next one begins; outside a
 * transaction, its steps are refused.
 */
export interface SqliteWriter {
  /** Tries once to take the write lock; fails as busy while another process holds it. */
  begin(): Promise<void>;
  /**
   * Ends the transaction at once, even if it then turns out that it cannot be committed: another one may begin before
   * the answer.
   */
  commit(): Promise<void>;
  /** Does nothing if the transaction has already ended, as it does on a full disk. */
  rollback(): Promise<void>;
  /** @returns the rows as returned by node:sqlite */
  query(statement: Pick<CompiledStatement, 'text' | 'values'>): Promise<unknown>;
  each(text: string, rows: readonly (readonly SqlValue[])[]): Promise<void>;
  /** The same, for a statement that is a transaction of its own. */
  once(statement: Pick<CompiledStatement, 'text' | 'values'>): Promise<unknown>;
  close(): Promise<void>;
}

/** The thread ended unexpectedly; the next transaction starts another one. */
export class WriterLost extends Error {}

interface Waiting {
  readonly resolve: (answer: WriterAnswer) => void;
  readonly reject: (error: WriterLost) => void;
}

/**
 * Creates the writer of a file; its thread starts with the first step.
 * @param path file of the database
 * @param idleAfterMs after which an idle thread is stopped
 */
export function createSqliteWriter(
  path: string,
  idleAfterMs: number = usualIdleAfterMs,
  kind: WriterKind = 'usual',
): SqliteWriter {
  let thread: WriterThread | null = null;
  /** Settles when the previous thread has ended. */
  let stopped: Promise<void> = Promise.resolve();
  let idle: NodeJS.Timeout | undefined;
  let closed = false;
  let inTransaction = false;
  /** Why the transaction was lost, until its owner has ended it. */
  let lost: WriterLost | null = null;
  let lastId = 0;
  const waiting = new Map<number, Waiting>();
  const refuseAll = (reason: WriterLost): void => {
    for (const { reject } of waiting.values()) reject(reason);
    waiting.clear();
  };
  const lose = (ended: WriterThread, reason: WriterLost): void => {
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
  const start = (): WriterThread => {
    const started = threadFor(path, kind, {
      answered: settle,
      ended: (cause) => lose(started, new WriterLost(endedText, { cause })),
    });
    return started;
  };
  const send = (step: WriterStep): Promise<WriterAnswer> => {
    clearTimeout(idle);
    thread ??= start();
    thread.worker.ref();
    lastId += 1;
    thread.worker.postMessage({ id: lastId, step } satisfies WriterRequest);
    return new Promise((resolve, reject) => waiting.set(lastId, { resolve, reject }));
  };
  // The errors are created here and not where the answer arrives, so that their stack shows the caller.
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
  /** An idle thread must not keep the program alive; a busy one must. */
  const rest = (): void => {
    thread?.worker.unref();
    if (!inTransaction) idle = setTimeout(stop, idleAfterMs).unref();
  };
  /** Steps that arrive while this thread closes go to a new one. */
  const stop = (): void => {
    clearTimeout(idle);
    const stopping = thread;
    thread = null;
    if (stopping === null) return;
    stopped = endThread(stopping);
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
      // A connection that cannot even roll back is abandoned, which rolls back too.
      if (!isGone) await ask({ do: 'rollback' }).catch(stop);
    },
    query: ({ text, values }) => askWithin({ do: 'query', text, values }),
    each: async (text, rows) => void (await askWithin({ do: 'each', text, rows })),
    once: ({ text, values }) => ask({ do: 'once', text, values }),
    close: async () => {
      closed = true;
      clearTimeout(idle);
      const leaving = thread;
      thread = null;
      await Promise.all([stopped, leaving === null ? undefined : releaseThread(leaving)]);
      // If the thread died of it, nobody is left to answer.
      refuseAll(new WriterLost(endedText));
    },
  };
}

const endedText = 'The thread that writes to the database ended.';

/** @throws WriterLost if the system cannot start a thread */
function threadFor(path: string, kind: WriterKind, listener: ThreadListener): WriterThread {
  try {
    return takeThread(path, kind, listener);
  } catch (error) {
    throw new WriterLost('The system allows no thread that writes to the database.', { cause: error });
  }
}
