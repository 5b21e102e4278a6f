// The statements that create tables and indexes, and change existing ones.
import { columnType, strict } from './sql-dialects.ts';
import type { TableShape } from './record-tables.ts';
import type { NewColumn } from './shape-change.ts';
import { type Sql, sql, type Statement } from './statement.ts';

/** Creates a table with its indexes. */
export function createTable({ name, columns, unique, indexes }: TableShape): readonly Statement[] {
  return [
    sql`create table ${sql.quoted(name)} (${sql.join(columns.map(columnSql))})${strict}`,
    ...unique.map((fields) => createIndex(name, fields, sql`unique index`)),
    ...indexes.map((fields) => createIndex(name, fields)),
  ];
}

/** Adds a column to an existing table: existing rows get its default, or else null. */
export function addColumn({ table, ...column }: NewColumn): Statement {
  const added = columnSql({ ...column, nullable: column.default === undefined });
  return sql`alter table ${sql.quoted(table)} add column ${added}`;
}

/** Creates an index on an existing table. */
export function createIndex(table: string, fields: readonly string[], kind: Sql = sql`index`): Statement {
  const columns = sql.join(fields.map(sql.quoted));
  return sql`create ${kind} ${sql.quoted(indexName(table, fields))} on ${sql.quoted(table)} (${columns})`;
}

/** The same on PostgreSQL, outside of a transaction, while others write to the table. */
export function createIndexBeside(table: string, fields: readonly string[]): Statement {
  return createIndex(table, fields, sql`index concurrently`);
}

/** Removes an index on PostgreSQL, outside of a transaction, while others read and write its table. */
export function dropIndexBeside(name: string): Statement {
  return sql`drop index concurrently if exists ${sql.quoted(name)}`;
}

/** Removes an index made by `createIndex`. */
export function dropIndex(table: string, fields: readonly string[]): Statement {
  return sql`drop index ${sql.quoted(indexName(table, fields))}`;
}

function columnSql({ name, type, nullable, default: standard }: TableShape['columns'][number]): Statement {
  const column = sql`${sql.quoted(name)} ${columnType(type)}${nullable ? sql`` : sql` not null`}`;
  return standard === undefined ? column : sql`${column} default ${sql.literal(standard)}`;
}

/** Name of an index made by `createIndex`, cut to the 63 bytes that PostgreSQL keeps. */
export function indexName(table: string, fields: readonly string[]): string {
  return `${table}_by_${fields.filter((field) => field !== 'owner').join('_')}`.slice(0, 63);
}
