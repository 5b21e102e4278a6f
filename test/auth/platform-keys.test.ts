// Platform keys: what is refused, what is stored, what a key opens on the platform interface, and that it opens nothing
// elsewhere.
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createPlatformAccess } from '../../src/auth/platform-access.ts';
import {
  addPlatformKey,
  listPlatformKeys,
  type NewPlatformKey,
  parsePlatformKey,
  revokePlatformKey,
} from '../../src/auth/platform-keys.ts';
import type { Authenticate, RequestFacts } from '../../src/http/request-pipeline.ts';
import type { Principal } from '../../src/http/route.ts';
import { OperatorError } from '../../src/model/operator-error.ts';
import type { Store } from '../../src/store/store.ts';
import { enginesAboveStorage, provenWithoutServer } from '../contract/engines.ts';
import { type Clock, openDatabase, openService, prepare, stoppedClock } from './fixture.ts';
import { refusalOf } from './refusal.ts';
import { addRows, removeRows, renameTable, rowsIn, run } from '../contract/database.ts';
import { platformKeyTable } from '../../src/store/tables/access.ts';
import { activityTable } from '../../src/store/tables/activities.ts';
import { sql } from '../../src/store/statement.ts';
import { selectRows } from '../../src/store/table-statements.ts';

const refused =
  (pattern: RegExp) =>
  (error: unknown): boolean =>
    error instanceof OperatorError && pattern.test(error.message);
const facts: RequestFacts = { requestId: 'r', address: '127.0.0.1', path: '/platform/outbox', queryText: '' };

interface Door {
  readonly store: Store;
  readonly clock: Clock;
  readonly storageErrors: unknown[];
  enter(authorization: string | undefined): Promise<Principal>;
  again(): Promise<Authenticate>;
}

async function openDoor(t: TestContext): Promise<Door> {
  const { store, again } = await openDatabase(t);
  const clock = stoppedClock();
  const storageErrors: unknown[] = [];
  const access = createPlatformAccess({ store, now: clock.now, onStorageError: (error) => storageErrors.push(error) });
  return {
    store,
    clock,
    storageErrors,
    enter: async (authorization) => access(authorization, facts),
    again: async () => createPlatformAccess({ store: await again(), now: clock.now, onStorageError: assert.ifError }),
  };
}

/**
 * When the key was last used, once the note of the call before has been written: a transaction of the same connection
 * comes after it.
 */
async function lastUse({ engine }: Store): Promise<number | null> {
  const [row] = await engine.write((transaction) => transaction.query(selectRows(platformKeyTable)));
  return row?.lastUsedAt ?? null;
}

describe('a new platform key', { skip: provenWithoutServer }, () => {
  const rows: readonly (readonly [name: string, wanted: NewPlatformKey, pattern: RegExp])[] = [
    ['no name', { name: ' ', activityCodes: null, roles: ['outbox'] }, /needs a name/],
    ['a long name', { name: 'x'.repeat(61), activityCodes: null, roles: ['outbox'] }, /longer than 60/],
    ['a name of two lines', { name: 'WMS\nadmin', activityCodes: null, roles: ['outbox'] }, /invisible/],
    ['a name that turns text around', { name: 'WMS\u202enimda', activityCodes: null, roles: ['outbox'] }, /invisible/],
    ['an empty list of activities', { name: 'WMS', activityCodes: [], roles: ['outbox'] }, /at least one activity/],
    [
      'activities that do not exist',
      { name: 'WMS', activityCodes: ['AAA', 'XYZ', 'aaa'], roles: ['outbox'] },
      /There is no activity "XYZ", "aaa"/,
    ],
  ];
  for (const [name, wanted, pattern] of rows) {
    it(`is refused with ${name}`, async (t) => {
      const { store } = await openDatabase(t);
      await assert.rejects(addPlatformKey(store, wanted, 1), refused(pattern));
      assert.deepEqual(await listPlatformKeys(store), []);
    });
  }

  it('has everything that is wrong with it named at once', async (t) => {
    const { store } = await openDatabase(t);
    await assert.rejects(
      addPlatformKey(store, { name: '', activityCodes: [], roles: ['outbox'] }, 1),
      refused(/needs a name.*at least one activity/),
    );
  });

  it('has a form that scanners recognise, and is stored as a hash alone', async (t) => {
    const { store } = await openDatabase(t);
    const { key, text } = await addPlatformKey(
      store,
      { name: ' 倉庫 WMS ', activityCodes: ['BBB', 'AAA', 'BBB'], roles: ['outbox'] },
      7,
    );
    assert.match(text, /^lck_[0-9a-z]{12}_[A-Za-z0-9_-]{43}$/);
    assert.deepEqual(parsePlatformKey(text), { id: key.id, secret: text.slice(17) });
    assert.deepEqual(key, {
      id: key.id,
      name: '倉庫 WMS',
      activityCodes: ['AAA', 'BBB'],
      roles: ['outbox'],
      createdAt: 7,
      lastUsedAt: null,
      revokedAt: null,
    });
    assert.deepEqual(await listPlatformKeys(store), [key]);
    const stored = JSON.stringify(await rowsIn(store, platformKeyTable));
    assert.ok(!stored.includes(text.slice(17)) && stored.includes('sha256:'));
    assert.ok(!JSON.stringify(await listPlatformKeys(store)).includes('sha256'));
  });

  it('differs from all others, and from its own spelling in another case', async (t) => {
    const { store } = await openDatabase(t);
    const made = await Promise.all(
      Array.from({ length: 20 }, () =>
        addPlatformKey(store, { name: 'WMS', activityCodes: null, roles: ['outbox'] }, 1),
      ),
    );
    assert.equal(new Set(made.map(({ key }) => key.id)).size, 20);
    assert.equal(new Set(made.map(({ text }) => text.slice(17))).size, 20);
    assert.equal(parsePlatformKey(made[0]?.text.toUpperCase() ?? ''), null);
  });
});

describe('revoking', { skip: provenWithoutServer }, () => {
  it('says when there is no such key', async (t) => {
    const { store } = await openDatabase(t);
    await assert.rejects(revokePlatformKey(store, 'nothing', 1), refused(/There is no key "nothing"/));
  });

  it('keeps the time of the first revocation', async (t) => {
    const { store } = await openDatabase(t);
    const { key } = await addPlatformKey(store, { name: 'WMS', activityCodes: null, roles: ['outbox'] }, 1);
    assert.equal((await revokePlatformKey(store, key.id, 5)).revokedAt, 5);
    assert.equal((await revokePlatformKey(store, key.id, 9)).revokedAt, 5);
  });
});

describe('the platform interface', { skip: provenWithoutServer }, () => {
  it('asks for a key where none is sent', async (t) => {
    const { enter } = await openDoor(t);
    for (const header of [undefined, '', 'Bearer', 'Bearer  ', 'Basic bGNrOng=']) {
      const refusal = await refusalOf(enter(header));
      assert.deepEqual(
        [refusal.status, refusal.slug, refusal.challenge],
        [401, 'missing-token', 'Bearer realm="platform"'],
        header,
      );
      assert.match(refusal.detail, /platform key/);
    }
  });

  const nonsense = [
    'x',
    'lck_',
    `lck_${'a'.repeat(12)}_${'b'.repeat(42)}`,
    `lck_${'a'.repeat(12)}_${'b'.repeat(44)}`,
    `LCK_${'a'.repeat(12)}_${'b'.repeat(43)}`,
    `lck_${'a'.repeat(12)}_${'b'.repeat(43)}`,
    'a.b.c',
    'x'.repeat(9000),
    'lck_é',
    'a, Bearer b',
  ];
  for (const token of nonsense) {
    it(`refuses ${token.length > 60 ? `${token.length} characters` : token} as 401 invalid-token`, async (t) => {
      const { enter } = await openDoor(t);
      const refusal = await refusalOf(enter(`Bearer ${token}`));
      assert.deepEqual([refusal.status, refusal.slug], [401, 'invalid-token']);
      assert.match(
        refusal.challenge ?? '',
        /^Bearer realm="platform", error="invalid_token", error_description="[ !#-[\]-~]+"$/,
      );
    });
  }

  it('refuses the access token of a client, and says what it takes', async (t) => {
    const service = await openService(t);
    const access = createPlatformAccess({
      store: service.store,
      now: service.clock.now,
      onStorageError: assert.ifError,
    });
    const token = await service.issue();
    const refusal = await refusalOf(Promise.resolve(access(`Bearer ${token}`, facts)));
    assert.deepEqual([refusal.status, refusal.slug], [401, 'invalid-token']);
    assert.match(refusal.detail, /looks like an access token.*takes platform keys/);
  });

  it('refuses a right id with a wrong secret as it refuses an unknown id', async (t) => {
    const { store, enter } = await openDoor(t);
    const [first, second] = [
      await addPlatformKey(store, { name: 'A', activityCodes: null, roles: ['outbox'] }, 1),
      await addPlatformKey(store, { name: 'B', activityCodes: null, roles: ['outbox'] }, 1),
    ];
    const mixed = await refusalOf(enter(`Bearer lck_${first.key.id}_${second.text.slice(17)}`));
    const unknown = await refusalOf(enter(`Bearer lck_${'0'.repeat(12)}_${second.text.slice(17)}`));
    assert.deepEqual(mixed, unknown);
    assert.equal(await lastUse(store), null);
  });

  it('refuses every key whose text was changed in one place', async (t) => {
    const { store, enter } = await openDoor(t);
    const { text } = await addPlatformKey(store, { name: 'WMS', activityCodes: null, roles: ['outbox'] }, 1);
    await enter(`Bearer ${text}`);
    for (let at = 0; at < text.length; at += 1) {
      const other = text[at] === 'q' ? 'r' : 'q';
      assert.equal(
        (await refusalOf(enter(`Bearer ${text.slice(0, at)}${other}${text.slice(at + 1)}`))).slug,
        'invalid-token',
        `changed at ${at}`,
      );
    }
  });

  it('lets a key into its activities alone, under its name', async (t) => {
    const { store, enter } = await openDoor(t);
    const { key, text } = await addPlatformKey(
      store,
      { name: 'WMS', activityCodes: ['CCC', 'AAA'], roles: ['outbox'] },
      1,
    );
    assert.deepEqual(await enter(`bearer ${text}`), {
      kind: 'platform-key',
      clientId: key.id,
      subject: 'WMS',
      activityCodes: ['AAA', 'CCC'],
      readOnly: false,
      roles: ['outbox'],
    });
  });

  it('lets a key for all into those that were added later too, as soon as they are', async (t) => {
    const { store, enter } = await openDoor(t);
    const { text } = await addPlatformKey(store, { name: 'WMS', activityCodes: null, roles: ['outbox'] }, 1);
    assert.deepEqual((await enter(`Bearer ${text}`)).activityCodes, ['AAA', 'BBB', 'CCC']);
    await addRows(store, activityTable, [
      { code: 'AAB', name: 'Later', number: 9, lastChange: 0, lastId: 0, lastWriteAt: 0, createdAt: 0 },
    ]);
    assert.deepEqual((await enter(`Bearer ${text}`)).activityCodes, ['AAA', 'AAB', 'BBB', 'CCC']);
  });

  it('lets a key for all in where there is no activity yet: what it may ask then, the route says', async (t) => {
    const { store, enter } = await openDoor(t);
    await removeRows(store, activityTable);
    const { text } = await addPlatformKey(store, { name: 'WMS', activityCodes: null, roles: ['outbox'] }, 1);
    assert.deepEqual((await enter(`Bearer ${text}`)).activityCodes, []);
  });

  it('refuses a revoked key from the next request on, in every process', async (t) => {
    const { store, clock, enter, again } = await openDoor(t);
    const { key, text } = await addPlatformKey(store, { name: 'WMS', activityCodes: null, roles: ['outbox'] }, 1);
    const other = await again();
    await enter(`Bearer ${text}`);
    await lastUse(store);
    await other(`Bearer ${text}`, facts);
    await revokePlatformKey(store, key.id, clock.now());
    assert.equal((await refusalOf(enter(`Bearer ${text}`))).slug, 'invalid-token');
    assert.equal((await refusalOf(Promise.resolve(other(`Bearer ${text}`, facts)))).slug, 'invalid-token');
  });

  it('notes the last use, once a minute', async (t) => {
    const { store, clock, enter } = await openDoor(t);
    const { text } = await addPlatformKey(store, { name: 'WMS', activityCodes: null, roles: ['outbox'] }, 1);
    const first = clock.now();
    await enter(`Bearer ${text}`);
    assert.equal(await lastUse(store), first);
    clock.advance(59_999);
    await enter(`Bearer ${text}`);
    assert.equal(await lastUse(store), first);
    clock.advance(1);
    await enter(`Bearer ${text}`);
    assert.equal(await lastUse(store), first + 60_000);
  });

  it('lets a key in although its use cannot be noted, and tells the operator', async (t) => {
    const { store, enter, storageErrors } = await openDoor(t);
    const { text } = await addPlatformKey(store, { name: 'WMS', activityCodes: null, roles: ['outbox'] }, 1);
    await renameTable(store, 'platform_key', 'held_key');
    // A view can be read but not written.
    await run(store, sql`create view platform_key as select * from held_key`);
    assert.equal((await enter(`Bearer ${text}`)).subject, 'WMS');
    await store.engine.write(async () => undefined);
    assert.equal(storageErrors.length, 1);
  });

  it('is a 503 while storage is away, never a 401; afterwards all is well', async (t) => {
    const { store, enter, storageErrors } = await openDoor(t);
    const { text } = await addPlatformKey(store, { name: 'WMS', activityCodes: null, roles: ['outbox'] }, 1);
    await renameTable(store, 'platform_key', 'away');
    const refusal = await refusalOf(enter(`Bearer ${text}`));
    assert.deepEqual([refusal.slug, refusal.status, refusal.challenge], ['unavailable', 503, undefined]);
    assert.equal(storageErrors.length, 1);
    await renameTable(store, 'away', 'platform_key');
    await enter(`Bearer ${text}`);
  });
});

describe('the client interface', { skip: provenWithoutServer }, () => {
  it('refuses a platform key, and says what it is', async (t) => {
    const service = await openService(t);
    const { text } = await addPlatformKey(service.store, { name: 'WMS', activityCodes: null, roles: ['outbox'] }, 1);
    const refusal = await refusalOf(service.verify(`Bearer ${text}`));
    assert.deepEqual([refusal.status, refusal.slug], [401, 'invalid-token']);
    assert.match(refusal.detail, /platform key: it opens the platform interface alone/);
  });
});

for (const { name, skip, create } of enginesAboveStorage) {
  describe(`platform keys on ${name}`, { skip }, () => {
    it('are made, used, noted, listed and revoked', async (t) => {
      const database = await create();
      const engine = await database.open();
      t.after(async () => {
        await engine.close();
        await database.remove();
      });
      const store = await prepare(engine);
      const clock = stoppedClock();
      const some = await addPlatformKey(
        store,
        { name: 'some', activityCodes: ['BBB'], roles: ['outbox'] },
        clock.now(),
      );
      clock.advance(1);
      const all = await addPlatformKey(store, { name: 'all', activityCodes: null, roles: ['outbox'] }, clock.now());
      assert.deepEqual(await listPlatformKeys(store), [some.key, all.key]);
      const access = createPlatformAccess({ store, now: clock.now, onStorageError: assert.ifError });
      assert.deepEqual((await access(`Bearer ${some.text}`, facts)).activityCodes, ['BBB']);
      while ((await listPlatformKeys(store))[0]?.lastUsedAt === null) await nextTurn();
      assert.equal((await listPlatformKeys(store))[0]?.lastUsedAt, clock.now());
      assert.equal((await revokePlatformKey(store, all.key.id, clock.now())).revokedAt, clock.now());
      assert.equal((await refusalOf(Promise.resolve(access(`Bearer ${all.text}`, facts)))).slug, 'invalid-token');
    });
  });
}
