// What a database consists of, in the words of its engine, so that two of them can be compared.
import type { Engine } from '../../src/store/engine.ts';
import { perEngine, rowsAs, sql } from '../../src/store/statement.ts';

/** Columns in their order and indexes, by table. */
export type Schema = Readonly<Record<string, { readonly columns: readonly string[]; readonly indexes: string[] }>>;

/** Reads the tables and indexes of a database. */
export async function schemaOf(engine: Engine): Promise<Schema> {
  const tables: Record<string, { columns: string[]; indexes: string[] }> = {};
  for (const [table, ...column] of await engine.read(columns)) {
    const known = tables[String(table)] ?? { columns: [], indexes: [] };
    known.columns.push(column.join(' '));
    tables[String(table)] = known;
  }
  for (const { table, definition } of await engine.read(indexes)) tables[table]?.indexes.push(definition);
  for (const { indexes } of Object.values(tables)) indexes.sort();
  return tables;
}

const columns = perEngine({
  sqlite: () => sql`
    select t.name, c.name, c.type, c."notnull", c.dflt_value, t.strict
    from pragma_table_list t, pragma_table_info(t.name) c
    where t.type = 'table' and t.name not like 'sqlite_%' order by t.name, c.cid
  `,
  postgres: () => sql`
    select table_name, column_name, data_type, is_nullable, column_default, collation_name
    from information_schema.columns
    where table_schema = 'public' order by table_name, ordinal_position
  `,
});

const indexes = rowsAs(
  perEngine({
    sqlite: () => sql`select tbl_name, sql from sqlite_schema where type = 'index' and sql is not null`,
    postgres: () => sql`select tablename, indexdef from pg_indexes where schemaname = 'public'`,
  }),
  ([table, definition]) => ({ table: String(table), definition: String(definition) }),
);
