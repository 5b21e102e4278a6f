// `simple-oauth2` connects, with the two addresses of the interface document and a secret.
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { AuthorizationCode } from 'simple-oauth2';
import { readArticles } from '../flow.ts';
import { proveAccess, proveRefresh, stage } from './proof.ts';

describe('simple-oauth2', () => {
  for (const authorizationMethod of ['header', 'body'] as const) {
    it(`connects and refreshes with its secret in the ${authorizationMethod}`, async (t) => {
      const scene = await stage(t, { confidential: true });
      const library = new AuthorizationCode({
        client: { id: scene.client.id, secret: scene.secret },
        auth: {
          tokenHost: scene.service.authUrl,
          tokenPath: '/connect/token',
          authorizePath: '/connect/authorize',
          revokePath: '/connect/revocation',
        },
        options: { authorizationMethod },
      });
      const verifier = randomBytes(32).toString('base64url');
      const challenge = {
        code_challenge: createHash('sha256').update(verifier).digest('base64url'),
        code_challenge_method: 'S256',
      };
      const address = library.authorizeURL({
        redirect_uri: scene.redirectUri,
        scope: 'svc_connect',
        state: 's',
        ...challenge,
      });
      const { searchParams } = new URL(await scene.signIn(address));
      assert.equal(searchParams.get('state'), 's');
      const proof = { code_verifier: verifier };
      const token = await library.getToken({
        code: searchParams.get('code') ?? '',
        redirect_uri: scene.redirectUri,
        ...proof,
      });
      assert.equal(token.expired(), false);
      const before = tokensOf(token.token);
      await proveAccess(scene, before.access);
      const renewed = await token.refresh();
      await proveRefresh(scene, before, tokensOf(renewed.token));
      // The access token first, then the refresh token: both are answered with 200, or this rejects.
      await renewed.revokeAll();
      await assert.rejects(renewed.refresh(), /400/);
      assert.equal((await readArticles(scene.service, renewed.token.access_token)).status, 401);
    });
  }
});

function tokensOf(token: Readonly<Record<string, unknown>>): { readonly access: string; readonly refresh: string } {
  return { access: String(token.access_token), refresh: String(token.refresh_token) };
}
