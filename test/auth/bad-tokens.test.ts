// What tokens and keys that somebody makes up cost: a bound that is far below that of good ones, and nothing for
// anybody else.
import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createHook } from 'node:async_hooks';
import { describe, it, type TestContext } from 'node:test';
import { createPlatformAccess } from '../../src/auth/platform-access.ts';
import { addPlatformKey } from '../../src/auth/platform-keys.ts';
import type { PlatformKeys } from '../../src/store/platform-keys.ts';
import { openDatabase, openService, stoppedClock } from './fixture.ts';
import { refusalOf } from './refusal.ts';

/** Counts checks of signatures while the test runs. */
function signatureChecks(t: TestContext): () => number {
  let count = 0;
  const hook = createHook({
    init: (_id, type) => {
      if (type === 'SIGNREQUEST') count += 1;
    },
  }).enable();
  t.after(() => hook.disable());
  return () => count;
}

/** The token with another signature; each number makes another one. */
function forged(token: string, number: number): string {
  const [header, payload, signature = ''] = token.split('.');
  const bytes = Buffer.from(signature, 'base64url');
  bytes.writeUInt32BE((bytes.readUInt32BE(4) ^ (number + 1)) >>> 0, 4);
  return [header, payload, bytes.toString('base64url')].join('.');
}

describe('a token that somebody has made up', () => {
  it('costs one check of its signature, however often it comes', async (t) => {
    const { verify, issue, clock } = await openService(t);
    const good = await issue();
    const bad = forged(good, 1);
    const checks = signatureChecks(t);
    for (let count = 0; count < 300; count += 1)
      assert.deepEqual((await refusalOf(verify(`Bearer ${bad}`))).slug, 'invalid-token');
    assert.equal(checks(), 1);
    assert.equal((await verify(`Bearer ${good}`)).kind, 'client');
    clock.advance(11_000);
    await refusalOf(verify(`Bearer ${bad}`));
    assert.equal(checks(), 3);
  });

  it('costs none where its form, its algorithm or its key already say that it is none', async (t) => {
    const { verify, issue } = await openService(t);
    const good = await issue();
    const [, payload = '', signature = ''] = good.split('.');
    const header = (changes: object): string =>
      Buffer.from(JSON.stringify({ alg: 'ES256', typ: 'at+jwt', kid: 'none', ...changes })).toString('base64url');
    const checks = signatureChecks(t);
    const made = [
      ...Array.from({ length: 50 }, (_one, index) => `${header({ kid: `invented ${index}` })}.${payload}.${signature}`),
      ...['none', 'HS256', 'ES512', 'RS256'].map((alg) => `${header({ alg })}.${payload}.${signature}`),
      'a.b.c',
      `${good}.x.y`,
      `${good}${'A'.repeat(9000)}`,
      'x',
      `${header({ kid: 7 })}.${payload}.${signature}`,
      `${header({ alg: undefined })}.${payload}.${signature}`,
    ];
    for (const token of made)
      assert.equal((await refusalOf(verify(`Bearer ${token}`))).slug, 'invalid-token', token.slice(0, 80));
    assert.equal(checks(), 0);
  });

  it('holds up no new token from another address, however many there are', async (t) => {
    const { verify, issue } = await openService(t);
    const good = await issue();
    let refused = 0;
    const flood = Array.from({ length: 900 }, async (_one, index) => {
      const { slug } = await refusalOf(verify(`Bearer ${forged(good, index)}`, { address: '192.0.2.1' }));
      refused += 1;
      return slug;
    });
    assert.equal((await verify(`Bearer ${good}`, { address: '192.0.2.2' })).kind, 'client');
    assert.ok(refused < 100, `${refused} came first`);
    assert.deepEqual(new Set(await Promise.all(flood)), new Set(['invalid-token']));
  });
});

describe('many tokens that somebody has made up', () => {
  it('are all told 401, from one address at one moment', async (t) => {
    const { verify, issue } = await openService(t);
    const good = await issue();
    const flood = Array.from({ length: 3000 }, (_one, index) =>
      refusalOf(verify(`Bearer ${forged(good, index)}`, { address: '192.0.2.1' })),
    );
    assert.deepEqual(new Set((await Promise.all(flood)).map(({ status }) => status)), new Set([401]));
  });
});

describe('a platform key that somebody has made up', () => {
  it('drives out none that is known, and takes no more than two connections of storage', async (t) => {
    const { store } = await openDatabase(t);
    const clock = stoppedClock();
    const { text } = await addPlatformKey(store, { name: 'wms', activityCodes: null, roles: ['outbox'] }, clock.now());
    let [asked, running, most] = [0, 0, 0];
    const platformKeys: PlatformKeys = {
      ...store.platformKeys,
      active: async (id) => {
        asked += 1;
        running += 1;
        most = Math.max(most, running);
        // Others get in, if anything lets them.
        await nextTurn();
        const key = await store.platformKeys.active(id);
        running -= 1;
        return key;
      },
    };
    const access = createPlatformAccess({
      store: { ...store, platformKeys },
      now: clock.now,
      onStorageError: assert.ifError,
    });
    const from = { requestId: '', path: '', queryText: '', address: '192.0.2.1' };
    await access(`Bearer ${text}`, from);
    most = 0;
    const id = text.split('_')[1] ?? '';
    const invented = (number: number): string => text.replace(id, number.toString(36).padStart(12, 'a'));
    for (let first = 0; first < 12_000; first += 2000) {
      const refusals = await Promise.all(
        Array.from({ length: 2000 }, async (_one, index) =>
          refusalOf(Promise.resolve(access(`Bearer ${invented(first + index)}`, from))),
        ),
      );
      assert.deepEqual(new Set(refusals.map(({ status }) => status)), new Set([401]));
    }
    assert.ok(most >= 1 && most <= 2, String(most));
    asked = 0;
    await access(`Bearer ${text}`, from);
    // Whether it stands is read each time; who it is, is not.
    assert.equal(asked, 1);
  });
});
