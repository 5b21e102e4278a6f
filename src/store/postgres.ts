// The engine beyond one machine: PostgreSQL through postgres.js, whose raw results are bytes that nobody decoded.
import { Kysely } from 'kysely';
import postgres from 'postgres';
import { OperatorError } from '../model/operator-error.ts';
import { Problem } from '../model/problem.ts';
import type { BulkTarget, Cell, Engine, Row, SqlValue, Statement, WriteTransaction } from './engine.ts';
import { arrayText, conflictText, quoted } from './engine.ts';
import { lineOpener } from './postgres-line.ts';
import { createPool } from './postgres-pool.ts';
import { dialectOn, type Guard, inTransaction, mostConnections, pastOldErrors, type Runner, type Sql } from './postgres-transactions.ts';
import type { Tables } from './tables.ts';

const int8 = 20;
/** int2, int4, int8, float4, float8: integers are below 2^53 by design (decision D1). */
const numberTypes: ReadonlySet<number> = new Set([21, 23, int8, 700, 701]);
const statementTimeout = 30_000;

/**
 * Connects to a PostgreSQL server.
 * @param url `postgres://user:password@host:port/database`
 * @param silence longest wait for an answer, milliseconds; the server itself ends what takes longer than 30 seconds
 * @throws OperatorError when the server does not answer, refuses the login, or keeps text in another encoding than UTF-8
 */
export async function openPostgres(url: string, silence = 45_000): Promise<Engine> {
  const sql = createPool(() => connect(url), silence);
  try {
    const [row] = await sql.within(sql.unsafe<{ server_encoding: string }[]>('show server_encoding'));
    if (row?.server_encoding !== 'UTF8') throw new OperatorError(`The database keeps text as ${row?.server_encoding}, not as UTF-8.`, 'Create it with ENCODING \'UTF8\' TEMPLATE template0.');
  } catch (error) {
    await sql.end(1);
    if (error instanceof OperatorError) throw error;
    throw new OperatorError(`The database at ${withoutPassword(url)} does not answer: ${messageOf(error)}.`, 'Check DATABASE_URL, and that the server is running and lets this login in.', { cause: error });
  }
  return {
    dialect: 'postgres',
    db: new Kysely<Tables>({ dialect: dialectOn(sql, guarded) }),
    now: () => guarded(() => pastOldErrors(() => serverTime(sql))),
    read: (statement) => guarded(() => pastOldErrors(() => rawRows(sql, statement))),
    // Filters make ever new texts: prepared, they would pile up in every connection of the server.
    readLong: (statement) => guarded(() => pastOldErrors(() => rawRows(sql, statement, false))),
    write: (work) => guarded(() => inTransaction(sql, (transaction) => work(writeTransaction(transaction)))),
    optimize: () => guarded(async () => void await sql.within(sql.unsafe('analyze'))),
    close: () => sql.end(5),
  };
}

/** Milliseconds since 1970 by the server's clock. */
export const clockStatement: Statement = { text: 'select (extract(epoch from clock_timestamp()) * 1000)::bigint', values: [] };

/** The statement of a bulk write: one array parameter per column, each as the text of an array. */
export function bulkStatement(into: BulkTarget): string {
  const names = into.columns.map((column) => quoted(column.name)).join(', ');
  const arrays = into.columns.map((column, index) => `$${index + 1}::text::${arrayType[column.type]}[]`).join(', ');
  return `insert into ${quoted(into.table)} (${names}) select * from unnest(${arrays})${conflictText(into)}`;
}

/** The values of a bulk write, column by column, each as the text of a PostgreSQL array. */
export function bulkValues(into: BulkTarget, rows: readonly (readonly SqlValue[])[]): readonly string[] {
  return into.columns.map((_column, index) => arrayText(rows.map((row) => row[index] ?? null)));
}

const arrayType = { text: 'text', integer: 'bigint', decimal: 'double precision' } as const;

function connect(url: string): Sql {
  try {
    // A variable, since the driver's types do not know all of its options.
    const options = {
      max: mostConnections,
      connect_timeout: 10,
      backoff: reconnectAfter,
      socket: lineOpener(),
      idle_timeout: 60,
      onnotice: () => undefined,
      // The driver would ask each new connection for array types, which are not used, and end the process when that connection is lost meanwhile.
      fetch_types: false,
      connection: { application_name: 'logistics-connect', statement_timeout: statementTimeout, idle_in_transaction_session_timeout: statementTimeout },
      types: { bigint: { to: int8, from: [int8], parse: Number, serialize: String } },
    };
    return postgres(url, options);
  } catch (error) {
    throw new OperatorError(`DATABASE_URL is not a PostgreSQL address: ${messageOf(error)}.`, 'Write it as postgres://user:password@host:5432/database.', { cause: error });
  }
}

/**
 * Seconds until a connection that was lost is opened again. The driver would wait for up to 20 once a server that restarts has
 * closed some ten at once, and whatever is asked meanwhile waits with it.
 */
function reconnectAfter(failures: number): number {
  return Math.min(0.02 * 2 ** failures, 0.5) * (0.5 + Math.random() / 2);
}

async function rawRows(runner: Runner, { text, values }: Statement, prepare = true): Promise<readonly Row[]> {
  const result = await runner.within(runner.unsafe(text, [...values], { prepare }).raw());
  const columns = result.columns;
  return result.map((row) => row.map((cell, index) => toCell(cell, columns[index])));
}

async function serverTime(sql: Runner): Promise<number> {
  const [row] = await rawRows(sql, clockStatement);
  return Number(row?.[0]);
}

function toCell(cell: Buffer | null, column: { readonly name: string; readonly type: number } | undefined): Cell {
  if (cell === null || column?.name === 'bytes') return cell;
  return numberTypes.has(column?.type ?? 0) ? Number(cell.toString('latin1')) : cell.toString('utf8');
}

function writeTransaction(transaction: Runner): WriteTransaction {
  return {
    now: () => serverTime(transaction),
    query: (statement) => rawRows(transaction, statement),
    putRows: async (into, rows) => {
      if (rows.length > 0) await transaction.within(transaction.unsafe(bulkStatement(into), [...bulkValues(into, rows)], { prepare: true }));
    },
  };
}

/** A server that is away is nobody's mistake but passes: clients get 503 and try again. */
const guarded: Guard = async (work) => {
  try {
    return await work();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (code === '57014') throw new Problem('unavailable', 'The query took too long. Narrow it with a filter on an indexed field.', {}, { 'Retry-After': '30' });
    if (/^(CONNECTION_|CONNECT_TIMEOUT|ECONN|EPIPE|ENOTFOUND|ETIMEDOUT|EHOSTUNREACH|EAI_AGAIN|08|53|57P0|28|3D000|25006)/.test(code)) throw new Problem('unavailable', 'Storage cannot be reached at the moment.', {}, { 'Retry-After': '5' }, error);
    throw error;
  }
};

function withoutPassword(url: string): string {
  return url.replace(/\/\/([^:@/]*):[^@/]*@/, '//$1:…@');
}

function messageOf(error: unknown): string {
  return error instanceof AggregateError ? error.errors.map(messageOf).join(', ') : error instanceof Error ? error.message : String(error);
}
