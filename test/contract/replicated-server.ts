// A PostgreSQL server of a test's own with a streaming replica, both on loopback.
import { execFileSync } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { freePort } from '../../src/http/port-check.ts';
import { until } from './until.ts';

export interface ReplicatedServer {
  readonly primaryUrl: string;
  readonly replicaUrl: string;
  /** What is written from now on does not become visible on the replica, until `resume`. */
  readonly pause: () => Promise<void>;
  readonly resume: () => Promise<void>;
  /** Ends the replica as a power cut would; `startReplica` lets it come back. */
  readonly killReplica: () => void;
  readonly startReplica: () => void;
  /** Ends the replica's connection to the primary, until `reconnect`. */
  readonly cutOff: () => Promise<void>;
  readonly reconnect: () => Promise<void>;
  /** Writes what the replica has to its files. */
  readonly flushReplica: () => Promise<void>;
  /**
   * Kills one of the replica's processes, as a system without memory does: the server ends all connections, recovers as
   * far as its files are consistent, and answers again. What is in none of its files it does not have until `catchUp`.
   */
  readonly crashReplica: () => Promise<void>;
  readonly catchUp: () => Promise<void>;
  readonly onPrimary: (statement: string) => Promise<void>;
  /** Makes the replica a server of its own. */
  readonly promoteReplica: () => void;
  readonly remove: () => void;
}

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Starts both; some seconds. */
export async function startReplicatedServer(): Promise<ReplicatedServer> {
  const bin = execFileSync(join(root, '.ci/install-postgres'), { encoding: 'utf8' }).trim();
  // Short: the path of a socket has 107 bytes at most.
  const folder = mkdtempSync('/tmp/lc-replica-');
  const isRoot = process.getuid?.() === 0;
  // PostgreSQL refuses to run as root; its own user must be able to enter the folder.
  if (isRoot) {
    const id = (of: string): number => Number(execFileSync('id', [of, 'postgres'], { encoding: 'utf8' }));
    chownSync(folder, id('-u'), id('-g'));
  }
  const run = (program: string, ...options: string[]): void => {
    const [command = '', ...words] = isRoot
      ? ['runuser', '-u', 'postgres', '--', join(bin, program), ...options]
      : [join(bin, program), ...options];
    execFileSync(command, words, { cwd: '/', stdio: ['ignore', 'ignore', 'pipe'] });
  };
  const [primaryPort, replicaPort] = [await freePort('127.0.0.1', 0), await freePort('127.0.0.1', 0)];
  const [primary, replica] = [join(folder, 'primary'), join(folder, 'replica')];
  const start = (data: string, port: number): void =>
    run(
      'pg_ctl',
      ...['-D', data, '-s', '-w', '-l', `${data}.log`],
      ...['-o', `-p ${port} -k ${folder} -c listen_addresses=127.0.0.1 -c fsync=off`, 'start'],
    );
  const stop = (data: string): void => run('pg_ctl', '-D', data, '-m', 'immediate', '-s', 'stop');
  run('initdb', '-D', primary, '-U', 'postgres', '-E', 'UTF8', '--locale=C.UTF-8', '-A', 'trust');
  start(primary, primaryPort);
  run(
    'pg_basebackup',
    ...['-h', '127.0.0.1', '-p', String(primaryPort), '-U', 'postgres'],
    ...['-D', replica, '-R', '-X', 'stream', '-c', 'fast'],
  );
  start(replica, replicaPort);
  const urlOf = (port: number): string => `postgres://postgres@127.0.0.1:${port}/postgres`;
  const on = async (port: number, ...statements: readonly string[]): Promise<unknown> => {
    const client = new Client(urlOf(port));
    await client.connect();
    let last: unknown;
    for (const statement of statements) last = Object.values((await client.query(statement)).rows[0] ?? {})[0];
    await client.end();
    return last;
  };
  const onReplica = async (...statements: readonly string[]): Promise<void> =>
    void (await on(replicaPort, ...statements));
  const setOnReplica = (name: string, value: string): Promise<void> =>
    onReplica(`alter system set ${name} = ${value}`, 'select pg_reload_conf()');
  const crashReplica = async (): Promise<void> => {
    await setOnReplica('recovery_min_apply_delay', `'1d'`);
    const [killed, ended] = [new Client(urlOf(replicaPort)), new Client(urlOf(replicaPort))];
    for (const client of [killed, ended]) {
      client.on('error', () => undefined);
      await client.connect();
    }
    // Only once the server ends the others it has noticed.
    const noticed = new Promise((resolve) => ended.once('end', resolve));
    const { rows } = await killed.query('select pg_backend_pid() as id');
    process.kill(Number(rows[0]?.id), 'SIGKILL');
    await noticed;
    await until(() =>
      onReplica('select 1').then(
        () => true,
        () => false,
      ),
    );
  };
  return {
    primaryUrl: urlOf(primaryPort),
    replicaUrl: urlOf(replicaPort),
    pause: () => onReplica('select pg_wal_replay_pause()'),
    resume: () => onReplica('select pg_wal_replay_resume()'),
    cutOff: () => setOnReplica('primary_conninfo', `'host=127.0.0.1 port=9'`),
    reconnect: () => setOnReplica('primary_conninfo', `'host=127.0.0.1 port=${primaryPort} user=postgres'`),
    flushReplica: async () => {
      const written = await on(primaryPort, 'checkpoint', 'select pg_current_wal_lsn()::text');
      await until(async () => (await on(replicaPort, `select pg_last_wal_replay_lsn() >= '${written}'`)) === true);
      await onReplica('checkpoint');
    },
    crashReplica,
    catchUp: () => setOnReplica('recovery_min_apply_delay', '0'),
    onPrimary: async (statement) => void (await on(primaryPort, statement)),
    killReplica: () => stop(replica),
    startReplica: () => start(replica, replicaPort),
    promoteReplica: () => run('pg_ctl', '-D', replica, '-s', '-w', 'promote'),
    remove: () => {
      for (const data of [replica, primary])
        try {
          stop(data);
        } catch {
          // It was ended before.
        }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
