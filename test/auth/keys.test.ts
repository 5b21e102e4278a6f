// Signing keys: made once whoever starts first, found by every process, encrypted when there is a secret.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { createKeyRing, encryptStoredKeys } from '../../src/auth/keys.ts';
import { createCipher } from '../../src/auth/cipher.ts';
import { settings } from '../../src/config/settings.ts';
import { OperatorError } from '../../src/model/operator-error.ts';
import type { Store } from '../../src/store/store.ts';
import { openDatabase, stoppedClock } from './fixture.ts';
import { addRows, changeRows, rowIn, rowsIn } from '../contract/database.ts';
import { signingKeyTable } from '../../src/store/tables/access.ts';

const secret = 'a secret of more than thirty-two characters';
const open = createCipher(null);
const run = promisify(execFile);

describe('the key ring of a new database', () => {
  it('makes an ES256 and an RS256 key at first use and publishes no private part', async (t) => {
    const { store } = await openDatabase(t);
    const ring = createKeyRing({ store, cipher: open, now: stoppedClock().now });
    assert.equal(await ring.verificationKey('any'), null);
    assert.equal((await rowsIn(store, signingKeyTable)).length, 0);
    const { keys } = await ring.publicKeys();
    assert.deepEqual(keys.map((key) => key.alg).toSorted(), ['ES256', 'RS256']);
    for (const key of keys) {
      assert.equal(key.use, 'sig');
      for (const secretPart of ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k']) assert.equal(secretPart in key, false);
    }
    const signing = await ring.signingKey('ES256');
    assert.ok(keys.some((key) => key.kid === signing.kid));
    assert.equal((await ring.verificationKey(signing.kid))?.alg, 'ES256');
  });

  it('makes one pair although many rings start at once', async (t) => {
    const database = await openDatabase(t);
    const rings = [database.store, await database.again(), await database.again(), await database.again()].map(
      (store) => createKeyRing({ store, cipher: open, now: stoppedClock().now }),
    );
    const kids = await Promise.all(rings.map(async (ring) => (await ring.signingKey('ES256')).kid));
    assert.equal(new Set(kids).size, 1);
    assert.equal((await rowsIn(database.store, signingKeyTable)).length, 2);
  });

  it('makes one pair although many processes start at once', async (t) => {
    const { store, path } = await openDatabase(t);
    const module = (name: string): string =>
      JSON.stringify(pathToFileURL(`${import.meta.dirname}/../../src/${name}`).href);
    const program = `
      import { createKeyRing } from ${module('auth/keys.ts')};
      import { createCipher } from ${module('auth/cipher.ts')};
      import { openSqlite } from ${module('store/sqlite.ts')};
      import { createSigningKeys } from ${module('store/signing-keys.ts')};
      const engine = openSqlite(process.argv[1], Date.now);
      const store = { signingKeys: createSigningKeys(engine) };
      const ring = createKeyRing({ store, cipher: createCipher(null), now: Date.now });
      console.log((await ring.signingKey('ES256')).kid);
      await engine.close();`;
    const outputs = await Promise.all(
      Array.from({ length: 4 }, () => run(process.execPath, ['--input-type=module', '-e', program, path])),
    );
    assert.equal(new Set(outputs.map(({ stdout }) => stdout)).size, 1);
    assert.equal((await rowsIn(store, signingKeyTable)).length, 2);
  });
});

describe('another process', () => {
  it('finds a key that was made a moment ago, but does not look again for every invented key id', async (t) => {
    const { store } = await openDatabase(t);
    const clock = stoppedClock();
    const maker = createKeyRing({ store, cipher: open, now: clock.now });
    const other = createKeyRing({ store, cipher: open, now: clock.now });
    const reader = createKeyRing({ store, cipher: open, now: clock.now });
    await other.verificationKey('');
    clock.advance(1_000);
    const { kid } = await maker.signingKey('ES256');
    assert.equal((await reader.verificationKey(kid))?.kid, kid);
    assert.equal(await other.verificationKey(kid), null);
    clock.advance(10_000);
    assert.equal((await other.verificationKey(kid))?.kid, kid);
  });

  it('signs with the successor once the old key has retired, which verifies for a day and an hour', async (t) => {
    const { store } = await openDatabase(t);
    const clock = stoppedClock();
    const ring = createKeyRing({ store, cipher: open, now: clock.now });
    const old = await ring.signingKey('ES256');
    const retiredAt = clock.now() + 120_000;
    await changeRows(store, signingKeyTable, { retiredAt }, { kid: old.kid });
    const rows = await rowsIn(store, signingKeyTable, { kid: old.kid });
    const donor = await openDatabase(t);
    await createKeyRing({ store: donor.store, cipher: open, now: clock.now }).publicKeys();
    const successor = await rowIn(donor.store, signingKeyTable, { alg: 'ES256' });
    await addRows(store, signingKeyTable, [{ ...successor, generation: (rows[0]?.generation ?? 0) + 1 }]);

    clock.advance(119_999);
    assert.equal((await ring.signingKey('ES256')).kid, old.kid);
    assert.equal((await ring.publicKeys()).keys.length, 3);
    clock.advance(1);
    assert.equal((await ring.signingKey('ES256')).kid, successor.kid);
    assert.equal((await ring.verificationKey(old.kid))?.kid, old.kid);
    clock.advance(25 * 3_600_000);
    assert.equal(await ring.verificationKey(old.kid), null);
    assert.equal(
      (await ring.publicKeys()).keys.some((key) => key.kid === old.kid),
      false,
    );
  });
});

describe('private keys in the database', () => {
  const stored = async (store: Store): Promise<string[]> =>
    (await rowsIn(store, signingKeyTable)).map((row) => row.privateJwk);
  const message =
    (pattern: RegExp) =>
    (error: unknown): boolean =>
      error instanceof OperatorError && pattern.test(error.message) && error.remedy !== '';

  it('are encrypted under the secret, and open with it alone', async (t) => {
    const { store } = await openDatabase(t);
    const now = stoppedClock().now;
    const { kid } = await createKeyRing({ store, cipher: createCipher(secret), now }).signingKey('ES256');
    for (const text of await stored(store)) {
      assert.doesNotMatch(text, /"d"/);
      assert.equal(text.split('.').length, 5);
    }
    assert.equal((await createKeyRing({ store, cipher: createCipher(secret), now }).signingKey('ES256')).kid, kid);
    await assert.rejects(
      createKeyRing({ store, cipher: createCipher(`${secret}!`), now }).signingKey('ES256'),
      message(/encrypted with another secret/),
    );
    await assert.rejects(
      createKeyRing({ store, cipher: open, now }).signingKey('ES256'),
      message(/SECRET_KEY is not set/),
    );
    assert.equal((await createKeyRing({ store, cipher: open, now }).publicKeys()).keys.length, 2);
  });

  it('that are damaged are not mistaken for a wrong secret', async (t) => {
    const { store } = await openDatabase(t);
    const now = stoppedClock().now;
    await createKeyRing({ store, cipher: createCipher(secret), now }).signingKey('ES256');
    for (const [whole = ''] of [await stored(store)]) {
      const [header, , iv, , tag] = whole.split('.');
      for (const broken of ['', 'x', '....', `${header}..${iv}.AAAA.${tag}`]) {
        await changeRows(store, signingKeyTable, { privateJwk: broken });
        await assert.rejects(
          createKeyRing({ store, cipher: createCipher(secret), now }).signingKey('ES256'),
          message(/damaged/),
          broken,
        );
      }
    }
  });

  it('are encrypted afterwards when a secret is configured later', async (t) => {
    const { store } = await openDatabase(t);
    const now = stoppedClock().now;
    const { kid } = await createKeyRing({ store, cipher: open, now }).signingKey('ES256');
    assert.equal(await encryptStoredKeys(store, open), 0);
    assert.equal((await createKeyRing({ store, cipher: createCipher(secret), now }).signingKey('ES256')).kid, kid);
    assert.equal(await encryptStoredKeys(store, createCipher(secret)), 2);
    assert.equal(await encryptStoredKeys(store, createCipher(secret)), 0);
    for (const text of await stored(store)) assert.equal(text.split('.').length, 5);
    assert.equal((await createKeyRing({ store, cipher: createCipher(secret), now }).signingKey('ES256')).kid, kid);
  });

  it('are never encrypted the same way twice', async () => {
    const cipher = createCipher(secret);
    assert.notEqual(await cipher.encrypt('{}'), await cipher.encrypt('{}'));
  });

  it('are not entrusted to a short secret', () => {
    assert.throws(() => createCipher('short'), message(/5 characters, at least 32/));
    assert.match(settings.secretKey.meaning, /at least 32 characters/);
  });
});
