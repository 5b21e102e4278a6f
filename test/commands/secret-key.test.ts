// secret-key rotate: another passphrase, without losing anything, while servers run.
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { createAccountCipher } from '../../src/auth/account-cipher.ts';
import { createCipher } from '../../src/auth/cipher.ts';
import { countEncrypted, encryptAnew, encryptedPlaces } from '../../src/auth/encrypted-places.ts';
import { OperatorError } from '../../src/model/operator-error.ts';
import type { Store } from '../../src/store/store.ts';
import { connect, readArticles, refresh, registerClient, registerUser, send, startService } from '../auth/flow.ts';
import { engines } from '../contract/engines.ts';
import { json, run, succeed, temporaryFolder } from './fixture.ts';

const oldKey = 'the old passphrase, of more than thirty-two characters';
const newKey = 'the new passphrase, of more than thirty-two characters';
const place = { dataDir: '/nowhere', databaseUrl: 'postgres://' };
const both = { ...place, secretKey: newKey, secretKeyPrevious: oldKey };

/** A store with signing keys, secrets of sign-ins, a second factor and two carrier accounts, under the old one. */
async function filled(service: Awaited<ReturnType<typeof startService>>): Promise<Store> {
  const { store } = service.app;
  for (const context of ['one', 'two']) {
    const account = { activity: 'AAA', context, carrier: 'dpd', settings: {}, sender: {}, dailyLimit: null };
    const secrets = await createAccountCipher({ ...place, secretKey: oldKey }).encrypt(`{"password":"${context}"}`);
    await store.carrierAccounts.put({ ...account, secrets }, 1);
  }
  const factor = await createCipher(oldKey).encrypt('{"secret":"x"}');
  const user = await registerUser(service, { login: 'with-factor' });
  await store.secondFactors.add(user.id, { totpSecret: factor, totpStep: 1, recoveryCodes: [] }, factorAdded);
  return store;
}

const factorAdded = {
  actorKind: 'command',
  actor: 'olga',
  subject: null,
  action: 'user.second-factor.add',
  activityCodes: [],
  target: null,
  operationId: null,
  outcome: 'accepted',
  address: null,
  details: null,
} as const;

for (const engine of engines) {
  describe(`another SECRET_KEY, on ${engine.name}`, { skip: engine.skip }, () => {
    it('keeps tokens, cursors and accounts, before, while and after everything is encrypted anew', async (t) => {
      const before = await startService(t, { SECRET_KEY: oldKey }, engine);
      const store = await filled(before);
      const credentials = await registerClient(before);
      await registerUser(before);
      let tokens = await connect(before, credentials);
      const cursor = (await readArticles(before, tokens.access_token)).headers['sync-cursor'] ?? '';
      const works = async (service: typeof before, name: string) => {
        tokens = (await refresh(service, credentials, tokens.refresh_token)).json();
        const authorization = `Bearer ${String(tokens.access_token)}`;
        const address = `${service.baseUrl}/articles?cursor=${cursor}`;
        assert.equal((await send(service, 'GET', address, { authorization })).status, 200, name);
      };
      const during = await before.again({ SECRET_KEY: newKey, SECRET_KEY_PREVIOUS: oldKey });
      await works(during, 'with both');
      const counts = await encryptAnew(encryptedPlaces(store, both));
      assert.deepEqual(
        counts.map(({ what, all, other }) => [what, all, other]),
        [
          ['signing keys', 2, 2],
          ['secrets of sign-ins and refresh tokens', 2, 2],
          ['second factors', 1, 1],
          ['carrier accounts', 2, 2],
        ],
      );
      await works(during, 'with both, after');
      await works(await before.again({ SECRET_KEY: newKey }), 'with the new one alone');
      const [account] = await store.carrierAccounts.list();
      const cipher = createAccountCipher({ ...place, secretKey: newKey });
      assert.equal(await cipher.decrypt(account?.secrets ?? ''), '{"password":"one"}');
      for (const { other } of await encryptAnew(encryptedPlaces(store, both))) assert.equal(other, 0, 'twice');
      await assert.rejects(before.again({ SECRET_KEY: oldKey }), /another secret than SECRET_KEY/);
    });

    it('loses nothing where it is interrupted, where somebody writes meanwhile, and under a wrong key', async (t) => {
      const service = await startService(t, { SECRET_KEY: oldKey }, engine);
      const store = await filled(service);
      const texts = async () => JSON.stringify([await store.signingKeys.list(), await store.carrierAccounts.list()]);
      const stored = await texts();
      const wrong = { ...both, secretKeyPrevious: `${oldKey}!` };
      await assert.rejects(
        encryptAnew(encryptedPlaces(store, wrong)),
        (error) =>
          error instanceof OperatorError &&
          /opens 7 of the secrets: signing keys: .*carrier accounts: one\/dpd/.test(error.message),
      );
      assert.equal(await texts(), stored);
      const dying = { ...store, secrets: { ...store.secrets, replace: () => Promise.reject(new Error('killed')) } };
      await assert.rejects(encryptAnew(encryptedPlaces(dying, both)), /killed/);
      const left = await countEncrypted(encryptedPlaces(store, both));
      assert.deepEqual(
        left.map(({ other }) => other),
        [0, 2, 1, 2],
      );
      // A process that knows both decrypts what is under either.
      await service.again({ SECRET_KEY: newKey, SECRET_KEY_PREVIOUS: oldKey });
      const busy = { ...store, carrierAccounts: { ...store.carrierAccounts, replaceSecrets: async () => false } };
      assert.deepEqual(
        (await encryptAnew(encryptedPlaces(busy, both))).map(({ other }) => other),
        [0, 2, 1, 0],
      );
      assert.deepEqual(
        (await encryptAnew(encryptedPlaces(store, both))).map(({ other }) => other),
        [0, 0, 0, 2],
      );
    });
  });
}

for (const engine of engines) {
  describe(`secret-key rotate, on ${engine.name}`, { skip: engine.skip }, () => {
    /** Under the old passphrase; `variables` are those that every command needs to find the database. */
    async function prepared(t: TestContext) {
      const folder = temporaryFolder(t);
      const database = engine.name === 'SQLite' ? null : await engine.create();
      if (database !== null) t.after(database.remove);
      const storage: Record<string, string> = database?.url == null ? {} : { DATABASE_URL: database.url };
      const place = (variables: Record<string, string>) => ({ folder, variables: { ...storage, ...variables } });
      await succeed(place({ SECRET_KEY: oldKey }), 'activity', 'add', 'ACM', 'Acme');
      await succeed(place({ SECRET_KEY: oldKey }), 'signing-key', 'rotate');
      return place;
    }

    for (const [name, variables, said] of [
      ['no SECRET_KEY', {}, /SECRET_KEY is not set.*Nothing was changed/],
      ['the old one alone', { SECRET_KEY_PREVIOUS: oldKey }, /SECRET_KEY_PREVIOUS is set and SECRET_KEY is not/],
      ['a short one', { SECRET_KEY: 'short' }, /SECRET_KEY has 5 characters/],
      ['a short old one', { SECRET_KEY: newKey, SECRET_KEY_PREVIOUS: 'short' }, /SECRET_KEY_PREVIOUS has 5 characters/],
      ['a wrong old one', { SECRET_KEY: newKey, SECRET_KEY_PREVIOUS: `${oldKey}!` }, /Neither SECRET_KEY nor/],
      ['no old one', { SECRET_KEY: newKey }, /Neither SECRET_KEY nor.*Nothing was changed/],
    ] as const) {
      it(`refuses ${name}, and the database stays as it is`, async (t) => {
        const place = await prepared(t);
        const { code, stdout, stderr } = await run(place(variables), 'secret-key', 'rotate');
        assert.deepEqual([code, stdout], [1, '']);
        assert.match(stderr, said);
        assert.ok(!`${stdout}${stderr}`.includes('passphrase, of'));
        const listed = await json<{ stored: string }[]>(place({ SECRET_KEY: oldKey }), ...['signing-key', 'list']);
        assert.ok(listed.every(({ stored }) => stored === 'under SECRET_KEY'));
      });
    }

    it('says what it did, and doctor says when it has to be done and when the old one may go', async (t) => {
      const place = await prepared(t);
      const variables = { SECRET_KEY: newKey, SECRET_KEY_PREVIOUS: oldKey };
      const doctor = async (more: Record<string, string>): Promise<string> => (await run(place(more), 'doctor')).stdout;
      assert.match(await doctor(variables), /Not encrypted under SECRET_KEY yet: 4 of 4 signing keys, 1 of 1 secrets/);
      assert.match(
        await succeed(place(variables), 'secret-key', 'rotate'),
        /^signing keys: 4 of 4 encrypted anew\n.*: 1 of 1 encrypted anew\nsecond .*\ncarrier .*\nEverything is under/,
      );
      assert.deepEqual(
        (await json<{ encrypted: number }[]>(place(variables), 'secret-key', 'rotate')).map((one) => one.encrypted),
        [0, 0, 0, 0],
      );
      assert.match(await doctor(variables), /Nothing in the database is encrypted under SECRET_KEY_PREVIOUS any more/);
      assert.doesNotMatch(await doctor({ SECRET_KEY: newKey }), /SECRET_KEY_PREVIOUS|Not encrypted/);
      assert.match(await succeed(place(variables), 'audit', '--json'), /"action":"secret-key\.rotate"/);
    });
  });
}
