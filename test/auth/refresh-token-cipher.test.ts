// The cipher of refresh tokens: its key is readable by this database alone, and encrypted once there is a SECRET_KEY.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createCipher } from '../../src/auth/cipher.ts';
import { createRefreshTokenCipher, refreshTokenSecret } from '../../src/auth/refresh-token-cipher.ts';
import { encryptStoredSecrets } from '../../src/auth/sign-in-secrets.ts';
import { openDatabase } from './fixture.ts';

it('a refresh token says what it is, also after SECRET_KEY has been set; no other key opens it', async (t) => {
  const { store } = await openDatabase(t);
  const facts = {
    grantId: 'g'.repeat(43),
    chainSince: 1,
    issuedAt: 2,
    expiresAt: 3,
    rotations: 4,
    scope: 'svc_connect',
    signedInAt: 5,
    resource: 'client-interface',
  } as const;
  const token = (await createRefreshTokenCipher(store, createCipher(null), 1)).encrypt(facts);
  assert.ok(token.length < 255, `${token.length} characters`);
  const cipher = createCipher('x'.repeat(40));
  await encryptStoredSecrets(store, cipher);
  assert.equal((await store.secrets.read(refreshTokenSecret))?.startsWith('{'), false);
  assert.deepEqual((await createRefreshTokenCipher(store, cipher, 1)).decrypt(token), facts);
  await assert.rejects(createRefreshTokenCipher(store, createCipher('y'.repeat(40)), 1), /another secret/);
});
