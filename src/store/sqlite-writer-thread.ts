// The thread that writes to the embedded database: takes one step after another and answers each, so that the program's own thread never waits for the disk.
import type { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { connect, extendedCode, statements } from './sqlite-connection.ts';
import type { StatementResult, WriterAnswer, WriterRequest, WriterStep } from './sqlite-writer.ts';

const database: DatabaseSync = connect(String(workerData));
const prepare = statements(database);

parentPort?.on('message', ({ id, step }: WriterRequest) => {
  parentPort?.postMessage(answer(id, step));
  if (step.do === 'close') parentPort?.close();
});

function answer(id: number, step: WriterStep): WriterAnswer {
  try {
    return { id, result: take(step), fault: null };
  } catch (error) {
    return { id, result: null, fault: { message: error instanceof Error ? error.message : String(error), code: extendedCode(error) } };
  }
}

function take(step: WriterStep): unknown {
  switch (step.do) {
    case 'begin': return begin();
    case 'commit': return database.exec('commit');
    case 'rollback': return database.isTransaction ? database.exec('rollback') : undefined;
    case 'query': {
      requireTransaction();
      return prepare(step.text).all(...step.values);
    }
    case 'each': {
      requireTransaction();
      const statement = prepare(step.text);
      for (const row of step.rows) statement.run(...row);
      return undefined;
    }
    case 'run': {
      if (step.within) requireTransaction();
      return run(step.text, step.values);
    }
    case 'close': return database.close();
  }
}

/** SQLite's own wait for another process is long and unfair; who asks tries again. */
function begin(): void {
  try {
    database.exec('pragma busy_timeout = 0; begin immediate');
  } finally {
    database.exec('pragma busy_timeout = 5000');
  }
}

/** Steps are sent ahead: where an earlier one has ended the transaction, as a full disk does, a later one would be one of its own. */
function requireTransaction(): void {
  if (!database.isTransaction) throw new Error('the transaction has ended');
}

function run(text: string, values: Extract<WriterStep, { do: 'run' }>['values']): StatementResult {
  const statement = prepare(text);
  const names = statement.columns().map((column) => column.name);
  if (names.length === 0) return { names, rows: [], changes: Number(statement.run(...values).changes) };
  return { names, rows: statement.all(...values), changes: 0 };
}
