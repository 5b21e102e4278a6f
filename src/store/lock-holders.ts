// Who holds rows of a table, for an operator who waits for them.
import type { Engine } from './engine.ts';
import { ownRelation } from './own-schema.ts';
import { rowsAs, sql } from './statement.ts';

/** A session of the database server. */
interface LockHolder {
  readonly pid: number;
  /** In words: which program it is, and since when its transaction runs. */
  readonly said: string;
}

/** The most sessions that are named. */
const maxNamed = 3;

/**
 * The sessions of a PostgreSQL server whose transactions have changed or locked rows of these tables, the oldest
 * transaction first. Which rows a transaction has locked is written in the rows alone; that it has locked any shows in
 * its lock of the table. None on SQLite, where a row is held by nobody.
 */
export async function lockHolders(engine: Engine, tables: readonly string[]): Promise<readonly LockHolder[]> {
  if (engine.dialect === 'sqlite') return [];
  const holders = sql`
    select pid, max(application_name), max(host(client_addr)), max(extract(epoch from now() - xact_start)::bigint)
    from pg_locks join pg_stat_activity using (pid)
    where locktype = 'relation' and granted and mode in ('RowShareLock', 'RowExclusiveLock')
    and relation in (${sql.join(tables.map(ownRelation))}) and pid <> pg_backend_pid()
    group by pid order by min(xact_start) limit ${maxNamed}
  `;
  return engine.read(
    rowsAs(holders, ([pid, program, address, seconds]) => {
      const from = address === null ? '' : ` from ${String(address)}`;
      const since = seconds === null ? '' : `, in a transaction of ${Number(seconds)} seconds`;
      const name = program === null || program === '' ? 'unnamed' : String(program);
      return { pid: Number(pid), said: `process ${Number(pid)} (${name}${from})${since}` };
    }),
  );
}
