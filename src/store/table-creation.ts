// In charge of the statements that create tables and indexes, and change those that are there.
import { columnType, strict } from './engine-words.ts';
import type { ColumnType, TableShape } from './record-tables.ts';
import { type Sql, sql, type Statement } from './statement.ts';

/** Creates a table with its indexes. */
export function createTable({ name, columns, unique, indexes }: TableShape): readonly Statement[] {
  const described = columns.map((column) => {
    const type = sql`${sql.quoted(column.name)} ${columnType(column.type)}${column.nullable ? sql`` : sql` not null`}`;
    return column.default === undefined ? type : sql`${type} default ${sql.literal(column.default)}`;
  });
  return [
    sql`create table ${sql.quoted(name)} (${sql.join(described)})${strict}`,
    ...unique.map((fields) => createIndex(name, fields, sql`unique index`)),
    ...indexes.map((fields) => createIndex(name, fields)),
  ];
}

/** Adds a column to a table that is there; it is null in the rows of before. */
export function addColumn(table: string, name: string, type: ColumnType): Statement {
  return sql`alter table ${sql.quoted(table)} add column ${sql.quoted(name)} ${columnType(type)}`;
}

/** Creates an index on a table that is there. */
export function createIndex(table: string, fields: readonly string[], kind: Sql = sql`index`): Statement {
  const columns = sql.join(fields.map(sql.quoted));
  return sql`create ${kind} ${sql.quoted(indexName(table, fields))} on ${sql.quoted(table)} (${columns})`;
}

/** Removes an index that `createIndex` made. */
export function dropIndex(table: string, fields: readonly string[]): Statement {
  return sql`drop index ${sql.quoted(indexName(table, fields))}`;
}

/** Cut to the 63 bytes that PostgreSQL keeps; the columns' initials keep it unique. */
function indexName(table: string, fields: readonly string[]): string {
  return `${table}_by_${fields.filter((field) => field !== 'owner').join('_')}`.slice(0, 63);
}
