// Reads a PostgreSQL database as it was at one instant, by cursors of a transaction on a connection of its own.
import type { Row, Snapshot } from './engine.ts';
import type { Lease } from './postgres-pool.ts';
import { type CompiledStatement, compile, type Statement, statementRunner } from './statement.ts';

/** Rows that a cursor fetches at a time: each may have some megabytes. */
const fetchedRows = 100;

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
  for (;;) {
    const rows = await execute({ text: `fetch forward ${fetchedRows} from ${cursor}`, values: [], plannedAnew: true });
    if (rows.length > 0) yield rows.map(statement.toRow);
    if (rows.length < fetchedRows) break;
  }
  await execute({ text: `close ${cursor}`, values: [], plannedAnew: true });
}
