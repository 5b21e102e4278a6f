// The plain statements about a described table; anything else is written with `sql`.
import type { SqlValue } from './engine.ts';
import type { PageQuery } from './key-pages.ts';
import { isSql, rowsAs, type Sql, sql, type Statement } from './statement.ts';
import { type Columns, type NameIn, type NewRowIn, type RowIn, type Table, toCell } from './table.ts';

/** Rows that have these values, where a list means any of its values; or a condition. */
export type Where<Of extends Columns> =
  | Sql
  | { readonly [Name in NameIn<Of>]?: RowIn<Of>[Name] | readonly NonNullable<RowIn<Of>[Name]>[] };
/** New values, or expressions that compute them. */
export type Changes<Of extends Columns> = { readonly [Name in NameIn<Of>]?: RowIn<Of>[Name] | Sql };

/** Adds a row. */
export function insert<Of extends Columns>(table: Table<Of>, row: NewRowIn<Of>): Statement {
  return sql`insert into ${table.quoted} (${table.allColumns}) values (${sql.join(table.toCells(row))})`;
}

/** Adds a row unless a unique key already has one like it; returns one row if it was added. */
export function insertMissing<Of extends Columns>(table: Table<Of>, row: NewRowIn<Of>): Statement {
  return sql`${insert(table, row)} on conflict do nothing returning 1`;
}

/**
 * Adds a row, or replaces the one with the same key.
 * @param replaced the columns updated in an existing row; default: all
 */
export function upsert<Of extends Columns>(
  table: Table<Of>,
  row: NewRowIn<Of>,
  replaced: readonly NameIn<Of>[] = namesIn(table).filter((name) => !table.key.includes(name)),
): Statement {
  const key = sql.join(table.key.map((name) => table.column[name]));
  const taken = replaced.map((name) => sql`${table.column[name]} = excluded.${table.column[name]}`);
  return sql`${insert(table, row)} on conflict (${key}) do update set ${sql.join(taken)}`;
}

/** Changes rows; returns a row for each. */
export function update<Of extends Columns>(table: Table<Of>, changes: Changes<Of>, where: Where<Of>): Statement {
  const set = namesIn(table).flatMap((name) => {
    const value = changes[name];
    return value === undefined
      ? []
      : [sql`${table.column[name]} = ${isSql(value) ? value : cellOf(table, name, value)}`];
  });
  return sql`update ${table.quoted} set ${sql.join(set)} where ${condition(table, where)} returning 1`;
}

/** Removes rows; returns a row for each. */
export function remove<Of extends Columns>(table: Table<Of>, where: Where<Of>): Statement {
  return sql`delete from ${table.quoted} where ${condition(table, where)} returning 1`;
}

/** The order of the rows, and their maximum number. */
export interface RowOrder<Of extends Columns> {
  readonly by?: readonly NameIn<Of>[];
  readonly descending?: boolean;
  readonly limit?: number;
}

/** Reads whole rows. */
export function selectRows<Of extends Columns>(
  table: Table<Of>,
  where: Where<Of> = {},
  { by = [], descending = false, limit }: RowOrder<Of> = {},
): Statement<RowIn<Of>> {
  const direction = descending ? sql` desc` : sql``;
  const keys = by.map((name) => sql`${table.column[name]}${direction}`);
  const order = keys.length === 0 ? sql`` : sql` order by ${sql.join(keys)}`;
  const end = limit === undefined ? sql`` : sql` limit ${limit}`;
  const rows = sql`select ${table.allColumns} from ${table.quoted} where ${condition(table, where)}${order}${end}`;
  return rowsAs(rows, table.toRow);
}

/**
 * Reads some rows in the order of a unique text column, which an index provides.
 * @param where which rows; all when absent
 */
export function selectPage<Of extends Columns>(
  table: Table<Of>,
  key: NameIn<Of>,
  { after, limit }: PageQuery,
  where: Where<Of> = {},
): Statement<RowIn<Of>> {
  const further = after === null ? [] : [sql`${table.column[key]} > ${after}`];
  return selectRows(table, sql.all([condition(table, where), ...further]), { by: [key], limit });
}

/** The number of rows. */
export function countRows<Of extends Columns>(table: Table<Of>, where: Where<Of> = {}): Statement<number> {
  return rowsAs(sql`select count(*) from ${table.quoted} where ${condition(table, where)}`, ([count]) => Number(count));
}

/** A condition as SQL. */
export function condition<Of extends Columns>(table: Table<Of>, where: Where<Of>): Sql {
  if (isSql(where)) return where;
  return sql.all(
    namesIn(table).flatMap((name) => {
      const value = where[name];
      const column = table.column[name];
      if (value === undefined) return [];
      if (value === null) return [sql`${column} is null`];
      if (!Array.isArray(value) || table.columns[name]?.kind === 'texts')
        return [sql`${column} = ${cellOf(table, name, value)}`];
      if (value.length === 0) return [sql`false`];
      return [sql`${column} in (${sql.join(value.map((one) => cellOf(table, name, one)))})`];
    }),
  );
}

function namesIn<Of extends Columns>({ columns }: Table<Of>): readonly NameIn<Of>[] {
  return Object.keys(columns);
}

function cellOf<Of extends Columns>(table: Table<Of>, name: NameIn<Of>, value: unknown): SqlValue {
  const column = table.columns[name];
  if (column === undefined) throw new Error(`${table.name} has no column ${name}`);
  return toCell(table.name, name, column, value);
}
