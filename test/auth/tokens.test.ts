// What is in an access token, and that software by others accepts it.
import assert from 'node:assert/strict';
import { createPublicKey } from 'node:crypto';
import { describe, it } from 'node:test';
import { createDecoder, createVerifier as createForeignVerifier } from 'fast-jwt';
import { disableClient, addClient } from '../../src/auth/clients.ts';
import { createTokenIssuer } from '../../src/auth/tokens.ts';
import { disableUser } from '../../src/auth/users.ts';
import { OperatorError } from '../../src/model/operator-error.ts';
import { authUrl, baseUrl, clientLike, openService } from './fixture.ts';

describe('an access token', () => {
  it('has the header and claims of RFC 9068, and nothing about the person', async (t) => {
    const service = await openService(t);
    const token = await service.issue();
    const seconds = service.clock.now() / 1000;
    const { header, payload } = createDecoder({ complete: true })(token);
    const { kid } = await service.keys.signingKey('ES256');
    assert.deepEqual(header, { alg: 'ES256', typ: 'at+jwt', kid });
    const { jti, grant_id: grantId, ...claims } = payload;
    assert.deepEqual(claims, {
      iss: authUrl,
      aud: baseUrl,
      sub: service.user.id,
      client_id: service.client.id,
      scope: 'svc_connect',
      activityCodes: ['BBB'],
      iat: seconds,
      exp: seconds + 3600,
    });
    assert.match(grantId, /^[\w-]{32}$/);
    assert.match(jti, /^[0-9a-f-]{36}$/);
    assert.notEqual(createDecoder()(await service.issue()).jti, jti);
  });

  it('is accepted by a library that did not make it, with nothing but the published keys', async (t) => {
    const service = await openService(t);
    const { keys } = await service.keys.publicKeys();
    const verify = createForeignVerifier({
      key: async ({ header }: { header: { kid?: string } }) => {
        const jwk = keys.find((one) => one.kid === header.kid);
        if (!jwk) throw new Error('unknown key');
        return createPublicKey({ key: { ...jwk }, format: 'jwk' })
          .export({ type: 'spki', format: 'pem' })
          .toString();
      },
      algorithms: ['ES256'],
      allowedIss: authUrl,
      allowedAud: baseUrl,
      requiredClaims: ['exp', 'sub', 'client_id'],
      clockTimestamp: service.clock.now(),
    });
    const token = await service.issue();
    assert.equal((await verify(token)).sub, service.user.id);
    await assert.rejects(verify(`${token.slice(0, -4)}AAAA`));
  });
});

describe('no access token is made', () => {
  const rows: readonly (readonly [
    name: string,
    pattern: RegExp,
    change: (service: Awaited<ReturnType<typeof openService>>) => Promise<unknown>,
  ])[] = [
    [
      'for a disabled client',
      /client "web-shop-.+" is disabled/,
      async (service) => ({ ...service, client: await disableClient(service.store, service.client.id, 1) }),
    ],
    [
      'for a disabled user',
      /user "mia" is disabled/,
      async (service) => ({ ...service, user: await disableUser(service.store, 'mia', 1) }),
    ],
    [
      'when client and user share no activity',
      /no activity in common: the client may act in AAA, the user in BBB, CCC/,
      async (service) => ({
        ...service,
        client: (await addClient(service.store, clientLike({ activityCodes: ['AAA'] }), 1)).client,
      }),
    ],
  ];
  for (const [name, pattern, change] of rows) {
    it(name, async (t) => {
      const service = await openService(t);
      const changed = { ...service, ...((await change(service)) as object) };
      const issue = createTokenIssuer({ store: service.store, keys: service.keys, issuer: authUrl, audience: baseUrl });
      await assert.rejects(
        issue({ client: changed.client, user: changed.user, now: service.clock.now() }),
        (error) => error instanceof OperatorError && pattern.test(error.message),
      );
    });
  }
});
