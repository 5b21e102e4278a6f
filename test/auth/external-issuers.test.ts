// Tokens of Keycloak, Duende, Auth0 and Entra, as these products shape them: believed when they are access tokens for this
// interface, mapped to activities or to nothing, and never confused with ours.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { OAuth2Server } from 'oauth2-mock-server';
import { createKeyRing } from '../../src/auth/keys.ts';
import { createSeal } from '../../src/auth/seal.ts';
import { parseTrustedIssuers } from '../../src/auth/trusted-issuers.ts';
import { createVerifier, type Verifier } from '../../src/auth/verify.ts';
import { readConfig } from '../../src/config.ts';
import { authUrl, baseUrl, openDatabase, openService } from './fixture.ts';
import { readArticles, registerClient, registerUser, send, startService } from './flow.ts';
import { forgeHs256, unsigned } from './forge.ts';
import { refusalOf } from './refusal.ts';

type Claims = Readonly<Record<string, unknown>>;

interface Product {
  readonly name: string;
  /** Path that the issuer's address has, as at that product. */
  readonly path: string;
  readonly settings: Claims;
  readonly header: Claims;
  readonly token: (issuer: string) => Claims;
  readonly caller: { readonly clientId: string; readonly subject: string };
  /** What an ID token of the product has that an access token has not, or otherwise. */
  readonly idToken: { readonly header: Claims; readonly claims: Claims };
}

const guid = '6e74172b-be56-4843-9ff4-e66a39bb12e3';

const products: readonly Product[] = [
  {
    name: 'Keycloak', path: '/realms/warehouse',
    settings: { name: 'keycloak', audiences: ['logistics'], typ: 'JWT', activities: { claim: 'activities' } },
    header: { typ: 'JWT' },
    token: () => ({
      typ: 'Bearer', aud: ['logistics', 'account'], azp: 'shop', sub: 'f:1:mia', jti: 'onrtac:1', acr: '1', sid: 's', preferred_username: 'mia',
      scope: 'openid profile svc_connect', realm_access: { roles: ['offline_access', 'activity:CCC'] }, activities: ['AAA', 'BBB'],
    }),
    caller: { clientId: 'keycloak:shop', subject: 'keycloak:f:1:mia' },
    idToken: { header: { typ: 'JWT' }, claims: { typ: 'ID', aud: 'shop', at_hash: 'x', scope: undefined } },
  },
  {
    name: 'Duende IdentityServer', path: '',
    settings: { name: 'duende', audiences: ['logistics'], activities: { claim: 'client_activities' } },
    header: { typ: 'at+jwt' },
    token: () => ({ aud: 'logistics', client_id: 'shop', sub: '818727', scope: ['openid', 'svc_connect'], client_activities: ['AAA', 'BBB'], jti: '5B0E', idp: 'local', amr: ['pwd'] }),
    caller: { clientId: 'duende:shop', subject: 'duende:818727' },
    idToken: { header: { typ: 'JWT' }, claims: { aud: 'shop', nonce: 'n', scope: undefined } },
  },
  {
    name: 'Auth0', path: '/',
    settings: { name: 'auth0', audiences: ['https://logistics.example/api'], typ: 'JWT', activities: { claim: 'https://shop.example/activities' } },
    header: { typ: 'JWT' },
    token: (issuer) => ({ aud: ['https://logistics.example/api', `${issuer}userinfo`], azp: 'shop', sub: 'auth0|5f7c', scope: 'openid svc_connect', permissions: ['read'], 'https://shop.example/activities': ['AAA', 'BBB'] }),
    caller: { clientId: 'auth0:shop', subject: 'auth0:auth0|5f7c' },
    idToken: { header: { typ: 'JWT' }, claims: { aud: 'shop', nonce: 'n', scope: undefined } },
  },
  {
    name: 'Entra ID, for a person', path: '/9188040d/v2.0',
    settings: { name: 'entra', audiences: [guid], typ: 'JWT', activities: { claim: 'roles', prefix: 'activity:' } },
    header: { typ: 'JWT', x5t: 'x' },
    token: () => ({ aud: guid, azp: 'shop', azpacr: '1', sub: 'AAAAAAAA', oid: 'o', tid: '9188040d', scp: 'svc_connect', roles: ['activity:AAA', 'activity:BBB', 'reader'], ver: '2.0', uti: 'u' }),
    caller: { clientId: 'entra:shop', subject: 'entra:AAAAAAAA' },
    idToken: { header: { typ: 'JWT' }, claims: { aud: 'shop', nonce: 'n', scp: undefined } },
  },
  {
    name: 'Entra ID, version 1, for a program, by a table', path: '/9188040d/',
    settings: { name: 'entra', audiences: ['api://logistics'], typ: 'JWT', scopeClaims: ['roles'], activities: { by: 'client', table: { shop: ['AAA', 'BBB'] } } },
    header: { typ: 'JWT' },
    token: () => ({ aud: 'api://logistics', appid: 'shop', sub: 'o', oid: 'o', tid: '9188040d', roles: ['svc_connect'], ver: '1.0' }),
    caller: { clientId: 'entra:shop', subject: 'entra:o' },
    idToken: { header: { typ: 'JWT' }, claims: { aud: 'shop', nonce: 'n' } },
  },
];

interface Setting {
  readonly server: OAuth2Server;
  readonly issuer: string;
  readonly verify: Verifier;
  readonly away: unknown[];
  /** A token of the product, with changes; undefined takes a claim out. */
  readonly sign: (changes?: Claims, header?: Claims, kid?: string) => Promise<string>;
  readonly advance: (milliseconds: number) => void;
  /** Takes the product off the network; it can still sign. */
  readonly halt: () => Promise<void>;
}

/** A product on loopback, and a verifier that trusts it. */
async function setUp(t: TestContext, product: Product, changes: Claims = {}): Promise<Setting> {
  // The library that keeps the keys has no other clock.
  t.mock.timers.reset();
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() });
  const server = new OAuth2Server();
  await server.issuer.keys.generate('RS256', { kid: 'one' });
  await server.start(0, '127.0.0.1');
  t.after(async () => {
    if (server.listening) await server.stop();
  });
  const origin = `http://127.0.0.1:${server.address().port}`;
  const issuer = origin + product.path;
  server.issuer.url = issuer;
  const { db } = await openDatabase(t);
  const away: unknown[] = [];
  const verify = createVerifier({
    db, keys: createKeyRing({ db, seal: createSeal(null), now: Date.now }), authUrl, baseUrl, now: Date.now, onStorageError: assert.ifError, onIssuerAway: (error) => away.push(error),
    // The mock has its documents at the root, whatever its issuer is called.
    trustedIssuers: parseTrustedIssuers(JSON.stringify([{ issuer, jwksUri: `${origin}/jwks`, ...product.settings, ...changes }])),
  });
  return {
    server, issuer, verify, away,
    advance: (milliseconds) => t.mock.timers.tick(milliseconds),
    halt: async () => {
      await server.stop();
      server.issuer.url = issuer;
    },
    sign: (claims = {}, header = {}, kid = 'one') => server.issuer.buildToken({ kid, scopesOrTransform: (head, payload) => {
      Object.assign(head, product.header, header);
      Object.assign(payload, product.token(issuer), claims);
      for (const part of [head, payload]) for (const [name, value] of Object.entries(part)) if (value === undefined) Reflect.deleteProperty(part, name);
    } }),
  };
}

const [keycloak] = products;
assert.ok(keycloak);

for (const product of products) {
  describe(`a token of ${product.name}`, () => {
    it('opens the activities that it is mapped to, under names that are not ours', async (t) => {
      const { verify, sign } = await setUp(t, product);
      assert.deepEqual(await verify(`Bearer ${await sign()}`), { ...product.caller, activityCodes: ['AAA', 'BBB'], readOnly: false });
    });

    it('is refused when it is an ID token, by each of its marks', async (t) => {
      const { verify, sign } = await setUp(t, product);
      const { header, claims } = product.idToken;
      assert.equal((await refusalOf(verify(`Bearer ${await sign(claims, header)}`))).slug, 'invalid-token');
      for (const mark of ['nonce', 'at_hash', 'c_hash', 's_hash']) {
        const refusal = await refusalOf(verify(`Bearer ${await sign({ [mark]: 'x' })}`));
        assert.deepEqual([refusal.slug, refusal.detail], ['invalid-token', 'The token is not an access token.'], mark);
      }
      const [audience] = parseTrustedIssuers(JSON.stringify([{ issuer: 'https://x.example', ...product.settings }]))[0]?.audiences ?? [];
      for (const name of ['client_id', 'azp', 'appid']) {
        assert.equal((await refusalOf(verify(`Bearer ${await sign({ client_id: undefined, azp: undefined, appid: undefined, aud: audience, [name]: audience })}`))).slug, 'invalid-token', name);
      }
    });

    it('is refused for another audience, without the scope, without activities, and after its time', async (t) => {
      const { verify, sign } = await setUp(t, product);
      const slug = async (changes: Claims, header: Claims = {}): Promise<string> => (await refusalOf(verify(`Bearer ${await sign(changes, header)}`))).slug;
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
  const cases: readonly (readonly [name: string, activities: Claims, claims: Claims, opened: readonly string[] | null])[] = [
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
    ['role that only contains the prefix', { claim: 'roles', prefix: 'activity:' }, { roles: ['not-activity:AAA'] }, null],
    ['client that is not in the table', { by: 'client', table: { desk: ['AAA'] } }, {}, null],
    ['client named like a member of every object', { by: 'client', table: { desk: ['AAA'] } }, { azp: '__proto__' }, null],
    ['client with an empty list', { by: 'client', table: { shop: [] } }, {}, null],
    ['subject in the table', { by: 'subject', table: { 'f:1:mia': ['CCC', 'AAA'] } }, {}, ['AAA', 'CCC']],
    ['all activities, by the operator\'s own word', { by: 'client', table: { shop: ['*'] } }, {}, ['AAA', 'BBB', 'CCC']],
  ];
  for (const [name, activities, claims, opened] of cases) {
    it(`${name}: ${opened === null ? 'nothing' : opened.join(' ')}`, async (t) => {
      const { verify, sign } = await setUp(t, keycloak, { activities });
      const work = verify(`Bearer ${await sign(claims)}`);
      if (opened === null) assert.equal((await refusalOf(work)).slug, 'activity-forbidden');
      else assert.deepEqual((await work).activityCodes, opened);
    });
  }

  it('lets the operator make all or some clients of an issuer readers', async (t) => {
    for (const [readOnly, expected] of [[true, true], [['shop'], true], [['desk'], false]] as const) {
      const { verify, sign } = await setUp(t, keycloak, { readOnly });
      assert.equal((await verify(`Bearer ${await sign()}`)).readOnly, expected);
    }
  });

  it('lets the operator bound the age of tokens, whoever was disabled there meanwhile', async (t) => {
    const { verify, sign, advance } = await setUp(t, keycloak, { maxTokenAge: 300 });
    const token = await sign();
    assert.equal((await verify(`Bearer ${token}`)).clientId, 'keycloak:shop');
    advance(400_000);
    assert.equal((await refusalOf(verify(`Bearer ${token}`))).slug, 'invalid-token');
  });
});

describe('the choice of the issuer', () => {
  it('is by the exact text of `iss`: neighbours of a listed issuer are strangers, and are never asked for keys', async (t) => {
    const { issuer, verify, sign, away } = await setUp(t, keycloak);
    let asked = 0;
    const stranger = await listen(t, (_request, response) => { asked += 1; response.end('{"keys":[]}'); });
    for (const iss of [`${issuer}/`, issuer.toUpperCase(), `${issuer}#`, ` ${issuer}`, [issuer], { issuer }, null, stranger, authUrl]) {
      const refusal = await refusalOf(verify(`Bearer ${await sign({ iss }, { jku: `${stranger}/jwks`, x5u: `${stranger}/x5u` })}`));
      assert.equal(refusal.slug, 'invalid-token', String(iss));
    }
    await verify(`Bearer ${await sign({}, { jku: `${stranger}/jwks`, x5u: `${stranger}/x5u` })}`);
    assert.equal(asked, 0);
    assert.deepEqual(away, []);
  });

  it('does not let one issuer speak for another', async (t) => {
    const [first, second] = [await setUp(t, keycloak), await setUp(t, keycloak)];
    assert.equal((await refusalOf(second.verify(`Bearer ${await first.sign({ iss: second.issuer })}`))).slug, 'invalid-token');
    assert.equal((await refusalOf(second.verify(`Bearer ${await first.sign()}`))).slug, 'invalid-token');
  });

  it('leaves our own tokens as they were, and refuses them where the operator wants others only', async (t) => {
    const service = await openService(t);
    const token = await service.issue();
    const trustedIssuers = parseTrustedIssuers(JSON.stringify([{ name: 'x', issuer: 'https://x.example', audiences: ['y'], activities: { claim: 'z' } }]));
    const options = { db: service.db, keys: service.keys, authUrl, baseUrl, now: service.clock.now, onStorageError: assert.ifError, trustedIssuers };
    assert.equal((await createVerifier(options)(`Bearer ${token}`)).subject, service.user.id);
    const refusal = await refusalOf(createVerifier({ ...options, ownTokens: false })(`Bearer ${token}`));
    assert.deepEqual([refusal.slug, refusal.detail], ['invalid-token', 'The token comes from another issuer.']);
  });

  it('takes no signature that is none, or that is made with the public key', async (t) => {
    const { server, issuer, verify } = await setUp(t, keycloak);
    const claims = { iss: issuer, iat: Math.floor(Date.now() / 1000), exp: Math.floor(Date.now() / 1000) + 60, ...keycloak.token(issuer) };
    const [jwk] = server.issuer.keys.toJSON();
    for (const token of [
      unsigned({ alg: 'none', typ: 'JWT' }, claims), unsigned({ alg: 'RS256', kid: 'one', typ: 'JWT' }, claims),
      forgeHs256({ alg: 'HS256', kid: 'one', typ: 'JWT' }, claims, JSON.stringify(jwk)),
    ]) assert.equal((await refusalOf(verify(`Bearer ${token}`))).slug, 'invalid-token');
  });

  it('takes no algorithm that the operator has not listed', async (t) => {
    const { server, verify, sign } = await setUp(t, keycloak, { algorithms: ['ES256'] });
    assert.equal((await refusalOf(verify(`Bearer ${await sign()}`))).slug, 'invalid-token');
    await server.issuer.keys.generate('ES256', { kid: 'two' });
    assert.equal((await verify(`Bearer ${await sign({}, { alg: 'ES256' }, 'two')}`)).clientId, 'keycloak:shop');
  });
});

describe('the keys of an issuer', () => {
  it('that cannot be had make a 503, not a 401; and the token is good once they can', async (t) => {
    const { server, verify, sign, away, advance, halt } = await setUp(t, keycloak);
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
    const { verify, sign, advance, halt } = await setUp(t, keycloak);
    const tokens = [await sign(), await sign({ jti: '2' }), await sign({ jti: '3', exp: Math.floor(Date.now() / 1000) + 20_000 })];
    await verify(`Bearer ${tokens[0]}`);
    await halt();
    advance(1_800_000);
    assert.equal((await verify(`Bearer ${tokens[1]}`)).clientId, 'keycloak:shop');
    assert.equal((await refusalOf(verify(`Bearer ${await sign({}, { kid: 'new' })}`))).slug, 'unavailable');
    advance(1_900_000);
    assert.equal((await refusalOf(verify(`Bearer ${tokens[2]}`))).slug, 'unavailable');
  });

  it('are asked for again when a new key signs, but not at the pace of whoever invents key ids', async (t) => {
    const { server, issuer, verify, sign, advance, halt } = await setUp(t, keycloak);
    let asked = 0;
    const { port } = server.address();
    await halt();
    const keys = server.issuer.keys;
    const proxy = await listen(t, (_request, response) => { asked += 1; response.setHeader('content-type', 'application/json').end(JSON.stringify({ keys: keys.toJSON() })); }, port);
    assert.ok(issuer.startsWith(proxy));
    await verify(`Bearer ${await sign()}`);
    for (let attempt = 0; attempt < 20; attempt += 1) assert.equal((await refusalOf(verify(`Bearer ${await sign({}, { kid: `invented-${attempt}` })}`))).slug, 'invalid-token');
    assert.equal(asked, 1);
    await keys.generate('RS256', { kid: 'two' });
    advance(31_000);
    assert.equal((await verify(`Bearer ${await sign({}, {}, 'two')}`)).clientId, 'keycloak:shop');
    assert.equal(asked, 2);
  });

  it('are found by the metadata of the issuer, when it is really that issuer\'s', async (t) => {
    let metadata: Claims = {};
    const { server, verify, sign, away, advance, halt } = await setUp(t, { ...keycloak, path: '' }, { jwksUri: null });
    const { port } = server.address();
    await halt();
    const origin = await listen(t, (request, response) => {
      if (request.url === '/.well-known/openid-configuration') response.end(JSON.stringify(metadata));
      else if (request.url === '/redirected') response.writeHead(302, { location: '/keys' }).end();
      else response.end(JSON.stringify({ keys: server.issuer.keys.toJSON() }));
    }, port);
    const token = await sign();
    const wrongs: readonly Claims[] = [{}, { issuer: 'https://evil.example', jwks_uri: `${origin}/keys` }, { issuer: origin }, { issuer: origin, jwks_uri: 'file:///etc/passwd' }, { issuer: origin, jwks_uri: `${origin}/redirected` }];
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

describe('the settings', () => {
  it('let another issuer stand in for our own', async (t) => {
    const { issuer, sign } = await setUp(t, keycloak);
    const folder = mkdtempSync(join(tmpdir(), 'issuers-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'issuers.json');
    writeFileSync(file, JSON.stringify([{ issuer, jwksUri: `${new URL(issuer).origin}/jwks`, ...keycloak.settings }]));
    const service = await startService(t, { TRUSTED_ISSUERS: `@${file}`, BUILT_IN_ISSUER: 'off' });
    assert.equal((await readArticles(service, await sign())).status, 200);
    assert.equal((await readArticles(service, await sign({ aud: 'account' }))).status, 401);
    const { client } = await registerClient(service);
    const { accessToken } = await service.app.issueToken({ client, user: await registerUser(service), now: Date.now() });
    assert.equal((await readArticles(service, accessToken)).status, 401);
    for (const path of ['/connect/authorize', '/connect/jwks', '/.well-known/oauth-authorization-server']) assert.equal((await send(service, 'GET', service.authUrl + path)).status, 404);
    const metadata = await send(service, 'GET', `${service.authUrl}/.well-known/oauth-protected-resource/v1`);
    assert.deepEqual(metadata.json()['authorization_servers'], [issuer]);
  });

  it('let both be accepted, and name both', async (t) => {
    const { issuer, sign } = await setUp(t, keycloak);
    const service = await startService(t, { TRUSTED_ISSUERS: JSON.stringify([{ issuer, jwksUri: `${new URL(issuer).origin}/jwks`, ...keycloak.settings }]) });
    const { client } = await registerClient(service);
    const { accessToken } = await service.app.issueToken({ client, user: await registerUser(service), now: Date.now() });
    for (const token of [accessToken, await sign()]) assert.equal((await readArticles(service, token)).status, 200);
    const metadata = await send(service, 'GET', `${service.authUrl}/.well-known/oauth-protected-resource/v1`);
    assert.deepEqual(metadata.json()['authorization_servers'], [service.authUrl, issuer]);
  });

  it('are refused when nobody could sign in, or they are wrong', async (t) => {
    const config = (variables: Record<string, string>) => () => readConfig(variables, '/nowhere');
    assert.throws(config({ BUILT_IN_ISSUER: 'off' }), /BUILT_IN_ISSUER is off and TRUSTED_ISSUERS names nobody else/);
    assert.throws(config({ BUILT_IN_ISSUER: 'no' }), /BUILT_IN_ISSUER must be on or off, not "no"/);
    assert.throws(config({ TRUSTED_ISSUERS: '@missing.json' }), /TRUSTED_ISSUERS .*\/nowhere\/missing\.json/);
    assert.throws(config({ TRUSTED_ISSUERS: '[{}]' }), /TRUSTED_ISSUERS is not right \(docs\/external-issuers\.md describes it\): 0 must have required property 'name'/);
    const own = parseTrustedIssuers(JSON.stringify([{ name: 'x', issuer: authUrl, audiences: ['y'], activities: { claim: 'z' } }]));
    const { db, keys } = await openService(t);
    assert.throws(() => createVerifier({ db, keys, authUrl, baseUrl, now: Date.now, onStorageError: assert.ifError, trustedIssuers: own }), /names this service's own AUTH_URL/);
  });
});

describe('the description of an issuer', () => {
  const good = { name: 'keycloak', issuer: 'https://id.example/realms/x', audiences: ['logistics'], activities: { claim: 'activities' } };

  it('has defaults that fit RFC 9068', () => {
    assert.deepEqual(parseTrustedIssuers(JSON.stringify([good])), [{
      ...good, jwksUri: null, algorithms: ['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519'], typ: 'at+jwt', scopeClaims: ['scope', 'scp'], requiredScope: 'svc_connect',
      clientClaims: ['client_id', 'azp', 'appid'], subjectClaim: 'sub', readOnly: false, maxTokenAge: 86_400,
    }]);
  });

  const wrong: readonly (readonly [name: string, text: string, message: RegExp])[] = [
    ['no JSON', 'https://id.example', /JSON/],
    ['no list', JSON.stringify(good), /the value must be array/],
    ['mistyped member', JSON.stringify([{ ...good, audience: 'x' }]), /0 has an unknown member "audience"/],
    ['missing audience', JSON.stringify([{ ...good, audiences: undefined }]), /must have required property 'audiences'/],
    ['no audience', JSON.stringify([{ ...good, audiences: [] }]), /0\.audiences must NOT have fewer than 1 items/],
    ['shared secrets', JSON.stringify([{ ...good, algorithms: ['HS256'] }]), /0\.algorithms\.0 must be equal to one of the allowed values/],
    ['no signature', JSON.stringify([{ ...good, algorithms: ['none'] }]), /0\.algorithms\.0/],
    ['plain http', JSON.stringify([{ ...good, issuer: 'http://id.example' }]), /http:\/\/id\.example must be an https address/],
    ['keys over plain http', JSON.stringify([{ ...good, jwksUri: 'http://id.example/keys' }]), /keys must be an https address/],
    ['no mapping', JSON.stringify([{ ...good, activities: {} }]), /0\.activities needs either a claim/],
    ['two mappings', JSON.stringify([{ ...good, activities: { claim: 'x', by: 'client', table: {} } }]), /0\.activities needs either a claim/],
    ['code that is none', JSON.stringify([{ ...good, activities: { by: 'client', table: { x: ['aaa'] } } }]), /0\.activities needs either a claim/],
    ['issuer twice', JSON.stringify([good, { ...good, name: 'other' }]), /the issuer https:\/\/id\.example\/realms\/x is there twice/],
    ['name twice', JSON.stringify([good, { ...good, issuer: 'https://other.example' }]), /the name keycloak is there twice/],
    ['name with a colon', JSON.stringify([{ ...good, name: 'a:b' }]), /0\.name must match pattern/],
  ];
  for (const [name, text, message] of wrong) it(`is refused with the reason: ${name}`, () => assert.throws(() => parseTrustedIssuers(text), message));
});

async function listen(t: TestContext, answer: RequestListener, port = 0): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
