// Activities and clients as CSV files, as the console reads and writes them, and what a file of them would change.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AdministeredClient, AdministeredKey, PlatformClient } from '../../packages/client/src/index.ts';
import {
  activitiesText,
  planActivities,
  readActivities,
} from '../../packages/console/src/operator/administration/activity-csv.ts';
import { clientsText, readClients } from '../../packages/console/src/operator/administration/client-csv.ts';
import { planClients } from '../../packages/console/src/operator/administration/client-plan.ts';
import { applyKey, keysText, planKeys, readKeys } from '../../packages/console/src/operator/administration/key-csv.ts';

const codes = new Set(['ACM', 'BLU']);

function client(change: Partial<AdministeredClient>): AdministeredClient {
  return {
    ...{ id: 'shop-1', name: 'Shop', redirectUris: ['https://shop.example/a', 'https://shop.example/b'] },
    ...{ activityCodes: ['ACM', 'BLU'], readOnly: true, confidential: true, service: false, pkceRequired: true },
    ...{ platform: false, disabledAt: '2026-01-01T00:00:00Z', createdAt: '2025-01-01T00:00:00Z' },
    ...change,
  };
}

describe('a CSV file of activities', () => {
  const known = { code: 'ACM', name: '=Acme, "Home"', createdAt: '2026-01-01T00:00:00Z', lastWriteAt: null };

  it('is read as it is written, and changes nothing then', () => {
    const read = readActivities(activitiesText([known]));
    assert.deepEqual(read, [{ line: 2, code: 'ACM', name: known.name }]);
    assert.deepEqual(
      planActivities(read, [known]).map(({ action }) => action),
      ['none'],
    );
  });

  it('says of each line what it would do, or what is wrong with it', () => {
    const read = readActivities('code;name\nacm;Acme\nB;Blue\nTOOLONG;x\nC;\nD;' + 'x'.repeat(31));
    assert.ok(!('fault' in read));
    const plan = planActivities(read, [known]).map(({ action, fault }) => fault?.word ?? action);
    assert.deepEqual(plan, ['change', 'add', 'row-code', 'row-name', 'row-name']);
    assert.equal(planActivities([{ line: 2, code: 'ACM' }], [known])[0]?.action, 'none');
  });

  it('is refused with what is wrong and where', () => {
    for (const [text, fault, at] of [
      ['name\nAcme', 'missing', '1: code'],
      ['code,name\n,Acme', 'missing', '2: code'],
      ['code\nACM\nacm', 'twice', '3: ACM'],
      ['code,colour\nACM,red', 'column', 'colour'],
    ] as const)
      assert.deepEqual(readActivities(text), { fault, at }, text);
  });
});

describe('a CSV file of clients', () => {
  it('is read as it is written, has no secret, and changes nothing then', () => {
    const clients = [client({}), client({ id: 'shop-2', name: 'Other', disabledAt: null, pkceRequired: false })];
    const read = readClients(clientsText(clients));
    assert.ok(!('fault' in read));
    assert.deepEqual(read[0], {
      ...{ line: 2, id: 'shop-1', name: 'Shop', redirectUris: clients[0]?.redirectUris, activityCodes: ['ACM', 'BLU'] },
      ...{ confidential: true, readOnly: true, service: false, pkceRequired: true, platform: false, disabled: true },
    });
    assert.deepEqual(
      planClients(read, clients, codes).map(({ action }) => action),
      ['none', 'none'],
    );
    assert.doesNotMatch(clientsText(clients), /secret/i);
  });

  it('finds a client by its id, else by its name, so that the same file again changes nothing', () => {
    const plan = (text: string, known: readonly AdministeredClient[] = [client({})]) => {
      const read = readClients(text);
      assert.ok(!('fault' in read), text);
      return planClients(read, known, codes).map(({ action, fault }) => fault?.word ?? action);
    };
    assert.deepEqual(plan('name\nShop\nNew'), ['none', 'add']);
    assert.deepEqual(plan('id,name\nshop-1,Another name'), ['change']);
    assert.deepEqual(plan('id,name\nshop-9,Shop'), ['row-no-client']);
    assert.deepEqual(plan('id,name\nshop-1,Shop\n,Shop'), ['row-which-client', 'row-which-client']);
    assert.deepEqual(plan('name\nShop', [client({}), client({ id: 'shop-2' })]), ['row-which-client']);
    assert.deepEqual(plan('name,confidential\nShop,no'), ['row-confidential']);
    assert.deepEqual(plan('name,activities\nNew,ACM QQQ'), ['row-activity']);
    assert.deepEqual(plan('name,disabled\nShop,no'), ['change']);
  });

  it('is refused with what is wrong and where', () => {
    for (const [text, fault, at] of [
      ['id\nshop-1', 'missing', '1: name'],
      ['id,name\nshop-1,', 'missing', '2: name'],
      ['name,pkce\nShop,perhaps', 'flag', '2'],
      ['name\nShop\nShop', 'twice', '3: Shop'],
      ['name,secret\nShop,x', 'column', 'secret'],
    ] as const)
      assert.deepEqual(readClients(text), { fault, at }, text);
  });
});

describe('a CSV file of keys', () => {
  const key: AdministeredKey = {
    ...{ id: '7x0k2m9qpe3d', name: 'WMS, Lyon', activityCodes: null, roles: ['feed' as const, 'outbox' as const] },
    ...{ createdAt: '2026-01-01T00:00:00Z', lastUsedAt: null, revokedAt: null },
  };
  const old = { ...key, id: '1x0k2m9qpe3d', name: 'Old', activityCodes: ['ACM'], revokedAt: '2026-02-01T00:00:00Z' };
  const plan = (text: string, known: readonly AdministeredKey[] = [key, old]): readonly string[] => {
    const read = readKeys(text);
    assert.ok(!('fault' in read), text);
    return planKeys(read, known, codes).map(({ action, fault }) => fault?.word ?? action);
  };

  it('is read as it is written, and changes nothing then', () => {
    assert.deepEqual(plan(keysText([key, old])), ['none', 'none']);
  });

  it('makes and revokes keys, and changes nothing else of them', () => {
    assert.deepEqual(plan('name,activities\nNew,ACM BLU\nEvery,*'), ['add', 'add']);
    assert.deepEqual(plan('name,activities\nOld,ACM'), ['add'], 'a revoked key leaves its name');
    assert.deepEqual(plan('name\n"WMS, Lyon"'), ['none']);
    assert.deepEqual(plan('name,revoked\n"WMS, Lyon",yes'), ['change']);
    for (const line of ['"WMS, Lyon",ACM,', '"WMS, Lyon",*,feed'])
      assert.deepEqual(plan(`name,activities,roles\n${line}`), ['row-key-change'], line);
    assert.deepEqual(plan('id,name\n7x0k2m9qpe3d,Other'), ['row-key-change']);
    assert.deepEqual(plan('id,name,revoked\n1x0k2m9qpe3d,Old,no'), ['row-key-change'], 'revoked for good');
  });

  it('says of each line what is wrong with it', () => {
    assert.deepEqual(plan('name\nNew'), ['row-new-key']);
    assert.deepEqual(plan('name,activities,revoked\nNew,ACM,yes'), ['row-new-key']);
    assert.deepEqual(plan('name,activities\nNew,QQQ'), ['row-activity']);
    assert.deepEqual(plan('name,activities,roles\nNew,*,feed king'), ['row-role']);
    assert.deepEqual(plan(`name,activities\n${'x'.repeat(61)},*`), ['row-name']);
    assert.deepEqual(plan('id,name,activities\n9x0k2m9qpe3d,New,*'), ['row-no-key']);
    assert.deepEqual(plan('name\n"WMS, Lyon"', [key, { ...key, id: '2' }]), ['row-which-key']);
    assert.deepEqual(plan('id,name\n7x0k2m9qpe3d,"WMS, Lyon"\n,"WMS, Lyon"'), ['row-which-key', 'row-which-key']);
  });

  it('is refused with what is wrong and where', () => {
    for (const [text, fault, at] of [
      ['id\n7x0k2m9qpe3d', 'missing', '1: name'],
      ['name,activities\n,*', 'missing', '2: name'],
      ['name,revoked\nNew,perhaps', 'flag', '2'],
      ['name\nNew\nNew', 'twice', '3: New'],
      ['name,key\nNew,lck_x', 'column', 'key'],
    ] as const)
      assert.deepEqual(readKeys(text), { fault, at }, text);
  });

  it('gives the text of a new key to whoever keeps it, once, and makes it with what the line says', async () => {
    const asked: unknown[] = [];
    const told: (readonly string[])[] = [];
    const administration = {
      addKey: async (body: object) => {
        asked.push(body);
        return { ...key, name: 'New', key: 'lck_once' };
      },
      revokeKey: async (id: string) => {
        asked.push(id);
        return key;
      },
    };
    const platform = { administration } as unknown as PlatformClient;
    const read = readKeys('name,activities,roles,revoked\nNew,ACM,feed,\nEvery,*,,\n"WMS, Lyon",,,oui');
    assert.ok(!('fault' in read));
    for (const each of planKeys(read, [key], codes)) await applyKey(platform, each, (cells) => told.push(cells));
    assert.deepEqual(asked, [
      { name: 'New', activityCodes: ['ACM'], roles: ['feed'] },
      { name: 'Every', everyActivity: true },
      key.id,
    ]);
    assert.deepEqual(told[0], [key.id, 'New', 'lck_once']);
    assert.equal(told.length, 2);
  });

  it('names what each opens, and has no key', () => {
    assert.equal(
      keysText([key, { ...key, name: '+1', activityCodes: ['ACM', 'BLU'] }]),
      '\uFEFFid,name,activities,roles,created,last_used,revoked\r\n' +
        '7x0k2m9qpe3d,"WMS, Lyon",*,feed outbox,2026-01-01T00:00:00Z,,\r\n' +
        "7x0k2m9qpe3d,'+1,ACM BLU,feed outbox,2026-01-01T00:00:00Z,,\r\n",
    );
  });
});
