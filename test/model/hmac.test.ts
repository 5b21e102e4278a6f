// Signatures by a secret are those of the platform, for keys and messages of any length.
import assert from 'node:assert/strict';
import { createHmac, createSecretKey, randomBytes } from 'node:crypto';
import { it } from 'node:test';
import { createHmacSha256 } from '../../src/model/hmac.ts';

it('is HMAC with SHA-256', () => {
  for (const length of [1, 31, 32, 63, 64, 65, 200])
    for (const size of [0, 1, 55, 56, 64, 5000]) {
      const message = randomBytes(size);
      const key = randomBytes(length);
      assert.deepEqual(
        createHmacSha256(createSecretKey(key))(message),
        createHmac('sha256', key).update(message).digest(),
      );
      const text = key.toString('base64url');
      assert.deepEqual(createHmacSha256(text)(message), createHmac('sha256', text).update(message).digest());
    }
  // RFC 4231, section 4.3.
  assert.equal(
    createHmacSha256('Jefe')(Buffer.from('what do ya want for nothing?')).toString('hex'),
    '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  );
});
