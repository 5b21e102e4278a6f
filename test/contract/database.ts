// In charge of how tests look into a database and change it: by statements, through the same interface as the program.
import type { Engine } from '../../src/store/engine.ts';
import { sql, type Statement } from '../../src/store/statement.ts';
import type { Columns, NewRowIn, RowIn, Table } from '../../src/store/table.ts';
import {
  type Changes,
  type RowOrder,
  remove,
  selectRows,
  update,
  type Where,
} from '../../src/store/table-statements.ts';
import { jobLeaseTable } from '../../src/store/tables/processes.ts';

/** An engine, or a store by the engine that it is kept in. */
type Database = Engine | { readonly engine: Engine };

/** The rows of a described table. */
export function rowsIn<Of extends Columns>(
  database: Database,
  table: Table<Of>,
  where: Where<Of> = {},
  order: RowOrder<Of> = {},
): Promise<readonly RowIn<Of>[]> {
  return engineOf(database).read(selectRows(table, where, order));
}

/** The first of these rows. @throws Error where there is none */
export async function rowIn<Of extends Columns>(
  database: Database,
  table: Table<Of>,
  where: Where<Of> = {},
): Promise<RowIn<Of>> {
  const [row] = await rowsIn(database, table, where, { limit: 1 });
  if (row === undefined) throw new Error(`no such row in ${table.name}`);
  return row;
}

/** Adds rows; fails where one is there already. */
export async function addRows<Of extends Columns>(
  database: Database,
  table: Table<Of>,
  rows: readonly NewRowIn<Of>[],
): Promise<void> {
  await engineOf(database).write((transaction) =>
    transaction.putRows({ ...table.target, conflict: [] }, rows.map(table.toCells)),
  );
}

/** Changes rows, all unless it is said which; returns how many. */
export async function changeRows<Of extends Columns>(
  database: Database,
  table: Table<Of>,
  changes: Changes<Of>,
  where: Where<Of> = {},
): Promise<number> {
  return (await run(database, update(table, changes, where))).length;
}

/** Removes rows, all unless it is said which; returns how many. */
export async function removeRows<Of extends Columns>(
  database: Database,
  table: Table<Of>,
  where: Where<Of> = {},
): Promise<number> {
  return (await run(database, remove(table, where))).length;
}

/** Runs any statement as a write of its own. */
export function run<T>(database: Database, statement: Statement<T>): Promise<readonly T[]> {
  return engineOf(database).writeOnce(statement);
}

/** Gives a table another name: for whoever asks for it, storage is broken. */
export async function renameTable(database: Database, from: string, to: string): Promise<void> {
  await run(database, sql`alter table ${sql.quoted(from)} rename to ${sql.quoted(to)}`);
}

/** As if the minute had passed for which whoever was killed at background work still counts as being at it. */
export async function forgetLeases(database: Database): Promise<void> {
  await changeRows(database, jobLeaseTable, { endsAt: 0 });
}

/** SQL of plain text, for statements that a test puts together or that came from elsewhere; without any values. */
export function plain(text: string): Statement {
  return sql(Object.assign([text], { raw: [text] }));
}

function engineOf(database: Database): Engine {
  return 'engine' in database ? database.engine : database;
}
