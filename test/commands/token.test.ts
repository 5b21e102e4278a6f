// The command `token`.
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { decodeJwt } from 'jose';
import { goodPassword, json, type Place, run, succeed, temporaryFolder } from './fixture.ts';

interface Printed {
  readonly accessToken: string;
  readonly expiresAt: string;
  readonly activityCodes: readonly string[];
  readonly baseUrl: string;
  readonly tokenType: string;
}

/** A client for ACM and BLU, a user mia for BLU and CYA, a user zoe for CYA alone. */
async function placeWithAccess(t: TestContext): Promise<{ readonly place: Place; readonly client: string }> {
  const place = { folder: temporaryFolder(t) };
  for (const code of ['ACM', 'BLU', 'CYA']) await succeed(place, 'activity', 'add', code, code);
  const { id } = await json<{ id: string }>(
    place,
    'client',
    'add',
    'Shop',
    '--redirect',
    'https://shop.example/cb',
    '--activity',
    'ACM',
    'BLU',
  );
  await succeed({ ...place, stdin: goodPassword }, 'user', 'add', 'mia', '--activity', 'BLU', 'CYA');
  await succeed({ ...place, stdin: goodPassword }, 'user', 'add', 'zoe', '--activity', 'CYA');
  return { place, client: id };
}

describe('token', () => {
  it('refuses who does not exist, is disabled, or has nothing in common', async (t) => {
    const { place, client } = await placeWithAccess(t);
    const refused = async (clientId: string, login: string, said: RegExp): Promise<void> => {
      const { code, stdout, stderr } = await run(place, 'token', '--client', clientId, '--user', login);
      assert.deepEqual([code, stdout], [1, '']);
      assert.match(stderr, said);
    };
    await refused('nobody', 'mia', /There is no client "nobody"/);
    await refused(client, 'nobody', /There is no user "nobody"/);
    await refused(client, 'zoe', /no activity in common/);
    await succeed(place, 'user', 'disable', 'mia');
    await refused(client, 'mia', /user "mia" is disabled/);
    await succeed(place, 'client', 'disable', client);
    await refused(client, 'zoe', /client ".*" is disabled/);
  });

  it('needs the addresses when the port is not known', async (t) => {
    const { place, client } = await placeWithAccess(t);
    const { code, stderr } = await run(
      { ...place, variables: { PORT: '0', BASE_URL: 'https://api.example/v1' } },
      'token',
      '--client',
      client,
      '--user',
      'mia',
    );
    assert.equal(code, 1);
    assert.match(stderr, /PORT is 0.*Set BASE_URL and AUTH_URL/);
  });

  it('refuses a SECRET_KEY other than the one that encrypted the keys', async (t) => {
    const { place, client } = await placeWithAccess(t);
    await succeed(
      { ...place, variables: { SECRET_KEY: 'k'.repeat(32) } },
      'token',
      '--client',
      client,
      '--user',
      'mia',
    );
    for (const [variables, said] of [
      [{}, /SECRET_KEY is not set/],
      [{ SECRET_KEY: 'j'.repeat(32) }, /another secret than SECRET_KEY/],
      [{ SECRET_KEY: 'short' }, /at least 32/],
    ] as const) {
      const { code, stderr } = await run({ ...place, variables }, 'token', '--client', client, '--user', 'mia');
      assert.equal(code, 1);
      assert.match(stderr, said);
    }
  });

  it('prints the token alone', async (t) => {
    const { place, client } = await placeWithAccess(t);
    const { stdout, stderr } = await run(place, 'token', '--client', client, '--user', 'MIA');
    assert.match(stdout, /^[\w-]+\.[\w-]+\.[\w-]+\n$/);
    assert.equal(stderr, '');
    const { iss, aud, activityCodes } = decodeJwt(stdout.trim());
    assert.deepEqual([iss, aud, activityCodes], ['http://localhost:8080', 'http://localhost:8080/v1', ['BLU']]);
  });

  it('says with --json how long it is valid and for what', async (t) => {
    const { place, client } = await placeWithAccess(t);
    const at = Date.UTC(2026, 0, 31, 8);
    const variables = { BASE_URL: 'https://api.example/v1/', AUTH_URL: 'https://auth.example' };
    const { accessToken, ...rest } = await json<Printed>(
      { ...place, variables, now: () => at },
      'token',
      '--client',
      client,
      '--user',
      'mia',
    );
    assert.deepEqual(rest, {
      tokenType: 'Bearer',
      expiresAt: '2026-01-31T09:00:00.000Z',
      activityCodes: ['BLU'],
      baseUrl: 'https://api.example/v1',
    });
    assert.deepEqual(
      [decodeJwt(accessToken).iss, decodeJwt(accessToken).aud],
      ['https://auth.example', 'https://api.example/v1'],
    );
  });
});
