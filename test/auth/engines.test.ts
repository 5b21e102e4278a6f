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
import { allEngines } from '../contract/engines.ts';
import { authUrl, baseUrl, clientLike, goodPassword, prepare, stoppedClock } from './fixture.ts';
import { refusalOf } from './refusal.ts';

for (const { name, skip, create } of allEngines) {
  describe(`access on ${name}`, { skip }, () => {
    it('is granted, listed, verified and withdrawn', async (t) => {
      const database = await create();
      const [first, second] = [await database.open(), await database.open()];
      t.after(async () => {
        await first.close();
        await second.close();
        await database.remove();
      });
      const db = await prepare(first);
      const clock = stoppedClock();
      const rings = [first, second].map((engine) =>
        createKeyRing({ db: engine.db, cipher: createCipher(null), now: clock.now }),
      );
      const kids = await Promise.all(rings.map(async (ring) => (await ring.signingKey('ES256')).kid));
      assert.equal(new Set(kids).size, 1);
      assert.equal(await encryptStoredKeys(db, createCipher('a secret of more than thirty-two characters')), 2);

      const keys = createKeyRing({
        db: second.db,
        cipher: createCipher('a secret of more than thirty-two characters'),
        now: clock.now,
      });
      const { client } = await addClient(db, clientLike({ confidential: true, readOnly: true }), clock.now());
      const user = await addUser(
        db,
        { login: 'mia', password: goodPassword, activityCodes: ['BBB'], operator: true },
        clock.now(),
      );
      await assert.rejects(
        addUser(db, { login: 'MIA', password: goodPassword, activityCodes: ['BBB'], operator: false }, clock.now()),
        OperatorError,
      );
      await assert.rejects(addClient(db, clientLike({ activityCodes: ['AAA', 'aaa'] }), clock.now()), OperatorError);
      assert.deepEqual(await listClients(second.db), [client]);
      assert.deepEqual(await findClient(second.db, client.id), client);
      assert.deepEqual(await listUsers(second.db), [user]);
      assert.deepEqual(await findUser(second.db, 'mia'), user);
      assert.deepEqual(await authenticate(second.db, 'mia', goodPassword), user);

      const { accessToken } = await createTokenIssuer({ db, keys, issuer: authUrl, audience: baseUrl })({
        client,
        user,
        now: clock.now(),
      });
      const verify = createVerifier({
        db: second.db,
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
      await disableClient(db, client.id, clock.now());
      clock.advance(30_000);
      assert.equal((await refusalOf(verify(`Bearer ${accessToken}`))).slug, 'invalid-token');
    });
  });
}
