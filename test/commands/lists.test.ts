// Activities, clients and keys as CSV files: written, and read back all or none.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { parse } from 'csv-parse/sync';
import { clientSecretHash } from '../../src/auth/clients.ts';
import { findActivePlatformKey, parsePlatformKey, platformSecretMatches } from '../../src/auth/platform-keys.ts';
import { definitions } from '../../src/resources/index.ts';
import { openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { json, type Place, run, succeed, temporaryFolder } from './fixture.ts';

async function placeWithActivities(t: TestContext): Promise<Place> {
  const place = { folder: temporaryFolder(t), now: () => Date.UTC(2026, 0, 31, 8) };
  await succeed(place, 'activity', 'add', 'ACM', '=Acme, "Home"');
  await succeed(place, 'activity', 'add', 'BLU', 'Blue');
  return place;
}

async function refused(place: Place, stdin: string, ...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await run({ ...place, stdin }, ...args);
  assert.deepEqual([code, stdout], [1, ''], stderr);
  assert.match(stderr, /Nothing was changed/);
  return stderr;
}

async function auditEntries(
  place: Place,
): Promise<readonly { readonly action: string; readonly target: string; readonly details: unknown }[]> {
  const lines = (await succeed(place, 'audit', '--json')).trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line));
}

/** The valid key with this text. */
async function keyOf(store: Store, text: string) {
  const { id = '', secret = '' } = parsePlatformKey(text) ?? {};
  const found = await findActivePlatformKey(store, id);
  return found !== null && platformSecretMatches(secret, found.secretHash) ? found.key : null;
}

describe('activity export and activity import', () => {
  it('change nothing where what was written is read back', async (t) => {
    const place = await placeWithActivities(t);
    const text = await succeed(place, 'activity', 'export');
    const [heading, first] = parse(text) as string[][];
    assert.deepEqual(heading, ['code', 'name', 'created', 'last_write']);
    assert.deepEqual(first?.slice(0, 2), ['ACM', `'=Acme, "Home"`]);
    assert.equal(
      await succeed({ ...place, stdin: text }, 'activity', 'import', '-'),
      'activities: 0 new, 0 changed, 2 unchanged\n',
    );
  });

  it('add and rename, after a dry run that does nothing; also where there is no database yet', async (t) => {
    const place = await placeWithActivities(t);
    const stdin = '\uFEFFcode;name\r\nacm;Acme\r\nNEW;New company\r\nBLU;\r\n';
    const said = await succeed({ ...place, stdin }, 'activity', 'import', '-', '--dry-run');
    assert.match(said, /^new {6}NEW\nchanged {2}ACM\nIt would be: 1 new, 1 changed, 1 unchanged. Nothing was changed./);
    assert.doesNotMatch(await succeed(place, 'activity', 'list'), /NEW/);
    assert.deepEqual(await json({ ...place, stdin }, 'activity', 'import', '-', '--json'), {
      ...{ dryRun: false, added: ['NEW'], changed: ['ACM'], unchanged: 1 },
    });
    assert.match(await succeed(place, 'activity', 'list'), /ACM\tAcme\t/);
    const entries = await auditEntries(place);
    assert.deepEqual(
      entries.filter(({ target }) => target === 'NEW').map(({ action }) => action),
      ['activity.add'],
    );
    const fresh = { folder: temporaryFolder(t), stdin: stdin.replace('BLU;\r\n', '') };
    assert.match(await succeed(fresh, 'activity', 'import', '-'), /^activities: 2 new/m);
  });

  it('do nothing at all where one line is wrong', async (t) => {
    const place = await placeWithActivities(t);
    const stdin = 'code,name\nNEW,New company\nlong,Four letters\nONE,\nNEW,Again\nTWO\n';
    const said = await refused(place, stdin, 'activity', 'import', '-');
    for (const fault of [/Line 3: "LONG" is no/, /Line 4: "" is no/, /Line 5: .*on line 2/, /Line 6: It has 1 values/])
      assert.match(said, fault);
    assert.doesNotMatch(await succeed(place, 'activity', 'list'), /NEW/);
    await refused(place, 'name\nAcme\n', 'activity', 'import', '-');
    await refused(place, 'code,colour\nACM,red\n', 'activity', 'import', '-');
  });
});

describe('client export and client import', () => {
  const heading = 'name;redirect_addresses;activities;confidential;service';

  it('register clients, whose secrets are in a file for nobody else; the same again changes nothing', async (t) => {
    const place = await placeWithActivities(t);
    const stdin =
      `${heading}\nShop;https://shop.example/a https://shop.example/b;ACM BLU;yes;no\n` +
      'Desk;http://127.0.0.1/callback;ACM;;\n';
    assert.match(await refused(place, stdin, 'client', 'import', '-'), /1 clients are new .*--secrets FILE/);
    const said = await succeed({ ...place, stdin }, 'client', 'import', '-', '--secrets', 'secrets.csv');
    assert.match(said, /^clients: 2 new, 0 changed, 0 unchanged\nThe secrets of new clients are in secrets.csv/);
    const file = join(place.folder, 'secrets.csv');
    assert.equal(statSync(file).mode & 0o777, 0o600);
    const [, [id = '', name, secret = ''] = []] = parse(readFileSync(file)) as string[][];
    assert.equal(name, 'Shop');
    const store = await openStore({ databaseUrl: null, dataDir: join(place.folder, 'data') }, definitions);
    t.after(() => store.close());
    assert.equal((await store.clients.byId(id))?.secretHash, clientSecretHash(secret));
    const again = await succeed({ ...place, stdin }, 'client', 'import', '-');
    assert.equal(again, 'clients: 0 new, 0 changed, 2 unchanged\n');
    const text = await succeed(place, 'client', 'export');
    assert.equal(text.includes(secret), false);
    assert.equal(
      await succeed({ ...place, stdin: text }, 'client', 'import', '-'),
      'clients: 0 new, 0 changed, 2 unchanged\n',
    );
    const records = parse(await succeed(place, 'client', 'export', '--activity', 'BLU')) as string[][];
    assert.deepEqual(
      records.map(([, one]) => one),
      ['name', 'Shop'],
    );
  });

  it('change what a line says otherwise, and leave what it does not say', async (t) => {
    const place = await placeWithActivities(t);
    const stdin = `${heading}\nShop;https://shop.example/a;ACM;yes;no\n`;
    await succeed({ ...place, stdin }, 'client', 'import', '-', '--secrets', 'secrets.csv');
    const [client] = await json<{ id: string }[]>(place, 'client', 'list', '--json');
    const change = `id,name,activities,read_only,disabled,pkce\n${client?.id},Another name,BLU,yes,yes,\n`;
    const said = await succeed({ ...place, stdin: change }, 'client', 'import', '-');
    assert.match(said, /0 new, 1 changed/);
    const [changed] = await json<Record<string, unknown>[]>(place, 'client', 'list', '--json');
    const { name, activityCodes, readOnly, disabledAt, pkceRequired, redirectUris, confidential } = changed ?? {};
    assert.deepEqual(
      { name, activityCodes, readOnly, disabledAt, pkceRequired, redirectUris, confidential },
      {
        ...{ name: 'Another name', activityCodes: ['BLU'], readOnly: true, disabledAt: '2026-01-31T08:00:00.000Z' },
        ...{ pkceRequired: true, redirectUris: ['https://shop.example/a'], confidential: true },
      },
    );
    const [entry] = (await auditEntries(place)).filter(({ action }) => action === 'client.change');
    assert.deepEqual(entry?.details, {
      ...{ import: true, name: { before: 'Shop', after: 'Another name' } },
      ...{ activityCodes: { before: ['ACM'], after: ['BLU'] }, readOnly: { before: false, after: true } },
      disabled: true,
    });
  });

  it('do nothing at all where one line is wrong, and leave no file of secrets', async (t) => {
    const place = await placeWithActivities(t);
    const good = 'Shop;https://shop.example/a;ACM;yes;no';
    for (const [line, fault] of [
      ['Other;https://shop.example/a;QQQ;yes;no', /Line 3: There is no activity "QQQ"/],
      ['Other;;ACM;yes;no', /Line 3: A client needs at least one redirect address/],
      ['Other;https://shop.example/a;ACM;no;yes', /Line 3: .*a public client cannot be one/],
      ['Other;https://shop.example/a;ACM;perhaps;no', /Line 3: "perhaps" is not yes or no/],
      ['Shop;https://shop.example/a;ACM;yes;no', /Line 3: The client "Shop" is on line 2 already/],
    ] as const) {
      const stdin = `${heading}\n${good}\n${line}\n`;
      assert.match(await refused(place, stdin, 'client', 'import', '-', '--secrets', 'secrets.csv'), fault);
    }
    assert.equal(existsSync(join(place.folder, 'secrets.csv')), false);
    assert.deepEqual(await json(place, 'client', 'list', '--json'), []);
    assert.match(await refused(place, 'name,secret\nShop,x\n', 'client', 'import', '-'), /into the file of --secrets/);
    const stdin = `${heading}\n${good}\n`;
    await succeed({ ...place, stdin }, 'client', 'import', '-', '--secrets', 'secrets.csv');
    const kind = await refused(place, 'name,confidential\nShop,no\n', 'client', 'import', '-');
    assert.match(kind, /Whether a client keeps a secret cannot be changed/);
    assert.match(await refused(place, 'id,name\nnone,Shop\n', 'client', 'import', '-'), /There is no client "none"/);
    await refused(place, `${heading}\nNew;https://new.example/a;ACM;yes;no\n`, 'client', 'import', '-');
    const over = await refused(
      ...([place, `${heading}\nNew;https://new.example/a;ACM;yes;no\n`, 'client', 'import', '-'] as const),
      ...(['--secrets', 'secrets.csv'] as const),
    );
    assert.match(over, /The secrets cannot be written/);
  });
});

describe('key export and key import', () => {
  it('name what each key opens, and none of what opens it', async (t) => {
    const place = await placeWithActivities(t);
    await succeed(place, 'key', 'add', 'WMS, Lyon', '--all', '--role', 'feed', 'outbox');
    const { key } = await json<{ key: string }>(place, 'key', 'add', 'Blue', '--activity', 'BLU', '--json');
    const text = await succeed(place, 'key', 'export');
    assert.equal(text.includes(key), false);
    assert.deepEqual((parse(text) as string[][]).map(([, ...cells]) => cells.slice(0, 3).join(' | ')).toSorted(), [
      'Blue | BLU | outbox',
      'WMS, Lyon | * | outbox feed',
      'name | activities | roles',
    ]);
    const again = await succeed({ ...place, stdin: text }, 'key', 'import', '-');
    assert.equal(again, 'keys: 0 new, 0 revoked, 2 unchanged\n');
  });

  it('make keys, which are in a file for nobody else, and revoke them', async (t) => {
    const place = await placeWithActivities(t);
    const stdin = 'name;activities;roles\nWMS;*;feed outbox\nBlue;BLU;\n';
    assert.match(await refused(place, stdin, 'key', 'import', '-'), /2 keys are new.*--secrets FILE/);
    assert.match(await succeed({ ...place, stdin }, 'key', 'import', '-', '--dry-run'), /^new {6}WMS\nnew {6}Blue\n/);
    assert.deepEqual(await json(place, 'key', 'list', '--json'), []);
    const said = await succeed({ ...place, stdin }, 'key', 'import', '-', '--secrets', 'keys.csv');
    assert.match(said, /^keys: 2 new, 0 revoked, 0 unchanged\nThe new keys are in keys.csv/);
    const file = join(place.folder, 'keys.csv');
    assert.equal(statSync(file).mode & 0o777, 0o600);
    const [, [id = '', name, text = ''] = []] = parse(readFileSync(file)) as string[][];
    assert.equal(name, 'WMS');
    const store = await openStore({ databaseUrl: null, dataDir: join(place.folder, 'data') }, definitions);
    t.after(() => store.close());
    const verified = await keyOf(store, text);
    assert.deepEqual([verified?.id, verified?.activityCodes, verified?.roles], [id, null, ['outbox', 'feed']]);
    assert.equal(await succeed({ ...place, stdin }, 'key', 'import', '-'), 'keys: 0 new, 0 revoked, 2 unchanged\n');
    const revocation = `id,name,revoked\n${id},WMS,yes\n`;
    assert.match(await succeed({ ...place, stdin: revocation }, 'key', 'import', '-'), /0 new, 1 revoked, 0 unchanged/);
    assert.equal(await keyOf(store, text), null);
    // Its name is free for another one.
    const other = await succeed({ ...place, stdin }, 'key', 'import', '-', '--secrets', 'more.csv');
    assert.match(other, /^keys: 1 new, 0 revoked, 1 unchanged/);
    const entries = (await auditEntries(place)).filter(({ action }) => action.startsWith('key.'));
    assert.deepEqual(entries.map(({ action }) => action).toSorted(), ['key.add', 'key.add', 'key.add', 'key.revoke']);
    assert.deepEqual(entries.find(({ action }) => action === 'key.revoke')?.details, { import: true, name: 'WMS' });
  });

  it('do nothing at all where one line is wrong, and leave no file of secrets', async (t) => {
    const place = await placeWithActivities(t);
    const { id } = await json<{ id: string }>(place, 'key', 'add', 'Blue', '--activity', 'BLU', '--json');
    await succeed(place, 'key', 'add', 'Twin', '--activity', 'BLU');
    await succeed(place, 'key', 'add', 'Twin', '--activity', 'BLU');
    for (const [line, fault] of [
      [',Other,QQQ,,', /Line 3: There is no activity "QQQ"/],
      [',Other,,,', /Line 3: A key needs at least one activity/],
      [',Other,ACM,sweep,', /Line 3: There is no role "sweep"/],
      [',Other,ACM,administration,', /Line 3: The role administration concerns the whole service/],
      [',Other,ACM,,perhaps', /Line 3: "perhaps" is not yes or no/],
      [',Other,ACM,,yes', /Line 3: There is no such key to revoke/],
      [',,ACM,,', /Line 3: A key needs a name/],
      [',WMS,ACM,,', /Line 3: The key "WMS" is on line 2 already/],
      ['none,Other,ACM,,', /Line 3: There is no key "none"/],
      [`${id},Blue,ACM,,`, /Line 3: What the key "Blue" opens cannot be changed/],
      [`${id},Other name,,,`, /Line 3: What the key "Blue" opens cannot be changed/],
      [',Twin,BLU,,', /Line 3: There are 2 keys "Twin": say the id/],
    ] as const) {
      const stdin = `id,name,activities,roles,revoked\n,WMS,*,,\n${line}\n`;
      assert.match(await refused(place, stdin, 'key', 'import', '-', '--secrets', 'keys.csv'), fault);
    }
    assert.match(await refused(place, 'name,key\nWMS,x\n', 'key', 'import', '-'), /into the file of --secrets/);
    assert.equal(existsSync(join(place.folder, 'keys.csv')), false);
    const names = (await json<{ name: string }[]>(place, 'key', 'list', '--json')).map(({ name }) => name);
    assert.deepEqual(names.toSorted(), ['Blue', 'Twin', 'Twin']);
    await succeed(place, 'key', 'revoke', id);
    const revived = `id,name,revoked\n${id},Blue,no\n`;
    assert.match(await refused(place, revived, 'key', 'import', '-'), /A revoked key stays revoked/);
  });
});
