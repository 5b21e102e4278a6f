// The code flow of a client that the operator exempted from PKCE (RFC 9700, 2.1.1 and 4.8.2).
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import {
  authorizationRequest,
  authorize,
  callbackOf,
  type Credentials,
  follow,
  openBrowser,
  registerClient,
  registerUser,
  type Service,
  startService,
  token,
} from './flow.ts';

const withoutChallenge = { code_challenge: null, code_challenge_method: null };

async function stage(t: TestContext): Promise<{ readonly service: Service; readonly credentials: Credentials }> {
  const service = await startService(t);
  await registerUser(service);
  return { service, credentials: await registerClient(service, { confidential: true, pkceRequired: false }) };
}

async function codeFor(service: Service, credentials: Credentials, changes: Record<string, string | null>) {
  const request = authorizationRequest(service, credentials.client, changes);
  const { code = '' } = callbackOf(await authorize(service, openBrowser(service), request), request);
  return {
    verifier: request.verifier,
    fields: { grant_type: 'authorization_code', code, redirect_uri: request.redirectUri },
  };
}

describe('a client without PKCE', () => {
  it('gets a token for a code, with its secret and not without', async (t) => {
    const { service, credentials } = await stage(t);
    const { fields } = await codeFor(service, credentials, withoutChallenge);
    const stolen = await token(service, { ...credentials, secret: null }, fields);
    assert.deepEqual([stolen.status, stolen.json().error], [401, 'invalid_client']);
    const answer = await token(service, credentials, fields);
    assert.equal(answer.status, 200, answer.body);
  });

  it('may use PKCE nevertheless, and is then held to it', async (t) => {
    const { service, credentials } = await stage(t);
    const { fields, verifier } = await codeFor(service, credentials, {});
    for (const changes of [{}, { code_verifier: 'x'.repeat(43) }]) {
      const answer = await token(service, credentials, { ...fields, ...changes });
      assert.deepEqual([answer.status, answer.json().error], [400, 'invalid_grant']);
    }
    assert.equal((await token(service, credentials, { ...fields, code_verifier: verifier })).status, 200);
  });

  it('cannot have a verifier taken for a code that had no challenge', async (t) => {
    const { service, credentials } = await stage(t);
    const { fields, verifier } = await codeFor(service, credentials, withoutChallenge);
    const answer = await token(service, credentials, { ...fields, code_verifier: verifier });
    assert.deepEqual([answer.status, answer.json().error], [400, 'invalid_grant']);
  });

  it('cannot use the method plain', async (t) => {
    const { service, credentials } = await stage(t);
    const request = authorizationRequest(service, credentials.client, { code_challenge_method: 'plain' });
    const browser = openBrowser(service);
    const { error } = callbackOf(await follow(service, browser, await browser.get(request.address)), request);
    assert.equal(error, 'invalid_request');
  });
});
