// In charge of statements about rows that are named one by one, by as many keys as there may be.
import { textBlock } from '../model/text-block.ts';
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
  const text =
    rows.dialect === 'sqlite'
      ? `select ${columns} from ${quoted(rows.table)} where ${conditions(rows, add)}`
      : perKey(rows, columns, add);
  return { text, values, plannedAnew: true };
}

/**
 * Deletes or updates rows.
 * @param verb what stands before `where`: `delete from …`
 */
export function changeKeyed(rows: KeyedRows, verb: string): Statement {
  const { values, add } = placeholders(rows.dialect);
  // PostgreSQL goes to the rows by where they lie; nobody else changes them meanwhile, since the activity is locked.
  const where = rows.dialect === 'sqlite' ? conditions(rows, add) : `ctid = any(array(${perKey(rows, 'place', add)}))`;
  return { text: `${verb} where ${where}`, values, plannedAnew: true };
}

/** SQLite takes the index that has most of the columns, whatever it knows of the table. */
function conditions({ owner, column, keys, and }: KeyedRows, add: Placeholders['add']): string {
  const ofOwner = owner === undefined ? '' : `owner = ${add(owner)} and `;
  return `${ofOwner}${quoted(column)} in (select value from json_each(${add(JSON.stringify(keys))}))${and === undefined ? '' : ` and ${and}`}`;
}

/**
 * One look-up for each key in the index that begins with the owner and the column. `= any(…)` leaves the choice to
 * PostgreSQL, which reads all rows of the activity instead where it does not know how many these are: after each large
 * import, and while it knows of other activities only.
 */
function perKey(rows: KeyedRows, columns: string, add: Placeholders['add']): string {
  const { keys, and } = rows;
  const given = `unnest(${add(arrayText(keys))}::${typeof keys[0] === 'number' ? 'bigint' : 'text'}[]) as given (key)`;
  const where = [...equalities(rows, 'found.', add), ...(and === undefined ? [] : [and])].join(' and ');
  return textBlock`
    select ${columns} from ${given} cross join lateral (${rows.unique ? firstFrom(rows, add) : allOf(rows, add)}) as
    found where ${where}
  `;
}

/**
 * The row with the key, or the one after it. Asked for by its place in an order, it is looked for in the index with
 * this order, since anything else would have to sort; asked for by its key, in whichever index seems to be as good.
 */
function firstFrom({ table, owner, column }: KeyedRows, add: Placeholders['add']): string {
  const [ownerColumn, ownerValue] = owner === undefined ? ['', ''] : ['owner, ', `(select ${add(owner)}::text), `];
  const order = `${ownerColumn}${quoted(column)}`;
  return textBlock`
    select ctid as place, * from ${quoted(table)} where (${order}) >= (${ownerValue}given.key) order by ${order} limit 1
  `;
}

/** `offset` keeps the server from joining the two in another way. */
function allOf(rows: KeyedRows, add: Placeholders['add']): string {
  return `select ctid as place, * from ${quoted(rows.table)} where ${equalities(rows, '', add).join(' and ')} offset 0`;
}

/** The owner is told by a subquery: what the server knows of this one in particular may be out of date. */
function equalities({ owner, column }: KeyedRows, of: string, add: Placeholders['add']): readonly string[] {
  return [
    ...(owner === undefined ? [] : [`${of}owner = (select ${add(owner)}::text)`]),
    `${of}${quoted(column)} = given.key`,
  ];
}
