// The engine beyond one machine: PostgreSQL through `pg`.
import { Client, type PoolConfig } from 'pg';
import { OperatorError } from '../model/operator-error.ts';
import type { BulkTarget, Engine, Row, SqlValue, Words, WriteTransaction } from './engine.ts';
import { roomRemedy } from './database-rights.ts';
import { isDistributed } from './distribution.ts';
import { arrayText, conflictText, quotedName } from './engine.ts';
import type { WorkerLink } from '../model/worker-link.ts';
import { createLongReads, defaultLongReads, longReadLimits } from './long-reads.ts';
import { guarded, isWithoutRoom, messageOf } from './postgres-faults.ts';
import { createLongConnections, withEndable } from './postgres-long-reads.ts';
import { sendTogether } from './postgres-batch.ts';
import {
  type Ask,
  type Connections,
  createConnections,
  type SessionSettings,
  type Surroundings,
  retryOnConflict,
  withLease,
} from './postgres-pool.ts';
import { connectionsOf, shortConnectionsOf } from './postgres-pool-sizes.ts';
import { refuseTransactionPooler } from './postgres-pooler.ts';
import { postgresSnapshot } from './postgres-snapshot.ts';
import { inTransaction } from './postgres-transaction.ts';
import { createReads, firstPiece, type Query } from './postgres-batching.ts';
import { type CompiledStatement, statementRunner } from './statement.ts';

const statementTimeoutMs = 30_000;
/** The server ends a statement before its caller gives it up. */
const endedAheadMs = 15_000;

/** For connections whose statements have no other limit. */
function timeLimits(maxSilenceMs: number): SessionSettings {
  return {
    statement_timeout: String(Math.max(statementTimeoutMs, maxSilenceMs - endedAheadMs)),
    idle_in_transaction_session_timeout: String(statementTimeoutMs),
  };
}

/**
 * Connects to a PostgreSQL server.
 * @param url `postgres://user:password@host:port/database`
 * @param maxSilenceMs longest wait for an answer; the server itself ends anything that takes longer than 30 seconds, or
 *   than this less 15 seconds
 * @param link if this process is one of several workers: they share the places for long reads
 * @param maxLongSilenceMs the same as `maxSilenceMs` for long reads
 * @param replica if another server answers in place of this one: nobody waits while it allows no connection at all;
 *   `lost` is called when a connection ends that nobody used
 * @throws OperatorError when the server does not answer, refuses the login, stores text in an encoding other than
 *   UTF-8, or is reached through a transaction pooler
 */
export async function openPostgres(
  url: string,
  maxSilenceMs = 45_000,
  longReadSettings = defaultLongReads,
  link: WorkerLink | null = null,
  maxLongSilenceMs = maxSilenceMs,
  replica: Pick<Surroundings, 'lost'> | null = null,
): Promise<Engine> {
  const workers = link?.count ?? 1;
  const options = optionsOf(url, maxSilenceMs, connectionsOf(workers));
  const limits = timeLimits(maxSilenceMs);
  const { surroundings, refusedConnections } = surroundingsOf(replica);
  const connections = createConnections(options, limits, surroundings);
  const read: Query = (statement) => guarded(() => withLease(connections, ({ ask }) => rowsOf(ask, statement)));
  // A small pool of their own: they take no connection from others, and few processors of the server.
  const longConnections = createLongConnections(
    options,
    {
      max: longReadSettings.maxLongReads,
      maxReadMs: 1000 * longReadSettings.maxLongReadSeconds,
      slackMs: maxLongSilenceMs - statementTimeoutMs,
    },
    surroundings,
  );
  const longReads = createLongReads(
    // Filters produce ever new texts: prepared, they would pile up in every connection of the server.
    (statement, stop) =>
      guarded(() => withEndable(longConnections, connections, stop, (ask) => rowsOf(ask, anew(statement)))),
    longReadSettings,
    link?.queue('long-reads', longReadLimits(longReadSettings)),
  );
  await checkServer(connections, url);
  const words = (await isDistributed(statementRunner('postgres', read))) ? 'citus' : 'postgres';
  const maxShort = shortConnectionsOf(workers);
  const shortConnections = createConnections(
    { ...options, max: maxShort },
    // Citus cannot use generic plans, and does not pass settings on to the machines that hold the rows.
    words === 'citus' ? limits : { ...limits, ...plannedForShortReads },
    surroundings,
  );
  const together = createReads(shortConnections, maxShort);
  return {
    dialect: 'postgres',
    ...(words === 'citus' && { isDistributed: true }),
    now: () => guarded(() => serverTime(together)),
    read: statementRunner(words, read),
    readShort: statementRunner(words, (statement) => guarded(() => together(statement))),
    readLong: (statement, reader) => statementRunner(words, (compiled) => longReads.read(compiled, reader))(statement),
    snapshot: (work) =>
      guarded(() =>
        withLease(connections, (lease) =>
          postgresSnapshot(lease, (statement) => rowsOf(lease.ask, anew(statement)), work),
        ),
      ),
    longReads: longReads.counts,
    refusedConnections,
    writeOnce: statementRunner(words, (statement) =>
      guarded(() => withLease(connections, ({ ask }) => rowsOf(retryOnConflict(ask), statement)), 'write'),
    ),
    write: (work) =>
      guarded(() => inTransaction(connections, false, (query) => work(writeTransaction(query, words, false))), 'write'),
    writeInBackground: (work) =>
      guarded(() => inTransaction(connections, true, (query) => work(writeTransaction(query, words, true))), 'write'),
    optimize: () =>
      guarded(() => withLease(connections, ({ ask }) => ask(async (client) => void (await client.query('analyze'))))),
    close: async () => {
      longReads.close();
      // The others are needed to end what runs on these.
      await longConnections.close();
      await shortConnections.close();
      await connections.close();
    },
  };
}

/** What the pools of a process on one server have beside them, and how many connections it refused them. */
function surroundingsOf(replica: Pick<Surroundings, 'lost'> | null): {
  readonly surroundings: Surroundings;
  readonly refusedConnections: () => number;
} {
  let refusals = 0;
  const refused = (): void => {
    refusals += 1;
  };
  return {
    surroundings: { ...replica, family: new Set(), waitsForFirst: replica === null, refused },
    refusedConnections: () => refusals,
  };
}

/**
 * An index has the rows of a short read in order, and the server knows it. But of two indexes it uses the one that it
 * estimates to be cheaper, and sorts the rows that this one leaves unordered: all records with one value, if it
 * estimates them to be few (decision 57). When it may not sort, the order of the statement determines the index. The
 * plan then depends on no value and is made only once: making it takes longer than most of these statements.
 */
export const plannedForShortReads: SessionSettings = {
  enable_sort: 'off',
  enable_incremental_sort: 'off',
  plan_cache_mode: 'force_generic_plan',
  // The few rows that must be sorted nevertheless make a plan seem costly, and worth a tenth of a second of
  // compilation.
  jit: 'off',
};

/** Milliseconds since 1970 by the server's clock. */
export const clockStatement: CompiledStatement = {
  text: 'select (extract(epoch from clock_timestamp()) * 1000)::bigint',
  values: [],
  plannedAnew: false,
};

/** The statement of a bulk write: one array parameter per column, each in the text form of an array. */
export function bulkStatement(into: BulkTarget): string {
  const names = into.columns.map((column) => quotedName(column.name)).join(', ');
  const arrays = into.columns.map((column, index) => `$${index + 1}::${arrayType[column.type]}[]`).join(', ');
  return `insert into ${quotedName(into.table)} (${names}) select * from unnest(${arrays})${conflictText(into)}`;
}

/** The statement for one row, each value a parameter of its own. */
function rowStatement(into: BulkTarget): string {
  const names = into.columns.map((column) => quotedName(column.name)).join(', ');
  const values = into.columns.map((column, index) => `$${index + 1}::${arrayType[column.type]}`).join(', ');
  return `insert into ${quotedName(into.table)} (${names}) values (${values})${conflictText(into)}`;
}

/**
 * Longer texts are sent in statements of their own, in UTF-16 units: in the text form of an array, each of their quotes
 * would be escaped here and parsed character by character there.
 */
const longCellBytes = 262_144;

/** The values of a bulk write, column by column, each in the text form of a PostgreSQL array. */
export function bulkValues(into: BulkTarget, rows: readonly (readonly SqlValue[])[]): readonly string[] {
  return into.columns.map((_column, index) => arrayText(rows.map((row) => row[index] ?? null)));
}

const arrayType = { text: 'text', integer: 'bigint', decimal: 'double precision' } as const;

/** @throws OperatorError when the address cannot be read */
function optionsOf(url: string, maxSilenceMs: number, max: number): PoolConfig {
  const options: PoolConfig = {
    connectionString: url,
    max,
    // Also limits the wait until a connection is free.
    connectionTimeoutMillis: Math.min(10_000, maxSilenceMs),
    query_timeout: maxSilenceMs,
    idleTimeoutMillis: 60_000,
    maxLifetimeSeconds: 3600,
    keepAlive: true,
    keepAliveInitialDelayMillis: 60_000,
    application_name: 'logistics-connect',
  };
  try {
    // The pool would parse the address only at its first use; this client never connects.
    void new Client(options);
  } catch (error) {
    throw new OperatorError(
      `DATABASE_URL is not a PostgreSQL address: ${messageOf(error)}.`,
      'Write it as postgres://user:password@host:5432/database.',
      { cause: error },
    );
  }
  return options;
}

async function checkServer(connections: Connections, url: string): Promise<void> {
  try {
    const encoding = await withLease(connections, async ({ ask }) => {
      const { rows } = await ask((client) => client.query<{ server_encoding: string }>('show server_encoding'));
      return rows[0]?.server_encoding;
    });
    if (encoding !== 'UTF8')
      throw new OperatorError(
        `The database keeps text as ${encoding}, not as UTF-8.`,
        "Create it with ENCODING 'UTF8' TEMPLATE template0.",
      );
    await refuseTransactionPooler(connections);
  } catch (error) {
    await connections.close();
    if (error instanceof OperatorError) throw error;
    throw new OperatorError(
      `The database at ${withoutPassword(url)} does not answer: ${messageOf(error)}.`,
      isWithoutRoom(error) ? roomRemedy : 'Check DATABASE_URL, and that the server is running and lets this login in.',
      { cause: error },
    );
  }
}

async function rowsOf(ask: Ask, statement: CompiledStatement): Promise<readonly Row[]> {
  let found: readonly Row[] = [];
  const answer = (rows: readonly Row[]): void => {
    found = rows;
  };
  await ask((client) => sendTogether(client, [{ statement, answer }]));
  return found;
}

/** For ever new texts: prepared, each would displace one that recurs. */
function anew(statement: CompiledStatement): CompiledStatement {
  return { ...statement, plannedAnew: true };
}

async function serverTime(query: Query): Promise<number> {
  const [row] = await query(clockStatement);
  return Number(row?.[0]);
}

/** @param isInBackground while anybody waits, rows go in pieces: see `createSequence` */
function writeTransaction(query: Query, words: Words, isInBackground: boolean): WriteTransaction {
  return {
    now: () => serverTime(query),
    query: statementRunner(words, query),
    putRows: async (into, rows) => {
      const isLong = (row: readonly SqlValue[]): boolean =>
        row.some((cell) => typeof cell === 'string' && cell.length > longCellBytes);
      const statements = rows
        .filter(isLong)
        .map((row) => query({ text: rowStatement(into), values: row, plannedAnew: false }));
      for (let short = rows.filter((row) => !isLong(row)); short.length > 0; ) {
        const count = isInBackground ? firstPiece(short, (row) => row) : short.length;
        const values = bulkValues(into, short.slice(0, count));
        statements.push(query({ text: bulkStatement(into), values, plannedAnew: false }));
        short = short.slice(count);
      }
      await Promise.all(statements);
    },
  };
}

/** Leaves out the login's password, and the query, which may contain one too. */
function withoutPassword(url: string): string {
  try {
    const { username, host, pathname } = new URL(url);
    return `postgres://${username === '' ? '' : `${username}@`}${host}${pathname}`;
  } catch {
    return 'DATABASE_URL';
  }
}
