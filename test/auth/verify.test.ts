// Who gets in with a genuine token, for how long, and what happens when clients, users, keys or storage change
// meanwhile.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { disableClient } from '../../src/auth/clients.ts';
import { createKeyRing } from '../../src/auth/keys.ts';
import { createCipher } from '../../src/auth/cipher.ts';
import { changePassword, disableUser, enableUser } from '../../src/auth/users.ts';
import { createVerifier } from '../../src/auth/verify.ts';
import { authUrl, baseUrl, openDatabase, openService, stoppedClock } from './fixture.ts';
import type { Service } from './fixture.ts';
import { forgeEs256, stolenKey } from './forge.ts';
import { refusalOf } from './refusal.ts';
import { changeRows, removeRows, renameTable, run } from '../contract/database.ts';
import { oauthClientTable, signingKeyTable, userAccountTable } from '../../src/store/tables/access.ts';
import { sql } from '../../src/store/statement.ts';

/** A token with our signature whose claims are changed. */
async function tokenWith(service: Service, changes: Readonly<Record<string, unknown>>): Promise<string> {
  const { kid, key } = await stolenKey(service.keys);
  const [, body = ''] = (await service.issue()).split('.');
  const payload: Record<string, unknown> = JSON.parse(Buffer.from(body, 'base64url').toString());
  return forgeEs256({ alg: 'ES256', typ: 'at+jwt', kid }, { ...payload, ...changes }, key);
}

describe('a caller', () => {
  it('is the client and the user of the token, with the activities that both have', async (t) => {
    const service = await openService(t);
    assert.deepEqual(await service.verify(`Bearer ${await service.issue()}`), {
      kind: 'client',
      clientId: service.client.id,
      subject: service.user.id,
      activityCodes: ['BBB'],
      readOnly: false,
    });
  });

  it('is read-only when the client is', async (t) => {
    const service = await openService(t, { readOnly: true });
    assert.equal((await service.verify(`Bearer ${await service.issue()}`)).readOnly, true);
  });

  it('comes in again and again until the token expires, give or take five seconds', async (t) => {
    const service = await openService(t);
    const header = `Bearer ${await service.issue()}`;
    for (let minute = 0; minute < 60; minute += 1) {
      await service.verify(header);
      service.clock.advance(60_000);
    }
    await service.verify(header);
    service.clock.advance(4_999);
    await service.verify(header);
    service.clock.advance(1);
    assert.match((await refusalOf(service.verify(header))).challenge ?? '', /error_description="The token expired"/);
  });
});

describe('many requests at once with a token for an activity that its user has lost', () => {
  it('have the user read anew once', async (t) => {
    const service = await openService(t);
    const { store, keys, clock } = service;
    const header = `Bearer ${await tokenWith(service, { activityCodes: ['AAA', 'BBB'] })}`;
    let reads = 0;
    const users = {
      ...store.users,
      active: (id: string) => {
        reads += 1;
        return store.users.active(id);
      },
    };
    const verify = createVerifier({
      ...{ store: { ...store, users }, keys, authUrl, baseUrl, now: clock.now },
      onStorageError: (error) => assert.fail(String(error)),
    });
    const found = await Promise.all(Array.from({ length: 100 }, () => verify(header)));
    assert.ok(found.every(({ activityCodes }) => activityCodes.join() === 'BBB'));
    // Nothing was known before, so it is read twice.
    assert.equal(reads, 2);
    assert.equal((await verify(header)).activityCodes.join(), 'BBB');
    assert.equal(reads, 2);
  });
});

describe('a genuine token', () => {
  for (const scope of [undefined, '', 'openid', 'svc_connect2', 'xsvc_connect', ['svc_connect'], 7]) {
    it(`with the scope ${JSON.stringify(scope)} is refused as 403 insufficient_scope`, async (t) => {
      const service = await openService(t);
      const refusal = await refusalOf(service.verify(`Bearer ${await tokenWith(service, { scope })}`));
      assert.deepEqual([refusal.slug, refusal.status], ['insufficient-scope', 403]);
      assert.match(
        refusal.challenge ?? '',
        /^Bearer realm="logistics", error="insufficient_scope", scope="svc_connect", resource_metadata="/,
      );
    });
  }

  it('needs the scope among others only', async (t) => {
    const service = await openService(t);
    assert.equal(
      (await service.verify(`Bearer ${await tokenWith(service, { scope: 'openid svc_connect' })}`)).subject,
      service.user.id,
    );
  });

  for (const activityCodes of [undefined, null, [], 'BBB', ['BBB', 7], { 0: 'BBB' }, ['AAA'], ['ZZZ'], ['*']]) {
    it(`with the activities ${JSON.stringify(activityCodes)} is refused as 403 activity-forbidden`, async (t) => {
      const service = await openService(t);
      const refusal = await refusalOf(service.verify(`Bearer ${await tokenWith(service, { activityCodes })}`));
      assert.deepEqual([refusal.slug, refusal.status, refusal.challenge], ['activity-forbidden', 403, undefined]);
    });
  }

  it('never opens more than it says itself', async (t) => {
    const service = await openService(t);
    await changeRows(service.store, userAccountTable, { activityCodes: ['AAA', 'BBB', 'CCC'] });
    assert.deepEqual((await service.verify(`Bearer ${await service.issue()}`)).activityCodes, ['BBB']);
  });
});

describe('within a minute, a token in hand', () => {
  const changes: readonly (readonly [name: string, change: (service: Service) => Promise<unknown>, slug: string])[] = [
    [
      'stops when its client is disabled',
      (service) => disableClient(service.store, service.client.id, service.clock.now()),
      'invalid-token',
    ],
    ['stops when its client is gone', (service) => removeRows(service.store, oauthClientTable), 'invalid-token'],
    [
      'stops when its user is disabled',
      (service) => disableUser(service.store, 'mia', service.clock.now()),
      'invalid-token',
    ],
    ['stops when its user is gone', (service) => removeRows(service.store, userAccountTable), 'invalid-token'],
    [
      'stops when the client loses the activity',
      (service) => changeRows(service.store, oauthClientTable, { activityCodes: ['AAA'] }),
      'activity-forbidden',
    ],
    [
      'stops when the user loses the activity',
      (service) => changeRows(service.store, userAccountTable, { activityCodes: [] }),
      'activity-forbidden',
    ],
  ];
  for (const [name, change, slug] of changes) {
    it(name, async (t) => {
      const service = await openService(t);
      const header = `Bearer ${await service.issue()}`;
      await service.verify(header);
      await change(service);
      service.clock.advance(30_000);
      assert.equal((await refusalOf(service.verify(header))).slug, slug);
    });
  }

  it('loses one of several activities, and the right to write', async (t) => {
    const service = await openService(t);
    await changeRows(service.store, userAccountTable, { activityCodes: ['AAA', 'BBB'] });
    const header = `Bearer ${await tokenWith(service, { activityCodes: ['AAA', 'BBB'] })}`;
    assert.deepEqual((await service.verify(header)).activityCodes, ['AAA', 'BBB']);
    await changeRows(service.store, oauthClientTable, { activityCodes: ['AAA'], readOnly: true });
    service.clock.advance(30_000);
    const principal = await service.verify(header);
    assert.deepEqual([principal.activityCodes, principal.readOnly], [['AAA'], true]);
  });

  const revivals: readonly (readonly [whose: string, end: (service: Service) => Promise<unknown>])[] = [
    ['client', (service) => disableClient(service.store, service.client.id, service.clock.now())],
    ['user', (service) => disableUser(service.store, 'mia', service.clock.now())],
  ];
  for (const [whose, end] of revivals) {
    it(`stays dead when its ${whose} is disabled and enabled again, while new ones work at once`, async (t) => {
      const service = await openService(t);
      const header = `Bearer ${await service.issue()}`;
      await service.verify(header);
      await end(service);
      await changeRows(service.store, oauthClientTable, { disabledAt: null });
      await enableUser(service.store, 'mia');
      await service.verify(`Bearer ${await service.issue()}`);
      service.clock.advance(30_000);
      assert.equal((await refusalOf(service.verify(header))).slug, 'invalid-token');
    });
  }

  it('stops when its user gets another password', async (t) => {
    const service = await openService(t);
    const header = `Bearer ${await service.issue()}`;
    await service.verify(header);
    await changePassword(service.store, 'mia', 'short boats carry light feathers', service.clock.now());
    service.clock.advance(30_000);
    assert.equal((await refusalOf(service.verify(header))).slug, 'invalid-token');
  });

  it('stops when the client is disabled although the clock was set back', async (t) => {
    const service = await openService(t);
    const header = `Bearer ${await service.issue()}`;
    await service.verify(header);
    await disableClient(service.store, service.client.id, service.clock.now());
    service.clock.advance(-1);
    assert.equal((await refusalOf(service.verify(header))).slug, 'invalid-token');
  });
});

describe('a withdrawn signing key', () => {
  it('is believed no longer after two minutes', async (t) => {
    const service = await openService(t);
    const header = `Bearer ${await service.issue()}`;
    await service.verify(header);
    await removeRows(service.store, signingKeyTable);
    service.clock.advance(60_000);
    assert.equal((await refusalOf(service.verify(header))).slug, 'invalid-token');
  });
});

describe('storage that is away', () => {
  it('is a 503 for clients, never a 401, and is reported; afterwards all is well', async (t) => {
    const service = await openService(t);
    const header = `Bearer ${await service.issue()}`;
    await service.verify(header);
    await renameTable(service.store, 'oauth_client', 'away');
    await service.verify(header);
    assert.equal(service.storageErrors.length, 0);
    service.clock.advance(30_000);
    const refusal = await refusalOf(service.verify(header));
    assert.deepEqual([refusal.slug, refusal.status, refusal.challenge], ['unavailable', 503, undefined]);
    assert.equal(service.storageErrors.length, 1);
    await renameTable(service.store, 'away', 'oauth_client');
    await service.verify(header);
  });

  it('is a 503 too when the keys cannot be read', async (t) => {
    const service = await openService(t);
    const header = `Bearer ${await service.issue()}`;
    const { store } = await openDatabase(t);
    await run(store, sql`drop table signing_key`);
    const keys = createKeyRing({ store, cipher: createCipher(null), now: stoppedClock().now });
    const verify = createVerifier({
      store,
      keys,
      authUrl,
      baseUrl,
      now: stoppedClock().now,
      onStorageError: () => undefined,
    });
    assert.equal((await refusalOf(verify(header))).slug, 'unavailable');
  });
});

describe('many calls at once', () => {
  it('with one token get the same caller', async (t) => {
    const service = await openService(t);
    const header = `Bearer ${await service.issue()}`;
    const callers = await Promise.all(Array.from({ length: 50 }, () => service.verify(header)));
    assert.deepEqual(new Set(callers.map((principal) => JSON.stringify(principal))).size, 1);
  });
});
