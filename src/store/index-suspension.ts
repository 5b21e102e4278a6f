// Loads many rows into tables that a transaction has just created: without their indexes, which are created at the end.
import type { RunStatement } from './engine.ts';
import { ownSchema } from './own-schema.ts';
import { catalogued, onPostgres, perEngine, rowsAs, sql } from './statement.ts';

/**
 * Runs work on tables that nobody else sees yet. Inserting a million rows into an index one by one takes many times as
 * long as sorting them once. Indexes that the engine keeps for a primary key stay.
 * @throws what `work` throws, and the engine's error for rows that violate a unique index
 */
export async function withoutIndexes(query: RunStatement, work: () => Promise<void>): Promise<void> {
  const indexes = await query(ownIndexes);
  for (const { name } of indexes) await query(sql`drop index ${sql.quoted(name)}`);
  await work();
  await query(onPostgres(() => sql`set local maintenance_work_mem = '256MB'`));
  for (const { definition } of indexes) await query(catalogued(definition));
}

/** Name and definition of each index that was created by a statement. */
const ownIndexes = rowsAs(
  perEngine({
    sqlite: () => sql`select name, sql from sqlite_schema where type = 'index' and sql is not null order by name`,
    postgres: () => sql`
      select c.relname::text, pg_get_indexdef(i.indexrelid) from pg_index i join pg_class c on c.oid = i.indexrelid
      where c.relnamespace = ${ownSchema}
      and not exists (select 1 from pg_constraint k where k.conindid = i.indexrelid) order by c.relname::text
    `,
  }),
  ([name, definition]) => ({ name: String(name), definition: String(definition) }),
);
