// The connections to a PostgreSQL server: each is lent to one user at a time, and closed after the least doubt about
// it.
import { setTimeout as pause } from 'node:timers/promises';
import { Pool, type PoolClient, type PoolConfig } from 'pg';
import { isCollision, isLoss, judged } from './postgres-faults.ts';
import { MessageClient } from './postgres-messages.ts';

/** Asks the server something on one connection. */
export type Ask = <T>(question: (client: PoolClient) => Promise<T>) => Promise<T>;

/** A connection in the hands of one user. */
export interface Lease {
  /** After a question that failed, all others fail with the same error: nothing is sent any more. */
  readonly ask: Ask;
  /** Never fails: where it cannot be asked for, the connection is closed, which undoes everything too. */
  readonly rollback: () => Promise<void>;
  /** Gives the connection back, or closes it when a question failed. */
  readonly end: () => void;
}

export interface Connections {
  readonly lend: () => Promise<Lease>;
  /** Closes all connections; what runs on them has `closingMs` to end. Once more does nothing. */
  readonly close: () => Promise<void>;
}

/**
 * Settings of a server by name, for the statements of some connections; one that the server does not know is left.
 * They are statements and not startup parameters, because a pooler such as PgBouncer refuses most of those.
 */
export type SessionSettings = Readonly<Record<string, string>>;

/** Long texts are compressed with lz4, at a multiple of the speed of pglz, where the server was built with it. */
const sessionStatements = `
  set session characteristics as transaction isolation level read committed;
  select set_config(name, 'lz4', false) from pg_settings
  where name = 'default_toast_compression' and 'lz4' = any(enumvals)
`;

/** The statement by which a session takes the settings. */
export function settingStatement(settings: SessionSettings): string {
  const wanted = Object.entries(settings).map(([name, value]) => `('${name}', '${value}')`);
  if (wanted.length === 0) return '';
  return `select set_config(known.name, wanted.value, false)
    from (values ${wanted.join(', ')}) as wanted(name, value) join pg_settings as known on known.name = wanted.name`;
}

/** Which process of the server works for the session: behind a pooler it is not the one that the pooler names. */
const backendStatement = 'select pg_backend_pid() as id';

/** The process of the server that works for each connection, from when the server has told it. */
const backendIds = new WeakMap<PoolClient, number>();

/** The id of the process of the server that works for a connection; null: it is not known. */
export function backendIdOf(client: PoolClient): number | null {
  return backendIds.get(client) ?? null;
}

/** For what runs, or waits for a connection, when they are closed. */
const closingMs = 5000;

/** Opens connections as they are needed. @param settings of each of them, whatever the address or the database says */
export function createConnections(options: PoolConfig, settings: SessionSettings = {}): Connections {
  const opening = [sessionStatements, settingStatement(settings), backendStatement].filter(Boolean).join('; ');
  const pool = new Pool({ ...options, Client: MessageClient });
  /** The open connections, each with the time of its last sign of life. */
  const heard = new Map<PoolClient, number>();
  /** Those who have a connection or wait for one. */
  const leases = new Set<Promise<void>>();
  let lostAt = 0;
  let closed: Promise<void> | null = null;
  // Nobody need hear of a loss but those who ask next; an `error` that nobody listens to would end the process.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => {
    client.on('error', () => undefined);
    heard.set(client, performance.now());
    // Whatever the database's default is: locks and counters are made for this level, under any other one writers at
    // the same time fail. It is the first that the connection is asked.
    client.query(opening).then(
      (answers: unknown) => noteBackend(client, answers),
      // A connection is never used without its settings: whatever is asked on it fails with the same error.
      (error: Error) => client.connection.stream.destroy(error),
    );
  });
  pool.on('remove', (client) => heard.delete(client));
  return {
    lend: async () => {
      const ended = enter(leases);
      try {
        const client = await soundClient(pool, (own) => (heard.get(own) ?? 0) >= lostAt);
        return leaseOf(client, {
          answered: () => void heard.set(client, performance.now()),
          lost: () => {
            lostAt = performance.now();
          },
          ended,
        });
      } catch (error) {
        ended();
        throw error;
      }
    },
    close: () => (closed ??= closeAll(pool, leases, heard)),
  };
}

/** @param answers those to the statements of the opening: `pg` gives an array where there are several */
function noteBackend(client: PoolClient, answers: unknown): void {
  const last: unknown = Array.isArray(answers) ? answers.at(-1) : answers;
  if (typeof last !== 'object' || last === null || !('rows' in last) || !Array.isArray(last.rows)) return;
  const row: unknown = last.rows[0];
  if (typeof row === 'object' && row !== null && 'id' in row && typeof row.id === 'number')
    backendIds.set(client, row.id);
}

/** Lends a connection for as long as `work` takes. */
export async function withLease<T>(connections: Connections, work: (lease: Lease) => Promise<T>): Promise<T> {
  const lease = await connections.lend();
  try {
    return await work(lease);
  } finally {
    lease.end();
  }
}

/**
 * For statements that are transactions of their own: one that was undone as a whole, since it met another, is simply
 * sent again, a few times.
 */
export function untilAlone(ask: Ask): Ask {
  return (question) =>
    ask(async (client) => {
      for (let time = 1; ; time += 1) {
        try {
          return await question(client);
        } catch (error) {
          if (!isCollision(error) || time === maxTries) throw error;
          await pause(Math.random() * 20 * time);
        }
      }
    });
}

const maxTries = 4;

/** Adds somebody; what it returns takes them out again. */
function enter(leases: Set<Promise<void>>): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  leases.add(promise);
  return () => {
    leases.delete(promise);
    resolve();
  };
}

/**
 * After a loss, connections that have not been heard of since are closed unused: whatever ended one has likely ended
 * them all.
 */
async function soundClient(pool: Pool, isSound: (client: PoolClient) => boolean): Promise<PoolClient> {
  for (;;) {
    const client = await pool.connect().catch((error: unknown) => {
      throw judged(error);
    });
    if (isSound(client)) return client;
    client.release(true);
    // It may be silent, and then never hears the farewell.
    client.connection.stream.destroy();
  }
}

function leaseOf(
  client: PoolClient,
  told: { readonly answered: () => void; readonly lost: () => void; readonly ended: () => void },
): Lease {
  let fault: { readonly error: unknown } | null = null;
  const ask: Ask = async (question) => {
    if (fault !== null) throw fault.error;
    try {
      const answer = await question(client);
      told.answered();
      return answer;
    } catch (caught) {
      const error = judged(caught);
      fault ??= { error };
      if (isLoss(error)) told.lost();
      throw error;
    }
  };
  return {
    ask,
    rollback: async () => void (await ask((own) => own.query('rollback')).catch(() => undefined)),
    end: () => {
      client.release(fault !== null);
      told.ended();
    },
  };
}

async function closeAll(
  pool: Pool,
  leases: ReadonlySet<Promise<void>>,
  open: ReadonlyMap<PoolClient, number>,
): Promise<void> {
  let isLate = false;
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(() => {
    isLate = true;
    late.resolve();
  }, closingMs);
  // The pool forgets those who wait for a connection when it is ended.
  while (leases.size > 0 && !isLate) await Promise.race([...leases, late.promise]);
  void pool.end();
  while (open.size > 0 && !isLate)
    await Promise.race([new Promise((resolve) => pool.once('remove', resolve)), late.promise]);
  clearTimeout(timer);
  // A server that vanished never hears the farewell, and its connection would hold up the end of the process.
  for (const client of open.keys()) client.connection.stream.destroy();
}
