// How secrets of carrier accounts lie in the database: encrypted always, and opened again by whoever holds the key.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { type AccountSealSettings, createAccountSeal, keyFile } from '../../src/auth/account-seal.ts';
import { OperatorError } from '../../src/model/operator-error.ts';

const secrets = JSON.stringify({ password: 'hush, nobody knows', key: 'é€🚚' });
const secretKey = 'pebble lantern orchard seventeen willow';
const onServer = 'postgres://me:hush@database.example/logistics';

describe('the secrets of carrier accounts', () => {
  describe('cannot be stored', () => {
    it('where several machines share the database and SECRET_KEY is not set, and no key is made', async (t) => {
      const { seal, folder } = sealIn(t, { databaseUrl: onServer });
      assert.match((await refused(seal().close(secrets))).message, /SECRET_KEY is not set/);
      assert.deepEqual(readdirSync(folder), []);
    });

    it('under a SECRET_KEY that is too short to be worth having', (t) => {
      assert.throws(() => sealIn(t, { secretKey: 'short' }).seal(), /5 characters/);
    });

    it('where the folder is not there', async (t) => {
      const { folder } = sealIn(t);
      await assert.rejects(
        createAccountSeal({ secretKey: null, dataDir: join(folder, 'gone'), databaseUrl: null }).close(secrets),
        /ENOENT/,
      );
    });

    it('under a key file that was cut', async (t) => {
      const { seal, folder } = sealIn(t);
      for (const content of ['', '\n', 'abc']) {
        writeFileSync(join(folder, keyFile), content);
        assert.match((await refused(seal().close(secrets))).message, /secret\.key is damaged/);
      }
    });
  });

  describe('cannot be opened', () => {
    it('without any key, and the way out is named', async (t) => {
      const { seal, folder } = sealIn(t);
      const stored = await seal().close(secrets);
      rmSync(join(folder, keyFile));
      const error = await refused(seal().open(stored));
      assert.match(error.message, /neither SECRET_KEY nor .*secret\.key/);
      assert.match(error.remedy, /backup/);
      assert.ok(!existsSync(join(folder, keyFile)), 'reading makes no key');
    });

    it('by a key file beside a database that is elsewhere', async (t) => {
      const { seal, folder } = sealIn(t);
      const stored = await seal().close(secrets);
      assert.match(
        (await refused(createAccountSeal({ secretKey: null, dataDir: folder, databaseUrl: onServer }).open(stored)))
          .message,
        /SECRET_KEY/,
      );
    });

    it('by another key', async (t) => {
      const [mine, other] = [sealIn(t), sealIn(t)];
      const stored = await mine.seal().close(secrets);
      await other.seal().close(secrets);
      assert.match((await refused(other.seal().open(stored))).message, /another secret/);
      assert.match((await refused(other.seal({ secretKey }).open(stored))).message, /another secret/);
    });

    it('where they were changed', async (t) => {
      const { seal } = sealIn(t, { secretKey });
      const stored = await seal().close(secrets);
      for (const changed of [
        stored.slice(0, -4),
        `${stored.slice(0, -1)}${stored.endsWith('A') ? 'B' : 'A'}x`,
        'eyJ',
        '',
        stored.replace(/\.[^.]+$/, '.AAAA'),
      ]) {
        assert.match((await refused(seal().open(changed))).message, /damaged/, changed.slice(0, 10));
      }
    });
  });

  for (const [what, settings] of [
    ['under SECRET_KEY', { secretKey }],
    ['under SECRET_KEY beside a server', { secretKey, databaseUrl: onServer }],
    ['under a key file', {}],
  ] as const) {
    it(`come back as they were ${what}, and a stored text tells nothing`, async (t) => {
      const { seal } = sealIn(t, settings);
      const [stored, again] = [await seal().close(secrets), await seal().close(secrets)];
      assert.ok(!stored.includes('hush') && !Buffer.from(stored, 'base64url').toString().includes('hush'));
      assert.notEqual(stored, again, 'equal secrets do not look alike');
      for (const text of [stored, again]) assert.equal(await seal().open(text), secrets);
      assert.equal(seal().encrypts, true);
    });
  }

  it('have a key file for the owner alone, made once, with nothing beside it', async (t) => {
    const { seal, folder } = sealIn(t);
    await seal().close(secrets);
    const key = readFileSync(join(folder, keyFile), 'utf8');
    assert.equal(statSync(join(folder, keyFile)).mode & 0o777, 0o600);
    assert.match(key, /^[\w-]{43}\n$/);
    await seal().close(secrets);
    assert.equal(readFileSync(join(folder, keyFile), 'utf8'), key);
    assert.deepEqual(readdirSync(folder), [keyFile]);
  });

  it('need no key file under SECRET_KEY', async (t) => {
    const { seal, folder } = sealIn(t, { secretKey });
    await seal().open(await seal().close(secrets));
    assert.deepEqual(readdirSync(folder), []);
  });

  it('that were stored under the key file are still opened once SECRET_KEY is set, and new ones are stored under that', async (t) => {
    const { seal, folder } = sealIn(t);
    const old = await seal().close(secrets);
    const later = seal({ secretKey });
    assert.equal(await later.open(old), secrets);
    const fresh = await later.close(secrets);
    rmSync(join(folder, keyFile));
    assert.equal(await later.open(fresh), secrets);
    assert.match((await refused(later.open(old))).message, /another secret/);
  });

  it('are readable to every process, when several make the key at once', async (t) => {
    const { folder } = sealIn(t);
    const program = `import { createAccountSeal } from '${join(import.meta.dirname, '../../src/auth/account-seal.ts')}';
      const seal = createAccountSeal({ secretKey: null, databaseUrl: null, dataDir: process.argv[1] });
      process.stdout.write(await seal.close('of ' + process.pid));`;
    const run = promisify(execFile);
    const stored = await Promise.all(
      Array.from({ length: 4 }, () => run(process.execPath, ['--input-type=module', '-e', program, folder])),
    );
    const { seal } = sealIn(t, { dataDir: folder });
    for (const { stdout } of stored) assert.match(await seal().open(stdout), /^of \d+$/);
    assert.deepEqual(readdirSync(folder), [keyFile]);
  });
});

function sealIn(t: TestContext, settings: Partial<AccountSealSettings> = {}) {
  const folder = settings.dataDir ?? mkdtempSync(join(tmpdir(), 'logistics-connect-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return {
    folder,
    seal: (more: Partial<AccountSealSettings> = {}) =>
      createAccountSeal({ secretKey: null, dataDir: folder, databaseUrl: null, ...settings, ...more }),
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
