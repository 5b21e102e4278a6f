// In charge of what the two engines say in different words: each such thing has one name here, and both forms.
import { arrayText, type SqlValue } from './engine.ts';
import type { ColumnType } from './record-tables.ts';
import { onPostgres, perEngine, type Sql, sql, type Statement } from './statement.ts';

/** The column has one of these values, however many they are: one value of the statement. */
export function anyOf(column: Sql, values: readonly string[] | readonly number[]): Statement {
  return perEngine({
    sqlite: () => sql`${column} in (select value from json_each(${JSON.stringify(values)}))`,
    postgres: () => sql`${column} = any(${keysOf(values)})`,
  });
}

/** Keys, all of them text or all of them integers, as an array of PostgreSQL. */
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

/** Ends the creation of a table: values of another type than their column's are refused, as PostgreSQL always does. */
export const strict: Statement = perEngine({ sqlite: () => sql` strict`, postgres: () => sql`` });

/** An integer where nothing else tells PostgreSQL the type of the value. */
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
 * So many rows at most. SQLite looks at a bare parameter of LIMIT when it plans, and therefore plans the statement anew
 * each time it is run.
 */
export function limitTo(rows: number): Statement {
  return perEngine({ sqlite: () => sql`limit +${rows}`, postgres: () => sql`limit ${rows}` });
}

/** A column to be put in order by, but not by walking through an index that the engine has of it. */
export function notByIndex(column: Sql): Statement {
  return perEngine({ sqlite: () => sql`+${column}`, postgres: () => sql`coalesce(${column}, ${column})` });
}

/** Limits nothing, and keeps the engine from joining a subquery with what is around it. */
export const withoutLimit: Statement = perEngine({ sqlite: () => sql`limit -1`, postgres: () => sql`offset 0` });

/** The text of a column as bytes, where the column of the answer is called `bytes`. */
export function bytesOf(column: Sql): Statement {
  return perEngine({ sqlite: () => sql`cast(${column} as blob)`, postgres: () => column });
}

/** The JSON texts of a column, of all rows in their order, as the bytes of one JSON array. */
export function jsonArrayOf(column: Sql): Statement {
  return perEngine({
    sqlite: () => sql`cast('[' || group_concat(${column}, ',') || ']' as blob)`,
    postgres: () => sql`'[' || string_agg(${column}, ',') || ']'`,
  });
}

/** Ends a select whose rows stay locked until the transaction ends; on SQLite one transaction writes at a time. */
export const forUpdate: Statement = onPostgres(() => sql` for update`);

function chosen(values: readonly Sql[], word: Parameters<typeof perEngine>[0]): Statement {
  const [first] = values;
  return first !== undefined && values.length === 1 ? sql`${first}` : sql`${perEngine(word)}(${sql.join(values)})`;
}
