// What the two engines express differently: each construct has one name here, and both forms.
import { arrayText, type SqlValue } from './engine.ts';
import type { ColumnType } from './record-tables.ts';
import { onPostgres, perEngine, type Sql, sql, type Statement } from './statement.ts';

/** The column has one of these values; however many they are, they are one parameter of the statement. */
export function anyOf(column: Sql, values: readonly string[] | readonly number[]): Statement {
  return perEngine({
    sqlite: () => sql`${column} in (select value from json_each(${JSON.stringify(values)}))`,
    postgres: () => sql`${column} = any(${keysOf(values)})`,
  });
}

/** Keys, all text or all integers, as a PostgreSQL array. */
export function keysOf(keys: readonly SqlValue[]): Statement {
  return typeof keys[0] === 'number' ? sql`${arrayText(keys)}::bigint[]` : sql`${arrayText(keys)}::text[]`;
}

/** The type of a column; text compares by code point on both engines. */
export function columnType(type: ColumnType): Statement {
  switch (type) {
    case 'text':
      return perEngine({ sqlite: () => sql`text`, postgres: () => sql`text collate "C"` });
    case 'integer':
      return perEngine({ sqlite: () => sql`integer`, postgres: () => sql`bigint` });
    case 'decimal':
      return perEngine({ sqlite: () => sql`real`, postgres: () => sql`double precision` });
  }
}

/** Ends the creation of a table: values of a type other than their column's are refused, as PostgreSQL always does. */
export const strict: Statement = perEngine({ sqlite: () => sql` strict`, postgres: () => sql`` });

/** An integer for places where PostgreSQL cannot infer the type of the value. */
export function typedInteger(value: number): Statement {
  return perEngine({ sqlite: () => sql`${value}`, postgres: () => sql`${value}::bigint` });
}

/** The greatest of these values, none of them null. */
export function greatest(values: readonly Sql[]): Statement {
  return chosen(values, { sqlite: () => sql`max`, postgres: () => sql`greatest` });
}

/** The least of these values, none of them null. */
export function least(values: readonly Sql[]): Statement {
  return chosen(values, { sqlite: () => sql`min`, postgres: () => sql`least` });
}

/**
 * At most this many rows. When SQLite plans a statement it looks at a bare LIMIT parameter, and therefore plans the
 * statement anew on each run.
 */
export function limitTo(rows: number): Statement {
  return perEngine({ sqlite: () => sql`limit +${rows}`, postgres: () => sql`limit ${rows}` });
}

/** A column to sort by or to compare, but not by an index on it. */
export function notByIndex(column: Sql): Statement {
  return perEngine({ sqlite: () => sql`+${column}`, postgres: () => sql`coalesce(${column}, ${column})` });
}

/**
 * Until the transaction ends PostgreSQL sorts nothing that an index has in order: of the indexes that seem equally good
 * to it, which is all of them as long as it does not know a table, only one has the order of a statement.
 */
export const alongTheIndex: Statement = onPostgres(() => sql`set local enable_sort = off`);

/**
 * The column has this value. Written as a span, the order by this column remains an order to PostgreSQL, so that the
 * statement can ask for the index that has it.
 */
export function isInOrder(column: Sql, value: SqlValue): Statement {
  return perEngine({
    sqlite: () => sql`${column} = ${value}`,
    postgres: () => sql`${column} >= ${value} and ${column} <= ${value}`,
  });
}

/** Limits nothing, but keeps the engine from merging a subquery into the surrounding query. */
export const withoutLimit: Statement = perEngine({ sqlite: () => sql`limit -1`, postgres: () => sql`offset 0` });

/** The text of a column as bytes, in a result column called `bytes`. */
export function bytesOf(column: Sql): Statement {
  return perEngine({ sqlite: () => sql`cast(${column} as blob)`, postgres: () => column });
}

/** Ends a select whose rows stay locked until the transaction ends; on SQLite only one transaction writes at a time. */
export const forUpdate: Statement = onPostgres(() => sql` for update`);

function chosen(values: readonly Sql[], word: Parameters<typeof perEngine>[0]): Statement {
  const [first] = values;
  return first !== undefined && values.length === 1 ? sql`${first}` : sql`${perEngine(word)}(${sql.join(values)})`;
}
