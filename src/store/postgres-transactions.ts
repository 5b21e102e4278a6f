// Transactions on postgres.js, and Kysely on top of them, such that a lost connection is an error and not the end of the process.
import {
  type CompiledQuery, type DatabaseConnection, type Dialect, type Driver, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler, type QueryResult,
} from 'kysely';
import type postgres from 'postgres';

export type Sql = postgres.Sql<{ bigint: number }>;
/** What runs a statement: the connections of the process, or one transaction. */
export interface Runner extends Pick<Sql, 'unsafe'> {
  /** Waits for an answer of the server, but not for ever. */
  readonly within: <T>(answer: Promise<T>) => Promise<T>;
}
/** The connections of the process. */
export interface Pool extends Runner {
  /** A transaction: commits when `work` resolves, rolls back when it throws. */
  readonly begin: (work: (transaction: Pick<Sql, 'unsafe'>) => Promise<void>) => Promise<void>;
}

/**
 * Runs `work` in a transaction: commits when it resolves, rolls back when it throws.
 *
 * postgres.js ends the process, uncatchably, when something is written to a connection of a transaction after its loss
 * (porsager/postgres#1208), be it by `work` or by its own `rollback`. So nothing is: statements after the loss are refused,
 * and the function that the driver waits for never settles; the driver has given the transaction up by then.
 */
export async function inTransaction<T>(pool: Pool, work: (transaction: Runner) => Promise<T>): Promise<T> {
  let begun = false;
  return pastOldErrors(() => begin(pool, (transaction) => {
    begun = true;
    return work(transaction);
  }), () => !begun);
}

/** As many connections as one process opens. */
export const mostConnections = 10;

/**
 * Tries again where the server is said to end the connection. What the server said to a connection that was lost while it
 * worked, the driver tells once more to whoever is first to use that connection when it is open again, and it never sends what
 * they asked: so each connection may refuse once without a reason.
 * @param mayRepeat whether it is certain that nothing has been done, or that it may be done twice
 */
export async function pastOldErrors<T>(work: () => Promise<T>, mayRepeat: () => boolean = () => true): Promise<T> {
  for (let left = mostConnections; ; left -= 1) {
    try {
      return await work();
    } catch (error) {
      if (left === 0 || !isShutdown(error) || !mayRepeat()) throw error;
    }
  }
}

/** The server was stopped, or told to close the connection, when it was asked. */
function isShutdown(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^57P0[12]$/.test(String(error.code));
}

async function begin<T>(pool: Pool, work: (transaction: Runner) => Promise<T>): Promise<T> {
  const state: { lost: boolean; result?: { readonly value: T } } = { lost: false };
  const [opened, worked, lost] = [Promise.withResolvers<void>(), Promise.withResolvers<void>(), Promise.withResolvers<never>()];
  lost.promise.catch(() => undefined);
  try {
    const ended = pool.begin(async (transaction) => {
      // It was given up while it waited for a connection; this one is sound.
      if (state.lost) throw new Error('nobody waits for this transaction any more');
      opened.resolve();
      try {
        const value = await work({ within: pool.within, unsafe: (...statement) => {
          if (state.lost) throw Object.assign(new Error('the connection of this transaction was lost'), { code: 'CONNECTION_LOST' });
          return transaction.unsafe(...statement);
        } });
        state.result = { value };
      } catch (error) {
        if (!state.lost && !isLoss(error)) throw error;
        state.lost = true;
        lost.reject(error);
      }
      if (state.lost) await new Promise(() => undefined);
      worked.resolve();
    });
    // The beginning and the end are answers to wait for; in between it is for the statements of `work` to do so.
    await pool.within(Promise.race([opened.promise, ended]));
    await Promise.race([worked.promise, ended, lost.promise]);
    await pool.within(ended);
  } catch (error) {
    state.lost = true;
    throw error;
  }
  if (state.result === undefined) throw new Error('a transaction ended without its result');
  return state.result.value;
}

/** Runs something and says of its errors what callers are to hear. */
export type Guard = <T>(work: () => Promise<T>) => Promise<T>;

/** Kysely on the pool. Single statements take whichever connection is free; a reserved one would go back to the pool even when it was lost. */
export function dialectOn(pool: Pool, guarded: Guard): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => driverOn(pool, guarded),
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

function driverOn(pool: Pool, guarded: Guard): Driver {
  const transactions = new WeakMap<DatabaseConnection, OpenTransaction>();
  return {
    init: async () => undefined,
    acquireConnection: async () => {
      const connection: DatabaseConnection = {
        executeQuery: (query) => guarded(() => {
          const runner = transactions.get(connection)?.runner;
          if (runner !== undefined) return execute(runner, query);
          return query.query.kind === 'SelectQueryNode' ? pastOldErrors(() => execute(pool, query)) : execute(pool, query);
        }),
        streamQuery: () => {
          throw new Error('administration queries are not streamed');
        },
      };
      return connection;
    },
    beginTransaction: async (connection) => void transactions.set(connection, await guarded(() => openTransaction(pool))),
    commitTransaction: (connection) => guarded(async () => transactions.get(connection)?.commit()),
    rollbackTransaction: async (connection) => transactions.get(connection)?.rollback(),
    releaseConnection: async (connection) => void transactions.delete(connection),
    destroy: async () => undefined,
  };
}

/** A transaction that its user ends, where `inTransaction` ends it with a function. */
function openTransaction(pool: Pool): Promise<OpenTransaction> {
  const opened = Promise.withResolvers<OpenTransaction>();
  const decided = Promise.withResolvers<void>();
  const ended = inTransaction(pool, async (runner) => {
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
  const result = await runner.within(runner.unsafe<(R & postgres.Row)[]>(sql, parameters.map(toParameter)));
  const changes = /^(INSERT|UPDATE|DELETE|MERGE)$/.test(result.command);
  return { rows: [...result], ...(changes && { numAffectedRows: BigInt(result.count) }) };
}

function toParameter(value: unknown): string | number | boolean | null {
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  throw new Error(`a value of type ${typeof value} cannot be stored`);
}
