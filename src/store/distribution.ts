// Where the tables of a distributed database lie: on Citus, PostgreSQL over many machines (decision 58).
import { OperatorError } from '../model/operator-error.ts';
import type { Resource } from '../model/resource.ts';
import type { Engine, RunStatement } from './engine.ts';
import { recordTables, type TableShape } from './record-tables.ts';
import { onPostgres, rowsAs, sql, type Statement } from './statement.ts';
import { dropIndex, indexName } from './table-creation.ts';
import { activityTable } from './tables/activities.ts';
import { administrationTables } from './tables/index.ts';

/**
 * `activity`: rows lie with the other rows of their activity, on one machine. `everywhere`: each machine has all rows;
 * for tables written rarely, since a write reaches all machines. `coordinator`: on the machine that the program is
 * connected to; for tables written by requests under keys without an activity.
 */
type Placement =
  | { readonly kind: 'activity'; readonly column: string }
  | { readonly kind: 'everywhere' }
  | { readonly kind: 'coordinator' };

/** Small tables that every machine needs, written by people and their commands. */
const everywhere: ReadonlySet<string> = new Set([
  'oauth_client',
  'platform_key',
  'removed_activity',
  'secret',
  'signing_key',
  'text_form',
  'user_account',
]);

/** Written by requests or by background work, and found by a key that does not contain the activity. */
const onCoordinator: ReadonlySet<string> = new Set([
  'audit_entry',
  'carrier_account',
  'demo_advance',
  'demo_clock',
  'demo_input',
  'job_lease',
  'label_file',
  'login_attempt',
  'number_series',
  'oidc_payload',
  'parcel_tracking',
  'quota_window',
  'request_log',
  'stored_answer',
]);

/** Where the rows of a table lie. @throws Error for a table without a placement: each one is assigned deliberately */
export function placementOf({ name, columns, unique }: TableShape): Placement {
  if (everywhere.has(name)) return { kind: 'everywhere' };
  if (onCoordinator.has(name)) return { kind: 'coordinator' };
  const column = name === activityTable.name ? 'code' : 'owner';
  if (!columns.some((one) => one.name === column))
    throw new Error(`${name} has no activity: give it a place in src/store/distribution.ts`);
  // A machine knows only its own rows, so uniqueness can only be enforced within one machine.
  if (name !== activityTable.name && !unique.every((fields) => fields.includes(column)))
    throw new Error(`${name} has a unique key without its activity, which no machine of many can see to`);
  return { kind: 'activity', column };
}

/** All tables of a program. */
export function allTables(resources: readonly Resource[]): readonly TableShape[] {
  return [...administrationTables, ...resources.flatMap(recordTables)];
}

/** Whether the tables of a database are distributed; never on SQLite. */
export async function isDistributed(query: RunStatement): Promise<boolean> {
  if ((await query(hasPlacements)).length === 0) return false;
  return (await distributedTables(query)).has(activityTable.name);
}

/** The result of a distribution. */
export interface Distribution {
  /** Tables now distributed by activity, in order. */
  readonly byActivity: readonly string[];
  /** Tables that every machine has from now on. */
  readonly everywhere: readonly string[];
}

/**
 * Distributes the tables that are not distributed yet, each in a transaction of its own; another call continues an
 * interrupted run. Nothing else may write meanwhile.
 * @param engine without a time limit: a large table takes minutes
 * @param shards number of parts that the activities are divided into; each part moves to another machine as a whole
 * @throws OperatorError if the database does not have Citus
 */
export async function distribute(engine: Engine, tables: readonly TableShape[], shards = 32): Promise<Distribution> {
  if (engine.dialect !== 'postgres' || (await engine.read(hasPlacements)).length === 0)
    throw new OperatorError(
      'The database is not one of Citus: there is nothing to distribute its tables to.',
      'Install the extension (create extension citus), add the machines (select citus_add_node), and try again.',
    );
  const done = await distributedTables(engine.read);
  // The activity table comes first: the other tables are colocated with its parts.
  const ordered = tables.toSorted((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : 1));
  const result = { byActivity: [] as string[], everywhere: [] as string[] };
  for (const table of ordered) {
    const placement = placementOf(table);
    if (done.has(table.name) || placement.kind === 'coordinator') continue;
    await engine.write(async ({ query }) => {
      await query(sql`set local statement_timeout = 0`);
      for (const statement of placing(table, placement, shards)) await query(statement);
    });
    if (placement.kind === 'activity') result.byActivity.push(table.name);
    else result.everywhere.push(table.name);
  }
  return result;
}

function rank({ name }: TableShape): number {
  return name === activityTable.name ? 0 : 1;
}

/** The catalogue in which Citus records the placement of tables. */
const hasPlacements = onPostgres(() => sql`select 1 where to_regclass('pg_dist_partition') is not null`);

async function distributedTables(query: RunStatement): Promise<ReadonlySet<string>> {
  const names = await query(
    rowsAs(sql`select c.relname::text from pg_dist_partition p join pg_class c on c.oid = p.logicalrelid`, ([name]) =>
      String(name),
    ),
  );
  return new Set(names);
}

/** The statements that place a table, to be run in a transaction. */
function placing(table: TableShape, placement: Placement, shards: number): readonly Statement[] {
  const { name } = table;
  if (placement.kind !== 'activity') return [sql`select create_reference_table(${name})`];
  const { column } = placement;
  return [
    ...droppedIndexes(table, column),
    identity(table, column),
    name === activityTable.name
      ? sql`select create_distributed_table(${name}, ${column}, colocate_with => ${'none'}, shard_count => ${shards})`
      : sql`select create_distributed_table(${name}, ${column}, colocate_with => ${activityTable.name})`,
  ];
}

/** Adding an activity locks the table, so its number is unique without an index that enforces it. */
function droppedIndexes({ name, unique }: TableShape, column: string): readonly Statement[] {
  return unique.filter((fields) => !fields.includes(column)).map((fields) => dropIndex(name, fields));
}

/**
 * How a changed row is identified to the machine that a part moves to: without it, a part can be moved only while
 * nobody writes.
 */
function identity({ name, columns, unique }: TableShape, column: string): Statement {
  const isFilled = (field: string): boolean => columns.some((one) => one.name === field && !one.nullable);
  const key = unique.find((fields) => fields.includes(column) && fields.every(isFilled));
  const by = key === undefined ? sql`full` : sql`using index ${sql.quoted(indexName(name, key))}`;
  return sql`alter table ${sql.quoted(name)} replica identity ${by}`;
}
