// The code flow from end to end: request, sign-in, consent, code, tokens, the interface, refresh.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  authorizationRequest,
  authorize,
  callbackOf,
  decoded,
  openBrowser,
  readArticles,
  redeem,
  refresh,
  registerClient,
  registerUser,
  startService,
} from './flow.ts';

describe('the code flow', () => {
  it('leads from a request to articles, and goes on by refreshing', async (t) => {
    const service = await startService(t);
    const credentials = await registerClient(service);
    const user = await registerUser(service);
    const request = authorizationRequest(service, credentials.client);
    const outcome = await authorize(service, openBrowser(service), request);
    assert.deepEqual(outcome.pages, ['sign-in', 'consent']);
    const { code = '', state, iss, ...rest } = callbackOf(outcome, request);
    assert.deepEqual({ state, iss, rest }, { state: request.state, iss: service.authUrl, rest: {} });

    const answer = await redeem(service, credentials, request, code);
    assert.equal(answer.status, 200, answer.body + service.logged());
    assert.equal(answer.headers['cache-control'], 'no-store');
    const tokens = answer.json();
    assert.deepEqual(
      { ...tokens, access_token: '', refresh_token: '' },
      { access_token: '', refresh_token: '', token_type: 'Bearer', expires_in: 3600, scope: 'svc_connect' },
    );
    const { header, payload } = decoded(tokens.access_token);
    assert.deepEqual({ ...header, kid: '' }, { alg: 'ES256', typ: 'at+jwt', kid: '' });
    const { iat, exp, jti, grant_id: grantId, ...claims } = payload;
    assert.deepEqual(claims, {
      iss: service.authUrl,
      aud: service.baseUrl,
      sub: user.id,
      client_id: credentials.client.id,
      scope: 'svc_connect',
      activityCodes: ['BBB'],
    });
    assert.equal(Number(exp) - Number(iat), 3600);
    assert.deepEqual([typeof jti, typeof grantId], ['string', 'string']);

    assert.equal((await readArticles(service, tokens.access_token)).status, 200);
    const next = (await refresh(service, credentials, tokens.refresh_token)).json();
    assert.notEqual(next.refresh_token, tokens.refresh_token);
    assert.equal((await readArticles(service, next.access_token)).status, 200);
  });
});
