// Copies whole tables out of a database and into another one, whichever engine each has.
import { OperatorError } from '../model/operator-error.ts';
import type { Cell, Engine, Row, RunStatement, SqlValue, WriteTransaction } from './engine.ts';
import type { ColumnType } from './record-tables.ts';
import { perEngine, rowsAs, type Sql, sql, type Statement } from './statement.ts';

/** A table as found in a database of any version. */
export interface StoredTable {
  readonly name: string;
  readonly columns: readonly { readonly name: string; readonly type: ColumnType }[];
}

/** Which rows of a table are copied, and which columns are replaced. */
export interface TableSelection {
  /** The rows of one activity, by the column `owner`; null: all. */
  readonly activity: string | null;
  /** Columns that are left empty. */
  readonly emptied?: readonly string[];
  /** Columns to sort by; none: in stored order. */
  readonly by?: readonly string[];
  readonly where?: Sql;
}

/** The table in which migrations record the steps done: the migrations create it, and it is never copied. */
const stepsTable = 'migration';

/** Every table of a database except that of the migrations, by name. */
export async function storedTables(query: RunStatement): Promise<readonly StoredTable[]> {
  const columns = await query(columnsOfAll);
  const tables = new Map<string, { readonly name: string; readonly type: ColumnType }[]>();
  for (const [table, name, type] of columns) {
    if (table === stepsTable) continue;
    const known = tables.get(String(table)) ?? [];
    known.push({ name: String(name), type: typeOf(String(table), String(type)) });
    tables.set(String(table), known);
  }
  return [...tables].map(([name, own]) => ({ name, columns: own }));
}

/** The migration steps applied to a database. */
export function stepsDone(query: RunStatement): Promise<readonly string[]> {
  return query(rowsAs(sql`select name from ${sql.quoted(stepsTable)} order by name`, ([name]) => String(name)));
}

/** The rows of a table, with its columns in order. */
export function copiedRows({ name, columns }: StoredTable, selection: TableSelection): Statement {
  const { activity, emptied = [], by = [], where } = selection;
  const cells = columns.map((column) => (emptied.includes(column.name) ? sql`null` : sql.quoted(column.name)));
  const conditions = [
    ...(activity === null ? [] : [sql`owner = ${activity}`]),
    ...(where === undefined ? [] : [where]),
  ];
  const order = by.length === 0 ? sql`` : sql` order by ${sql.join(by.map(sql.quoted))}`;
  return sql`select ${sql.join(cells)} from ${sql.quoted(name)} where ${sql.all(conditions)}${order}`;
}

/** Adds rows to a table. @throws the engine's error if one already exists */
export async function addCopiedRows(
  transaction: WriteTransaction,
  { name, columns }: StoredTable,
  rows: readonly Row[],
): Promise<void> {
  if (rows.length > 0) await transaction.putRows({ table: name, columns, conflict: [] }, rows.map(toValues));
}

/** Deletes all rows of tables: those written by migrations. */
export async function emptyTables({ query }: WriteTransaction, tables: readonly StoredTable[]): Promise<void> {
  for (const { name } of tables) await query(sql`delete from ${sql.quoted(name)}`);
}

/** The activities of a database, with the number of their last change. */
export function activitiesIn(
  query: RunStatement,
): Promise<readonly { readonly code: string; readonly name: string; readonly lastChange: number }[]> {
  return query(
    rowsAs(sql`select code, name, last_change from activity order by code`, ([code, name, lastChange]) => ({
      code: String(code),
      name: String(name),
      lastChange: Number(lastChange),
    })),
  );
}

/** Whether a database is empty: it has no table at all, not even of another program. */
export async function isEmptyDatabase({ read }: Pick<Engine, 'read'>): Promise<boolean> {
  return (await read(columnsOfAll)).length === 0;
}

function toValues(row: Row): readonly SqlValue[] {
  return row.map(toValue);
}

function toValue(cell: Cell): SqlValue {
  if (Buffer.isBuffer(cell)) throw new Error('bytes cannot be copied');
  return cell;
}

/** Table, column and type, ordered by table and by column position. */
const columnsOfAll = perEngine({
  sqlite: () => sql`
    select t.name, c.name, lower(c.type) from sqlite_schema t, pragma_table_info(t.name) c
    where t.type = 'table' and t.name not like 'sqlite\\_%' escape '\\' order by t.name, c.cid
  `,
  postgres: () => sql`
    select c.table_name::text, c.column_name::text, c.data_type::text from information_schema.columns c
    join information_schema.tables t on t.table_schema = c.table_schema and t.table_name = c.table_name
    where c.table_schema = current_schema() and t.table_type = 'BASE TABLE'
    order by c.table_name::text collate "C", c.ordinal_position
  `,
});

function typeOf(table: string, type: string): ColumnType {
  switch (type) {
    case 'text':
      return 'text';
    case 'integer':
    case 'bigint':
      return 'integer';
    case 'real':
    case 'double precision':
      return 'decimal';
    default:
      throw new OperatorError(
        `The table ${table} has a column of the type ${type}, which this program does not make.`,
        'Use a database, or a PostgreSQL schema, of its own.',
      );
  }
}
