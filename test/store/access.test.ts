// Users, clients and their sign-ins as they are stored: what ends together ends in one transaction, on every engine.
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { noSecondFactor } from '../../src/store/second-factors.ts';
import type { Store } from '../../src/store/store.ts';
import { createFault, faultyEngine, type Fault } from '../api/faulty.ts';
import { allEngines, type EngineUnderTest, storeOn } from '../contract/engines.ts';

const now = Date.UTC(2026, 0, 31, 8);

for (const engine of allEngines) {
  describe(`access on ${engine.name}`, { skip: engine.skip }, () => {
    const endings: readonly (readonly [what: string, end: (store: Store) => Promise<void>])[] = [
      ['a user is disabled', (store) => store.users.disable('mia', now)],
      ['a user gets another password', (store) => store.users.changePassword('mia-id', 'other', now)],
      ['a client is disabled', (store) => store.clients.disable('shop', now)],
      ['a client is removed', (store) => store.clients.remove('shop')],
    ];
    for (const [what, end] of endings) {
      it(`ends all that was signed in when ${what}, or changes nothing at all`, async (t) => {
        const { store, fault } = await openStored(t, engine);
        const before = await stored(store);
        // Beginning, the change, what ends, the commit.
        for (let at = 1; at <= 4; at += 1) {
          fault.arm(at, 'fails');
          await assert.rejects(end(store), /injected/);
          fault.disarm();
          assert.deepEqual(await stored(store), before, `step ${at}`);
        }
        await end(store);
        assert.deepEqual((await stored(store)).grants, [false, true]);
        await end(store);
      });
    }

    it('uses a code up once, and only one that is there', async (t) => {
      const { store } = await openStored(t, engine);
      const key = { model: 'Grant', idHash: 'hers' };
      const spent = await Promise.all([1, 2, 3].map(() => store.oidcPayloads.spend(key, now)));
      assert.deepEqual(spent.toSorted(), [false, false, true]);
      // Stored anew, it stays used up.
      await store.oidcPayloads.put(grant('hers', 'mia-id', 'shop'));
      assert.equal(await store.oidcPayloads.spend(key, now), false);
      assert.equal(await store.oidcPayloads.spend({ model: 'Code', idHash: 'hers' }, now), false);
    });

    it('takes no second user of a login, and replaces a hash only where it is still the same', async (t) => {
      const { store } = await openStored(t, engine);
      assert.equal(await store.users.add({ ...mia, id: 'other-id' }), false);
      await store.users.replaceHash('mia-id', 'another', 'new');
      assert.equal((await store.users.byLogin('mia'))?.passwordHash, 'hash');
      await store.users.replaceHash('mia-id', 'hash', 'new');
      assert.equal((await store.users.byLogin('mia'))?.passwordHash, 'new');
    });
  });
}

const mia = {
  id: 'mia-id',
  login: 'mia',
  passwordHash: 'hash',
  activityCodes: ['NOR'],
  operator: false,
  createdAt: 1,
  disabledAt: null,
  signedOutAt: null,
  operatorRoles: [],
  identityProvider: null,
  secondFactorRequired: false,
  ...noSecondFactor,
};

const shop = {
  id: 'shop',
  name: 'Shop',
  redirectUris: ['https://shop.example/callback'],
  activityCodes: ['NOR'],
  readOnly: false,
  confidential: false,
  createdAt: 1,
  secretHash: null,
  disabledAt: null,
  service: false,
  pkceRequired: true,
  platform: false,
  previousSecretHash: null,
  previousSecretUntil: null,
};

function grant(idHash: string, accountId: string, clientId: string) {
  return {
    model: 'Grant',
    idHash,
    payload: '{}',
    grantId: null,
    uid: null,
    accountId,
    clientId,
    expiresAt: now + 60_000,
  };
}

/** A user and a client with a grant of theirs, and a grant of others. */
async function openStored(
  t: TestContext,
  engine: EngineUnderTest,
): Promise<{ readonly store: Store; readonly fault: Fault }> {
  const database = await engine.create();
  const fault = createFault();
  const store = await storeOn(faultyEngine(await database.open(), fault));
  t.after(async () => {
    await store.close();
    await database.remove();
  });
  assert.equal(await store.users.add(mia), true);
  await store.clients.add(shop);
  await store.oidcPayloads.put(grant('hers', 'mia-id', 'shop'));
  await store.oidcPayloads.put(grant('theirs', 'leo-id', 'desk'));
  return { store, fault };
}

async function stored({ users, clients, oidcPayloads }: Store) {
  const has = async (idHash: string): Promise<boolean> =>
    (await oidcPayloads.withNamed({ model: 'Grant', idHash }, { model: 'RevokedAccessToken', uid: idHash }, now)) !==
    null;
  return { users: await users.list(), clients: await clients.list(), grants: [await has('hers'), await has('theirs')] };
}
