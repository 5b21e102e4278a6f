// In charge of loading many rows into tables of a transaction's own: without their indexes, which are made at the end.
import type { RunStatement } from './engine.ts';
import { catalogued, onPostgres, perEngine, rowsAs, sql } from './statement.ts';

/**
 * Does work on tables that nobody else sees yet. To enter a million rows into an index one by one takes many times as
 * long as to sort them once. Indexes that the engine keeps for a primary key stay.
 * @throws what `work` throws, and what the engine says of rows that a unique index does not allow
 */
export async function withoutIndexes(query: RunStatement, work: () => Promise<void>): Promise<void> {
  const indexes = await query(ownIndexes);
  for (const { name } of indexes) await query(sql`drop index ${sql.quoted(name)}`);
  await work();
  await query(onPostgres(() => sql`set local maintenance_work_mem = '256MB'`));
  for (const { definition } of indexes) await query(catalogued(definition));
}

/** Name and definition of each index that a statement made. */
const ownIndexes = rowsAs(
  perEngine({
    sqlite: () => sql`select name, sql from sqlite_schema where type = 'index' and sql is not null order by name`,
    postgres: () => sql`
      select c.relname::text, pg_get_indexdef(i.indexrelid) from pg_index i join pg_class c on c.oid = i.indexrelid
      where c.relnamespace = current_schema()::regnamespace
      and not exists (select 1 from pg_constraint k where k.conindid = i.indexrelid) order by c.relname::text
    `,
  }),
  ([name, definition]) => ({ name: String(name), definition: String(definition) }),
);
