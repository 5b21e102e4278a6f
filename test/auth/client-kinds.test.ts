// Which client may ask for what, and how: redirects, PKCE, secrets, origins; and the operator's changes while it runs.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { disableClient, removeClient, rotateSecret } from '../../src/auth/clients.ts';
import { isOriginOfClient, clientSecretMatches } from '../../src/auth/oidc-client.ts';
import { disableUser } from '../../src/auth/users.ts';
import { OperatorError } from '../../src/model/operator-error.ts';
import {
  type Answer,
  authorizationRequest,
  authorize,
  callbackOf,
  connect,
  follow,
  openBrowser,
  readArticles,
  redeem,
  refresh,
  registerClient,
  registerUser,
  send,
  type Service,
  startService,
  token,
} from './flow.ts';
import { changeRows, rowIn } from '../contract/database.ts';
import { oauthClientTable } from '../../src/store/tables/access.ts';
import type { Store } from '../../src/store/store.ts';

const error = (answer: Answer): readonly [number, unknown] => [answer.status, answer.json().error];

async function codeFor(
  service: Service,
  client: Parameters<typeof authorizationRequest>[1],
  changes: Record<string, string | null> = {},
) {
  const request = authorizationRequest(service, client, changes);
  const { code = '' } = callbackOf(await authorize(service, openBrowser(service), request), request);
  return { request, code };
}

describe('the authorization endpoint', () => {
  const refusedHere: readonly (readonly [what: string, changes: Record<string, string | null>])[] = [
    ['an unknown client', { client_id: 'nobody' }],
    ['no client', { client_id: null }],
    ['a redirect that is not registered', { redirect_uri: 'https://evil.example/callback' }],
    ['a redirect below the registered one', { redirect_uri: 'https://shop.example/callback/more' }],
    ['a redirect with a query of its own', { redirect_uri: 'https://shop.example/callback?next=https://evil.example' }],
    ['a redirect in other spelling', { redirect_uri: 'https://SHOP.example/callback' }],
    ['a redirect with dots', { redirect_uri: 'https://shop.example/x/../callback' }],
  ];
  for (const [what, changes] of refusedHere) {
    it(`does not send the browser on for ${what}`, async (t) => {
      const service = await startService(t);
      const { client } = await registerClient(service);
      const answer = await openBrowser(service).get(authorizationRequest(service, client, changes).address);
      assert.deepEqual([answer.status, answer.headers.location], [400, undefined]);
      assert.match(answer.body, /<h1>/);
    });
  }

  const sentBack: readonly (readonly [what: string, changes: Record<string, string | null>, error: string])[] = [
    ['no PKCE', { code_challenge: null, code_challenge_method: null }, 'invalid_request'],
    ['plain PKCE', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['another resource', { resource: 'https://other.example/v1' }, 'invalid_target'],
    ['the implicit flow', { response_type: 'token' }, 'unsupported_response_type'],
    ['a token in the redirect', { response_type: 'code id_token' }, 'unsupported_response_type'],
    ['a response type that nobody knows', { response_type: 'maybe' }, 'unsupported_response_type'],
    ['an answer in the fragment', { response_mode: 'fragment' }, 'invalid_request'],
    ['a request object', { request: 'e30.e30.' }, 'request_not_supported'],
    ['an unknown prompt', { prompt: 'maybe' }, 'invalid_request'],
    ['no page where one is needed', { prompt: 'none' }, 'login_required'],
  ];
  for (const [what, changes, code] of sentBack) {
    it(`tells the client about ${what}`, async (t) => {
      const service = await startService(t);
      const { client } = await registerClient(service, { confidential: true });
      const browser = openBrowser(service);
      const request = authorizationRequest(service, client, changes);
      const outcome = await follow(service, browser, await browser.get(request.address));
      // Errors of the implicit flow come in the fragment.
      const answer = Object.fromEntries(
        new URLSearchParams(new URL(outcome.at).search || new URL(outcome.at).hash.slice(1)),
      );
      assert.deepEqual([answer.error, answer.state, answer.iss], [code, request.state, service.authUrl]);
    });
  }

  for (const [what, changes] of [
    ['left out', { response_type: null }],
    ['empty', { response_type: '' }],
    ['left out, beside a mode of the response', { response_type: null, response_mode: 'query' }],
  ] as const) {
    it(`says that the response type is missing where it is ${what}`, async (t) => {
      const service = await startService(t);
      const { client } = await registerClient(service);
      const { address } = authorizationRequest(service, client, changes);
      const answer = await openBrowser(service).get(address);
      const { searchParams } = new URL(answer.headers.location ?? '');
      assert.deepEqual(
        [searchParams.get('error'), searchParams.get('error_description')],
        ['invalid_request', "missing required parameter 'response_type'"],
      );
    });
  }

  it('needs no redirect address of a client that has registered one alone', async (t) => {
    const service = await startService(t);
    const credentials = await registerClient(service);
    await registerUser(service);
    const { request, code } = await codeFor(service, credentials.client, { redirect_uri: null });
    assert.equal(
      (await token(service, credentials, { grant_type: 'authorization_code', code, code_verifier: request.verifier }))
        .status,
      200,
    );
    const { client } = await registerClient(service, {
      redirectUris: ['https://shop.example/a', 'https://shop.example/b'],
    });
    const answer = await openBrowser(service).get(
      authorizationRequest(service, client, { redirect_uri: null }).address,
    );
    assert.deepEqual([answer.status, answer.headers.location], [400, undefined]);
  });

  it('answers by a form where that is asked for, with a script that its policy allows', async (t) => {
    const service = await startService(t);
    const credentials = await registerClient(service);
    await registerUser(service);
    const request = authorizationRequest(service, credentials.client, { response_mode: 'form_post' });
    const browser = openBrowser(service);
    await assert.rejects(authorize(service, browser, request), /no field csrf/);
    const { answer } = await follow(service, browser, await browser.get(request.address));
    assert.match(answer.headers['content-security-policy'] ?? '', /script-src 'sha256-[^']+'/);
    assert.match(answer.body, /<form method="post" action="https:\/\/shop.example\/callback">/);
    const code = /name="code" value="([^"]+)"/.exec(answer.body)?.[1] ?? '';
    assert.equal((await redeem(service, credentials, request, code)).status, 200);
  });
});

describe('the token endpoint', () => {
  it('gives nothing for a wrong verifier, redirect, client, or code, and the code is still good', async (t) => {
    const service = await startService(t);
    const credentials = await registerClient(service, {
      redirectUris: ['https://shop.example/callback', 'https://shop.example/other'],
    });
    const stranger = await registerClient(service, { name: 'Stranger' });
    await registerUser(service);
    const { request, code } = await codeFor(service, credentials.client);
    const good = {
      grant_type: 'authorization_code',
      code,
      redirect_uri: request.redirectUri,
      code_verifier: request.verifier,
    };
    for (const changes of [
      { code_verifier: 'x'.repeat(43) },
      { redirect_uri: 'https://shop.example/other' },
      { code: 'x'.repeat(43) },
    ]) {
      assert.deepEqual(
        error(await token(service, credentials, { ...good, ...changes })),
        [400, 'invalid_grant'],
        JSON.stringify(changes),
      );
    }
    const { code_verifier: _verifier, ...withoutVerifier } = good;
    assert.deepEqual(error(await token(service, credentials, withoutVerifier)), [400, 'invalid_grant']);
    assert.deepEqual(error(await token(service, stranger, good)), [400, 'invalid_grant']);
    assert.deepEqual(error(await token(service, credentials, { ...good, resource: 'https://other.example' })), [
      400,
      'invalid_target',
    ]);
    assert.equal((await token(service, credentials, good)).status, 200);
  });

  it('lets a code die after a minute', async (t) => {
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() });
    const service = await startService(t);
    const credentials = await registerClient(service);
    await registerUser(service);
    const { request, code } = await codeFor(service, credentials.client);
    t.mock.timers.setTime(Date.now() + 61_000);
    assert.deepEqual(error(await redeem(service, credentials, request, code)), [400, 'invalid_grant']);
  });

  it('ends everything that came from a code when it is used again', async (t) => {
    const service = await startService(t);
    const credentials = await registerClient(service);
    await registerUser(service);
    const { request, code } = await codeFor(service, credentials.client);
    const tokens = (await redeem(service, credentials, request, code)).json();
    assert.deepEqual(error(await redeem(service, credentials, request, code)), [400, 'invalid_grant']);
    assert.deepEqual(error(await refresh(service, credentials, tokens.refresh_token)), [400, 'invalid_grant']);
  });

  it('wants the secret of a confidential client, in the header or in the body, and nothing else', async (t) => {
    const service = await startService(t);
    const { client, secret } = await registerClient(service, { confidential: true });
    assert.ok(secret);
    await registerUser(service);
    for (const wrong of [null, 'wrong', `${secret}x`, secret.slice(0, -1)]) {
      const { request, code } = await codeFor(service, client);
      assert.deepEqual(error(await redeem(service, { client, secret: wrong }, request, code)), [401, 'invalid_client']);
    }
    const row = await rowIn(service.app.store, oauthClientTable, { id: client.id });
    const stolen = await codeFor(service, client);
    assert.deepEqual(error(await redeem(service, { client, secret: row.secretHash }, stolen.request, stolen.code)), [
      401,
      'invalid_client',
    ]);
    await connect(service, { client, secret });
    const { request, code } = await codeFor(service, client);
    const inBody = await token(
      service,
      { client, secret: null },
      {
        grant_type: 'authorization_code',
        code,
        redirect_uri: request.redirectUri,
        code_verifier: request.verifier,
        client_secret: secret,
      },
    );
    assert.equal(inBody.status, 200, inBody.body);
  });

  for (const grantType of ['password', 'implicit', 'urn:ietf:params:oauth:grant-type:device_code']) {
    it(`does not know the grant ${grantType}`, async (t) => {
      const service = await startService(t);
      const credentials = await registerClient(service, { confidential: true });
      assert.deepEqual(
        error(
          await token(service, credentials, {
            grant_type: grantType,
            username: 'mia',
            password: 'x',
            scope: 'svc_connect',
          }),
        ),
        [400, 'unsupported_grant_type'],
      );
    });
  }

  it("serves pages of a public client's own origin, and no others", async (t) => {
    const service = await startService(t);
    const open = await registerClient(service);
    const closed = await registerClient(service, { confidential: true });
    const fields = { grant_type: 'refresh_token', refresh_token: 'x' };
    const preflight = await send(service, 'OPTIONS', `${service.authUrl}/connect/token`, {
      origin: 'https://shop.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type',
    });
    assert.deepEqual(
      [
        preflight.status,
        preflight.headers['access-control-allow-origin'],
        preflight.headers['access-control-allow-methods'],
      ],
      [204, 'https://shop.example', 'POST'],
    );
    const own = await token(service, open, fields, { origin: 'https://shop.example' });
    assert.deepEqual(
      [...error(own), own.headers['access-control-allow-origin']],
      [400, 'invalid_grant', 'https://shop.example'],
    );
    for (const [credentials, origin] of [
      [open, 'https://evil.example'],
      [open, 'null'],
      [closed, 'https://shop.example'],
    ] as const) {
      const foreign = await token(service, credentials, fields, { origin });
      assert.deepEqual(
        [...error(foreign), foreign.headers['access-control-allow-origin']],
        [400, 'invalid_request', undefined],
        origin,
      );
    }
  });

  it('knows an origin by the redirect addresses', () => {
    const uris = ['https://shop.example/callback', 'http://127.0.0.1/callback', 'com.example.app:/callback'];
    for (const [origin, expected] of [
      ['https://shop.example', true],
      ['http://127.0.0.1:5173', true],
      ['https://shop.example:444', false],
      ['http://shop.example', false],
      ['https://127.0.0.1', false],
      ['http://localhost:5173', false],
      ['null', false],
      ['https://shop.example/callback', false],
      ['https://shop.example.evil.example', false],
      ['com.example.app:', false],
    ] as const)
      assert.equal(isOriginOfClient(origin, uris, false), expected, origin);
    assert.equal(isOriginOfClient('https://shop.example', uris, true), false);
  });

  it('compares secrets by their hash', () => {
    assert.equal(clientSecretMatches('x', undefined), false);
    assert.equal(clientSecretMatches('x', 'x'), false);
  });
});

describe('the operator', () => {
  it('replaces a secret, at once', async (t) => {
    const service = await startService(t);
    const other = await service.again();
    const { client, secret } = await registerClient(service, { confidential: true });
    await registerUser(service);
    const tokens = await connect(service, { client, secret });
    const changed = await rotateSecret(other.app.store, client.id);
    assert.notEqual(changed.secret, secret);
    assert.deepEqual(error(await refresh(service, { client, secret }, tokens.refresh_token)), [401, 'invalid_client']);
    assert.equal((await refresh(service, { client, secret: changed.secret }, tokens.refresh_token)).status, 200);
    const open = await registerClient(service);
    await assert.rejects(rotateSecret(other.app.store, open.client.id), OperatorError);
    await assert.rejects(rotateSecret(other.app.store, 'nobody'), OperatorError);
  });

  for (const [what, end] of [
    ['disables', disableClient],
    ['removes', (store: Store, id: string) => removeClient(store, id)],
  ] as const) {
    it(`${what} a client: no refresh from now on, no access after a minute, nothing remembered`, async (t) => {
      t.mock.timers.enable({ apis: ['Date'], now: Date.now() });
      const service = await startService(t);
      const other = await service.again();
      const credentials = await registerClient(service);
      await registerUser(service);
      const tokens = await connect(service, credentials);
      assert.equal((await readArticles(service, tokens.access_token)).status, 200);
      await end(other.app.store, credentials.client.id, Date.now());
      assert.deepEqual(error(await refresh(service, credentials, tokens.refresh_token)), [401, 'invalid_client']);
      assert.equal(
        (await openBrowser(service).get(authorizationRequest(service, credentials.client).address)).status,
        400,
      );
      t.mock.timers.setTime(Date.now() + 60_000);
      assert.equal((await readArticles(service, tokens.access_token)).status, 401);
      // Even when it comes back, what it had does not.
      await changeRows(service.app.store, oauthClientTable, { disabledAt: null });
      assert.notEqual((await refresh(service, credentials, tokens.refresh_token)).status, 200);
      await assert.rejects(end(other.app.store, 'nobody', Date.now()), OperatorError);
    });
  }

  it('disables a user: no refresh from now on, no access after a minute, no session', async (t) => {
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() });
    const service = await startService(t);
    const other = await service.again();
    const credentials = await registerClient(service);
    await registerUser(service);
    const browser = openBrowser(service);
    const tokens = await connect(service, credentials, {}, browser);
    assert.equal((await readArticles(service, tokens.access_token)).status, 200);
    await disableUser(other.app.store, 'mia', Date.now());
    assert.deepEqual(error(await refresh(service, credentials, tokens.refresh_token)), [400, 'invalid_grant']);
    const request = authorizationRequest(service, credentials.client, { prompt: 'none' });
    const { error: code } = callbackOf(await follow(service, browser, await browser.get(request.address)), request);
    assert.equal(code, 'login_required');
    t.mock.timers.setTime(Date.now() + 60_000);
    assert.equal((await readArticles(service, tokens.access_token)).status, 401);
  });
});
