// Transactions on postgres.js, and Kysely on top of them, such that a lost connection is an error and not the end of the process.
import {
  type CompiledQuery, type DatabaseConnection, type Dialect, type Driver, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler, type QueryResult,
} from 'kysely';
import type postgres from 'postgres';

export type Sql = postgres.Sql<{ bigint: number }>;
/** What runs a statement: the pool, or one transaction. */
export type Runner = Pick<Sql, 'unsafe'>;

/**
 * Runs `work` in a transaction: commits when it resolves, rolls back when it throws.
 *
 * postgres.js ends the process, uncatchably, when something is written to a connection of a transaction after its loss
 * (porsager/postgres#1208), be it by `work` or by its own `rollback`. So nothing is: statements after the loss are refused,
 * and the function that the driver waits for never settles; the driver has given the transaction up by then.
 */
export async function inTransaction<T>(sql: Pick<Sql, 'begin'>, work: (transaction: Runner) => Promise<T>): Promise<T> {
  const state: { lost: boolean; result?: { readonly value: T } } = { lost: false };
  try {
    await sql.begin(async (transaction) => {
      try {
        const value = await work({ unsafe: (...statement) => {
          if (state.lost) throw new Error('the connection of this transaction was lost');
          return transaction.unsafe(...statement);
        } });
        state.result = { value };
      } catch (error) {
        if (!state.lost && !isLoss(error)) throw error;
        state.lost = true;
      }
      if (state.lost) await new Promise(() => undefined);
    });
  } catch (error) {
    state.lost = true;
    throw error;
  }
  if (state.result === undefined) throw new Error('a transaction ended without its result');
  return state.result.value;
}

/** Kysely on the pool. Single statements take whichever connection is free; a reserved one would go back to the pool even when it was lost. */
export function dialectOn(sql: Sql): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => driverOn(sql),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  };
}

/** True for errors after which the server or the system closes the connection. */
function isLoss(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('severity' in error && (error.severity === 'FATAL' || error.severity === 'PANIC')) return true;
  return 'code' in error && /^(CONNECTION_|ECONN|EPIPE|ETIMEDOUT)/.test(String(error.code));
}

interface OpenTransaction { readonly runner: Runner; readonly commit: () => Promise<void>; readonly rollback: () => Promise<void> }

function driverOn(sql: Sql): Driver {
  const transactions = new WeakMap<DatabaseConnection, OpenTransaction>();
  return {
    init: async () => undefined,
    acquireConnection: async () => {
      const connection: DatabaseConnection = {
        executeQuery: (query) => execute(transactions.get(connection)?.runner ?? sql, query),
        streamQuery: () => {
          throw new Error('administration queries are not streamed');
        },
      };
      return connection;
    },
    beginTransaction: async (connection) => void transactions.set(connection, await openTransaction(sql)),
    commitTransaction: async (connection) => transactions.get(connection)?.commit(),
    rollbackTransaction: async (connection) => transactions.get(connection)?.rollback(),
    releaseConnection: async (connection) => void transactions.delete(connection),
    destroy: async () => undefined,
  };
}

/** A transaction that its user ends, where `inTransaction` ends it with a function. */
function openTransaction(sql: Sql): Promise<OpenTransaction> {
  const opened = Promise.withResolvers<OpenTransaction>();
  const decided = Promise.withResolvers<void>();
  const ended = inTransaction(sql, async (runner) => {
    opened.resolve({
      runner,
      commit: async () => {
        decided.resolve();
        await ended;
      },
      rollback: async () => {
        decided.reject(new Error('rolled back'));
        await ended.catch(() => undefined);
      },
    });
    await decided.promise;
  });
  ended.catch(opened.reject);
  return opened.promise;
}

async function execute<R>(runner: Runner, { sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
  const result = await runner.unsafe<(R & postgres.Row)[]>(sql, parameters.map(toParameter));
  const changes = /^(INSERT|UPDATE|DELETE|MERGE)$/.test(result.command);
  return { rows: [...result], ...(changes && { numAffectedRows: BigInt(result.count) }) };
}

function toParameter(value: unknown): string | number | boolean | null {
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  throw new Error(`a value of type ${typeof value} cannot be stored`);
}
