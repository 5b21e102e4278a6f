// Users, clients and their sign-ins as they are stored: what ends together ends in one transaction, on every engine.
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { NewAuditEntry } from '../../src/store/audit-contract.ts';
import { noSecondFactor } from '../../src/store/second-factors.ts';
import type { Store } from '../../src/store/store.ts';
import { createFault, faultyEngine, type Fault } from '../api/faulty.ts';
import { allEngines, type EngineUnderTest, storeOn } from '../contract/engines.ts';

const now = Date.UTC(2026, 0, 31, 8);

for (const engine of allEngines) {
  describe(`access on ${engine.name}`, { skip: engine.skip }, () => {
    const endings: readonly (readonly [what: string, end: (store: Store) => Promise<unknown>])[] = [
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

    it('changes clients and activities of a list all or none, with their entries in the audit trail', async (t) => {
      const { store, fault } = await openStored(t, engine);
      await store.activities.add('NOR', 'North');
      const [before] = await store.clients.list();
      assert.ok(before !== undefined);
      const rename = { kind: 'change', before, changes: { name: 'Renamed', disabledAt: now } } as const;
      const add = { kind: 'add', client: { ...shop, id: 'new', createdAt: 2 } } as const;
      const outdated = { ...rename, before: { ...before, readOnly: true } } as const;
      const all = async () => ({ ...(await stored(store)), activities: await store.activities.list() });
      const untouched = await all();
      assert.equal(await store.clients.edit([add, outdated], [entry]), false);
      const gone = { ...rename, before: { ...before, id: 'gone' } };
      assert.equal(await store.clients.edit([add, gone], [entry]), false);
      const activities = [
        { code: 'NEW', before: null, name: 'New' },
        { code: 'NOR', before: 'North', name: 'Far north' },
      ];
      const taken = [...activities, { code: 'NOR', before: null, name: 'Once more' }];
      assert.equal(await store.activities.edit(taken, [entry]), false);
      assert.equal(await store.activities.edit([{ code: 'NOR', before: 'South', name: 'x' }], [entry]), false);
      for (let at = 1; at <= 4; at += 1) {
        fault.arm(at, 'fails');
        await assert.rejects(store.clients.edit([add, rename], [entry]), /injected/);
        fault.disarm();
      }
      assert.deepEqual(await all(), untouched);
      assert.deepEqual(await entriesIn(store), []);

      assert.equal(await store.clients.edit([add, rename], [entry]), true);
      assert.equal(await store.activities.edit(activities, [entry]), true);
      const { clients, grants, activities: named } = await all();
      assert.deepEqual(
        clients.map(({ id, name, disabledAt }) => [id, name, disabledAt]),
        [
          ['shop', 'Renamed', now],
          ['new', 'Shop', null],
        ],
      );
      assert.deepEqual(grants, [false, true], 'what a client that is disabled was given has ended');
      assert.deepEqual(
        named.map(({ code, name }) => [code, name]),
        [
          ['NEW', 'New'],
          ['NOR', 'Far north'],
        ],
      );
      assert.deepEqual(await entriesIn(store), ['client.change', 'client.change']);
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

const entry: NewAuditEntry = {
  ...({ actorKind: 'command', actor: 'olga', subject: null, action: 'client.change', target: null } as const),
  ...({ activityCodes: [], operationId: null, outcome: 'accepted', address: null, details: null } as const),
};

async function entriesIn({ audit }: Store): Promise<readonly string[]> {
  const entries = await audit.read({
    ...{ activityCodes: null, operationId: null, action: null, actor: null, since: null, until: null },
    ...{ after: null, newestFirst: false, limit: 10 },
  });
  return entries.map(({ action }) => action);
}

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
