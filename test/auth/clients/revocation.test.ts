// Common libraries revoke what they got, access tokens among it, on every engine; and what nobody may revoke stays.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { OAuth2Client } from '@badgateway/oauth2-client';
import * as openidClient from 'openid-client';
import { AuthorizationCode } from 'simple-oauth2';
import { engines } from '../../contract/engines.ts';
import { foreignKey, forgeEs256, stolenKey } from '../forge.ts';
import {
  type Answer,
  connect,
  type Credentials,
  decoded,
  readArticles,
  refresh,
  registerClient,
  registerUser,
  send,
  type Service,
  startService,
  token,
} from '../flow.ts';

/** Every process has read grants anew after it. */
const halfMinute = 30_000;

interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
}

async function tokensFor(service: Service, credentials: Credentials): Promise<Tokens> {
  const { access_token, refresh_token } = await connect(service, credentials);
  return { access_token: String(access_token), refresh_token: String(refresh_token) };
}

/** One request to the revocation endpoint, as the client itself sends it. */
function revoke(
  service: Service,
  { client, secret }: Credentials,
  fields: Record<string, string> | string,
): Promise<Answer> {
  const form = new URLSearchParams(fields);
  form.set('client_id', client.id);
  if (secret !== null) form.set('client_secret', secret);
  const type = { 'content-type': 'application/x-www-form-urlencoded' };
  return send(service, 'POST', `${service.authUrl}/connect/revocation`, type, form.toString());
}

async function statusOf(service: Service, accessToken: string): Promise<number> {
  return (await readArticles(service, accessToken)).status;
}

for (const engine of engines) {
  describe(`revoking on ${engine.name}`, { skip: engine.skip }, () => {
    it('simple-oauth2 revokes all: access token and refresh token', async (t) => {
      const service = await startService(t, {}, engine);
      const credentials = await registerClient(service, { confidential: true });
      await registerUser(service);
      const tokens = await tokensFor(service, credentials);
      const library = new AuthorizationCode({
        client: { id: credentials.client.id, secret: credentials.secret ?? '' },
        auth: { tokenHost: service.authUrl, tokenPath: '/connect/token', revokePath: '/connect/revocation' },
      });
      assert.equal(await statusOf(service, tokens.access_token), 200);
      await library.createToken({ ...tokens, expires_in: 3600 }).revokeAll();
      assert.equal(await statusOf(service, tokens.access_token), 401);
      assert.equal((await refresh(service, credentials, tokens.refresh_token)).json().error, 'invalid_grant');
    });

    it('openid-client revokes an access token; its refresh token goes on', async (t) => {
      const service = await startService(t, {}, engine);
      const credentials = await registerClient(service);
      await registerUser(service);
      const tokens = await tokensFor(service, credentials);
      const options = { execute: [openidClient.allowInsecureRequests] };
      const { client } = credentials;
      const server = await openidClient.discovery(
        new URL(service.authUrl),
        client.id,
        undefined,
        openidClient.None(),
        options,
      );
      for (const hint of [{ token_type_hint: 'access_token' }, { token_type_hint: 'refresh_token' }, undefined])
        await openidClient.tokenRevocation(server, tokens.access_token, hint);
      const refused = await readArticles(service, tokens.access_token);
      assert.equal(refused.status, 401);
      assert.match(
        refused.headers['www-authenticate'] ?? '',
        /error="invalid_token", error_description="The token was/,
      );
      const next = await openidClient.refreshTokenGrant(server, tokens.refresh_token);
      assert.equal(await statusOf(service, next.access_token), 200);
      assert.equal(await statusOf(service, tokens.access_token), 401, 'it does not come back');
    });

    it('@badgateway/oauth2-client revokes an access token, which is what it does unless told otherwise', async (t) => {
      const service = await startService(t, {}, engine);
      const credentials = await registerClient(service, { confidential: true });
      await registerUser(service);
      const { access_token: accessToken, refresh_token: refreshToken } = await tokensFor(service, credentials);
      const library = new OAuth2Client({
        server: `${service.authUrl}/`,
        discoveryEndpoint: '/.well-known/oauth-authorization-server',
        clientId: credentials.client.id,
        clientSecret: credentials.secret ?? '',
      });
      await library.revoke({ accessToken, refreshToken, expiresAt: null });
      assert.equal(await statusOf(service, accessToken), 401);
    });

    it('ends the token in every process within half a minute, and no other token of the grant', async (t) => {
      const start = Date.now();
      t.mock.timers.enable({ apis: ['Date'], now: start });
      const service = await startService(t, {}, engine);
      const other = await service.again();
      const credentials = await registerClient(service);
      await registerUser(service);
      const first = await tokensFor(service, credentials);
      const second = (await refresh(service, credentials, first.refresh_token)).json();
      for (const process of [service, other])
        for (const one of [first, second]) assert.equal(await statusOf(process, String(one.access_token)), 200);
      const answer = await revoke(service, credentials, { token: first.access_token });
      assert.deepEqual([answer.status, answer.json()], [200, {}]);
      assert.equal(await statusOf(service, first.access_token), 401);
      t.mock.timers.setTime(start + halfMinute);
      for (const process of [service, other]) {
        assert.equal(await statusOf(process, first.access_token), 401);
        assert.equal(await statusOf(process, String(second.access_token)), 200);
      }
      // Housekeeping forgets it when the token has ended by itself, and not before.
      await service.app.store.oidcPayloads.removeExpired(start + 3_000_000);
      t.mock.timers.setTime(start + 3_000_000);
      assert.equal(await statusOf(other, first.access_token), 401);
    });

    it('ends the token of a client that acts for itself', async (t) => {
      const service = await startService(t, {}, engine);
      const credentials = await registerClient(service, { redirectUris: [], confidential: true, service: true });
      const asked = { grant_type: 'client_credentials', scope: 'svc_connect' };
      const accessToken = String((await token(service, credentials, asked)).json().access_token);
      assert.equal(await statusOf(service, accessToken), 200);
      assert.equal((await revoke(service, credentials, { token: accessToken })).status, 200);
      assert.equal(await statusOf(service, accessToken), 401);
    });

    it('is asked for twice at once', async (t) => {
      const service = await startService(t, {}, engine);
      const credentials = await registerClient(service);
      await registerUser(service);
      const { access_token: accessToken } = await tokensFor(service, credentials);
      const answers = await Promise.all(
        Array.from({ length: 6 }, () => revoke(service, credentials, { token: accessToken })),
      );
      assert.deepEqual(
        answers.map(({ status }) => status),
        Array.from({ length: 6 }, () => 200),
      );
      assert.equal(await statusOf(service, accessToken), 401);
    });
  });
}

describe('nothing is revoked', () => {
  it('by another client, with a wrong secret, or by a request that is wrong', async (t) => {
    const service = await startService(t);
    const credentials = await registerClient(service, { confidential: true });
    const stranger = await registerClient(service, { confidential: true });
    await registerUser(service);
    const { access_token: accessToken } = await tokensFor(service, credentials);
    assert.equal((await revoke(service, stranger, { token: accessToken })).status, 200);
    const wrong = await revoke(service, { ...credentials, secret: stranger.secret }, { token: accessToken });
    assert.deepEqual([wrong.status, wrong.json().error], [401, 'invalid_client']);
    for (const form of [
      '',
      'token=',
      `token=${accessToken}&token=${accessToken}`,
      `token=${accessToken}&token_type_hint=access_token&token_type_hint=access_token`,
    ]) {
      const answer = await revoke(service, credentials, form);
      assert.deepEqual([answer.status, answer.json().error], [400, 'invalid_request'], form.slice(0, 20));
    }
    assert.equal(await statusOf(service, accessToken), 200);
  });

  it('by what this service did not sign, and a token that has ended is no error', async (t) => {
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() });
    const service = await startService(t);
    const credentials = await registerClient(service);
    await registerUser(service);
    const tokens = await tokensFor(service, credentials);
    const { header, payload } = decoded(tokens.access_token);
    const { kid, key } = await stolenKey(service.app.keys);
    for (const made of [
      forgeEs256(header, payload, foreignKey()),
      forgeEs256({ ...header, kid: 'unknown' }, payload, key),
      forgeEs256({ alg: 'ES256', kid, typ: 'at+jwt' }, { ...payload, grant_id: 7 }, key),
      forgeEs256({ alg: 'ES256', kid, typ: 'at+jwt' }, '[', key),
      `${tokens.access_token}x`,
      'a.b.c',
      '\0',
      'x'.repeat(40_000),
    ])
      assert.equal((await revoke(service, credentials, { token: made })).status, 200, made.slice(0, 40));
    assert.equal(await statusOf(service, tokens.access_token), 200);
    const identity = forgeEs256({ alg: 'ES256', kid, typ: 'JWT' }, payload, key);
    const refused = await revoke(service, credentials, { token: identity });
    assert.deepEqual([refused.status, refused.json().error], [400, 'unsupported_token_type']);
    t.mock.timers.setTime(Date.now() + 3_700_000);
    assert.equal((await revoke(service, credentials, { token: tokens.access_token })).status, 200);
  });
});
