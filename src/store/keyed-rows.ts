// Statements about rows selected individually, by any number of keys.
import { arrayText } from './engine.ts';
import { anyOf, keysOf } from './sql-dialects.ts';
import { perEngine, planAnew, type Sql, sql, type Statement } from './statement.ts';

/** Rows by the values of one column. */
export interface KeyedRows {
  readonly table: string;
  /** The rows of one activity; undefined: of all activities. */
  readonly activity?: string;
  readonly column: string;
  readonly keys: readonly string[] | readonly number[];
  /** True: no two rows of the activity have the same key. */
  readonly unique: boolean;
  /** A further condition on a row. */
  readonly and?: Sql;
}

/**
 * Reads rows.
 * @param columns names, separated by commas
 */
export function selectKeyed(rows: KeyedRows, columns: Sql): Statement {
  return planAnew(
    perEngine({
      sqlite: () => sql`select ${columns} from ${sql.quoted(rows.table)} where ${conditions(rows)}`,
      postgres: () => perKey(rows, columns),
      citus: () => sql`select ${columns} from ${sql.quoted(rows.table)} where ${conditions(rows)}`,
    }),
  );
}

/**
 * Of these keys of an activity, those that rows have: one index look-up for each, however many rows have it.
 * @param within further columns that the index has between the activity and the column
 */
export function selectKnownKeys({
  within,
  ...rows
}: Omit<KeyedRows, 'unique'> & { readonly within: Readonly<Record<string, string>> }): Statement {
  const { table, activity, column, keys, and } = rows;
  const further = sql.all([
    ...Object.entries(within).map(([name, value]) => sql`${sql.quoted(name)} = ${value}`),
    ...(and === undefined ? [] : [and]),
  ]);
  const ofKey = (equal: readonly Sql[]): Sql =>
    sql`select 1 from ${sql.quoted(table)} where ${sql.all([...equal, further])}`;
  const ofActivity = activity === undefined ? [] : [sql`owner = ${activity}`];
  return planAnew(
    perEngine({
      sqlite: () => sql`
        select given.key from (select value as key from json_each(${JSON.stringify(keys)})) as given
        where exists (${ofKey([...ofActivity, sql`${sql.quoted(column)} = given.key`])})
      `,
      postgres: () => sql`
        select given.key from unnest(${keysOf(keys)}) as given (key)
        cross join lateral (${ofKey(equalities(rows, sql``))} limit 1) as found
      `,
      citus: () => sql`
        select distinct ${sql.quoted(column)} from ${sql.quoted(table)} where ${conditions({ ...rows, and: further })}
      `,
    }),
  );
}

/**
 * Deletes or updates rows.
 * @param verb the statement up to `where`: `delete from …`
 */
export function changeKeyed(rows: KeyedRows, verb: Sql): Statement {
  const where = perEngine({
    sqlite: () => conditions(rows),
    // By physical row position; nobody else changes the rows meanwhile, because the activity is locked.
    postgres: () => sql`ctid = any(array(${perKey(rows, sql`place`)}))`,
    citus: () => conditions(rows),
  });
  return planAnew(sql`${verb} where ${where}`);
}

/**
 * Updates rows, each with integers of its own. Each key is looked up in the index: a join with the keys would leave
 * both engines the choice to go through all rows of the activity, and SQLite to read all keys again for each of them.
 * @param rows no two with the same key
 * @param values column → its values, one for each key
 */
export function updateKeyed(rows: KeyedRows, values: Readonly<Record<string, readonly (number | null)[]>>): Statement {
  const { table, activity, column, keys, and } = rows;
  const columns = Object.keys(values).map(sql.quoted);
  const change = sql`
    update ${sql.quoted(table)} set ${sql.join(columns.map((name) => sql`${name} = given.${name}`))}
  `;
  const arrays = sql.join(Object.values(values).map((each) => sql`${arrayText(each)}::bigint[]`));
  const given = sql`unnest(${keysOf(keys)}, ${arrays}) as given (key, ${sql.join(columns)})`;
  const further = and === undefined ? [] : [and];
  const isGiven = (of: Sql): Sql =>
    sql.all([
      ...(activity === undefined ? [] : [sql`${of}owner = ${activity}`]),
      sql`${of}${sql.quoted(column)} = given.key`,
      ...further,
    ]);
  return planAnew(
    perEngine({
      sqlite: () => {
        const tuples = keys.map((key, index) => [key, ...Object.values(values).map((each) => each[index] ?? null)]);
        const cells = columns.map((name, index) => sql`value ->> ${`$[${index + 1}]`} as ${name}`);
        const place = sql`select stored.rowid from ${sql.quoted(table)} as stored where ${isGiven(sql`stored.`)}`;
        return sql`
          ${change} from (
            select value ->> 0 as key, ${sql.join(cells)} from json_each(${JSON.stringify(tuples)})
          ) as given where rowid = (${place})
        `;
      },
      postgres: () => sql`
        ${change} from (
          select found.place, ${sql.join(columns.map((name) => sql`given.${name}`))} from ${given}
          cross join lateral (${firstFrom(rows)}) as found
          where ${sql.all([...equalities(rows, sql`found.`), ...further])}
        ) as given where ${sql.quoted(table)}.ctid = given.place
      `,
      citus: () => sql`${change} from ${given} where ${isGiven(sql``)}`,
    }),
  );
}

/**
 * SQLite uses the index that covers most of the columns, whatever its statistics. Citus needs the activity in the one
 * form in which it sees that all rows lie on one machine.
 */
function conditions({ activity, column, keys, and }: Omit<KeyedRows, 'unique'>): Statement {
  return sql.all([
    ...(activity === undefined ? [] : [sql`owner = ${activity}`]),
    anyOf(sql.quoted(column), keys),
    ...(and === undefined ? [] : [and]),
  ]);
}

/**
 * One index look-up for each key, in the index that begins with the activity and the column. `= any(…)` would leave the
 * choice to PostgreSQL, which reads all rows of the activity instead if it does not know how many these are: after each
 * large import, and while it has statistics for other activities only.
 */
function perKey(rows: KeyedRows, columns: Sql): Statement {
  const { keys, and } = rows;
  const found = rows.unique ? firstFrom(rows) : allOf(rows);
  return sql`
    select ${columns} from unnest(${keysOf(keys)}) as given (key) cross join lateral (${found}) as found where
    ${sql.all([...equalities(rows, sql`found.`), ...(and === undefined ? [] : [and])])}
  `;
}

/**
 * The row with the key, or the next one after it. Asking by position in an order makes PostgreSQL use the index with
 * this order, since anything else would have to sort; asking by key would let it use any index that seems as good.
 */
function firstFrom({ table, activity, column }: KeyedRows): Statement {
  const key = sql.quoted(column);
  const order = activity === undefined ? key : sql`owner, ${key}`;
  const place = activity === undefined ? sql`given.key` : sql`(select ${activity}::text), given.key`;
  return sql`
    select ctid as place, * from ${sql.quoted(table)} where (${order}) >= (${place}) order by ${order} limit 1
  `;
}

/** `offset` keeps the server from joining the two in another way. */
function allOf(rows: KeyedRows): Statement {
  return sql`select ctid as place, * from ${sql.quoted(rows.table)} where ${sql.all(equalities(rows, sql``))} offset 0`;
}

/**
 * The activity is given by a subquery, because the server's statistics on this activity in particular may be outdated.
 */
function equalities({ activity, column }: Pick<KeyedRows, 'activity' | 'column'>, of: Sql): readonly Statement[] {
  return [
    ...(activity === undefined ? [] : [sql`${of}owner = (select ${activity}::text)`]),
    sql`${of}${sql.quoted(column)} = given.key`,
  ];
}
