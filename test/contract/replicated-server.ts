// A PostgreSQL server of a test's own with a streaming replica, both on loopback.
import { execFileSync } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { freePort } from '../../src/http/port-check.ts';

export interface ReplicatedServer {
  readonly primaryUrl: string;
  readonly replicaUrl: string;
  /** What is written from now on does not become visible on the replica, until `resume`. */
  readonly pause: () => Promise<void>;
  readonly resume: () => Promise<void>;
  /** Ends the replica as a power cut would; `startReplica` lets it come back. */
  readonly killReplica: () => void;
  readonly startReplica: () => void;
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
  const onReplica = async (statement: string): Promise<void> => {
    const client = new Client(urlOf(replicaPort));
    await client.connect();
    await client.query(statement);
    await client.end();
  };
  return {
    primaryUrl: urlOf(primaryPort),
    replicaUrl: urlOf(replicaPort),
    pause: () => onReplica('select pg_wal_replay_pause()'),
    resume: () => onReplica('select pg_wal_replay_resume()'),
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
