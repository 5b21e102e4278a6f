// Commands whose standard output cannot be written: what they tell on standard error, most of all of a secret that is
// shown once.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { clientSecretHash, findActiveClient } from '../../src/auth/clients.ts';
import { withStore } from '../../src/commands/storage.ts';
import { startedProgram } from '../contract/started-program.ts';
import { until } from '../contract/until.ts';
import { environmentOf, json, type Place, succeed, temporaryFolder } from './fixture.ts';

const full = '/dev/full';

/** Runs the real program with a full disk behind its standard output; what it says on standard error. */
function toldOnFullDisk({ folder, variables = {} }: Place, ...args: readonly string[]): string {
  const program = startedProgram();
  const output = openSync(full, 'w');
  const { status, stderr } = spawnSync(program.command, [...program.first, ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', HOME: folder, ...program.variables, ...variables },
    stdio: ['ignore', output, 'pipe'],
    encoding: 'utf8',
  });
  closeSync(output);
  assert.equal(status, 1, stderr);
  assert.doesNotMatch(stderr, /\n./, 'one line');
  return stderr;
}

describe('on a full disk', { skip: !existsSync(full) && `there is no ${full}` }, () => {
  it('a command says that its output could not be written', async (t) => {
    const place = { folder: temporaryFolder(t) };
    await succeed(place, 'activity', 'add', 'ACM', 'Acme');
    for (const words of [['activity', 'list'], ['activity', 'change', 'ACM', '--retention', 'orders=9'], ['--help']])
      assert.match(toldOnFullDisk(place, ...words), /^logistics-connect: The output could not be written: .*ENOSPC/);
    assert.match(await succeed(place, 'activity', 'list'), /orders=9/);
    const { error } = JSON.parse(toldOnFullDisk(place, 'activity', 'list', '--json'));
    assert.match(error.message, /^The output could not be written/);
  });

  it('a secret that nobody has seen is named, with what to do', async (t) => {
    const place = { folder: temporaryFolder(t) };
    await succeed(place, 'activity', 'add', 'ACM', 'Acme');
    for (const more of [[], ['--json']]) {
      const ofKey = toldOnFullDisk(place, 'key', 'add', `wms${more.length}`, '--all', ...more);
      const [, key = ''] =
        /ENOSPC.*Nobody has seen the key (\S+): run key revoke \1, and add another/.exec(ofKey) ?? [];
      await succeed(place, 'key', 'revoke', key);
      const redirect = ['--redirect', 'https://shop.example.com/back'];
      const named = ['Shop', '--activity', 'ACM', '--confidential', ...redirect];
      const ofClient = toldOnFullDisk(place, 'client', 'add', ...named, ...more);
      const [, client = ''] = /ENOSPC.*secret of the client (\S+): run client rotate-secret \1\./.exec(ofClient) ?? [];
      const ofSecret = toldOnFullDisk(place, 'client', 'rotate-secret', client, ...more);
      assert.match(ofSecret, /ENOSPC.*the new secret of the client (\S+): run client rotate-secret \1 again\./);
      const { secret } = await json<{ secret: string }>(place, 'client', 'rotate-secret', client);
      assert.ok(secret.length > 20);
    }
  });

  it('a secret that nobody has seen is taken back where the old one was kept', async (t) => {
    const place = { folder: temporaryFolder(t) };
    await succeed(place, 'activity', 'add', 'ACM', 'Acme');
    const redirect = ['--redirect', 'https://shop.example.com/back'];
    const named = ['Shop', '--activity', 'ACM', '--confidential', ...redirect];
    const { id, secret } = await json<{ id: string; secret: string }>(place, 'client', 'add', ...named);
    const hashes = (): Promise<readonly string[]> =>
      withStore(environmentOf(place), async (store) => {
        const found = await findActiveClient(store, id, Date.now());
        return found?.secretHashes ?? [];
      });
    for (const more of [[], ['--json']]) {
      const told = toldOnFullDisk(place, 'client', 'rotate-secret', id, '--keep-old', '24', ...more);
      assert.match(told, /ENOSPC.*The client \S+ has the same secret as before: nothing was changed\./);
      assert.deepEqual(await hashes(), [clientSecretHash(secret)]);
    }
    const entries = await succeed(place, 'audit', '--action', 'client.rotate-secret', '--json');
    assert.equal(entries.match(/"details":\{"takenBack":true\}/g)?.length, 2);
    assert.match(await succeed(place, 'client', 'rotate-secret', id, '--keep-old', '24'), /The old one is good until/);
    assert.equal((await hashes()).at(-1), clientSecretHash(secret));
  });
});

/** Arguments of a shell that runs a program whose files cannot grow beyond so many KiB, as on a full disk. */
const limited = (kib: number): readonly string[] => ['-c', `ulimit -f ${kib} && exec "$@"`, 'limited'];

it('a command that cannot open the database on a full disk says that the disk is full', async (t) => {
  const folder = temporaryFolder(t);
  await succeed({ folder }, 'activity', 'add', 'ACM', 'Acme');
  const program = startedProgram();
  // The files beside the database are made anew, and have no room.
  const { status, stderr } = spawnSync(
    '/bin/bash',
    [...limited(8), program.command, ...program.first, 'activity', 'list'],
    { cwd: folder, env: { PATH: process.env.PATH ?? '', HOME: folder, ...program.variables }, encoding: 'utf8' },
  );
  assert.equal(status, 1);
  assert.match(stderr, /^logistics-connect: The database file .* cannot be opened: the disk is full\. Make room .*\n$/);
});

const maxFileKib = 65_536;

describe('a server whose log has no room any more', () => {
  for (const workers of ['1', '2'])
    it(`goes on, and logs again once there is room, with WORKERS=${workers}`, async (t) => {
      const folder = temporaryFolder(t);
      const path = join(folder, 'server.log');
      const log = openSync(path, 'a', 0o600);
      truncateSync(path, maxFileKib * 1024 - 500);
      const program = startedProgram();
      const server = spawn(
        '/bin/bash',
        [...limited(maxFileKib), program.command, ...program.first, 'serve', '--json'],
        {
          cwd: folder,
          env: { PATH: process.env.PATH ?? '', HOME: folder, PORT: '0', WORKERS: workers, ...program.variables },
          stdio: ['ignore', 'pipe', log],
        },
      );
      t.after(() => server.kill('SIGKILL'));
      closeSync(log);
      const ended = once(server, 'exit');
      const [introduction] = await Promise.race([
        once(createInterface(server.stdout ?? assert.fail('it is a pipe')), 'line'),
        ended.then(([code]) => assert.fail(`it ended with ${code}`)),
      ]);
      const { baseUrl } = JSON.parse(introduction);
      const ask = async (): Promise<number> => (await fetch(`${baseUrl}/articles`)).status;
      // Each line has some 300 bytes: a few of these do not fit.
      for (let count = 0; count < 20; count += 1) {
        assert.equal(await ask(), 401);
        await pause(50);
      }
      assert.equal(statSync(path).size, maxFileKib * 1024, 'the log is full');
      truncateSync(path, 0);
      await until(async () => {
        assert.equal(await ask(), 401);
        return /^\{.*"status":401.*\}$/m.test(readFileSync(path, 'latin1'));
      });
      truncateSync(path, maxFileKib * 1024);
      assert.equal(await ask(), 401);
      server.kill('SIGTERM');
      assert.deepEqual(await ended, [0, null]);
    });
});
