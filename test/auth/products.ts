// Keycloak, Duende, Auth0 and Entra as they shape their tokens, each run on loopback for a test and trusted by a
// verifier.
import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { OAuth2Server } from 'oauth2-mock-server';
import { createKeyRing } from '../../src/auth/keys.ts';
import { createCipher } from '../../src/auth/cipher.ts';
import { parseTrustedIssuers } from '../../src/auth/trusted-issuers.ts';
import { createVerifier, type Verifier } from '../../src/auth/verify.ts';
import { agreeing, authUrl, baseUrl, openDatabase } from './fixture.ts';

export type Claims = Readonly<Record<string, unknown>>;

interface Product {
  readonly name: string;
  /** Path that the issuer's address has, as at that product. */
  readonly path: string;
  readonly settings: Claims;
  readonly header: Claims;
  readonly token: (issuer: string) => Claims;
  readonly principal: { readonly clientId: string; readonly subject: string };
  /** What an ID token of the product has that an access token has not, or otherwise. */
  readonly idToken: { readonly header: Claims; readonly claims: Claims };
}

const guid = '6e74172b-be56-4843-9ff4-e66a39bb12e3';

export const products: readonly Product[] = [
  {
    name: 'Keycloak',
    path: '/realms/warehouse',
    settings: { name: 'keycloak', audiences: ['logistics'], typ: 'JWT', activities: { claim: 'activities' } },
    header: { typ: 'JWT' },
    token: () => ({
      typ: 'Bearer',
      aud: ['logistics', 'account'],
      azp: 'shop',
      sub: 'f:1:mia',
      jti: 'onrtac:1',
      acr: '1',
      sid: 's',
      preferred_username: 'mia',
      scope: 'openid profile svc_connect',
      realm_access: { roles: ['offline_access', 'activity:CCC'] },
      activities: ['AAA', 'BBB'],
    }),
    principal: { clientId: 'keycloak:shop', subject: 'keycloak:f:1:mia' },
    idToken: { header: { typ: 'JWT' }, claims: { typ: 'ID', aud: 'shop', at_hash: 'x', scope: undefined } },
  },
  {
    name: 'Duende IdentityServer',
    path: '',
    settings: { name: 'duende', audiences: ['logistics'], activities: { claim: 'client_activities' } },
    header: { typ: 'at+jwt' },
    token: () => ({
      aud: 'logistics',
      client_id: 'shop',
      sub: '818727',
      scope: ['openid', 'svc_connect'],
      client_activities: ['AAA', 'BBB'],
      jti: '5B0E',
      idp: 'local',
      amr: ['pwd'],
    }),
    principal: { clientId: 'duende:shop', subject: 'duende:818727' },
    idToken: { header: { typ: 'JWT' }, claims: { aud: 'shop', nonce: 'n', scope: undefined } },
  },
  {
    name: 'Auth0',
    path: '/',
    settings: {
      name: 'auth0',
      audiences: ['https://logistics.example/api'],
      typ: 'JWT',
      activities: { claim: 'https://shop.example/activities' },
    },
    header: { typ: 'JWT' },
    token: (issuer) => ({
      aud: ['https://logistics.example/api', `${issuer}userinfo`],
      azp: 'shop',
      sub: 'auth0|5f7c',
      scope: 'openid svc_connect',
      permissions: ['read'],
      'https://shop.example/activities': ['AAA', 'BBB'],
    }),
    principal: { clientId: 'auth0:shop', subject: 'auth0:auth0|5f7c' },
    idToken: { header: { typ: 'JWT' }, claims: { aud: 'shop', nonce: 'n', scope: undefined } },
  },
  {
    name: 'Entra ID, for a person',
    path: '/9188040d/v2.0',
    settings: { name: 'entra', audiences: [guid], typ: 'JWT', activities: { claim: 'roles', prefix: 'activity:' } },
    header: { typ: 'JWT', x5t: 'x' },
    token: () => ({
      aud: guid,
      azp: 'shop',
      azpacr: '1',
      sub: 'AAAAAAAA',
      oid: 'o',
      tid: '9188040d',
      scp: 'svc_connect',
      roles: ['activity:AAA', 'activity:BBB', 'reader'],
      ver: '2.0',
      uti: 'u',
    }),
    principal: { clientId: 'entra:shop', subject: 'entra:AAAAAAAA' },
    idToken: { header: { typ: 'JWT' }, claims: { aud: 'shop', nonce: 'n', scp: undefined } },
  },
  {
    name: 'Entra ID, version 1, for a program, by a table',
    path: '/9188040d/',
    settings: {
      name: 'entra',
      audiences: ['api://logistics'],
      typ: 'JWT',
      scopeClaims: ['roles'],
      activities: { by: 'client', table: { shop: ['AAA', 'BBB'] } },
    },
    header: { typ: 'JWT' },
    token: () => ({
      aud: 'api://logistics',
      appid: 'shop',
      sub: 'o',
      oid: 'o',
      tid: '9188040d',
      roles: ['svc_connect'],
      ver: '1.0',
    }),
    principal: { clientId: 'entra:shop', subject: 'entra:o' },
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
export async function trustedProduct(t: TestContext, product: Product, changes: Claims = {}): Promise<Setting> {
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
  const { store } = await openDatabase(t);
  const away: unknown[] = [];
  const verify = agreeing(
    createVerifier({
      store,
      keys: createKeyRing({ store, cipher: createCipher(null), now: Date.now }),
      authUrl,
      baseUrl,
      now: Date.now,
      onStorageError: assert.ifError,
      onIssuerAway: (error) => away.push(error),
      // The mock has its documents at the root, whatever its issuer is called.
      trustedIssuers: parseTrustedIssuers(
        JSON.stringify([{ issuer, jwksUri: `${origin}/jwks`, ...product.settings, ...changes }]),
      ),
    }),
  );
  return {
    server,
    issuer,
    verify,
    away,
    advance: (milliseconds) => t.mock.timers.tick(milliseconds),
    halt: async () => {
      await server.stop();
      server.issuer.url = issuer;
    },
    sign: (claims = {}, header = {}, kid = 'one') =>
      server.issuer.buildToken({
        kid,
        scopesOrTransform: (head, payload) => {
          Object.assign(head, product.header, header);
          Object.assign(payload, product.token(issuer), claims);
          for (const part of [head, payload])
            for (const [name, value] of Object.entries(part))
              if (value === undefined) Reflect.deleteProperty(part, name);
        },
      }),
  };
}

/** Another server on loopback; gives its origin. */
export async function listen(t: TestContext, answer: RequestListener, port = 0): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
