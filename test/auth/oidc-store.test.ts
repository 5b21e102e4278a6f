// What the authorization server remembers, on every engine: found, used once, revoked, swept, and of no use to a thief.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from '../contract/properties.ts';
import { type AdapterPayload, errors } from 'oidc-provider';
import { createOidcStore } from '../../src/auth/oidc-store.ts';
import { enginesAboveStorage, provenWithoutServer, storeOn } from '../contract/engines.ts';
import { openDatabase, prepare, stoppedClock } from './fixture.ts';
import { rounds } from '../contract/rounds.ts';
import { rowIn } from '../contract/database.ts';
import { oidcPayloadTable } from '../../src/store/tables/access.ts';

for (const { name, skip, create, parallel } of enginesAboveStorage) {
  describe(`the store of the authorization server on ${name}`, { skip }, () => {
    it('finds, uses up, revokes and sweeps', async (t) => {
      const database = await create();
      const [first, second] = [await database.open(), await database.open()];
      t.after(async () => {
        await first.close();
        await second.close();
        await database.remove();
      });
      const store = await prepare(first);
      const { oidcPayloads } = store;
      const other = await storeOn(second);
      const clock = stoppedClock();
      const codes = createOidcStore(store, 'AuthorizationCode', clock.now);
      const refreshTokens = createOidcStore(store, 'RefreshToken', clock.now);
      const sessions = createOidcStore(store, 'Session', clock.now);

      assert.equal(await codes.find('none'), undefined);
      const code: AdapterPayload = {
        jti: 'code-1',
        kind: 'AuthorizationCode',
        grantId: 'grant-1',
        accountId: 'mia',
        clientId: 'shop',
        exp: 7,
        scope: 'svc_connect',
        rar: [{ type: 'x' }],
      };
      await codes.upsert('code-1', code, 60);
      assert.deepEqual(await codes.find('code-1'), code);
      assert.equal(await refreshTokens.find('code-1'), undefined);
      await codes.upsert('code-1', { ...code, scope: 'openid' }, 60);
      assert.equal((await codes.find('code-1'))?.scope, 'openid');

      const used = await Promise.allSettled(
        [store, parallel ? other : store, store].map((one) =>
          createOidcStore(one, 'AuthorizationCode', clock.now).consume('code-1'),
        ),
      );
      assert.deepEqual(used.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected', 'rejected']);
      for (const outcome of used)
        if (outcome.status === 'rejected') assert.ok(outcome.reason instanceof errors.InvalidGrant);
      // Still found, or nobody would notice that it is used again.
      assert.equal((await codes.find('code-1'))?.consumed, Math.floor(clock.now() / 1000));
      await assert.rejects(codes.consume('never there'), errors.InvalidGrant);

      await refreshTokens.upsert(
        'refresh-1',
        { jti: 'refresh-1', grantId: 'grant-1', accountId: 'mia', clientId: 'shop' },
        3600,
      );
      await refreshTokens.upsert(
        'refresh-2',
        { jti: 'refresh-2', grantId: 'grant-2', accountId: 'leo', clientId: 'shop' },
        3600,
      );
      await refreshTokens.revokeByGrantId('grant-1');
      assert.equal(await refreshTokens.find('refresh-1'), undefined);
      assert.ok(await refreshTokens.find('refresh-2'));
      assert.ok(await codes.find('code-1'));
      await codes.destroy('code-1');
      assert.equal(await codes.find('code-1'), undefined);

      await sessions.upsert('session-1', { jti: 'session-1', uid: 'uid-1', accountId: 'leo' }, 3600);
      assert.deepEqual({ ...(await sessions.findByUid('uid-1')) }, { jti: '', uid: 'uid-1', accountId: 'leo' });
      await oidcPayloads.removeSession('uid-1');
      assert.equal(await sessions.find('session-1'), undefined);
      await sessions.upsert('session-2', { jti: 'session-2', uid: 'uid-2', accountId: 'leo' }, 3600);
      await oidcPayloads.removeAllOf({ accountId: 'leo' });
      assert.equal(await sessions.findByUid('uid-2'), undefined);
      assert.equal(await refreshTokens.find('refresh-2'), undefined);
      await refreshTokens.upsert('refresh-3', { clientId: 'shop' }, 10);
      await refreshTokens.upsert('refresh-4', { clientId: 'desk' }, 10);
      await oidcPayloads.removeAllOf({ clientId: 'shop' });
      assert.equal(await refreshTokens.find('refresh-3'), undefined);

      clock.advance(9_999);
      assert.ok(await refreshTokens.find('refresh-4'));
      assert.equal(await oidcPayloads.removeExpired(clock.now()), 0);
      clock.advance(1);
      assert.equal(await refreshTokens.find('refresh-4'), undefined);
      assert.equal(await oidcPayloads.removeExpired(clock.now()), 1);
    });
  });
}

describe('a row of the store', { skip: provenWithoutServer }, () => {
  it('holds neither its own id nor that of a session', async (t) => {
    const { store } = await openDatabase(t);
    const interactions = createOidcStore(store, 'Interaction', Date.now);
    await interactions.upsert(
      'the-id',
      {
        jti: 'the-id',
        returnTo: 'https://auth.example/connect/authorize/the-id',
        session: { accountId: 'mia', uid: 'u', cookie: 'the-session' },
      },
      60,
    );
    const row = JSON.stringify(await rowIn(store, oidcPayloadTable));
    assert.equal(row.includes('the-id') || row.includes('the-session'), false, row);
    assert.deepEqual(await interactions.find('the-id'), {
      jti: 'the-id',
      returnTo: 'https://auth.example/connect/authorize/the-id',
      session: { accountId: 'mia', uid: 'u' },
    });
  });

  it('gives back what was stored, whatever texts are in it', async (t) => {
    const { store } = await openDatabase(t);
    const interactions = createOidcStore(store, 'Interaction', Date.now);
    await fc.assert(
      fc.asyncProperty(
        fc.stringMatching(/^[A-Za-z0-9_-]{43}$/),
        fc.string({ unit: 'binary' }),
        fc.string({ unit: 'binary' }),
        async (id, state, other) => {
          const payload: AdapterPayload = {
            jti: id,
            params: { state, [`${state}x`]: [other, id, `${other}${id}`, '\u0001', '\\u0001'] },
          };
          await interactions.upsert(id, payload, 60);
          assert.deepEqual(await interactions.find(id), JSON.parse(JSON.stringify(payload)));
        },
      ),
      { numRuns: rounds(100) },
    );
  });
});
