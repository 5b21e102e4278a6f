// Libraries that others wrote sign a person in without PKCE, for a client that the operator exempted.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { OAuth2Client } from '@badgateway/oauth2-client';
import * as openidClient from 'openid-client';
import { AuthorizationCode } from 'simple-oauth2';
import { proveAccess, proveRefresh, type Stage, stage } from './proof.ts';

interface Tokens {
  readonly access: string;
  readonly refresh: string;
}

type Library = (scene: Stage) => Promise<{ readonly before: Tokens; readonly after: Tokens }>;

const scope = 'svc_connect';

const libraries: Readonly<Record<string, Library>> = {
  'openid-client': async ({ service: { authUrl }, client, secret, redirectUri, signIn }) => {
    const server = await openidClient.discovery(
      new URL(authUrl),
      client.id,
      undefined,
      openidClient.ClientSecretPost(secret),
      { algorithm: 'oauth2', execute: [openidClient.allowInsecureRequests] },
    );
    const state = openidClient.randomState();
    const address = openidClient.buildAuthorizationUrl(server, { redirect_uri: redirectUri, scope, state });
    const back = new URL(await signIn(address.href));
    const first = await openidClient.authorizationCodeGrant(server, back, { expectedState: state });
    const next = await openidClient.refreshTokenGrant(server, first.refresh_token ?? '');
    const tokens = ({ access_token: access, refresh_token: refresh = '' }: typeof next): Tokens => ({
      access,
      refresh,
    });
    return { before: tokens(first), after: tokens(next) };
  },
  'simple-oauth2': async ({ service: { authUrl }, client, secret, redirectUri, signIn }) => {
    const library = new AuthorizationCode({
      client: { id: client.id, secret },
      auth: { tokenHost: authUrl, tokenPath: '/connect/token', authorizePath: '/connect/authorize' },
    });
    const back = new URL(await signIn(library.authorizeURL({ redirect_uri: redirectUri, scope, state: 's' })));
    const first = await library.getToken({ code: back.searchParams.get('code') ?? '', redirect_uri: redirectUri });
    const next = await first.refresh();
    const tokens = ({ token }: typeof next): Tokens => ({
      access: String(token.access_token),
      refresh: String(token.refresh_token),
    });
    return { before: tokens(first), after: tokens(next) };
  },
  '@badgateway/oauth2-client': async ({ service: { authUrl }, client, secret, redirectUri, signIn }) => {
    const library = new OAuth2Client({
      server: `${authUrl}/`,
      discoveryEndpoint: '/.well-known/oauth-authorization-server',
      clientId: client.id,
      clientSecret: secret,
    });
    const address = await library.authorizationCode.getAuthorizeUri({ redirectUri, state: 's', scope: [scope] });
    const back = await signIn(address);
    const first = await library.authorizationCode.getTokenFromCodeRedirect(back, { redirectUri, state: 's' });
    const next = await library.refreshToken(first);
    const tokens = ({ accessToken, refreshToken }: typeof next): Tokens => ({
      access: accessToken,
      refresh: refreshToken ?? '',
    });
    return { before: tokens(first), after: tokens(next) };
  },
};

for (const [name, connect] of Object.entries(libraries)) {
  describe(`${name}, without PKCE`, () => {
    it('connects and refreshes', async (t) => {
      const scene = await stage(t, { confidential: true, pkceRequired: false });
      const { before, after } = await connect(scene);
      await proveAccess(scene, before.access);
      await proveRefresh(scene, before, after);
    });

    it('is refused where the operator did not exempt the client', async (t) => {
      const scene = await stage(t, { confidential: true });
      const tried: Stage = {
        ...scene,
        signIn: async (address) => {
          const at = await scene.signIn(address);
          assert.equal(new URL(at).searchParams.get('error'), 'invalid_request');
          assert.match(new URL(at).searchParams.get('error_description') ?? '', /PKCE/);
          return at;
        },
      };
      await assert.rejects(connect(tried));
    });
  });
}
