// A stand-in for Citus on PostgreSQL alone: what is distributed becomes a partitioned table, so that the planner itself
// tells which parts a statement reaches, and refuses a unique key that no single part could see to.
import { resources } from '../../src/resources/index.ts';
import { allTables, distribute, type Distribution } from '../../src/store/distribution.ts';
import type { Engine } from '../../src/store/engine.ts';
import { compile, sql, type Statement } from '../../src/store/statement.ts';
import { plain, run } from './database.ts';
import { pgliteEngine } from './pglite-engine.ts';
import { copyPglite } from './prepared-databases.ts';

/** Parts of each distributed table; tables that lie together have the rows of an activity in the same part. */
const standInShards = 4;

/**
 * Makes the functions and the catalogue of Citus that the program uses, for a database of its own.
 *
 * What this shows: that each table can be divided by activity (PostgreSQL has the rule of Citus that a unique key must
 * contain the column that divides, manual 5.12.2.3; https://docs.citusdata.com/en/stable/develop/reference_ddl.html),
 * and which parts each statement reaches. What it does not show: how Citus itself plans and carries out a statement.
 */
export async function installStandIn(engine: Engine): Promise<void> {
  for (const statement of statements) await run(engine, plain(statement));
}

const statements = [
  `create table pg_dist_partition (logicalrelid regclass primary key, partmethod "char", column_name text,
     colocate_with text, identity "char")`,
  `create function note_part() returns trigger language plpgsql as $$
     declare part text := regexp_replace(tg_table_name, '^.*_part_', ''); noted text;
     begin
       noted := coalesce(current_setting('stand_in.written', true), '');
       if position(part || ',' in noted) = 0 then
         perform set_config('stand_in.written', noted || part || ',', true);
       end if;
       return null;
     end $$`,
  `create function create_distributed_table(table_name regclass, distribution_column text,
     colocate_with text default 'default', shard_count int default 32) returns void language plpgsql as $$
     declare name text := table_name::text; before text := table_name::text || '_before'; known "char";
     begin
       select relreplident into known from pg_class where oid = table_name;
       execute format('alter table %I rename to %I', name, before);
       execute format('create table %I (like %I including all) partition by hash (%I)', name, before,
         distribution_column);
       for part in 0 .. ${standInShards} - 1 loop
         execute format('create table %I partition of %I for values with (modulus ${standInShards}, remainder %s)',
           name || '_part_' || part, name, part);
       end loop;
       execute format('insert into %I select * from %I', name, before);
       execute format('drop table %I', before);
       execute format('create trigger note_part after insert or update or delete on %I for each row
         execute function note_part()', name);
       insert into pg_dist_partition values (name::regclass, 'h', distribution_column, colocate_with, known);
     end $$`,
  `create function create_reference_table(table_name regclass) returns void language plpgsql as $$
     begin insert into pg_dist_partition values (table_name, 'n', null, null, null); end $$`,
];

/** What one statement of the program, or one of its transactions, reached. */
export interface Reached {
  readonly text: string;
  /** Numbers of the parts. */
  readonly parts: readonly number[];
  /** Distributed tables. */
  readonly tables: readonly string[];
  readonly plan: string;
  /** Of a transaction: the parts in which it wrote. */
  readonly isTransaction: boolean;
}

/** The same engine; each statement is explained before it is run, and `heard` is told what it reaches. */
function watchedEngine(engine: Engine, heard: (reached: Reached) => void): Engine {
  const watched =
    (explain: Engine['read'], read: Engine['read']): Engine['read'] =>
    async (statement) => {
      const reached = await reachedBy(explain, statement);
      if (reached !== null) heard(reached);
      return read(statement);
    };
  const write: Engine['write'] = (work) =>
    engine.write(async (transaction) => {
      const texts: string[] = [];
      const query = watched(transaction.query, transaction.query);
      // Statements are carried out in the order of the calls, each after its own explanation.
      let last: Promise<unknown> = Promise.resolve();
      const inOrder = <T>(next: () => Promise<T>): Promise<T> => {
        const done = last.then(next);
        last = done.catch(() => undefined);
        return done;
      };
      const result = await work({
        now: () => inOrder(() => transaction.now()),
        query: (statement) => {
          texts.push(compile(statement, 'citus').text);
          return inOrder(() => query(statement));
        },
        putRows: (into, rows) => inOrder(() => transaction.putRows(into, rows)),
      });
      await last;
      const [row] = await transaction.query(plain(`select coalesce(current_setting('stand_in.written', true), '')`));
      const parts = String(row?.[0]).split(',').filter(Boolean).map(Number).toSorted();
      heard({ text: texts.join(';\n'), parts, tables: [], plan: '', isTransaction: true });
      return result;
    });
  return {
    ...engine,
    read: watched(engine.read, engine.read),
    readShort: watched(engine.read, engine.readShort),
    readLong: (statement, reader) => watched(engine.read, (one) => engine.readLong(one, reader))(statement),
    writeOnce: (statement) => write(({ query }) => query(statement)),
    write,
    writeInBackground: write,
  };
}

/** Null for what no plan is made of. */
async function reachedBy(query: Engine['read'], statement: Statement<unknown>): Promise<Reached | null> {
  const { text } = compile(statement, 'citus');
  if (!/^(select|with|insert|update|delete) /.test(text)) return null;
  const lines = await query({ ...sql`explain (costs off) ${statement}`, plannedAnew: true });
  const plan = lines.map(([line]) => String(line)).join('\n');
  const relations = [...plan.matchAll(/ on ([a-z_]+?)_part_(\d+)/g)];
  const found = (group: 1 | 2): readonly string[] =>
    [...new Set(relations.map((relation) => relation[group] ?? ''))].toSorted();
  return { text, parts: found(2).map(Number), tables: found(1), plan, isTransaction: false };
}

/** A database in memory whose tables are distributed, migrated, and watched. */
export async function distributedDatabase(heard: (reached: Reached) => void): Promise<StandIn> {
  const pglite = await copyPglite();
  await installStandIn(pgliteEngine(pglite));
  const engine = pgliteEngine(pglite, 'citus');
  const distribution = await distribute(engine, allTables(resources), standInShards);
  return {
    engine: watchedEngine(engine, heard),
    unwatched: engine,
    distribution,
    close: () => pglite.close(),
  };
}

interface StandIn {
  readonly engine: Engine;
  readonly unwatched: Engine;
  readonly distribution: Distribution;
  readonly close: () => Promise<void>;
}
