// Libraries that others wrote get tokens without a person: the grant `client_credentials`.
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { OAuth2Client, OAuth2Error } from '@badgateway/oauth2-client';
import * as openidClient from 'openid-client';
import { ClientCredentials } from 'simple-oauth2';
import { proveAccess, type Stage, stage } from './proof.ts';

const service = { redirectUris: [], confidential: true, service: true };
const scopes = ['svc_connect'];

/** Gives what a library got for a client: the access token and whatever it took for a refresh token. */
type Library = (
  scene: Stage,
  scope: readonly string[],
) => Promise<{ readonly access: unknown; readonly refresh: unknown }>;

const libraries: Readonly<Record<string, Library>> = {
  'openid-client': async ({ service: { authUrl }, client, secret }, scope) => {
    const server = await openidClient.discovery(
      new URL(authUrl),
      client.id,
      undefined,
      openidClient.ClientSecretBasic(secret),
      { algorithm: 'oauth2', execute: [openidClient.allowInsecureRequests] },
    );
    assert.ok(server.serverMetadata().grant_types_supported?.includes('client_credentials'));
    const token = await openidClient.clientCredentialsGrant(server, { scope: scope.join(' ') });
    return { access: token.access_token, refresh: token.refresh_token };
  },
  'simple-oauth2': async ({ service: { authUrl }, client, secret }, scope) => {
    const library = new ClientCredentials({
      client: { id: client.id, secret },
      auth: { tokenHost: authUrl, tokenPath: '/connect/token' },
    });
    const { token } = await library.getToken({ scope: [...scope] });
    return { access: token.access_token, refresh: token.refresh_token };
  },
  '@badgateway/oauth2-client': async ({ service: { authUrl }, client, secret }, scope) => {
    const library = new OAuth2Client({
      server: `${authUrl}/`,
      discoveryEndpoint: '/.well-known/oauth-authorization-server',
      clientId: client.id,
      clientSecret: secret,
    });
    const token = await library.clientCredentials({ scope: [...scope] });
    return { access: token.accessToken, refresh: token.refreshToken ?? undefined };
  },
};

/** The `error` that the server gave, as the library tells it. */
function codeOf(error: unknown): unknown {
  if (error instanceof OAuth2Error) return error.oauth2Code;
  if (error instanceof openidClient.ResponseBodyError) return error.error;
  const { data } = Object(error);
  return Object(Object(data).payload).error;
}

for (const [name, ask] of Object.entries(libraries)) {
  describe(`${name}, without a person`, () => {
    const refusal = async (t: TestContext, changes: object, scope = scopes): Promise<unknown> => {
      const scene = await stage(t, { confidential: true, ...changes });
      try {
        await ask(scene, scope);
      } catch (error) {
        return codeOf(error);
      }
      return assert.fail('a token was given');
    };

    it('gets a token of its own, and no refresh token', async (t) => {
      const scene = await stage(t, service);
      const { access, refresh } = await ask(scene, scopes);
      assert.equal(refresh, undefined);
      await proveAccess(scene, String(access), { sub: scene.client.id, activityCodes: ['AAA', 'BBB'] });
    });

    it('is told that the client is no service', async (t) => {
      assert.equal(await refusal(t, {}), 'unauthorized_client');
    });

    it('is told that the scope is another', async (t) => {
      assert.equal(await refusal(t, service, ['openid']), 'invalid_scope');
    });
  });
}
