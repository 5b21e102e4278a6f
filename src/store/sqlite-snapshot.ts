// Reads the embedded database as it was at one instant, on a connection of its own.
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Snapshot } from './engine.ts';
import { lengthOf, maxBatchLength } from './snapshot-batch.ts';
import { toRows } from './sqlite-connection.ts';
import { type CompiledStatement, compile, type Statement, statementRunner } from './statement.ts';

const maxBatchRows = 500;

/** Runs `work` in a read transaction; its beginning is the instant that is read. */
export async function sqliteSnapshot<T>(path: string, work: (snapshot: Snapshot) => Promise<T>): Promise<T> {
  const database = new DatabaseSync(path, { readOnly: true, timeout: 5_000 });
  try {
    database.exec('begin');
    // A transaction sees the state at its first read.
    database.prepare('select count(*) from sqlite_schema').get();
    return await work({
      query: statementRunner('sqlite', async ({ text, values }) => {
        const statement = database.prepare(text);
        statement.setReturnArrays(true);
        return toRows(statement.all(...values));
      }),
      stream: (statement) => inBatches(database, compile(statement, 'sqlite'), statement),
    });
  } finally {
    database.close();
  }
}

async function* inBatches<T>(
  database: DatabaseSync,
  { text, values }: CompiledStatement,
  { toRow }: Statement<T>,
): AsyncGenerator<readonly T[]> {
  const statement = database.prepare(text);
  statement.setReturnArrays(true);
  let [batch, length]: [T[], number] = [[], 0];
  for (const found of statement.iterate(...values)) {
    const [row = []] = toRows([found]);
    batch.push(toRow(row));
    length += lengthOf(row);
    if (batch.length < maxBatchRows && length < maxBatchLength) continue;
    yield batch;
    [batch, length] = [[], 0];
    await nextTurn();
  }
  if (batch.length > 0) yield batch;
}
