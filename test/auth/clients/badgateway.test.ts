// `@badgateway/oauth2-client` connects, by the metadata of the server.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { generateCodeVerifier, OAuth2Client, OAuth2Error } from '@badgateway/oauth2-client';
import { proveAccess, proveRefresh, stage } from './proof.ts';

describe('@badgateway/oauth2-client', () => {
  for (const confidential of [false, true]) {
    it(`connects, ${confidential ? 'confidential' : 'public'}, with the server’s address alone`, async (t) => {
      const scene = await stage(t, { confidential });
      const library = new OAuth2Client({
        server: `${scene.service.authUrl}/`,
        discoveryEndpoint: '/.well-known/oauth-authorization-server',
        clientId: scene.client.id,
        ...(confidential ? { clientSecret: scene.secret } : {}),
      });
      const [codeVerifier, state] = [await generateCodeVerifier(), 'state of the shop'];
      const address = await library.authorizationCode.getAuthorizeUri({
        redirectUri: scene.redirectUri,
        state,
        codeVerifier,
        scope: ['svc_connect'],
      });
      const back = await scene.signIn(address);
      await assert.rejects(
        library.authorizationCode.getTokenFromCodeRedirect(back, {
          redirectUri: scene.redirectUri,
          state: 'another',
          codeVerifier,
        }),
        /state/,
      );
      const token = await library.authorizationCode.getTokenFromCodeRedirect(back, {
        redirectUri: scene.redirectUri,
        state,
        codeVerifier,
      });
      assert.ok(token.expiresAt !== null && token.expiresAt > Date.now() + 3_500_000);
      await proveAccess(scene, token.accessToken);
      const renewed = await library.refreshToken(token);
      await proveRefresh(
        scene,
        { access: token.accessToken, refresh: token.refreshToken ?? '' },
        { access: renewed.accessToken, refresh: renewed.refreshToken ?? '' },
      );
      await library.revoke(renewed, 'refresh_token');
      await assert.rejects(
        library.refreshToken(renewed),
        (error: unknown) => error instanceof OAuth2Error && error.oauth2Code === 'invalid_grant',
      );
    });
  }
});
