// Platform keys on the command line.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { definitions } from '../../src/resources/index.ts';
import { openStore } from '../../src/store/open.ts';
import { json, type Place, run, succeed, temporaryFolder } from './fixture.ts';

interface Shown {
  readonly id: string;
  readonly key: string;
  readonly activityCodes: readonly string[] | null;
  readonly platformUrl: string | null;
  readonly revokedAt: string | null;
}

async function placeWithActivities(t: TestContext): Promise<Place> {
  const place = { folder: temporaryFolder(t) };
  for (const code of ['ACM', 'BLU']) await succeed(place, 'activity', 'add', code, code);
  return place;
}

describe('key add', () => {
  for (const options of [[], ['--all', '--activity', 'ACM']]) {
    it(`with ${options.join(' ') || 'neither --activity nor --all'} is wrong usage`, async (t) => {
      const { code, stdout, stderr } = await run({ folder: temporaryFolder(t) }, 'key', 'add', 'WMS', ...options);
      assert.deepEqual([code, stdout], [2, '']);
      assert.match(stderr, /either --activity CODE.* or --all\. See: \.\/logistics-connect key add --help\n$/);
    });
  }

  it('tells what is wrong with the name before storage is opened', async (t) => {
    const { code, stderr } = await run({ folder: temporaryFolder(t) }, 'key', 'add', ' ', '--all');
    assert.equal(code, 1);
    assert.match(stderr, /A key needs a name.*Nothing was added\.\n$/);
  });

  it('refuses an activity that does not exist, and leaves nothing', async (t) => {
    const place = await placeWithActivities(t);
    const { code, stderr } = await run(place, 'key', 'add', 'WMS', '--activity', 'ACM', 'NOP');
    assert.equal(code, 1);
    assert.match(stderr, /There is no activity "NOP"/);
    assert.deepEqual(await json<unknown>(place, 'key', 'list'), []);
    assert.doesNotMatch(await succeed(place, 'audit', '--json'), /key\.add/);
  });

  it('shows the key once, with a line to try it, and never again', async (t) => {
    const place = await placeWithActivities(t);
    const told = await succeed(
      { ...place, variables: { BASE_URL: 'https://api.example.com/v1' } },
      'key',
      'add',
      'WMS',
      '--activity',
      'BLU',
      '--activity',
      'ACM',
    );
    const [, key = '', id = ''] =
      /^key: +(lck_([0-9a-z]{12})_[\w-]{43})$/m.exec(told) ?? assert.fail('no key was shown');
    assert.match(told, new RegExp(`^key id: ${id}\nroles:  outbox\n`));
    assert.match(told, /^Platform URL: https:\/\/api\.example\.com\/platform$/m);
    assert.ok(
      told.includes(`curl -sS -H 'Authorization: Bearer ${key}' 'https://api.example.com/platform/outbox?limit=2'`),
    );
    for (const line of [['key', 'list'], ['key', 'list', '--json'], ['audit'], ['audit', '--json']]) {
      const listed = await succeed(place, ...line);
      assert.ok(listed.includes(id) && !listed.includes(key.slice(17)) && !listed.includes('sha256'));
    }
  });

  it('takes roles, once or several times, and says which there are', async (t) => {
    const place = await placeWithActivities(t);
    const rolesOf = async (...options: readonly string[]): Promise<unknown> =>
      (await json<{ roles: unknown }>(place, 'key', 'add', 'X', '--all', ...options)).roles;
    assert.deepEqual(await rolesOf(), ['outbox']);
    assert.deepEqual(await rolesOf('--role', 'audit'), ['audit']);
    assert.deepEqual(await rolesOf('--role', 'audit', '--role', 'outbox', '--role', 'audit'), ['outbox', 'audit']);
    assert.deepEqual(await rolesOf('--role', 'feed', 'outbox'), ['outbox', 'feed']);
    assert.match(
      await succeed(place, 'key', 'add', 'SIEM', '--all', '--role', 'audit'),
      /^roles: {2}audit$[\s\S]*\/platform\/audit\?limit=2'$/m,
    );
    assert.doesNotMatch(await succeed(place, 'key', 'add', 'Feed', '--all', '--role', 'feed'), /curl/);
    const { code, stdout, stderr } = await run(place, 'key', 'add', 'WMS', '--all', '--role', 'Audit', 'all');
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(
      stderr,
      /no role "Audit", "all": the roles are outbox, feed, stock, shipping, audit, operations, admin.* Nothing/,
    );
    assert.deepEqual((await json<{ roles: unknown }[]>(place, 'key', 'list'))[1]?.roles, ['audit']);
  });

  it('leaves the line out where only the server knows its port', async (t) => {
    const place = await placeWithActivities(t);
    assert.doesNotMatch(await succeed({ ...place, variables: { PORT: '0' } }, 'key', 'add', 'WMS', '--all'), /curl/);
    assert.match(
      await succeed(
        { ...place, variables: { PORT: '0', BASE_URL: 'http://localhost:81/v1' } },
        'key',
        'add',
        'WMS',
        '--all',
      ),
      /'http:\/\/localhost:81\/platform\/outbox/,
    );
  });

  it('writes everything as JSON', async (t) => {
    const place = await placeWithActivities(t);
    const some = await json<Shown>(place, 'key', 'add', 'WMS', '--activity', 'BLU', 'ACM');
    assert.match(some.key, new RegExp(`^lck_${some.id}_`));
    assert.deepEqual(
      [some.activityCodes, some.platformUrl, some.revokedAt],
      [['ACM', 'BLU'], 'http://localhost:8080/platform', null],
    );
    assert.equal((await json<Shown>(place, 'key', 'add', 'WMS', '--all')).activityCodes, null);
  });
});

describe('key add --help', () => {
  it('says where the platform interface is', async (t) => {
    const told = (await succeed({ folder: temporaryFolder(t) }, 'key', 'add', '--help')).replaceAll(/\s+/g, ' ');
    assert.match(told, /PLATFORM_URL, by default \/platform at the host of BASE_URL/);
    assert.match(told, /PLATFORM_URL Public address of the platform interface/);
  });
});

describe('key list and revoke', () => {
  it('shows what an operator wants to see', async (t) => {
    const place = await placeWithActivities(t);
    const at = Date.UTC(2026, 1, 1);
    const { id } = await json<Shown>({ ...place, now: () => at }, 'key', 'add', 'WMS', '--activity', 'ACM', 'BLU');
    const [headings, row] = (await succeed(place, 'key', 'list')).split('\n');
    assert.equal(headings, 'ID\tNAME\tACTIVITIES\tROLES\tCREATED\tLAST USED\tREVOKED');
    assert.deepEqual(row?.split('\t'), [id, 'WMS', 'ACM BLU', 'outbox', '2026-02-01T00:00Z', '', '']);
    await json({ ...place, now: () => at + 1 }, 'key', 'add', 'Other', '--all');
    assert.match(await succeed(place, 'key', 'list'), /\tOther\tall\toutbox\t/);
  });

  it('refuses to revoke a key that is not there', async (t) => {
    const place = await placeWithActivities(t);
    const { code, stderr } = await run(place, 'key', 'revoke', 'nothing');
    assert.equal(code, 1);
    assert.match(stderr, /There is no key "nothing"/);
  });

  it('tells that the outbox waits for a consumer that went with its key', async (t) => {
    const place = await placeWithActivities(t);
    const { id } = await json<Shown>(place, 'key', 'add', 'WMS', '--all');
    const other = await json<Shown>(place, 'key', 'add', 'BI', '--all');
    const store = await openStore({ dataDir: join(place.folder, 'data'), databaseUrl: null }, definitions);
    await store.outbox.noteDelivered(id, { ACM: 0 });
    await store.close();
    assert.match(
      await succeed(place, 'key', 'revoke', id),
      new RegExp(`The outbox still keeps .* outbox forget ${id}\n$`),
    );
    assert.doesNotMatch(await succeed(place, 'key', 'revoke', other.id), /outbox/);
  });

  it('keeps the time of the first revocation', async (t) => {
    const place = await placeWithActivities(t);
    const { id } = await json<Shown>(place, 'key', 'add', 'WMS', '--all');
    const at = Date.UTC(2026, 1, 1);
    assert.equal(
      (await json<Shown>({ ...place, now: () => at }, 'key', 'revoke', id)).revokedAt,
      '2026-02-01T00:00:00.000Z',
    );
    assert.match(
      await succeed({ ...place, now: () => at + 60_000 }, 'key', 'revoke', id),
      /revoked since 2026-02-01T00:00Z; it opens nothing any more/,
    );
  });
});
