// The connections to a PostgreSQL server: each is lent to one user at a time, and closed on the slightest doubt about
// it.
import { setTimeout as pause } from 'node:timers/promises';
import { Pool, type PoolClient, type PoolConfig } from 'pg';
import { isCollision, isLoss, classified } from './postgres-faults.ts';
import { MessageClient } from './postgres-messages.ts';
import { createRoom, type PoolFamily } from './postgres-room.ts';

/** Sends statements to the server on one connection. */
export type Ask = <T>(question: (client: PoolClient) => Promise<T>) => Promise<T>;

/** A connection lent to one user. */
export interface Lease {
  /** After a failure, all further calls fail with the same error, and nothing more is sent. */
  readonly ask: Ask;
  /** Never fails: if the rollback cannot be sent, the connection is closed, which undoes everything too. */
  readonly rollback: () => Promise<void>;
  /** Gives the connection back, or closes it after a failure. */
  readonly end: () => void;
}

export interface Connections {
  readonly lend: () => Promise<Lease>;
  /** Closes all connections; work on them has `closingMs` to end. Calling again does nothing. */
  readonly close: () => Promise<void>;
}

/**
 * Settings of a server by name, for the statements of some connections; ones that the server does not know are skipped.
 * They are set by statements rather than startup parameters, because a pooler such as PgBouncer refuses most of those.
 */
export type SessionSettings = Readonly<Record<string, string>>;

/** Long texts are compressed with lz4, several times as fast as pglz, if the server was built with it. */
const sessionStatements = `
  set session characteristics as transaction isolation level read committed;
  select set_config(name, 'lz4', false) from pg_settings
  where name = 'default_toast_compression' and 'lz4' = any(enumvals)
`;

/** What the statements rely on, whatever the role or the database specifies. */
const reliedOn: SessionSettings = {
  // Numbers are read as they were written: with 0, which was the default before PostgreSQL 12, digits are missing.
  extra_float_digits: '1',
  // A null in the text form of an array is not the text 'null'.
  array_nulls: 'on',
  // Writers wait in line for the counters of an activity; the time limit of statements ends that.
  lock_timeout: '0',
  // Each statement and each pause is limited, but a snapshot may be read for hours (PostgreSQL 17).
  transaction_timeout: '0',
  // The pool closes idle connections before they are lent again, and the one of a process lock must stay.
  idle_session_timeout: '0',
};

/** The statement by which a session adopts the settings. */
export function settingStatement(settings: SessionSettings): string {
  const wanted = Object.entries(settings).map(([name, value]) => `('${name}', '${value}')`);
  return `select set_config(known.name, wanted.value, false)
    from (values ${wanted.join(', ')}) as wanted(name, value) join pg_settings as known on known.name = wanted.name`;
}

/** The server process that works for the session: behind a pooler it is not the one that the pooler names. */
const backendStatement = 'select pg_backend_pid() as id';

/** The server process that works for each connection, once the server has reported it. */
const backendIds = new WeakMap<PoolClient, number>();

/** The id of the server process that works for a connection; null: unknown. */
export function backendIdOf(client: PoolClient): number | null {
  return backendIds.get(client) ?? null;
}

/** Time for running work, or waits for a connection, when the connections are closed. */
const closingMs = 5000;

/** Most connections of a pool, and the longest wait for one, unless the options say otherwise. */
const usualMax = 10;
const usualWaitMs = 10_000;

/** What a pool has beside it. */
export interface Surroundings {
  /** Other pools of this process on the same server. */
  readonly family?: PoolFamily;
  /** False: while the server allows no connection at all, whoever asks fails at once, as another server may answer. */
  readonly waitsForFirst?: boolean;
  /** Is called each time that the server refuses a connection because it allows no more. */
  readonly refused?: () => void;
  /** Is called when a connection ends that nobody used; who uses one learns it by the failure. */
  readonly lost?: (error: unknown) => void;
}

/**
 * Opens connections as they are needed. If the server allows fewer, those that there are serve everybody.
 * @param settings for each of them, whatever the address or the database specifies
 */
export function createConnections(
  options: PoolConfig,
  settings: SessionSettings = {},
  { family = new Set(), waitsForFirst = true, refused = () => undefined, lost = () => undefined }: Surroundings = {},
): Connections {
  const { max = usualMax, connectionTimeoutMillis: maxWaitMs = usualWaitMs } = options;
  const opening = [sessionStatements, settingStatement({ ...reliedOn, ...settings }), backendStatement].join('; ');
  const pool = new Pool({ ...options, max, Client: MessageClient });
  /** The open connections, each with the time of its last sign of life. */
  const heard = new Map<PoolClient, number>();
  /** The users that hold a connection or wait for one. */
  const leases = new Set<Promise<void>>();
  let lostAt = 0;
  let closed: Promise<void> | null = null;
  // An `error` event without a listener would end the process.
  pool.on('error', lost);
  pool.on('connect', (client) => {
    client.on('error', () => undefined);
    heard.set(client, performance.now());
    // Overrides the database's default: locks and counters are designed for this isolation level, and under any other,
    // concurrent writers fail. It is the first statement on the connection.
    client.query(opening).then(
      (answers: unknown) => noteBackend(client, answers),
      // A connection is never used without its settings: any statement on it fails with the same error.
      (error: Error) => client.connection.stream.destroy(error),
    );
  });
  pool.on('remove', (client) => heard.delete(client));
  const room = createRoom({ pool, max, maxWaitMs, waitsForFirst, refused, opened: () => heard.size, family });
  return {
    lend: async () => {
      const ended = enter(leases);
      try {
        const client = await soundClient(room.connect, (own) => (heard.get(own) ?? 0) >= lostAt);
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

/** @param answers to the opening statements: `pg` returns an array if there are several */
function noteBackend(client: PoolClient, answers: unknown): void {
  const last: unknown = Array.isArray(answers) ? answers.at(-1) : answers;
  if (typeof last !== 'object' || last === null || !('rows' in last) || !Array.isArray(last.rows)) return;
  const row: unknown = last.rows[0];
  if (typeof row === 'object' && row !== null && 'id' in row && typeof row.id === 'number')
    backendIds.set(client, row.id);
}

/** Borrows a connection while `work` runs. */
export async function withLease<T>(connections: Connections, work: (lease: Lease) => Promise<T>): Promise<T> {
  const lease = await connections.lend();
  try {
    return await work(lease);
  } finally {
    lease.end();
  }
}

/**
 * For statements that are transactions of their own: one that was rolled back as a whole because of a conflict is
 * simply sent again, a few times.
 */
export function retryOnConflict(ask: Ask): Ask {
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

/** Adds a user; the returned function removes it. */
function enter(leases: Set<Promise<void>>): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  leases.add(promise);
  return () => {
    leases.delete(promise);
    resolve();
  };
}

/** After a loss, connections not heard from since are closed unused: whatever ended one has probably ended them all. */
async function soundClient(
  connect: () => Promise<PoolClient>,
  isSound: (client: PoolClient) => boolean,
): Promise<PoolClient> {
  for (;;) {
    const client = await connect().catch((error: unknown) => {
      throw classified(error);
    });
    if (isSound(client)) return client;
    client.release(true);
    // The connection may be dead, and a farewell would never arrive.
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
      const error = classified(caught);
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
  // When the pool is ended, it forgets those who wait for a connection.
  while (leases.size > 0 && !isLate) await Promise.race([...leases, late.promise]);
  void pool.end();
  while (open.size > 0 && !isLate)
    await Promise.race([new Promise((resolve) => pool.once('remove', resolve)), late.promise]);
  clearTimeout(timer);
  // A server that vanished never receives the farewell, and its connection would delay the end of the process.
  for (const client of open.keys()) client.connection.stream.destroy();
}
