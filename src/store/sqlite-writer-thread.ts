// The thread that writes to the embedded database: runs one step after another and answers each, so that the main
// thread never waits for the disk.
import type { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { connect, type Prepare, statements } from './sqlite-connection.ts';
import { toFault, type WriterAnswer, type WriterRequest, type WriterStep } from './sqlite-writer-steps.ts';
import { lowerThreadPriority } from './thread-priority.ts';

interface Connection {
  readonly database: DatabaseSync;
  readonly prepare: Prepare;
}

if (workerData === 'background') lowerThreadPriority();

let path = '';
// Opened by the first step, so that a failure becomes its answer.
let connection: Connection | null = null;

parentPort?.on('message', ({ id, step }: WriterRequest) => {
  if (step.do === 'open') path = step.path;
  else parentPort?.postMessage(answer(id, step));
  if (step.do === 'end') parentPort?.close();
});

function answer(id: number, step: Exclude<WriterStep, { readonly do: 'open' }>): WriterAnswer {
  try {
    if (step.do === 'leave' || step.do === 'end') close();
    else {
      connection ??= open();
      return { id, result: take(connection, step), fault: null };
    }
    return { id, result: null, fault: null };
  } catch (error) {
    return { id, result: null, fault: toFault(error) };
  }
}

function open(): Connection {
  const database = connect(path);
  return { database, prepare: statements(database) };
}

function close(): void {
  connection?.database.close();
  connection = null;
}

type DatabaseStep = Exclude<WriterStep, { readonly do: 'open' | 'leave' | 'end' }>;

function take({ database, prepare }: Connection, step: DatabaseStep): unknown {
  switch (step.do) {
    case 'begin':
      return begin(database);
    case 'commit':
      return commit(database);
    case 'rollback':
      return database.isTransaction ? database.exec('rollback') : undefined;
    case 'query': {
      requireTransaction(database);
      return prepare(step.text).all(...step.values);
    }
    case 'once':
      return prepare(step.text).all(...step.values);
    case 'each': {
      requireTransaction(database);
      const statement = prepare(step.text);
      for (const row of step.rows) statement.run(...row);
      return undefined;
    }
  }
}

/** SQLite's own wait for another process is long and unfair; the caller tries again instead. */
function begin(database: DatabaseSync): void {
  try {
    database.exec('pragma busy_timeout = 0; begin immediate');
  } finally {
    database.exec('pragma busy_timeout = 5000');
  }
}

/** The next transaction's steps are already queued, and must not find a transaction that could not be committed. */
function commit(database: DatabaseSync): void {
  try {
    database.exec('commit');
  } catch (error) {
    if (database.isTransaction) database.exec('rollback');
    throw error;
  }
}

/**
 * Steps are sent ahead: if an earlier one has ended the transaction, as a full disk does, a later one would run as a
 * transaction of its own.
 */
function requireTransaction(database: DatabaseSync): void {
  if (!database.isTransaction) throw new Error('the transaction has ended');
}
