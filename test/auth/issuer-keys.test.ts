// The keys of another issuer: fetched when they are needed, from nowhere else, and never missed for longer than they
// have to be.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Claims, listen, products, trustedProduct } from './products.ts';
import { refusalOf } from './refusal.ts';

const [keycloak] = products;
assert.ok(keycloak);

describe('the keys of an issuer', () => {
  it('that cannot be had make a 503, not a 401; and the token is good once they can', async (t) => {
    const { server, verify, sign, away, advance, halt } = await trustedProduct(t, keycloak);
    const token = await sign();
    const { port } = server.address();
    await halt();
    const refusal = await refusalOf(verify(`Bearer ${token}`));
    assert.deepEqual([refusal.slug, refusal.status, refusal.challenge], ['unavailable', 503, undefined]);
    assert.equal(away.length, 1);
    await server.start(port, '127.0.0.1');
    advance(6000);
    assert.equal((await verify(`Bearer ${token}`)).clientId, 'keycloak:shop');
  });

  it('are believed for an hour while the issuer is away, and no longer', async (t) => {
    const { verify, sign, advance, halt } = await trustedProduct(t, keycloak);
    const tokens = [
      await sign(),
      await sign({ jti: '2' }),
      await sign({ jti: '3', exp: Math.floor(Date.now() / 1000) + 20_000 }),
    ];
    await verify(`Bearer ${tokens[0]}`);
    await halt();
    advance(1_800_000);
    assert.equal((await verify(`Bearer ${tokens[1]}`)).clientId, 'keycloak:shop');
    assert.equal((await refusalOf(verify(`Bearer ${await sign({}, { kid: 'new' })}`))).slug, 'unavailable');
    advance(1_900_000);
    assert.equal((await refusalOf(verify(`Bearer ${tokens[2]}`))).slug, 'unavailable');
  });

  it('are asked for again when a new key signs, but not at the pace of whoever invents key ids', async (t) => {
    const { server, issuer, verify, sign, advance, halt } = await trustedProduct(t, keycloak);
    let asked = 0;
    const { port } = server.address();
    await halt();
    const keys = server.issuer.keys;
    const proxy = await listen(
      t,
      (_request, response) => {
        asked += 1;
        response.setHeader('content-type', 'application/json').end(JSON.stringify({ keys: keys.toJSON() }));
      },
      port,
    );
    assert.ok(issuer.startsWith(proxy));
    await verify(`Bearer ${await sign()}`);
    for (let attempt = 0; attempt < 20; attempt += 1)
      assert.equal(
        (await refusalOf(verify(`Bearer ${await sign({}, { kid: `invented-${attempt}` })}`))).slug,
        'invalid-token',
      );
    assert.equal(asked, 1);
    await keys.generate('RS256', { kid: 'two' });
    advance(31_000);
    assert.equal((await verify(`Bearer ${await sign({}, {}, 'two')}`)).clientId, 'keycloak:shop');
    assert.equal(asked, 2);
  });

  it("are found by the metadata of the issuer, when it is really that issuer's", async (t) => {
    let metadata: Claims = {};
    const { server, verify, sign, away, advance, halt } = await trustedProduct(
      t,
      { ...keycloak, path: '' },
      { jwksUri: null },
    );
    const { port } = server.address();
    await halt();
    const origin = await listen(
      t,
      (request, response) => {
        if (request.url === '/.well-known/openid-configuration') response.end(JSON.stringify(metadata));
        else if (request.url === '/redirected') response.writeHead(302, { location: '/keys' }).end();
        else response.end(JSON.stringify({ keys: server.issuer.keys.toJSON() }));
      },
      port,
    );
    const token = await sign();
    const wrongs: readonly Claims[] = [
      {},
      { issuer: 'https://evil.example', jwks_uri: `${origin}/keys` },
      { issuer: origin },
      { issuer: origin, jwks_uri: 'file:///etc/passwd' },
      { issuer: origin, jwks_uri: `${origin}/redirected` },
    ];
    for (const wrong of wrongs) {
      metadata = wrong;
      assert.equal((await refusalOf(verify(`Bearer ${token}`))).slug, 'unavailable', JSON.stringify(wrong));
      advance(6000);
    }
    assert.equal(away.length, 5);
    metadata = { issuer: origin, jwks_uri: `${origin}/keys` };
    assert.equal((await verify(`Bearer ${token}`)).clientId, 'keycloak:shop');
  });
});
