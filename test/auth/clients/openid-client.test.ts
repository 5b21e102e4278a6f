// `openid-client` connects, by either metadata, with its strict checks of the answers.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as library from 'openid-client';
import { proveAccess, proveRefresh, stage } from './proof.ts';

describe('openid-client', () => {
  for (const [confidential, algorithm] of [
    [false, 'oauth2'],
    [true, 'oauth2'],
    [false, 'oidc'],
    [true, 'oidc'],
  ] as const) {
    it(`connects and refreshes, ${confidential ? 'confidential' : 'public'}, by ${algorithm} metadata`, async (t) => {
      const scene = await stage(t, { confidential });
      const authentication = confidential ? library.ClientSecretBasic(scene.secret) : library.None();
      const server = await library.discovery(
        new URL(scene.service.authUrl),
        scene.client.id,
        undefined,
        authentication,
        { algorithm, execute: [library.allowInsecureRequests] },
      );
      const [verifier, state] = [library.randomPKCECodeVerifier(), library.randomState()];
      const address = library.buildAuthorizationUrl(server, {
        redirect_uri: scene.redirectUri,
        scope: 'svc_connect',
        state,
        code_challenge: await library.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      });
      const back = new URL(await scene.signIn(address.href));
      await assert.rejects(
        library.authorizationCodeGrant(server, back, {
          pkceCodeVerifier: library.randomPKCECodeVerifier(),
          expectedState: state,
        }),
        library.ResponseBodyError,
      );
      const token = await library.authorizationCodeGrant(server, back, {
        pkceCodeVerifier: verifier,
        expectedState: state,
      });
      await proveAccess(scene, token.access_token);
      const renewed = await library.refreshTokenGrant(server, token.refresh_token ?? '');
      await proveRefresh(
        scene,
        { access: token.access_token, refresh: token.refresh_token ?? '' },
        { access: renewed.access_token, refresh: renewed.refresh_token ?? '' },
      );
      await library.tokenRevocation(server, renewed.refresh_token ?? '');
      await assert.rejects(
        library.refreshTokenGrant(server, renewed.refresh_token ?? ''),
        (error: unknown) => error instanceof library.ResponseBodyError && error.error === 'invalid_grant',
      );
    });
  }

  it('learns who is signed in, when it asks for that too', async (t) => {
    const scene = await stage(t);
    const server = await library.discovery(new URL(scene.service.authUrl), scene.client.id, undefined, library.None(), {
      execute: [library.allowInsecureRequests],
    });
    const [verifier, nonce] = [library.randomPKCECodeVerifier(), library.randomNonce()];
    const address = library.buildAuthorizationUrl(server, {
      redirect_uri: scene.redirectUri,
      scope: 'openid svc_connect',
      nonce,
      code_challenge: await library.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    const token = await library.authorizationCodeGrant(server, new URL(await scene.signIn(address.href)), {
      pkceCodeVerifier: verifier,
      expectedNonce: nonce,
      idTokenExpected: true,
    });
    assert.equal(token.claims()?.sub, scene.user.id);
    await proveAccess(scene, token.access_token);
  });
});
