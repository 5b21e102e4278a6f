// Inspects a database of any version without changing it.
import type { Engine } from './engine.ts';
import { ownRelation, ownSchema } from './own-schema.ts';
import { readFirst } from './single-statements.ts';
import { perEngine, rowsAs, sql } from './statement.ts';
import { countRows } from './table-statements.ts';
import { oauthClientTable, userAccountTable } from './tables/access.ts';
import { activityTable } from './tables/activities.ts';

/** The migration steps applied to a database, and whether it holds any tables at all. */
export async function appliedSteps(
  engine: Engine,
): Promise<{ readonly steps: readonly string[]; readonly isEmpty: boolean }> {
  const tables = await engine.read(rowsAs(tableNames, ([name]) => String(name)));
  const steps = tables.includes('migration')
    ? await engine.read(rowsAs(sql`select name from migration`, ([name]) => String(name)))
    : [];
  return { steps, isEmpty: tables.length === 0 };
}

/** Why a database cannot be written correctly. */
type WriteObstacle =
  | { readonly kind: 'read-only' }
  /** The login may not make the tables, which are not there yet. `schema` null: its `search_path` names none. */
  | { readonly kind: 'no-tables'; readonly schema: string | null }
  | { readonly kind: 'encoding'; readonly encoding: string };

/** Why a database cannot be written correctly, or null. Throws what an empty write transaction throws. */
export async function writeObstacle(engine: Engine): Promise<WriteObstacle | null> {
  await engine.write(async () => undefined);
  const [setting, schema = null, mayMakeTables] = (await engine.read(writeSetting))[0] ?? [];
  if (engine.dialect === 'sqlite') return setting === 'UTF-8' ? null : { kind: 'encoding', encoding: String(setting) };
  if (setting === 'on') return { kind: 'read-only' };
  return mayMakeTables === 1 ? null : { kind: 'no-tables', schema: schema === null ? null : String(schema) };
}

/**
 * The number of connections that a PostgreSQL server allows the login in this database, whoever uses them. The login
 * counts, also where it acts as another role (`alter role … set role`).
 */
export async function allowedConnections(engine: Engine): Promise<number> {
  const limits = rowsAs(
    sql`
      select least(
        current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
          - coalesce(current_setting('reserved_connections', true), '0')::int,
        (select nullif(rolconnlimit, -1) from pg_roles where rolname = session_user),
        (select nullif(datconnlimit, -1) from pg_database where datname = current_database())
      )
    `,
    ([least]) => Number(least),
  );
  return (await readFirst(engine, limits)) ?? 0;
}

/** Time of the last write, milliseconds since 1970; null: never. */
export async function lastWrite(engine: Engine): Promise<number | null> {
  const latest = sql`select max(${activityTable.column.lastWriteAt}) from ${activityTable.quoted}`;
  return (
    (await readFirst(
      engine,
      rowsAs(latest, ([at]) => Number(at ?? 0)),
    )) || null
  );
}

/** The number of activities, users and clients, disabled ones included. */
export async function countParties(
  engine: Engine,
): Promise<{ readonly activities: number; readonly users: number; readonly clients: number }> {
  const [activities, users, clients] = [
    await readFirst(engine, countRows(activityTable)),
    await readFirst(engine, countRows(userAccountTable)),
    await readFirst(engine, countRows(oauthClientTable)),
  ];
  return { activities: activities ?? 0, users: users ?? 0, clients: clients ?? 0 };
}

const tableNames = perEngine({
  sqlite: () => sql`select name from sqlite_master where type = 'table'`,
  // Without views, which extensions such as pg_stat_statements have; with tables that the login may not read, which
  // information_schema hides.
  postgres: () => sql`
    select relname::text from pg_class where relnamespace = ${ownSchema} and relkind in ('r', 'p')
  `,
});

/** For PostgreSQL, UTF-8 is checked when the database is opened; SQLite databases are created with it. */
const writeSetting = perEngine({
  sqlite: () => sql`pragma encoding`,
  postgres: () => sql`
    select current_setting('transaction_read_only'), current_schema(), (${ownRelation('migration')} is not null
    or coalesce(has_schema_privilege(current_schema(), 'create'), false))::int
  `,
});
