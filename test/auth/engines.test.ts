// Clients, users, keys and tokens behave alike on every engine.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addClient, disableClient, findClient, listClients } from '../../src/auth/clients.ts';
import { createKeyRing, encryptStoredKeys } from '../../src/auth/keys.ts';
import { createCipher } from '../../src/auth/cipher.ts';
import { createTokenIssuer } from '../../src/auth/tokens.ts';
import { addUser, authenticate, findUser, listUsers } from '../../src/auth/users.ts';
import { createVerifier } from '../../src/auth/verify.ts';
import { OperatorError } from '../../src/model/operator-error.ts';
import { enginesAboveStorage, storeOn } from '../contract/engines.ts';
import { authUrl, baseUrl, clientLike, goodPassword, prepare, stoppedClock } from './fixture.ts';
import { refusalOf } from './refusal.ts';

for (const { name, skip, create } of enginesAboveStorage) {
  describe(`access on ${name}`, { skip }, () => {
    it('is granted, listed, verified and withdrawn', async (t) => {
      const database = await create();
      const [first, second] = [await database.open(), await database.open()];
      t.after(async () => {
        await first.close();
        await second.close();
        await database.remove();
      });
      const store = await prepare(first);
      const other = await storeOn(second);
      const clock = stoppedClock();
      const rings = [store, other].map((one) =>
        createKeyRing({ store: one, cipher: createCipher(null), now: clock.now }),
      );
      const kids = await Promise.all(rings.map(async (ring) => (await ring.signingKey('ES256')).kid));
      assert.equal(new Set(kids).size, 1);
      assert.equal(await encryptStoredKeys(store, createCipher('a secret of more than thirty-two characters')), 2);

      const keys = createKeyRing({
        store: other,
        cipher: createCipher('a secret of more than thirty-two characters'),
        now: clock.now,
      });
      const { client } = await addClient(store, clientLike({ confidential: true, readOnly: true }), clock.now());
      const user = await addUser(
        store,
        { login: 'mia', password: goodPassword, activityCodes: ['BBB'], operator: true },
        clock.now(),
      );
      await assert.rejects(
        addUser(store, { login: 'MIA', password: goodPassword, activityCodes: ['BBB'], operator: false }, clock.now()),
        OperatorError,
      );
      await assert.rejects(addClient(store, clientLike({ activityCodes: ['AAA', 'aaa'] }), clock.now()), OperatorError);
      assert.deepEqual(await listClients(other), [client]);
      assert.deepEqual(await findClient(other, client.id), client);
      assert.deepEqual(await listUsers(other), [user]);
      assert.deepEqual(await findUser(other, 'mia'), user);
      assert.deepEqual(await authenticate(other, 'mia', goodPassword), user);

      const { accessToken } = await createTokenIssuer({ store, keys, issuer: authUrl, audience: baseUrl })({
        client,
        user,
        now: clock.now(),
      });
      const verify = createVerifier({
        store: other,
        keys,
        authUrl,
        baseUrl,
        now: clock.now,
        onStorageError: assert.ifError,
      });
      assert.deepEqual(await verify(`Bearer ${accessToken}`), {
        kind: 'client',
        clientId: client.id,
        subject: user.id,
        activityCodes: ['BBB'],
        readOnly: true,
      });
      await disableClient(store, client.id, clock.now());
      clock.advance(30_000);
      assert.equal((await refusalOf(verify(`Bearer ${accessToken}`))).slug, 'invalid-token');
    });
  });
}
