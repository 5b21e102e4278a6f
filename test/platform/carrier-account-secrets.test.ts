// What the list of carrier accounts costs where their secrets were stored by many processes, each with a salt of its
// own.
import assert from 'node:assert/strict';
import { createHook } from 'node:async_hooks';
import { describe, it, type TestContext } from 'node:test';
import { createAccountCipher } from '../../src/auth/account-cipher.ts';
import { createCipher } from '../../src/auth/cipher.ts';
import { addPlatformKey } from '../../src/auth/platform-keys.ts';
import { engines } from '../contract/engines.ts';
import { startApp } from '../contract/running-app.ts';
import { workersWanted } from '../contract/worker-program.ts';

const secretKey = 'pebble lantern orchard seventeen willow';
/** More than a process once kept the keys of. */
const count = 17;

for (const engine of engines) {
  const skip = engine.skip || (workersWanted > 0 && 'derivations are counted in this process');
  describe(`secrets of carrier accounts on ${engine.name}`, { skip }, () => {
    it('cost one key derivation for each salt, however often and by how many they are listed', async (t) => {
      const { app, get, close } = await startApp(engine, { SECRET_KEY: secretKey });
      t.after(close);
      const wanted = { name: 'desk', activityCodes: null, roles: ['shipping'] };
      const { text: token } = await addPlatformKey(app.store, wanted, Date.now());
      const list = () => get('/platform/shippings/accounts', { token });
      await list();
      const stored = Array.from({ length: count }, () => asAnotherProcess('{"clientSecret":"hush"}'));
      for (const [index, secrets] of (await Promise.all(stored)).entries()) {
        const account = { activity: 'NOR', context: `salt-${index}`, carrier: 'ups', settings: {}, secrets };
        await app.store.carrierAccounts.put({ ...account, sender: {}, dailyLimit: null }, Date.now());
      }
      const derived = derivations(t);
      for (const { body } of [...(await Promise.all([list(), list()])), await list()]) {
        assert.equal(body.match(/"context":"salt-/g)?.length, count, body);
        assert.equal(body.includes('cannot be read') || body.includes('encrypted'), false, body);
      }
      assert.equal(derived(), count);
    });
  });
}

/** Encrypts under a new salt: a process keeps the salt of a secret until it has used four others. */
async function asAnotherProcess(text: string): Promise<string> {
  for (const other of ['a', 'b', 'c', 'd']) createCipher(other.repeat(32));
  return createAccountCipher({ secretKey, dataDir: '', databaseUrl: null }).encrypt(text);
}

/** How many keys this process has derived from now on. */
function derivations(t: TestContext): () => number {
  let derived = 0;
  const hook = createHook({
    init: (_id, type) => {
      if (type === 'SCRYPTREQUEST') derived += 1;
    },
  }).enable();
  t.after(() => hook.disable());
  return () => derived;
}
