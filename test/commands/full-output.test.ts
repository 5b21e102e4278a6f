// Commands whose standard output cannot be written: what they tell on standard error, most of all of a secret that is
// shown once.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { describe, it } from 'node:test';
import { clientSecretHash, findActiveClient } from '../../src/auth/clients.ts';
import { withStore } from '../../src/commands/storage.ts';
import { startedProgram } from '../contract/started-program.ts';
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
