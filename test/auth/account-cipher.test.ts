// How secrets of carrier accounts lie in the database: encrypted always, and opened again by whoever holds the key.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { type AccountCipherSettings, createAccountCipher, keyFile } from '../../src/auth/account-cipher.ts';
import { OperatorError } from '../../src/model/operator-error.ts';

const secrets = JSON.stringify({ password: 'hush, nobody knows', key: 'é€🚚' });
const secretKey = 'pebble lantern orchard seventeen willow';
const onServer = 'postgres://me:hush@database.example/logistics';

describe('the secrets of carrier accounts', () => {
  describe('cannot be stored', () => {
    it('where several machines share the database and SECRET_KEY is not set, and no key is made', async (t) => {
      const { cipher, folder } = cipherIn(t, { databaseUrl: onServer });
      assert.match((await refused(cipher().encrypt(secrets))).message, /SECRET_KEY is not set/);
      assert.deepEqual(readdirSync(folder), []);
    });

    it('under a SECRET_KEY that is too short to be worth having', (t) => {
      assert.throws(() => cipherIn(t, { secretKey: 'short' }).cipher(), /5 characters/);
    });

    it('where the folder is not there', async (t) => {
      const { folder } = cipherIn(t);
      await assert.rejects(
        createAccountCipher({ secretKey: null, dataDir: join(folder, 'gone'), databaseUrl: null }).encrypt(secrets),
        /ENOENT/,
      );
    });

    it('under a key file that was cut', async (t) => {
      const { cipher, folder } = cipherIn(t);
      for (const content of ['', '\n', 'abc']) {
        writeFileSync(join(folder, keyFile), content);
        assert.match((await refused(cipher().encrypt(secrets))).message, /secret\.key is damaged/);
      }
    });
  });

  describe('cannot be decrypted', () => {
    it('without any key, and the way out is named', async (t) => {
      const { cipher, folder } = cipherIn(t);
      const stored = await cipher().encrypt(secrets);
      rmSync(join(folder, keyFile));
      const error = await refused(cipher().decrypt(stored));
      assert.match(error.message, /neither SECRET_KEY nor .*secret\.key/);
      assert.match(error.remedy, /backup/);
      assert.ok(!existsSync(join(folder, keyFile)), 'reading makes no key');
    });

    it('by a key file beside a database that is elsewhere', async (t) => {
      const { cipher, folder } = cipherIn(t);
      const stored = await cipher().encrypt(secrets);
      assert.match(
        (
          await refused(
            createAccountCipher({ secretKey: null, dataDir: folder, databaseUrl: onServer }).decrypt(stored),
          )
        ).message,
        /SECRET_KEY/,
      );
    });

    it('by another key', async (t) => {
      const [mine, other] = [cipherIn(t), cipherIn(t)];
      const stored = await mine.cipher().encrypt(secrets);
      await other.cipher().encrypt(secrets);
      assert.match((await refused(other.cipher().decrypt(stored))).message, /another secret/);
      assert.match((await refused(other.cipher({ secretKey }).decrypt(stored))).message, /another secret/);
    });

    it('where they were changed', async (t) => {
      const { cipher } = cipherIn(t, { secretKey });
      const stored = await cipher().encrypt(secrets);
      for (const changed of [
        stored.slice(0, -4),
        `${stored.slice(0, -1)}${stored.endsWith('A') ? 'B' : 'A'}x`,
        'eyJ',
        '',
        stored.replace(/\.[^.]+$/, '.AAAA'),
      ]) {
        assert.match((await refused(cipher().decrypt(changed))).message, /damaged/, changed.slice(0, 10));
      }
    });
  });

  for (const [what, settings] of [
    ['under SECRET_KEY', { secretKey }],
    ['under SECRET_KEY beside a server', { secretKey, databaseUrl: onServer }],
    ['under a key file', {}],
  ] as const) {
    it(`come back as they were ${what}, and a stored text tells nothing`, async (t) => {
      const { cipher } = cipherIn(t, settings);
      const [stored, again] = [await cipher().encrypt(secrets), await cipher().encrypt(secrets)];
      assert.ok(!stored.includes('hush') && !Buffer.from(stored, 'base64url').toString().includes('hush'));
      assert.notEqual(stored, again, 'equal secrets do not look alike');
      for (const text of [stored, again]) assert.equal(await cipher().decrypt(text), secrets);
      assert.equal(cipher().encrypts, true);
    });
  }

  it('have a key file for the owner alone, made once, with nothing beside it', async (t) => {
    const { cipher, folder } = cipherIn(t);
    await cipher().encrypt(secrets);
    const key = readFileSync(join(folder, keyFile), 'utf8');
    assert.equal(statSync(join(folder, keyFile)).mode & 0o777, 0o600);
    assert.match(key, /^[\w-]{43}\n$/);
    await cipher().encrypt(secrets);
    assert.equal(readFileSync(join(folder, keyFile), 'utf8'), key);
    assert.deepEqual(readdirSync(folder), [keyFile]);
  });

  it('need no key file under SECRET_KEY', async (t) => {
    const { cipher, folder } = cipherIn(t, { secretKey });
    await cipher().decrypt(await cipher().encrypt(secrets));
    assert.deepEqual(readdirSync(folder), []);
  });

  it('stored under the key file are still decrypted once SECRET_KEY is set, and new ones under that', async (t) => {
    const { cipher, folder } = cipherIn(t);
    const old = await cipher().encrypt(secrets);
    const later = cipher({ secretKey });
    assert.equal(await later.decrypt(old), secrets);
    const fresh = await later.encrypt(secrets);
    rmSync(join(folder, keyFile));
    assert.equal(await later.decrypt(fresh), secrets);
    assert.match((await refused(later.decrypt(old))).message, /another secret/);
  });

  it('are readable to every process, when several make the key at once', async (t) => {
    const { folder } = cipherIn(t);
    const module = join(import.meta.dirname, '../../src/auth/account-cipher.ts');
    const program = `import { createAccountCipher } from '${module}';
      const cipher = createAccountCipher({ secretKey: null, databaseUrl: null, dataDir: process.argv[1] });
      process.stdout.write(await cipher.encrypt('of ' + process.pid));`;
    const run = promisify(execFile);
    const stored = await Promise.all(
      Array.from({ length: 4 }, () => run(process.execPath, ['--input-type=module', '-e', program, folder])),
    );
    const { cipher } = cipherIn(t, { dataDir: folder });
    for (const { stdout } of stored) assert.match(await cipher().decrypt(stdout), /^of \d+$/);
    assert.deepEqual(readdirSync(folder), [keyFile]);
  });
});

function cipherIn(t: TestContext, settings: Partial<AccountCipherSettings> = {}) {
  const folder = settings.dataDir ?? mkdtempSync(join(tmpdir(), 'logistics-connect-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return {
    folder,
    cipher: (more: Partial<AccountCipherSettings> = {}) =>
      createAccountCipher({ secretKey: null, dataDir: folder, databaseUrl: null, ...settings, ...more }),
  };
}

async function refused(outcome: Promise<unknown>): Promise<OperatorError> {
  const error: unknown = await outcome.then(
    () => assert.fail('must be refused'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof OperatorError)) throw error;
  return error;
}
