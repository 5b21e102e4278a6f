// Clients on the command line.
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { json, type Place, run, succeed, temporaryFolder } from './fixture.ts';

const redirect = ['--redirect', 'https://shop.example/callback'];

interface Made {
  readonly id: string;
  readonly createdAt: string;
  readonly disabledAt: string | null;
}

async function placeWithActivities(t: TestContext): Promise<Place> {
  const place = { folder: temporaryFolder(t) };
  for (const code of ['ACM', 'BLU']) await succeed(place, 'activity', 'add', code, code);
  return place;
}

describe('client add', () => {
  it('tells everything that is wrong at once, before storage is opened', async (t) => {
    const { code, stdout, stderr } = await run(
      { folder: temporaryFolder(t) },
      'client',
      'add',
      ' ',
      '--redirect',
      'http://shop.example/cb',
      'https://shop.example/#x',
      '--activity',
      'ACM',
    );
    assert.equal(code, 1);
    assert.equal(stdout, '');
    assert.match(stderr, /needs a name.*plain http on a host.*has a fragment.*Nothing was added\.\n$/);
  });

  it('refuses an activity that does not exist', async (t) => {
    const place = await placeWithActivities(t);
    const { code, stderr } = await run(
      place,
      'client',
      'add',
      'Shop',
      ...redirect,
      '--activity',
      'ACM',
      '--activity',
      'NOP',
    );
    assert.equal(code, 1);
    assert.match(stderr, /There is no activity "NOP"/);
    assert.deepEqual(await json<unknown>(place, 'client', 'list'), []);
  });

  it('prints the id, for a confidential one the secret too, and the secret never again', async (t) => {
    const place = await placeWithActivities(t);
    const open = await succeed(
      place,
      'client',
      'add',
      'Desk',
      '--redirect',
      'http://127.0.0.1/callback',
      '--activity',
      'ACM',
    );
    assert.match(open, /^client id: desk-[0-9a-z]{10}\n/);
    assert.doesNotMatch(open, /secret/);
    const closed = await succeed(place, 'client', 'add', 'Shop', ...redirect, '--activity', 'ACM', '--confidential');
    const secret = /^secret: +(lcs_\S+)$/m.exec(closed)?.[1] ?? assert.fail('no secret was shown');
    for (const list of [await succeed(place, 'client', 'list'), await succeed(place, 'client', 'list', '--json')]) {
      assert.ok(!list.includes(secret) && !list.includes('secret') && !list.includes('sha256'));
    }
  });

  it('takes several values after one option, and the option several times', async (t) => {
    const place = await placeWithActivities(t);
    const made = await json<Made>(
      place,
      'client',
      'add',
      'Shop',
      '--redirect',
      'https://a.example/',
      'https://b.example/',
      '--redirect',
      'https://c.example/',
      '--activity',
      'BLU',
      'ACM',
      '--read-only',
    );
    const { id, createdAt, ...rest } = made;
    assert.match(id, /^shop-/);
    assert.match(createdAt, /Z$/);
    assert.deepEqual(rest, {
      name: 'Shop',
      redirectUris: ['https://a.example/', 'https://b.example/', 'https://c.example/'],
      activityCodes: ['ACM', 'BLU'],
      readOnly: true,
      confidential: false,
      service: false,
      pkceRequired: true,
      platform: false,
      disabledAt: null,
      secret: null,
    });
  });
});

describe('client add --service and --no-pkce', () => {
  it('makes a confidential client that needs no redirect address, and no person for a token', async (t) => {
    const place = await placeWithActivities(t);
    const added = await succeed(place, 'client', 'add', 'Nightly', '--activity', 'ACM', '--service', '--read-only');
    assert.match(added, /^secret: +lcs_/m);
    const id = /^client id: (\S+)$/m.exec(added)?.[1] ?? '';
    assert.ok(added.includes(`token --client ${id}\n`));
    const [row] = (await succeed(place, 'client', 'list')).split('\n').slice(1);
    assert.deepEqual(row?.split('\t').slice(0, 5), [id, 'Nightly', 'ACM', 'read', 'confidential, service']);
    assert.match(await succeed(place, 'client', 'show', id), /confidential, service/);
    const [listed] = await json<{ service: boolean; pkceRequired: boolean }[]>(place, 'client', 'list');
    assert.deepEqual([listed?.service, listed?.pkceRequired], [true, true]);
    const token = (await succeed(place, 'token', '--client', id)).split('.')[1] ?? '';
    const { sub, client_id: clientId, activityCodes } = JSON.parse(Buffer.from(token, 'base64url').toString());
    assert.deepEqual([sub, clientId, activityCodes], [id, id, ['ACM']]);
    assert.match(await succeed(place, 'doctor').catch(String), /act for themselves: 1/);
  });

  it('leaves other clients without a token of their own, and in need of a redirect address', async (t) => {
    const place = await placeWithActivities(t);
    const refused = await run(place, 'client', 'add', 'Shop', '--activity', 'ACM', '--confidential');
    assert.deepEqual([refused.code, refused.stdout], [2, '']);
    assert.match(refused.stderr, /--redirect .* only a --service needs none/);
    const { id } = await json<Made>(place, 'client', 'add', 'Shop', ...redirect, '--activity', 'ACM', '--confidential');
    const { code, stderr } = await run(place, 'token', '--client', id);
    assert.equal(code, 1);
    assert.match(stderr, /is no service: it acts for a user\. Say which with --user/);
  });

  it('takes PKCE from confidential clients alone', async (t) => {
    const place = await placeWithActivities(t);
    const args = ['client', 'add', 'Old', ...redirect, '--activity', 'ACM', '--no-pkce'];
    const refused = await run(place, ...args);
    assert.deepEqual([refused.code, refused.stdout], [1, '']);
    assert.match(refused.stderr, /add --confidential, or leave out --no-pkce/);
    assert.deepEqual(await json<unknown>(place, 'client', 'list'), []);
    await succeed(place, ...args, '--confidential');
    assert.match(await succeed(place, 'client', 'list'), /confidential, no PKCE/);
  });
});

describe('client list and disable', () => {
  it('shows what an operator wants to see', async (t) => {
    const place = await placeWithActivities(t);
    const { id } = await json<Made>(
      place,
      'client',
      'add',
      'Shop',
      ...redirect,
      '--activity',
      'ACM',
      '--read-only',
      '--confidential',
    );
    const table = await succeed(place, 'client', 'list');
    const [, row] = table.split('\n');
    assert.deepEqual(
      row?.split('\t').filter((_cell, column) => column !== 5),
      [id, 'Shop', 'ACM', 'read', 'confidential', '', 'https://shop.example/callback'],
    );
  });

  it('refuses to disable a client that is not there', async (t) => {
    const place = await placeWithActivities(t);
    const { code, stderr } = await run(place, 'client', 'disable', 'nobody');
    assert.equal(code, 1);
    assert.match(stderr, /There is no client "nobody"/);
  });

  it('keeps the time of the first disabling', async (t) => {
    const place = await placeWithActivities(t);
    const { id } = await json<Made>(place, 'client', 'add', 'Shop', ...redirect, '--activity', 'ACM');
    const at = Date.UTC(2026, 1, 1);
    assert.equal(
      (await json<Made>({ ...place, now: () => at }, 'client', 'disable', id)).disabledAt,
      '2026-02-01T00:00:00.000Z',
    );
    assert.match(
      await succeed({ ...place, now: () => at + 60_000 }, 'client', 'disable', id),
      /disabled since 2026-02-01T00:00Z/,
    );
    assert.match(await succeed(place, 'client', 'list'), /2026-02-01T00:00Z/);
  });
});
