// Brings a database to the program's version: numbered steps, each in one transaction, each once.
import { OperatorError } from '../model/operator-error.ts';
import type { Engine, RunStatement, WriteTransaction } from './engine.ts';
import { columnType } from './sql-dialects.ts';
import { migrations } from './migrations/index.ts';
import { ownRelation } from './own-schema.ts';
import type { ShapeChange } from './shape-change.ts';
import {
  columnKey,
  nothingPrepared,
  onceUnlocked,
  type Prepared,
  prepareShapes,
  type Tell,
  waitShortlyForLocks,
} from './shape-preparation.ts';
import { onPostgres, perEngine, rowsAs, sql } from './statement.ts';
import { addColumn, createIndex, createTable, dropIndex, indexName } from './table-creation.ts';

/** One step, written once for both engines and never changed after its release. */
export interface Migration {
  /** `0001-baseline`: number and subject. */
  readonly name: string;
  /** What it adds to the tables, and removes from them. */
  readonly change?: ShapeChange;
  /** What it does after that. */
  readonly up?: (transaction: WriteTransaction) => Promise<void>;
}

/**
 * Runs the missing steps, in one transaction. What takes long for large tables on PostgreSQL is done ahead of it.
 * @param program all steps of the program, in order
 * @param tell is told what takes time
 * @returns names of the steps that were run
 * @throws OperatorError when the database was made by a newer program, or by one before the first version
 */
export async function migrate(
  engine: Engine,
  program = migrations,
  tell: Tell = () => undefined,
): Promise<readonly string[]> {
  if (await isUpToDate(engine, program)) return [];
  const prepared = await prepareShapes(engine, await changesAhead(engine, program), tell);
  return onceUnlocked(engine, (transaction) => migrateWithin(transaction, program, prepared), tell);
}

/** The changes of the missing steps; none for a database that has not had its first. */
async function changesAhead(engine: Engine, program: readonly Migration[]): Promise<readonly ShapeChange[]> {
  if (!(await isBegun(engine))) return [];
  const steps = compareSteps(await appliedSteps(engine.read), program);
  requireKnown(steps);
  if (steps.missing.includes(baselineName)) return [];
  return program.flatMap(({ name, change }) => (change && steps.missing.includes(name) ? [change] : []));
}

/**
 * The same within a transaction in progress.
 * @param prepared what need not be added any more
 */
export async function migrateWithin(
  transaction: WriteTransaction,
  program: readonly Migration[],
  prepared = nothingPrepared,
): Promise<readonly string[]> {
  const { query } = transaction;
  await query(migrationLock);
  await query(waitShortlyForLocks);
  await query(onPostgres(() => sql`set local statement_timeout = 0`));
  await query(
    sql`
      create table if not exists migration (name ${columnType('text')} primary key, applied_at bigint not null)
    `,
  );
  const names = await appliedSteps(query);
  const steps = compareSteps(names, program);
  requireKnown(steps);
  if (names.some((name) => stepsBeforeBaseline.includes(name))) await noteBaseline(query);
  for (const { name, change, up } of program.filter((step) => steps.missing.includes(step.name))) {
    await note(query, name);
    if (change !== undefined) await changeShapes(transaction, change, prepared);
    await up?.(transaction);
  }
  return steps.missing;
}

/** How the steps of a database compare with those of the program. */
interface Steps {
  /** Names of the program's steps that the database lacks, in order. */
  readonly missing: readonly string[];
  /** Names of steps that the program does not know: the database is newer. */
  readonly unknown: readonly string[];
  /**
   * The first version was built in thirteen steps. A database that has them all equals one made by the single step that
   * replaced them; if it has only some, this is the last of them. Otherwise null.
   */
  readonly builtUpTo: string | null;
}

/** Compares the steps recorded in a database with those of the program. */
export function compareSteps(noted: readonly string[], program = migrations): Steps {
  const behind = stepsBehind(noted);
  const known = program.map(({ name }) => name);
  return {
    missing: known.filter((name) => !behind.includes(name)),
    unknown: behind.filter((name) => !known.includes(name) && !stepsBeforeBaseline.includes(name)).toSorted(),
    builtUpTo:
      behind
        .filter((name) => stepsBeforeBaseline.includes(name))
        .toSorted()
        .at(-1) ?? null,
  };
}

function stepsBehind(noted: readonly string[]): readonly string[] {
  if (!stepsBeforeBaseline.every((name) => noted.includes(name))) return noted;
  return [baselineName, ...noted.filter((name) => !stepsBeforeBaseline.includes(name))];
}

/** Changes tables; new columns of records are empty until `rewriteBodies` fills them. */
export async function changeShapes(
  { query }: WriteTransaction,
  { tables, columns, indexes, droppedIndexes }: ShapeChange,
  prepared: Prepared = nothingPrepared,
): Promise<void> {
  for (const statement of tables.flatMap(createTable)) await query(statement);
  for (const column of columns) if (!prepared.has(columnKey(column))) await query(addColumn(column));
  for (const { table, fields } of indexes)
    if (!prepared.has(indexName(table, fields))) await query(createIndex(table, fields));
  for (const { table, fields } of droppedIndexes) await query(dropIndex(table, fields));
}

/**
 * Only one program migrates at a time; on SQLite only one transaction writes at a time anyway. The number is the same
 * in all programs.
 */
const migrationLock = onPostgres(() => sql`select pg_advisory_xact_lock(72410031)`);

const baselineName = '0001-baseline';
const stepsBeforeBaseline: readonly string[] = [
  '0001-records',
  '0002-administration',
  '0003-sign-in',
  '0004-writes',
  '0005-shipping',
  '0006-parcel-numbers',
  '0007-outbox-text',
  '0008-access',
  '0009-quota-windows',
  '0010-job-leases',
  '0011-audit-by-activity',
  '0012-value-order',
  '0013-text-form',
];

/** Only reads: a program that finds the database up to date starts without writing. */
export async function isUpToDate({ read }: Engine, program: readonly Migration[] = migrations): Promise<boolean> {
  if (!(await isBegun({ read }))) return false;
  const applied = await appliedSteps(read);
  return applied.length === program.length && program.every(({ name }) => applied.includes(name));
}

/** Whether the database has tables of this program. */
export async function isBegun({ read }: Pick<Engine, 'read'>): Promise<boolean> {
  return (await read(migrationTable)).length > 0;
}

const migrationTable = perEngine({
  sqlite: () => sql`select 1 from sqlite_schema where name = 'migration'`,
  postgres: () => sql`select 1 where ${ownRelation('migration')} is not null`,
});

function appliedSteps(query: RunStatement): Promise<readonly string[]> {
  return query(rowsAs(sql`select name from migration order by name`, ([name]) => String(name)));
}

function requireKnown({ unknown, builtUpTo }: Steps): void {
  if (unknown.length > 0)
    throw new OperatorError(
      `The database is newer than this program: it has the step ${unknown.join(', ')}.`,
      'Start the version of the program that wrote it, or a later one.',
    );
  if (builtUpTo !== null) throw new OperatorError(unfinishedText(builtUpTo), unfinishedRemedy);
}

/** The message to the operator about a database that has only some of the thirteen steps. */
export function unfinishedText(builtUpTo: string): string {
  return `The database was made while the first version was being built, up to the step ${builtUpTo}.`;
}

export const unfinishedRemedy =
  'Start the last program that has the step 0013-text-form once, then this one; or begin with an empty database.';

/** Records the single step in place of those that it replaced. */
async function noteBaseline(query: RunStatement): Promise<void> {
  await query(sql`delete from migration where name in (${sql.join(stepsBeforeBaseline)})`);
  await note(query, baselineName);
}

async function note(query: RunStatement, name: string): Promise<void> {
  await query(sql`insert into migration (name, applied_at) values (${name}, ${Date.now()})`);
}
