// The secrets of cookies and forms: encrypted where a secret is configured, the same for all processes, and replaced
// without signing anybody out.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Kysely } from 'kysely';
import { createCipher } from '../../src/auth/cipher.ts';
import {
  createSignInSecrets,
  rotateSignInSecrets,
  encryptStoredSecrets,
  secretFor,
} from '../../src/auth/sign-in-secrets.ts';
import { OperatorError } from '../../src/model/operator-error.ts';
import type { Tables } from '../../src/store/tables.ts';
import { allEngines } from '../contract/engines.ts';
import {
  authorizationRequest,
  authorize,
  fieldIn,
  follow,
  openBrowser,
  registerClient,
  registerUser,
  send,
  startService,
} from './flow.ts';
import { openDatabase, prepare, stoppedClock } from './fixture.ts';

const passphrase = 'a secret of more than thirty-two characters';
const hour = 3_600_000;

async function storedRows(db: Kysely<Tables>): Promise<Record<string, string>> {
  return Object.fromEntries(
    (await db.selectFrom('secret').select(['name', 'value']).execute()).map(({ name, value }) => [name, value]),
  );
}

function refusal(pattern: RegExp): (error: unknown) => boolean {
  return (error) => error instanceof OperatorError && pattern.test(error.message);
}

describe('secrets of the sign-in that cannot be opened', () => {
  it('are told as what they are: SECRET_KEY missing, another one, or damage', async (t) => {
    const { db } = await openDatabase(t);
    const open = (key: string | null): Promise<unknown> =>
      createSignInSecrets({ db, cipher: createCipher(key), now: Date.now }).current();
    await open(passphrase);
    await assert.rejects(open(null), refusal(/encrypted, and SECRET_KEY is not set/));
    await assert.rejects(open(`${passphrase}!`), refusal(/another secret than SECRET_KEY/));
    await assert.rejects(
      rotateSignInSecrets({ db, cipher: createCipher(`${passphrase}!`), now: Date.now }),
      refusal(/another secret/),
    );
    await db
      .updateTable('secret')
      .set((row) => ({ value: row.fn('substr', ['value', row.val(1), row.val(150)]) }))
      .where('name', '=', 'sign-in')
      .execute();
    await assert.rejects(open(passphrase), refusal(/damaged/));
  });

  it('end the start of a server, and nothing is changed', async (t) => {
    const service = await startService(t, { SECRET_KEY: passphrase });
    const { db } = service.app.store;
    const before = await storedRows(db);
    // The signing keys alone would open: only the secrets are of another passphrase.
    await db.deleteFrom('secret').where('name', '=', 'sign-in').execute();
    await createSignInSecrets({ db, cipher: createCipher(`${passphrase}!`), now: Date.now }).current();
    const foreign = await storedRows(db);
    await assert.rejects(service.again(), refusal(/another secret than SECRET_KEY/));
    assert.deepEqual(await storedRows(db), foreign);
    assert.notEqual(foreign['sign-in'], before['sign-in']);
  });
});

for (const { name, skip, create, parallel } of allEngines) {
  describe(`secrets of the sign-in on ${name}`, { skip }, () => {
    it('are the same for processes that start at once, encrypted at rest, and made once', async (t) => {
      const database = await create();
      const [first, second] = [await database.open(), await database.open()];
      t.after(async () => {
        await first.close();
        await second.close();
        await database.remove();
      });
      const db = await prepare(first);
      for (const earlier of ['cookie', 'csrf', 'throttle'])
        await db.insertInto('secret').values({ name: earlier, value: 'clear', created_at: 0 }).execute();
      const clock = stoppedClock();
      const all = [db, parallel ? second.db : db, db].map((one) =>
        createSignInSecrets({ db: one, cipher: createCipher(passphrase), now: clock.now }),
      );
      const [mine, ...others] = await Promise.all(all.map((secrets) => secrets.current()));
      assert.ok(mine);
      assert.equal(mine.length, 1);
      for (const other of others) assert.deepEqual(other, mine);
      const rows = await storedRows(db);
      assert.deepEqual(
        ['cookie', 'csrf', 'throttle'].filter((earlier) => earlier in rows),
        [],
      );
      assert.ok(!JSON.stringify(rows).includes(mine[0]));

      const outcomes = await Promise.allSettled(
        [db, parallel ? second.db : db].map((one) =>
          rotateSignInSecrets({ db: one, cipher: createCipher(passphrase), now: clock.now }),
        ),
      );
      assert.deepEqual(outcomes.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
      clock.advance(60_000);
      const [next] = await Promise.all(all.map((secrets) => secrets.current()));
      assert.ok(next);
      assert.deepEqual([next.length, next[0]], [2, mine[0]]);
    });
  });
}

describe('secrets of the sign-in', () => {
  it('that lie in the clear are encrypted once a secret is configured, and stay what they are', async (t) => {
    const { db } = await openDatabase(t);
    const now = Date.now;
    const clear = await createSignInSecrets({ db, cipher: createCipher(null), now }).current();
    assert.ok((await storedRows(db))['sign-in']?.includes(clear[0]));
    await encryptStoredSecrets(db, createCipher(null));
    assert.ok((await storedRows(db))['sign-in']?.includes(clear[0]));
    await encryptStoredSecrets(db, createCipher(passphrase));
    const encrypted = (await storedRows(db))['sign-in'];
    assert.ok(encrypted !== undefined && !encrypted.includes(clear[0]));
    await encryptStoredSecrets(db, createCipher(passphrase));
    assert.equal((await storedRows(db))['sign-in'], encrypted);
    assert.deepEqual(await createSignInSecrets({ db, cipher: createCipher(passphrase), now }).current(), clear);
  });

  it('sign two minutes after the rotation, verify for nine hours afterwards, and are then gone from the database with the next', async (t) => {
    const { db } = await openDatabase(t);
    const clock = stoppedClock();
    const options = { db, cipher: createCipher(null), now: clock.now };
    const secrets = createSignInSecrets(options);
    const [old] = await secrets.current();
    await rotateSignInSecrets(options);
    await assert.rejects(rotateSignInSecrets(options), refusal(/under way/));
    clock.advance(119_999);
    const waiting = await secrets.current();
    assert.deepEqual([waiting.length, waiting[0]], [2, old]);
    clock.advance(1);
    const rotated = await secrets.current();
    assert.deepEqual(rotated, [waiting[1], old]);
    assert.equal(await secrets.current(), rotated);
    clock.advance(9 * hour - 1);
    assert.deepEqual(await secrets.current(), rotated);
    clock.advance(1);
    assert.deepEqual(await secrets.current(), [rotated[0]]);
    await rotateSignInSecrets(options);
    assert.ok(!JSON.stringify(await storedRows(db)).includes(old));
    clock.advance(-10 * hour);
    assert.ok((await secrets.current()).includes(rotated[0]));
  });

  it('give a key of its own to each purpose', () => {
    const keys = (['cookie', 'form', 'throttle', 'browser'] as const).flatMap((purpose) =>
      ['a', 'b'].map((secret) => secretFor(purpose, Buffer.from(secret).toString('base64url'))),
    );
    assert.equal(new Set(keys).size, 8);
    for (const key of keys) assert.equal(Buffer.from(key, 'base64url').length, 32);
  });
});

describe('a rotation while somebody signs in', () => {
  it('signs nobody out: cookies and forms from before count in every process, and new ones come in their place', async (t) => {
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() });
    const service = await startService(t, { SECRET_KEY: passphrase });
    const other = await service.again();
    const { client } = await registerClient(service);
    await registerUser(service);
    const [signedIn, halfWay] = [openBrowser(service, other), openBrowser(service, other)];
    await authorize(service, signedIn, authorizationRequest(service, client));
    const begun = await follow(service, halfWay, await halfWay.get(authorizationRequest(service, client).address));
    const before = signedIn.cookie('session.sig');
    await rotateSignInSecrets({ db: service.app.store.db, cipher: createCipher(passphrase), now: Date.now });
    // From before the other process has read it until after all sign with it.
    for (const step of [30_000, 30_000, 30_000, 31_000, 60_000]) {
      t.mock.timers.tick(step);
      const { pages } = await authorize(service, signedIn, authorizationRequest(service, client));
      assert.ok(!pages.includes('sign-in'), `signed out after ${step}`);
    }
    assert.notEqual(signedIn.cookie('session.sig'), before);
    const posted = await halfWay.post(begun.at, {
      csrf: fieldIn(begun.answer, 'csrf'),
      login: 'mia',
      password: 'tall ships carry heavy crates',
    });
    assert.equal(posted.status, 303, posted.body.slice(0, 500));
    assert.deepEqual(
      posted.cookies.map((cookie) => cookie.split('=')[0]),
      ['known-browser'],
    );
    assert.match((await follow(service, halfWay, posted)).answer.body, /name="decision"/);
    // A cookie that nobody here has signed counts for nothing.
    const forged = await send(service, 'GET', begun.at, {
      cookie: `interaction=${new URL(begun.at).pathname.split('/').at(-1)}; interaction.sig=${'A'.repeat(27)}`,
    });
    assert.match(forged.body, /This sign-in is over/);
  });
});
