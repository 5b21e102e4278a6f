// PostgreSQL in memory, for all tests of a process one with tables and one without: to start it takes most of a second,
// to empty it a few milliseconds.
import { after } from 'node:test';
import type { PGlite } from '@electric-sql/pglite';
import { copyEmptyPglite, copyPglite } from './prepared-databases.ts';

interface Borrowed {
  readonly pglite: PGlite;
  /** Empties it for the next test; to be called once, when nobody uses it any more. */
  readonly giveBack: () => Promise<void>;
}

/** One with what it holds when the migrations are done: its tables, and the rows that a migration writes. */
interface Prepared {
  readonly pglite: PGlite;
  readonly schema: string;
  /** See `fingerprintOf`; another one where the tables were changed and changed back. */
  fingerprint: string;
  readonly rows: ReadonlyMap<string, readonly string[]>;
}

const idle: Prepared[] = [];
const idleEmpty: PGlite[] = [];

// One that is open keeps the process alive.
after(async () => {
  for (const { pglite } of idle.splice(0)) await pglite.close();
  for (const pglite of idleEmpty.splice(0)) await pglite.close();
});

/** A migrated PostgreSQL in memory as if it were new: what was given back, or another one. */
export async function borrowPglite(): Promise<Borrowed> {
  const prepared = idle.pop() ?? (await prepare());
  return { pglite: prepared.pglite, giveBack: () => takeBack(prepared) };
}

/** A PostgreSQL in memory in which nothing is: what was given back, or another one. */
export async function borrowEmptyPglite(): Promise<Borrowed> {
  const pglite = idleEmpty.pop() ?? (await copyEmptyPglite());
  const giveBack = async (): Promise<void> => {
    await pglite.exec('discard all');
    await pglite.exec('drop schema public cascade; create schema public');
    if ((await schemaOf(pglite)) === emptySchema) idleEmpty.push(pglite);
    else await pglite.close();
  };
  return { pglite, giveBack };
}

/** What `schemaOf` says of a database in which nothing is. */
const emptySchema = ['information_schema', 'public'].map((name) => `schema ${name}`).join('\n');

async function prepare(): Promise<Prepared> {
  const pglite = await copyPglite();
  const [schema, fingerprint] = [await schemaOf(pglite), await fingerprintOf(pglite)];
  return { pglite, schema, fingerprint, rows: await rowsOf(pglite) };
}

/** A test that changed the tables themselves leaves nothing to the next one. */
async function takeBack(prepared: Prepared): Promise<void> {
  const { pglite, schema, rows } = prepared;
  await pglite.exec('discard all');
  const fingerprint = await fingerprintOf(pglite);
  if (fingerprint !== prepared.fingerprint && (await schemaOf(pglite)) !== schema) {
    await pglite.close();
    return;
  }
  prepared.fingerprint = fingerprint;
  const filled = await filledTables(pglite);
  if (filled.length > 0) await pglite.exec(`truncate ${filled.map(quoted).join()} restart identity cascade`);
  for (const [table, texts] of rows) {
    await pglite.query(
      `insert into ${quoted(table)} select record.* from jsonb_populate_recordset(null::${quoted(table)}, $1) record`,
      [`[${texts.join()}]`],
    );
  }
  await resetSequences(pglite);
  idle.push(prepared);
}

/**
 * Another one after any change of `schemaOf`, found in a tenth of its time: by the names of the tables and the like,
 * and by how many rows each catalog has and which transaction wrote the last of them.
 */
async function fingerprintOf(pglite: PGlite): Promise<string> {
  const catalogs = {
    pg_attribute: 'attrelid',
    pg_attrdef: 'oid',
    pg_index: 'indexrelid',
    pg_constraint: 'oid',
    pg_trigger: 'oid',
    pg_proc: 'oid',
    pg_namespace: 'oid',
  };
  const parts = Object.entries(catalogs).map(
    ([catalog, oid]) =>
      `select concat_ws(' ', '${catalog}', count(*), max(xmin::text::bigint)) as part from ${catalog}
      where ${oid} >= 16384 or '${catalog}' = 'pg_namespace'`,
  );
  const { rows } = await pglite.query<{ readonly part: string }>(`
    select md5(string_agg(concat_ws(' ', oid, relname, relkind, relpersistence, reloptions), ',' order by oid)) as part
    from pg_class where oid >= 16384
    union all ${parts.join(' union all ')}`);
  return rows.map(({ part }) => part).join('\n');
}

/** All that makes the tables what they are: columns, indexes, constraints, triggers, functions, sequences. */
async function schemaOf(pglite: PGlite): Promise<string> {
  const { rows } = await pglite.query<{ readonly line: string }>(`
    with ours as (select c.* from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = 'public')
    select line from (
      select concat_ws(' ', 'relation', relname, relkind, relpersistence, reloptions) as line from ours
      union all
      select concat_ws(' ', 'column', relname, attnum, attname, format_type(atttypid, atttypmod), attcollation,
        attnotnull, attidentity, attgenerated, pg_get_expr(adbin, adrelid))
      from pg_attribute join ours on ours.oid = attrelid
      left join pg_attrdef on adrelid = attrelid and adnum = attnum where attnum > 0
      union all
      select concat_ws(' ', 'index', pg_get_indexdef(indexrelid), indisvalid)
      from pg_index join ours on ours.oid = indexrelid
      union all
      select concat_ws(' ', 'constraint', conrelid::regclass, conname, pg_get_constraintdef(pg_constraint.oid))
      from pg_constraint join ours on ours.oid = conrelid
      union all
      select concat_ws(' ', 'trigger', pg_get_triggerdef(pg_trigger.oid))
      from pg_trigger join ours on ours.oid = tgrelid
      union all
      select concat_ws(' ', 'function', proname, prosrc) from pg_proc
      join pg_namespace n on n.oid = pronamespace where nspname = 'public'
      union all
      select concat_ws(' ', 'schema', nspname) from pg_namespace where nspname !~ '^pg_'
    ) lines order by line`);
  return rows.map(({ line }) => line).join('\n');
}

async function filledTables(pglite: PGlite): Promise<readonly string[]> {
  const { rows: tables } = await pglite.query<{ readonly name: string }>(
    `select tablename as name from pg_tables where schemaname = 'public' order by 1`,
  );
  const each = tables.map(({ name }, index) => `select ${index} as index where exists (select from ${quoted(name)})`);
  const { rows } = await pglite.query<{ readonly index: number }>(each.join(' union all '));
  return rows.map(({ index }) => tables[index]?.name ?? '');
}

/** The rows of each table that has any, as JSON. */
async function rowsOf(pglite: PGlite): Promise<ReadonlyMap<string, readonly string[]>> {
  const filled = new Map<string, readonly string[]>();
  for (const table of await filledTables(pglite)) {
    const { rows } = await pglite.query<{ readonly text: string }>(
      `select to_jsonb(t)::text as text from ${quoted(table)} t`,
    );
    filled.set(
      table,
      rows.map(({ text }) => text),
    );
  }
  return filled;
}

async function resetSequences(pglite: PGlite): Promise<void> {
  const { rows } = await pglite.query<{ readonly name: string }>(
    `select sequencename as name from pg_sequences where schemaname = 'public' and last_value is not null`,
  );
  for (const { name } of rows) await pglite.exec(`alter sequence ${quoted(name)} restart`);
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
