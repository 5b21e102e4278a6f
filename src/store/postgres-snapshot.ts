// Reads a PostgreSQL database as it was at one instant, by cursors of a transaction on a connection of its own.
import type { Row, Snapshot } from './engine.ts';
import type { Lease } from './postgres-pool.ts';
import { lengthOf, maxBatchLength } from './snapshot-batch.ts';
import { type CompiledStatement, compile, type Statement, statementRunner } from './statement.ts';

/**
 * Rows that a cursor fetches at most at a time. Nothing tells beforehand how long they are: after any number of short
 * ones, so many of some megabytes each may come at once.
 */
const maxFetchedRows = 25;

type Execute = (statement: CompiledStatement) => Promise<readonly Row[]>;

/**
 * Runs `work` in a read transaction; its first statement fixes the instant that is read. If it fails, the connection is
 * closed too.
 * @param execute runs a statement on the borrowed connection
 */
export async function postgresSnapshot<T>(
  { rollback }: Pick<Lease, 'rollback'>,
  execute: Execute,
  work: (snapshot: Snapshot) => Promise<T>,
): Promise<T> {
  const run = async (text: string): Promise<void> => void (await execute({ text, values: [], plannedAnew: true }));
  await run('begin isolation level repeatable read read only');
  try {
    await run('set local statement_timeout = 0');
    await run('set local idle_in_transaction_session_timeout = 0');
    let cursors = 0;
    return await work({
      query: statementRunner('postgres', execute),
      stream: (statement) => {
        cursors += 1;
        return fetched(execute, `snapshot_${cursors}`, statement);
      },
    });
  } finally {
    await rollback();
  }
}

async function* fetched<T>(execute: Execute, cursor: string, statement: Statement<T>): AsyncGenerator<readonly T[]> {
  const { text, values } = compile(statement, 'postgres');
  await execute({ text: `declare ${cursor} no scroll cursor for ${text}`, values, plannedAnew: true });
  for (let count = 1; ; ) {
    const rows = await execute({ text: `fetch forward ${count} from ${cursor}`, values: [], plannedAnew: true });
    if (rows.length > 0) yield rows.map(statement.toRow);
    if (rows.length < count) break;
    count = nextCount(rows);
  }
  await execute({ text: `close ${cursor}`, values: [], plannedAnew: true });
}

/** As many rows as fit if each is as long as the longest of the last ones; never many more than these. */
function nextCount(rows: readonly Row[]): number {
  const longest = rows.reduce((most, row) => Math.max(most, lengthOf(row)), 1);
  return Math.max(1, Math.min(Math.floor(maxBatchLength / longest), 5 * rows.length, maxFetchedRows));
}
