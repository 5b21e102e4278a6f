// In charge of statements about rows that are named one by one, by as many keys as there may be.
import { type Dialect, type Placeholders, type Statement, arrayText, placeholders, quoted } from './engine.ts';

/** Rows by the values of one column. */
export interface KeyedRows {
  readonly dialect: Dialect;
  readonly table: string;
  /** The rows of one activity; undefined: of all of them. */
  readonly owner?: string;
  readonly column: string;
  readonly keys: readonly string[] | readonly number[];
  /** True: no two rows of the activity have the same key. */
  readonly unique: boolean;
  /** What else must hold of a row. */
  readonly and?: string;
}

/**
 * Reads rows.
 * @param columns names, separated by commas
 */
export function selectKeyed(rows: KeyedRows, columns: string): Statement {
  const { values, add } = placeholders(rows.dialect);
  const text = rows.dialect === 'sqlite' ? `select ${columns} from ${quoted(rows.table)} where ${conditions(rows, add)}` : perKey(rows, columns, add);
  return { text, values, plannedAnew: true };
}

/**
 * Deletes or updates rows.
 * @param verb what stands before `where`: `delete from …`
 */
export function changeKeyed(rows: KeyedRows, verb: string): Statement {
  const { values, add } = placeholders(rows.dialect);
  // PostgreSQL goes to the rows by where they lie; nobody else changes them meanwhile, since the activity is locked.
  const where = rows.dialect === 'sqlite' ? conditions(rows, add) : `ctid = any(array(${perKey(rows, 'ctid', add)}))`;
  return { text: `${verb} where ${where}`, values, plannedAnew: true };
}

/** SQLite takes the index that has most of the columns, whatever it knows of the table. */
function conditions({ owner, column, keys, and }: KeyedRows, add: Placeholders['add']): string {
  const ofOwner = owner === undefined ? '' : `owner = ${add(owner)} and `;
  return `${ofOwner}${quoted(column)} in (select value from json_each(${add(JSON.stringify(keys))}))${and === undefined ? '' : ` and ${and}`}`;
}

/**
 * One look-up in the index for each key. `= any(…)` leaves the choice to PostgreSQL, which then reads all rows of the activity
 * where it does not know how many these are, as after each large import.
 */
function perKey({ table, owner, column, keys, unique, and }: KeyedRows, columns: string, add: Placeholders['add']): string {
  const keyed = `unnest(${add(arrayText(keys))}::${typeof keys[0] === 'number' ? 'bigint' : 'text'}[]) as given (key)`;
  const ofOwner = owner === undefined ? '' : `owner = ${add(owner)} and `;
  // Either ending keeps the server from joining the two in another way.
  const where = `${ofOwner}${quoted(column)} = given.key${and === undefined ? '' : ` and ${and}`} ${unique ? 'limit 1' : 'offset 0'}`;
  return `select found.* from ${keyed} cross join lateral (select ${columns} from ${quoted(table)} where ${where}) as found`;
}
