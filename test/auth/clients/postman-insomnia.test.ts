// The requests of Postman and Insomnia, as they send them with what they are set to: an authorization request with
// PKCE, and a token request with `Authorization: Basic` though the client has no secret.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { demoRedirects } from '../../../src/demo/demo-client.ts';
import {
  type Answer,
  authorizationRequest,
  authorize,
  callbackOf,
  type Credentials,
  openBrowser,
  readArticles,
  registerClient,
  registerUser,
  send,
  type Service,
  startService,
} from '../flow.ts';

const form = { 'content-type': 'application/x-www-form-urlencoded' };
const basic = (id: string, secret = ''): Record<string, string> => ({
  authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
});

/** How each sends who it is: in the header with an empty secret, with the id in the form too, or in the form alone. */
const ways: readonly (readonly [
  name: string,
  redirect: string,
  of: (id: string) => readonly [headers: Record<string, string>, fields: Record<string, string>],
])[] = [
  ['Postman, as Basic Auth header', 'https://oauth.pstmn.io/v1/callback', (id) => [basic(id), {}]],
  ['Postman, in the body', 'https://oauth.pstmn.io/v1/callback', (id) => [{}, { client_id: id, client_secret: '' }]],
  ['Postman in a browser', 'https://oauth.pstmn.io/v1/browser-callback', (id) => [basic(id), { client_id: id }]],
  ['Insomnia', 'https://app.insomnia.rest/oauth/redirect', (id) => [basic(id), {}]],
  ['Insomnia, in the body', 'https://app.insomnia.rest/oauth/redirect', (id) => [{}, { client_id: id }]],
];

async function ask(
  service: Service,
  path: string,
  headers: Record<string, string>,
  fields: Record<string, string>,
): Promise<Answer> {
  const body = new URLSearchParams(fields).toString();
  return send(service, 'POST', `${service.authUrl}/connect/${path}`, { ...form, ...headers }, body);
}

async function codeFor(service: Service, { client }: Credentials, redirect: string) {
  const request = authorizationRequest(service, client, { redirect_uri: redirect });
  const { code = '' } = callbackOf(await authorize(service, openBrowser(service), request), request);
  return { grant_type: 'authorization_code', code, redirect_uri: redirect, code_verifier: request.verifier };
}

describe('a client without a secret', () => {
  for (const [name, redirect, of] of ways)
    it(`signs in, refreshes and revokes with ${name}`, async (t) => {
      const service = await startService(t);
      const credentials = await registerClient(service, { redirectUris: demoRedirects });
      await registerUser(service);
      const [headers, fields] = of(credentials.client.id);
      const first = await ask(service, 'token', headers, {
        ...(await codeFor(service, credentials, redirect)),
        ...fields,
      });
      assert.equal(first.status, 200, first.body);
      assert.equal((await readArticles(service, first.json().access_token)).status, 200);
      const again = { grant_type: 'refresh_token', refresh_token: String(first.json().refresh_token), ...fields };
      const second = await ask(service, 'token', headers, again);
      assert.equal(second.status, 200, second.body);
      const { access_token: accessToken, refresh_token: refreshToken } = second.json();
      for (const token of [refreshToken, accessToken])
        assert.equal((await ask(service, 'revocation', headers, { token: String(token), ...fields })).status, 200);
      assert.equal((await readArticles(service, accessToken)).status, 401);
    });
});

describe('an empty secret', () => {
  it('lets nobody in as a client that has one, as another client, or beside another proof', async (t) => {
    const service = await startService(t);
    const [open, confidential] = [
      await registerClient(service),
      await registerClient(service, { confidential: true, service: true }),
    ];
    await registerUser(service);
    const { id } = confidential.client;
    const own = { grant_type: 'client_credentials', scope: 'svc_connect' };
    for (const [headers, fields, status, error] of [
      [basic(id), {}, 401, 'invalid_client'],
      [basic(id), { client_id: id }, 401, 'invalid_client'],
      [basic(open.client.id), { client_id: id }, 400, 'invalid_request'],
      [basic(id), { client_id: open.client.id }, 400, 'invalid_request'],
      [basic(''), { client_id: open.client.id }, 400, 'invalid_request'],
      [basic(open.client.id), {}, 400, 'unauthorized_client'],
      [{ authorization: 'Basic !' }, {}, 400, 'invalid_request'],
    ] as const) {
      const answer = await ask(service, 'token', headers, { ...own, ...fields });
      assert.deepEqual([answer.status, answer.json().error], [status, error], JSON.stringify([headers, fields]));
    }
    const right = await ask(service, 'token', basic(id, confidential.secret ?? ''), own);
    assert.equal(right.status, 200);
    const long = await ask(service, 'token', basic(open.client.id), { ...own, padding: 'x'.repeat(200_000) });
    assert.equal(long.status, 400);
  });
});
