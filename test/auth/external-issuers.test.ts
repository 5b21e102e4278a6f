// Tokens of Keycloak, Duende, Auth0 and Entra, as these products shape them: believed when they are access tokens for
// this interface, mapped to activities or to nothing, and never confused with ours.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parseTrustedIssuers } from '../../src/auth/trusted-issuers.ts';
import { createVerifier } from '../../src/auth/verify.ts';
import { readConfig } from '../../src/config.ts';
import { authUrl, baseUrl, openService } from './fixture.ts';
import { readArticles, registerClient, registerUser, send, startService } from './flow.ts';
import { forgeHs256, unsigned } from './forge.ts';
import { type Claims, listen, products, trustedProduct } from './products.ts';
import { refusalOf } from './refusal.ts';

const [keycloak] = products;
assert.ok(keycloak);

for (const product of products) {
  describe(`a token of ${product.name}`, () => {
    it('opens the activities that it is mapped to, under names that are not ours', async (t) => {
      const { verify, sign } = await trustedProduct(t, product);
      assert.deepEqual(await verify(`Bearer ${await sign()}`), {
        kind: 'client',
        ...product.principal,
        activityCodes: ['AAA', 'BBB'],
        readOnly: false,
      });
    });

    it('is refused when it is an ID token, by each of its marks', async (t) => {
      const { verify, sign } = await trustedProduct(t, product);
      const { header, claims } = product.idToken;
      assert.equal((await refusalOf(verify(`Bearer ${await sign(claims, header)}`))).slug, 'invalid-token');
      for (const mark of ['nonce', 'at_hash', 'c_hash', 's_hash']) {
        const refusal = await refusalOf(verify(`Bearer ${await sign({ [mark]: 'x' })}`));
        assert.deepEqual([refusal.slug, refusal.detail], ['invalid-token', 'The token is not an access token.'], mark);
      }
      const [audience] =
        parseTrustedIssuers(JSON.stringify([{ issuer: 'https://x.example', ...product.settings }]))[0]?.audiences ?? [];
      const nameless = { client_id: undefined, azp: undefined, appid: undefined };
      for (const name of ['client_id', 'azp', 'appid']) {
        assert.equal(
          (await refusalOf(verify(`Bearer ${await sign({ ...nameless, aud: audience, [name]: audience })}`))).slug,
          'invalid-token',
          name,
        );
      }
    });

    it('is refused for another audience, without the scope, without activities, and after its time', async (t) => {
      const { verify, sign } = await trustedProduct(t, product);
      const slug = async (changes: Claims, header: Claims = {}): Promise<string> =>
        (await refusalOf(verify(`Bearer ${await sign(changes, header)}`))).slug;
      const seconds = Math.floor(Date.now() / 1000);
      assert.equal(await slug({ aud: 'account' }), 'invalid-token');
      assert.equal(await slug({ aud: undefined }), 'invalid-token');
      assert.equal(await slug({ scope: 'openid', scp: 'openid', roles: ['activity:AAA'] }), 'insufficient-scope');
      assert.equal(await slug({ scope: 'xsvc_connect svc_connect2', scp: undefined, roles: [] }), 'insufficient-scope');
      assert.equal(await slug({ exp: seconds - 60 }), 'invalid-token');
      assert.equal(await slug({ iat: seconds - 90_000, exp: seconds + 60 }), 'invalid-token');
      assert.equal(await slug({ iat: seconds + 120 }), 'invalid-token');
      assert.equal(await slug({ exp: undefined }), 'invalid-token');
      assert.equal(await slug({ sub: undefined }), 'invalid-token');
      assert.equal(await slug({ client_id: undefined, azp: undefined, appid: undefined }), 'invalid-token');
      assert.equal(await slug({ cnf: { jkt: 'x' } }), 'invalid-token');
      assert.equal(await slug({}, { typ: 'logout+jwt' }), 'invalid-token');
    });
  });
}

describe('the mapping to activities fails closed', () => {
  const cases: readonly (readonly [
    name: string,
    activities: Claims,
    claims: Claims,
    opened: readonly string[] | null,
  ])[] = [
    ['claim missing', { claim: 'activities' }, { activities: undefined }, null],
    ['claim of another form', { claim: 'activities' }, { activities: { AAA: true } }, null],
    ['list with something that is no text', { claim: 'activities' }, { activities: ['AAA', 7] }, null],
    ['null', { claim: 'activities' }, { activities: null }, null],
    ['star in a claim', { claim: 'activities' }, { activities: ['*'] }, null],
    ['codes that do not exist', { claim: 'activities' }, { activities: ['ZZZ', 'aaa', 'AAAA', ''] }, null],
    ['one that exists among others', { claim: 'activities' }, { activities: ['ZZZ', 'BBB'] }, ['BBB']],
    ['single text', { claim: 'activities' }, { activities: 'AAA' }, ['AAA']],
    ['codes in one text', { claim: 'activities' }, { activities: 'AAA BBB' }, null],
    ['claim inside a claim', { claim: ['realm_access', 'roles'], prefix: 'activity:' }, {}, ['CCC']],
    ['claim inside something that is no object', { claim: ['scope', 'length'] }, {}, null],
    ['member of every object', { claim: 'constructor' }, {}, null],
    ['prefix that no role has', { claim: ['realm_access', 'roles'], prefix: 'lager:' }, {}, null],
    [
      'role that only contains the prefix',
      { claim: 'roles', prefix: 'activity:' },
      { roles: ['not-activity:AAA'] },
      null,
    ],
    ['client that is not in the table', { by: 'client', table: { desk: ['AAA'] } }, {}, null],
    [
      'client named like a member of every object',
      { by: 'client', table: { desk: ['AAA'] } },
      { azp: '__proto__' },
      null,
    ],
    ['client with an empty list', { by: 'client', table: { shop: [] } }, {}, null],
    ['subject in the table', { by: 'subject', table: { 'f:1:mia': ['CCC', 'AAA'] } }, {}, ['AAA', 'CCC']],
    ["all activities, by the operator's own word", { by: 'client', table: { shop: ['*'] } }, {}, ['AAA', 'BBB', 'CCC']],
  ];
  for (const [name, activities, claims, opened] of cases) {
    it(`${name}: ${opened === null ? 'nothing' : opened.join(' ')}`, async (t) => {
      const { verify, sign } = await trustedProduct(t, keycloak, { activities });
      const work = verify(`Bearer ${await sign(claims)}`);
      if (opened === null) assert.equal((await refusalOf(work)).slug, 'activity-forbidden');
      else assert.deepEqual((await work).activityCodes, opened);
    });
  }

  it('lets the operator make all or some clients of an issuer readers', async (t) => {
    for (const [readOnly, expected] of [
      [true, true],
      [['shop'], true],
      [['desk'], false],
    ] as const) {
      const { verify, sign } = await trustedProduct(t, keycloak, { readOnly });
      assert.equal((await verify(`Bearer ${await sign()}`)).readOnly, expected);
    }
  });

  it('lets the operator bound the age of tokens, whoever was disabled there meanwhile', async (t) => {
    const { verify, sign, advance } = await trustedProduct(t, keycloak, { maxTokenAge: 300 });
    const token = await sign();
    assert.equal((await verify(`Bearer ${token}`)).clientId, 'keycloak:shop');
    advance(400_000);
    assert.equal((await refusalOf(verify(`Bearer ${token}`))).slug, 'invalid-token');
  });
});

describe('the choice of the issuer', () => {
  it('is by the exact text of `iss`: neighbours of a listed issuer are never asked for keys', async (t) => {
    const { issuer, verify, sign, away } = await trustedProduct(t, keycloak);
    let asked = 0;
    const stranger = await listen(t, (_request, response) => {
      asked += 1;
      response.end('{"keys":[]}');
    });
    for (const iss of [
      `${issuer}/`,
      issuer.toUpperCase(),
      `${issuer}#`,
      ` ${issuer}`,
      [issuer],
      { issuer },
      null,
      stranger,
      authUrl,
    ]) {
      const refusal = await refusalOf(
        verify(`Bearer ${await sign({ iss }, { jku: `${stranger}/jwks`, x5u: `${stranger}/x5u` })}`),
      );
      assert.equal(refusal.slug, 'invalid-token', String(iss));
    }
    await verify(`Bearer ${await sign({}, { jku: `${stranger}/jwks`, x5u: `${stranger}/x5u` })}`);
    assert.equal(asked, 0);
    assert.deepEqual(away, []);
  });

  it('does not let one issuer speak for another', async (t) => {
    const [first, second] = [await trustedProduct(t, keycloak), await trustedProduct(t, keycloak)];
    assert.equal(
      (await refusalOf(second.verify(`Bearer ${await first.sign({ iss: second.issuer })}`))).slug,
      'invalid-token',
    );
    assert.equal((await refusalOf(second.verify(`Bearer ${await first.sign()}`))).slug, 'invalid-token');
  });

  it('leaves our own tokens as they were, and refuses them where the operator wants others only', async (t) => {
    const service = await openService(t);
    const token = await service.issue();
    const trustedIssuers = parseTrustedIssuers(
      JSON.stringify([{ name: 'x', issuer: 'https://x.example', audiences: ['y'], activities: { claim: 'z' } }]),
    );
    const options = {
      store: service.store,
      keys: service.keys,
      authUrl,
      baseUrl,
      now: service.clock.now,
      onStorageError: assert.ifError,
      trustedIssuers,
    };
    assert.equal((await createVerifier(options)(`Bearer ${token}`)).subject, service.user.id);
    const refusal = await refusalOf(createVerifier({ ...options, ownTokens: false })(`Bearer ${token}`));
    assert.deepEqual([refusal.slug, refusal.detail], ['invalid-token', 'The token comes from another issuer.']);
  });

  it('takes no signature that is none, or that is made with the public key', async (t) => {
    const { server, issuer, verify } = await trustedProduct(t, keycloak);
    const claims = {
      iss: issuer,
      iat: Math.floor(Date.now() / 1000),
      exp: Math.floor(Date.now() / 1000) + 60,
      ...keycloak.token(issuer),
    };
    const [jwk] = server.issuer.keys.toJSON();
    for (const token of [
      unsigned({ alg: 'none', typ: 'JWT' }, claims),
      unsigned({ alg: 'RS256', kid: 'one', typ: 'JWT' }, claims),
      forgeHs256({ alg: 'HS256', kid: 'one', typ: 'JWT' }, claims, JSON.stringify(jwk)),
    ])
      assert.equal((await refusalOf(verify(`Bearer ${token}`))).slug, 'invalid-token');
  });

  it('takes no algorithm that the operator has not listed', async (t) => {
    const { server, verify, sign } = await trustedProduct(t, keycloak, { algorithms: ['ES256'] });
    assert.equal((await refusalOf(verify(`Bearer ${await sign()}`))).slug, 'invalid-token');
    await server.issuer.keys.generate('ES256', { kid: 'two' });
    assert.equal((await verify(`Bearer ${await sign({}, { alg: 'ES256' }, 'two')}`)).clientId, 'keycloak:shop');
  });
});

describe('the settings', () => {
  it('let another issuer stand in for our own', async (t) => {
    const { issuer, sign } = await trustedProduct(t, keycloak);
    const folder = mkdtempSync(join(tmpdir(), 'issuers-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'issuers.json');
    writeFileSync(file, JSON.stringify([{ issuer, jwksUri: `${new URL(issuer).origin}/jwks`, ...keycloak.settings }]));
    const service = await startService(t, { TRUSTED_ISSUERS: `@${file}`, BUILT_IN_ISSUER: 'off' });
    assert.equal((await readArticles(service, await sign())).status, 200);
    assert.equal((await readArticles(service, await sign({ aud: 'account' }))).status, 401);
    const { client } = await registerClient(service);
    const { accessToken } = await service.app.issueToken({
      client,
      user: await registerUser(service),
      now: Date.now(),
    });
    assert.equal((await readArticles(service, accessToken)).status, 401);
    for (const path of ['/connect/authorize', '/connect/jwks', '/.well-known/oauth-authorization-server'])
      assert.equal((await send(service, 'GET', service.authUrl + path)).status, 404);
    const metadata = await send(service, 'GET', `${service.authUrl}/.well-known/oauth-protected-resource/v1`);
    assert.deepEqual(metadata.json().authorization_servers, [issuer]);
  });

  it('let both be accepted, and name both', async (t) => {
    const { issuer, sign } = await trustedProduct(t, keycloak);
    const service = await startService(t, {
      TRUSTED_ISSUERS: JSON.stringify([{ issuer, jwksUri: `${new URL(issuer).origin}/jwks`, ...keycloak.settings }]),
    });
    const { client } = await registerClient(service);
    const { accessToken } = await service.app.issueToken({
      client,
      user: await registerUser(service),
      now: Date.now(),
    });
    for (const token of [accessToken, await sign()]) assert.equal((await readArticles(service, token)).status, 200);
    const metadata = await send(service, 'GET', `${service.authUrl}/.well-known/oauth-protected-resource/v1`);
    assert.deepEqual(metadata.json().authorization_servers, [service.authUrl, issuer]);
  });

  it('are refused when nobody could sign in, or they are wrong', async (t) => {
    const config = (variables: Record<string, string>) => () => readConfig(variables, '/nowhere');
    assert.throws(config({ BUILT_IN_ISSUER: 'off' }), /BUILT_IN_ISSUER is off and TRUSTED_ISSUERS names nobody else/);
    assert.throws(config({ BUILT_IN_ISSUER: 'no' }), /BUILT_IN_ISSUER must be on or off, not "no"/);
    assert.throws(config({ TRUSTED_ISSUERS: '@missing.json' }), /TRUSTED_ISSUERS .*\/nowhere\/missing\.json/);
    assert.throws(
      config({ TRUSTED_ISSUERS: '[{}]' }),
      /TRUSTED_ISSUERS is not right \(docs\/external-issuers\.md describes it\): 0 must have required property 'name'/,
    );
    const own = parseTrustedIssuers(
      JSON.stringify([{ name: 'x', issuer: authUrl, audiences: ['y'], activities: { claim: 'z' } }]),
    );
    const { store, keys } = await openService(t);
    assert.throws(
      () =>
        createVerifier({
          store,
          keys,
          authUrl,
          baseUrl,
          now: Date.now,
          onStorageError: assert.ifError,
          trustedIssuers: own,
        }),
      /names this service's own AUTH_URL/,
    );
  });
});
