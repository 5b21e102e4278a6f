// What an operator changes is written together with its entry in the audit trail, on every engine: a process that is
// killed leaves both or neither.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { NewAuditEntry } from '../../src/store/audit-contract.ts';
import { noSecondFactor } from '../../src/store/second-factors.ts';
import { sql } from '../../src/store/statement.ts';
import type { Store } from '../../src/store/store.ts';
import { auditEntry, killedDetails, wholeTrail } from '../contract/audit.ts';
import { enginesAboveStorage } from '../contract/engines.ts';
import { openedStore, type OpenedStore } from '../contract/opened-store.ts';

const now = Date.UTC(2026, 0, 31, 8);

type Change = (store: Store, entryOf: () => NewAuditEntry) => Promise<unknown>;

const user = {
  ...{ id: 'mia-id', login: 'mia', passwordHash: 'hash', activityCodes: ['ACM'], operator: false, operatorRoles: [] },
  ...{ createdAt: 1, disabledAt: null, signedOutAt: null, identityProvider: null, secondFactorRequired: false },
  ...noSecondFactor,
};
const client = {
  ...{ id: 'shop', name: 'Shop', redirectUris: [], activityCodes: ['ACM'], readOnly: false, confidential: true },
  ...{ createdAt: 1, secretHash: 'old', disabledAt: null, service: false, pkceRequired: true, platform: false },
  ...{ previousSecretHash: 'older', previousSecretUntil: 5 },
};
const key = {
  ...{ id: 'wms', name: 'WMS', activityCodes: ['ACM'], roles: ['outbox'], secretHash: 'x', createdAt: 1 },
  ...{ lastUsedAt: null, revokedAt: null },
};
const account = {
  ...{ activity: 'ACM', context: 'main', carrier: 'sandbox', settings: {}, secrets: null, sender: {}, dailyLimit: 5 },
};
const pair = { kid: 'next', alg: 'ES256', publicJwk: '{}', privateJwk: '{}' } as const;

/** Each on what `prepared` has stored. */
const changes: Readonly<Record<string, Change>> = {
  'a user is added': (store, entry) => store.users.add({ ...user, id: 'leo-id', login: 'leo' }, entry),
  'a user is disabled': (store, entry) => store.users.disable('mia', now, entry),
  'a user is enabled': (store, entry) => store.users.enable('out', entry),
  'a user gets another password': (store, entry) => store.users.changePassword('mia-id', 'other', now, entry),
  'a user is changed': (store, entry) => store.users.change('mia', () => ({ operator: true }), entry),
  'a user is removed': (store, entry) => store.users.remove('mia-id', entry),
  'a client is added': (store, entry) => store.clients.add({ ...client, id: 'app' }, entry),
  'a client is disabled': (store, entry) => store.clients.disable('shop', now, entry),
  'a client is enabled': (store, entry) => store.clients.enable('out', entry),
  'a client is changed': (store, entry) => store.clients.change('shop', () => ({ readOnly: true }), entry),
  'a client gets another secret': (store, entry) => store.clients.changeSecret('shop', 'new', null, entry),
  'a secret is taken back': (store, entry) => store.clients.takeBackSecret('shop', 'old', entry),
  'a client is removed': (store, entry) => store.clients.remove('shop', entry),
  'a key is added': (store, entry) => store.platformKeys.add({ ...key, id: 'siem' }, entry),
  'a key is revoked': (store, entry) => store.platformKeys.revoke('wms', now, entry),
  'an account is added': (store, entry) => store.carrierAccounts.add({ ...account, context: 'other' }, now, entry),
  'an account is put': (store, entry) => store.carrierAccounts.put({ ...account, dailyLimit: 7 }, now, entry),
  'an account is changed': async (store, entry) => {
    const before = await store.carrierAccounts.find(null, 'main', 'sandbox');
    assert.ok(before);
    return store.carrierAccounts.change(before, { dailyLimit: 9 }, entry);
  },
  'an account is removed': (store, entry) => store.carrierAccounts.remove('main', 'sandbox', entry),
  'an activity is added': (store, entry) => store.activities.add('NEW', 'New', entry),
  'an activity is renamed': (store, entry) => store.activities.rename('ACM', 'Other', entry),
  'a retention is set': (store, entry) => store.retentionRules.set('ACM', new Map([['orders', 400]]), entry),
  'a consumer is forgotten': (store, entry) => store.outbox.forget('wms', entry),
  'signing keys are rotated': (store, entry) => store.signingKeys.rotate([pair], 1000, () => now, entry),
  'a history begins': (store, entry) => store.beginHistory(entry),
};

/** Where an entry is written on its own: nothing was changed, or in many transactions that are told of together. */
const onTheirOwn: readonly string[] = [
  ...['api/refused-writes.ts', 'commands/audited.ts', 'commands/backup.ts', 'commands/demo/reset.ts'],
  ...['commands/export.ts', 'commands/import.ts', 'commands/restore.ts', 'commands/retention.ts'],
  ...['commands/secret-key.ts'],
];

it('no other part of the program writes an entry after what it tells', () => {
  const source = join(import.meta.dirname, '../../src');
  const found = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.startsWith('store/'))
    .filter((path) => /\baudit\.append\(|\brecordCommand\(/.test(readFileSync(join(source, path), 'utf8')));
  assert.deepEqual(found.toSorted(), onTheirOwn.toSorted());
});

for (const engine of enginesAboveStorage) {
  describe(`changes and their entries on ${engine.name}`, { skip: engine.skip }, () => {
    it('are written together or not at all', async (t) => {
      const opened = await openedStore(t, engine, ['ACM', 'Acme']);
      const { store } = opened;
      await prepare(opened);
      for (const [what, change] of Object.entries(changes)) {
        const action = what.replaceAll(' ', '-');
        const before = await contents(opened);
        const killed = { ...auditEntry(action), details: killedDetails };
        await assert.rejects(
          change(store, () => killed),
          /killed/,
          what,
        );
        assert.deepEqual(await contents(opened), before, `${what}, and there is no entry`);
        await change(store, () => auditEntry(action));
        const after = await contents(opened);
        assert.deepEqual([after.trail.at(-1), after.trail.length], [action, before.trail.length + 1]);
        assert.notDeepEqual({ ...after, trail: [] }, { ...before, trail: [] }, what);
        await undo(opened);
        await prepare(opened);
      }
    });
  });
}

/** Tables of what is changed. */
const tables = [
  ...['user_account', 'oauth_client', 'platform_key', 'carrier_account', 'activity', 'retention_rule'],
  ...['outbox_consumer', 'signing_key', 'secret'],
] as const;

async function prepare({ store }: OpenedStore): Promise<void> {
  await store.activities.add('ACM', 'Acme');
  await store.users.add(user);
  await store.users.add({ ...user, id: 'out-id', login: 'out', disabledAt: 1 });
  await store.clients.add(client);
  await store.clients.add({ ...client, id: 'out', disabledAt: 1 });
  await store.platformKeys.add(key);
  await store.carrierAccounts.put(account, now);
  await store.outbox.noteDelivered('wms', { ACM: 0 });
}

async function undo({ engine }: OpenedStore): Promise<void> {
  for (const table of tables.filter((name) => name !== 'secret'))
    await engine.write(({ query }) => query(sql`delete from ${sql.quoted(table)}`));
}

async function contents({ engine, store }: OpenedStore) {
  const rows = await Promise.all(
    tables.map(
      async (table) => [table, (await engine.read(sql`select * from ${sql.quoted(table)}`)).map(String)] as const,
    ),
  );
  return {
    rows: rows.map(([table, lines]) => [table, lines.toSorted()]),
    trail: (await store.audit.read(wholeTrail)).map(({ action }) => action),
  };
}
