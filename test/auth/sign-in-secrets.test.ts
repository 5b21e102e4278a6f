// The secrets of cookies and forms: encrypted where a secret is configured, the same for all processes, and replaced
// without signing anybody out.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createCipher } from '../../src/auth/cipher.ts';
import {
  createSignInSecrets,
  rotateSignInSecrets,
  encryptStoredSecrets,
  secretFor,
} from '../../src/auth/sign-in-secrets.ts';
import { OperatorError } from '../../src/model/operator-error.ts';
import type { Store } from '../../src/store/store.ts';
import { enginesAboveStorage, provenWithoutServer, storeOn } from '../contract/engines.ts';
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
import { addRows, changeRows, removeRows, rowsIn } from '../contract/database.ts';
import { secretTable } from '../../src/store/tables/processes.ts';
import { sql } from '../../src/store/statement.ts';

const passphrase = 'a secret of more than thirty-two characters';
const hour = 3_600_000;

async function storedRows(store: Store): Promise<Record<string, string>> {
  return Object.fromEntries((await rowsIn(store, secretTable)).map(({ name, value }) => [name, value]));
}

function refusal(pattern: RegExp): (error: unknown) => boolean {
  return (error) => error instanceof OperatorError && pattern.test(error.message);
}

describe('secrets of the sign-in that cannot be opened', { skip: provenWithoutServer }, () => {
  it('are told as what they are: SECRET_KEY missing, another one, or damage', async (t) => {
    const { store } = await openDatabase(t);
    const open = (key: string | null): Promise<unknown> =>
      createSignInSecrets({ store, cipher: createCipher(key), now: Date.now }).current();
    await open(passphrase);
    await assert.rejects(open(null), refusal(/encrypted, and SECRET_KEY is not set/));
    await assert.rejects(open(`${passphrase}!`), refusal(/another secret than SECRET_KEY/));
    await assert.rejects(
      rotateSignInSecrets({ store, cipher: createCipher(`${passphrase}!`), now: Date.now }),
      refusal(/another secret/),
    );
    await changeRows(store, secretTable, { value: sql`substr(value, 1, 150)` }, { name: 'sign-in' });
    await assert.rejects(open(passphrase), refusal(/damaged/));
  });

  it('end the start of a server, and nothing is changed', async (t) => {
    const service = await startService(t, { SECRET_KEY: passphrase });
    const { store } = service.app;
    const before = await storedRows(store);
    // The signing keys alone would open: only the secrets are of another passphrase.
    await removeRows(store, secretTable, { name: 'sign-in' });
    await createSignInSecrets({ store, cipher: createCipher(`${passphrase}!`), now: Date.now }).current();
    const foreign = await storedRows(store);
    await assert.rejects(service.again(), refusal(/another secret than SECRET_KEY/));
    assert.deepEqual(await storedRows(store), foreign);
    assert.notEqual(foreign['sign-in'], before['sign-in']);
  });
});

for (const { name, skip, create, parallel } of enginesAboveStorage) {
  describe(`secrets of the sign-in on ${name}`, { skip }, () => {
    it('are the same for processes that start at once, encrypted at rest, and made once', async (t) => {
      const database = await create();
      const [first, second] = [await database.open(), await database.open()];
      t.after(async () => {
        await first.close();
        await second.close();
        await database.remove();
      });
      const store = await prepare(first);
      const other = await storeOn(second);
      for (const earlier of ['cookie', 'csrf', 'throttle'])
        await addRows(store, secretTable, [{ name: earlier, value: 'clear', createdAt: 0 }]);
      const clock = stoppedClock();
      const all = [store, parallel ? other : store, store].map((one) =>
        createSignInSecrets({ store: one, cipher: createCipher(passphrase), now: clock.now }),
      );
      const [mine, ...others] = await Promise.all(all.map((secrets) => secrets.current()));
      assert.ok(mine);
      assert.equal(mine.length, 1);
      for (const other of others) assert.deepEqual(other, mine);
      const rows = await storedRows(store);
      assert.deepEqual(
        ['cookie', 'csrf', 'throttle'].filter((earlier) => earlier in rows),
        [],
      );
      assert.ok(!JSON.stringify(rows).includes(mine[0]));

      const outcomes = await Promise.allSettled(
        [store, parallel ? other : store].map((one) =>
          rotateSignInSecrets({ store: one, cipher: createCipher(passphrase), now: clock.now }),
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

describe('secrets of the sign-in', { skip: provenWithoutServer }, () => {
  it('that lie in the clear are encrypted once a secret is configured, and stay what they are', async (t) => {
    const { store } = await openDatabase(t);
    const now = Date.now;
    const clear = await createSignInSecrets({ store, cipher: createCipher(null), now }).current();
    assert.ok((await storedRows(store))['sign-in']?.includes(clear[0]));
    await encryptStoredSecrets(store, createCipher(null));
    assert.ok((await storedRows(store))['sign-in']?.includes(clear[0]));
    await encryptStoredSecrets(store, createCipher(passphrase));
    const encrypted = (await storedRows(store))['sign-in'];
    assert.ok(encrypted !== undefined && !encrypted.includes(clear[0]));
    await encryptStoredSecrets(store, createCipher(passphrase));
    assert.equal((await storedRows(store))['sign-in'], encrypted);
    assert.deepEqual(await createSignInSecrets({ store, cipher: createCipher(passphrase), now }).current(), clear);
  });

  it('sign two minutes after the rotation, verify for nine hours, and are gone with the next', async (t) => {
    const { store } = await openDatabase(t);
    const clock = stoppedClock();
    const options = { store, cipher: createCipher(null), now: clock.now };
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
    assert.ok(!JSON.stringify(await storedRows(store)).includes(old));
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
  it('signs nobody out: cookies and forms from before count in every process, new ones replace them', async (t) => {
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() });
    const service = await startService(t, { SECRET_KEY: passphrase });
    const other = await service.again();
    const { client } = await registerClient(service);
    await registerUser(service);
    const [signedIn, halfWay] = [openBrowser(service, other), openBrowser(service, other)];
    await authorize(service, signedIn, authorizationRequest(service, client));
    const begun = await follow(service, halfWay, await halfWay.get(authorizationRequest(service, client).address));
    const before = signedIn.cookie('session.sig');
    await rotateSignInSecrets({ store: service.app.store, cipher: createCipher(passphrase), now: Date.now });
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
