// What `oidc-provider` does unless it is told otherwise; the numbers are those under which it was found by running it.
// Trap 1 is in races.test.ts.
import assert from 'node:assert/strict';
import { connect as connectSocket } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { disableClient } from '../../src/auth/clients.ts';
import {
  authorizationRequest,
  authorize,
  callbackOf,
  connect,
  decoded,
  follow,
  openBrowser,
  readArticles,
  redeem,
  refresh,
  registerClient,
  registerUser,
  send,
  startService,
  token,
} from './flow.ts';
import { changeRows, rowsIn } from '../contract/database.ts';
import { oauthClientTable, oidcPayloadTable } from '../../src/store/tables/access.ts';

const day = 86_400_000;

describe('trap', () => {
  it('2: an access token ends with its refresh token, and a disabled client stops within a minute', async (t) => {
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() });
    const service = await startService(t);
    const credentials = await registerClient(service);
    await registerUser(service);
    const tokens = await connect(service, credentials);
    const revoke = (value: unknown) =>
      send(
        service,
        'POST',
        `${service.authUrl}/connect/revocation`,
        { 'content-type': 'application/x-www-form-urlencoded' },
        new URLSearchParams({ client_id: credentials.client.id, token: String(value) }).toString(),
      );
    assert.equal((await revoke('made up')).status, 200);
    assert.equal((await readArticles(service, tokens.access_token)).status, 200);
    assert.equal((await revoke(tokens.refresh_token)).status, 200);
    assert.equal((await refresh(service, credentials, tokens.refresh_token)).json().error, 'invalid_grant');
    assert.deepEqual(await rowsIn(service.app.store, oidcPayloadTable, { clientId: credentials.client.id }), []);

    assert.equal((await readArticles(service, tokens.access_token)).status, 401);
    const { access_token: other } = await connect(service, credentials);
    assert.equal((await readArticles(service, other)).status, 200);
    await disableClient(service.app.store, credentials.client.id, Date.now());
    t.mock.timers.setTime(Date.now() + 60_000);
    assert.equal((await readArticles(service, other)).status, 401);
  });

  for (const [what, headers] of [
    ['Host', { host: 'evil.example' }],
    ['X-Forwarded-Host', { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'gopher' }],
    ['Forwarded', { forwarded: 'host=evil.example;proto=gopher' }],
  ] as const) {
    it(`3: metadata is made from the public address, not from ${what}`, async (t) => {
      const service = await startService(t, { AUTH_URL: 'https://login.example', BASE_URL: 'https://api.example/v1' });
      for (const path of ['openid-configuration', 'oauth-authorization-server']) {
        const metadata = (await send(service, 'GET', `https://login.example/.well-known/${path}`, headers)).json();
        for (const [name, value] of Object.entries(metadata)) {
          if (/_(endpoint|uri)$/.test(name)) assert.match(String(value), /^https:\/\/login\.example\/connect\//, name);
        }
        assert.equal(metadata.issuer, 'https://login.example');
        assert.deepEqual(metadata.scopes_supported, ['svc_connect', 'svc_platform', 'openid', 'offline_access']);
      }
    });
  }

  it('3: metadata is not made from an absolute request target either', async (t) => {
    const service = await startService(t);
    const socket = connectSocket(service.port, '127.0.0.1');
    socket.end(
      'GET http://evil.example/.well-known/oauth-authorization-server HTTP/1.1\r\nHost: ' +
        'evil.example\r\nConnection: close\r\n\r\n',
    );
    const answer = await text(socket);
    assert.match(answer, /^HTTP\/1\.1 200 /);
    assert.doesNotMatch(answer, /evil/);
  });

  it('3: cookies are Secure and bound to the host under https, though the server speaks http', async (t) => {
    for (const [settings, secure] of [
      [{ AUTH_URL: 'https://login.example', BASE_URL: 'https://api.example/v1' }, true],
      [{}, false],
    ] as const) {
      const service = await startService(t, settings);
      const credentials = await registerClient(service);
      await registerUser(service);
      const browser = openBrowser(service);
      const started = await browser.get(authorizationRequest(service, credentials.client).address);
      const tokens = await connect(service, credentials, {}, browser);
      assert.equal(decoded(tokens.access_token).payload.iss, service.authUrl);
      assert.equal(started.cookies.length, 4);
      for (const cookie of started.cookies) {
        assert.match(cookie, /; httponly/i);
        assert.match(cookie, /; samesite=lax/i);
        assert.equal(/; secure/i.test(cookie), secure, cookie);
        assert.equal(cookie.startsWith('__Secure-'), secure, cookie);
      }
      assert.equal(browser.cookie('__Host-session') !== undefined, secure);
    }
  });

  it('4: what is added to the provider runs: every answer has its security headers', async (t) => {
    const service = await startService(t);
    const { client } = await registerClient(service);
    const answers = [
      await send(service, 'GET', authorizationRequest(service, client).address),
      await send(service, 'GET', `${service.authUrl}/connect/authorize`),
      await send(service, 'POST', `${service.authUrl}/connect/token`),
      await send(service, 'GET', `${service.authUrl}/connect/jwks`),
    ];
    assert.deepEqual(
      answers.map(({ status }) => status),
      [303, 400, 400, 200],
    );
    for (const { headers } of answers) {
      assert.equal(headers['x-content-type-options'], 'nosniff');
      assert.match(headers['content-security-policy'] ?? '', /default-src 'none'.*frame-ancestors 'none'/);
      assert.match(headers['x-request-id'] ?? '', /^[0-9a-f-]{36}$/);
      assert.equal(headers['x-powered-by'], undefined);
    }
  });

  it('5: scopes that nobody knows beside svc_connect are passed over', async (t) => {
    const service = await startService(t);
    const credentials = await registerClient(service);
    await registerUser(service);
    const tokens = await connect(service, credentials, { scope: 'svc_connect profile email' });
    assert.equal(tokens.scope, 'svc_connect');
    assert.equal((await readArticles(service, tokens.access_token)).status, 200);
  });

  for (const scope of [null, '', 'profile api', 'openid', 'openid offline_access', 'SVC_CONNECT', 'svc_connect2']) {
    it(`5: a request with the scope ${JSON.stringify(scope)} is refused before anybody signs in`, async (t) => {
      const service = await startService(t);
      const { client } = await registerClient(service);
      const request = authorizationRequest(service, client, { scope });
      const outcome = await follow(service, openBrowser(service), await openBrowser(service).get(request.address));
      const { error, error_description: description, state, iss } = callbackOf(outcome, request);
      assert.deepEqual({ error, state, iss }, { error: 'invalid_scope', state: request.state, iss: service.authUrl });
      assert.match(description ?? '', /svc_connect/);
    });
  }

  for (const [what, changes] of [
    ['without a resource', {}],
    ['without a resource but with openid', { scope: 'openid svc_connect' }],
    ['with the resource', { resource: 'BASE' }],
  ] as const) {
    it(`6: a request ${what} gives a token for the interface`, async (t) => {
      const service = await startService(t);
      const credentials = await registerClient(service);
      const user = await registerUser(service);
      const tokens = await connect(
        service,
        credentials,
        'resource' in changes ? { resource: service.baseUrl } : changes,
      );
      const { payload } = decoded(tokens.access_token);
      assert.deepEqual([payload.aud, payload.scope], [service.baseUrl, 'svc_connect']);
      assert.equal((await readArticles(service, tokens.access_token)).status, 200);
      if ('scope' in changes) {
        const { header, payload: identity } = decoded(tokens.id_token);
        assert.deepEqual([header.alg, identity.aud, identity.sub], ['ES256', credentials.client.id, user.id]);
        assert.equal((await readArticles(service, tokens.id_token)).status, 401);
      } else assert.equal(tokens.id_token, undefined);
    });
  }

  it('7: a grant outlives its refresh tokens: they go on for 365 days and not longer', async (t) => {
    const start = Date.now();
    t.mock.timers.enable({ apis: ['Date'], now: start });
    const service = await startService(t);
    // A process that waits too long for storage counts by itself, and by its own clock all of this is one minute: at
    // two by turns it is less than a minute's quota.
    const processes = [service, await service.again()];
    const credentials = await registerClient(service);
    await registerUser(service);
    let current = (await connect(service, credentials)).refresh_token;
    for (let age = 29; age < 365; age += 28) {
      t.mock.timers.setTime(start + age * day);
      const answer = await refresh(processes[(age / 28) & 1] ?? service, credentials, current);
      assert.equal(
        answer.status,
        200,
        `after ${age} days: ${answer.body}${service.logged().split('\n').slice(-4).join('\n')}`,
      );
      current = answer.json().refresh_token;
      assert.equal((await readArticles(service, answer.json().access_token)).status, 200);
    }
    t.mock.timers.setTime(start + 365 * day);
    assert.equal((await refresh(service, credentials, current)).json().error, 'invalid_grant');
  });

  it("8: a program on the user's own machine is asked for consent each time, and may listen on any port", async (t) => {
    const service = await startService(t);
    const credentials = await registerClient(service, {
      redirectUris: ['http://127.0.0.1/callback', 'http://[::1]:4000/callback'],
    });
    await registerUser(service);
    const browser = openBrowser(service);
    for (const [redirectUri, pages] of [
      ['http://127.0.0.1:51234/callback', ['sign-in', 'consent']],
      ['http://127.0.0.1:4999/callback', ['consent']],
      ['http://[::1]:51234/callback', ['consent']],
    ] as const) {
      const request = authorizationRequest(service, credentials.client, { redirect_uri: redirectUri });
      const outcome = await authorize(service, browser, request);
      assert.deepEqual(outcome.pages, pages);
      assert.equal((await redeem(service, credentials, request, callbackOf(outcome, request).code ?? '')).status, 200);
    }
    for (const redirectUri of [
      'http://127.0.0.1:51234/other',
      'http://localhost:51234/callback',
      'https://127.0.0.1:51234/callback',
      'http://127.0.0.1.evil.example:51234/callback',
      'http://127.0.0.1:51234/callback?x=1',
      'http://evil.example@127.0.0.1/callback',
    ]) {
      const { status, headers } = await send(
        service,
        'GET',
        authorizationRequest(service, credentials.client, { redirect_uri: redirectUri }).address,
      );
      assert.deepEqual([status, headers.location], [400, undefined], redirectUri);
    }
  });

  it('9: unknown paths and methods are answered as everywhere else, and pages escape what they repeat', async (t) => {
    const service = await startService(t);
    for (const [method, path, status, allow] of [
      ['GET', '/connect/nothing', 404, undefined],
      ['GET', '/connect/authorize/', 404, undefined],
      ['GET', '/connect/userinfo', 404, undefined],
      ['POST', '/connect/introspect', 404, undefined],
      ['POST', '/connect/authorize', 405, 'GET, HEAD, OPTIONS'],
      ['GET', '/connect/token', 405, 'POST, OPTIONS'],
      ['DELETE', '/connect/jwks', 405, 'GET, HEAD, OPTIONS'],
      ['PUT', '/.well-known/openid-configuration', 405, 'GET, HEAD, OPTIONS'],
      ['QUERY', '/connect/token', 405, 'POST, OPTIONS'],
      ['PROPFIND', '/connect/authorize', 405, 'GET, HEAD, OPTIONS'],
      ['QUERY', '/connect/nothing', 404, undefined],
      ['POST', '/.well-known/oauth-protected-resource/v1', 405, 'GET, HEAD, OPTIONS'],
    ] as const) {
      const answer = await send(service, method, service.authUrl + path);
      assert.deepEqual(
        [answer.status, answer.headers.allow, answer.json().status],
        [status, allow, status],
        `${method} ${path}`,
      );
    }
    for (const [path, allow] of [
      ['/connect/authorize', 'GET, HEAD, OPTIONS'],
      ['/connect/token', 'POST, OPTIONS'],
      ['/connect/revocation', 'POST, OPTIONS'],
      ['/connect/jwks', 'GET, HEAD, OPTIONS'],
      ['/.well-known/openid-configuration', 'GET, HEAD, OPTIONS'],
      ['/.well-known/oauth-authorization-server', 'GET, HEAD, OPTIONS'],
      ['/.well-known/oauth-protected-resource/v1', 'GET, HEAD, OPTIONS'],
    ] as const) {
      const answer = await send(service, 'OPTIONS', service.authUrl + path);
      assert.deepEqual([answer.status, answer.headers.allow, answer.body], [204, allow, ''], `OPTIONS ${path}`);
    }
    const { client } = await registerClient(service, { name: '<img src=x onerror=alert(1)>' });
    const wrong = await send(
      service,
      'GET',
      authorizationRequest(service, client, { client_id: '<script>alert(1)</script>' }).address,
      { accept: 'text/html' },
    );
    assert.equal(wrong.status, 400);
    assert.match(wrong.headers['content-type'] ?? '', /^text\/html; charset=utf-8/);
    assert.doesNotMatch(wrong.body, /<script|onerror=alert/);
    const browser = openBrowser(service);
    const page = await follow(service, browser, await browser.get(authorizationRequest(service, client).address));
    assert.match(page.answer.body, /&lt;img src=x/);
    assert.doesNotMatch(page.answer.body, /<img/);
  });

  it('9: a token request that would take HTML gets JSON', async (t) => {
    const service = await startService(t);
    const { client } = await registerClient(service);
    const answer = await token(
      service,
      { client, secret: null },
      {
        grant_type: 'authorization_code',
        code: 'x',
        code_verifier: 'x'.repeat(43),
        redirect_uri: client.redirectUris[0] ?? '',
      },
      { accept: 'text/html, image/gif, *; q=.2, */*; q=.2' },
    );
    assert.equal(answer.status, 400);
    assert.match(answer.headers['content-type'] ?? '', /^application\/json/);
    assert.equal(answer.json().error, 'invalid_grant');
  });

  it('9: one whose Content-Type is empty or malformed is refused as RFC 6749 says', async (t) => {
    const service = await startService(t);
    for (const path of ['token', 'revocation'])
      for (const type of ['', 'form', 'a/b/c;', 'application/x-www-form-urlencoded, text/plain']) {
        const answer = await send(
          service,
          'POST',
          `${service.authUrl}/connect/${path}`,
          { 'content-type': type },
          'token=x',
        );
        assert.equal(answer.status, 400, answer.body);
        assert.match(answer.headers['content-type'] ?? '', /^application\/json/);
        assert.equal(answer.json().error, 'invalid_request');
      }
  });

  it('10: the policy of the pages lets the browser go on to the client, and nobody frame them', async (t) => {
    const service = await startService(t);
    for (const [redirectUri, target] of [
      ['https://shop.example/callback', 'https://shop.example'],
      ['http://127.0.0.1/callback', 'http://127.0.0.1'],
      ['http://[::1]/callback', 'http:'],
      ['com.example.app:/callback', 'com.example.app:'],
    ] as const) {
      const { client } = await registerClient(service, { redirectUris: [redirectUri] });
      const browser = openBrowser(service);
      const { answer } = await follow(
        service,
        browser,
        await browser.get(authorizationRequest(service, client).address),
      );
      const policy = answer.headers['content-security-policy'] ?? '';
      assert.match(policy, /frame-ancestors 'none'/);
      assert.ok(/form-action ([^;]*)/.exec(policy)?.[1]?.split(' ').includes(target), policy);
    }
  });

  it('11: a change of a client acts at once, in every process', async (t) => {
    const service = await startService(t);
    const other = await service.again();
    const { client } = await registerClient(service);
    const ask = async (redirectUri: string) =>
      (await send(other, 'GET', authorizationRequest(service, client, { redirect_uri: redirectUri }).address)).status;
    assert.deepEqual([await ask('https://shop.example/callback'), await ask('https://shop.example/new')], [303, 400]);
    await changeRows(
      service.app.store,
      oauthClientTable,
      { redirectUris: ['https://shop.example/new'] },
      { id: client.id },
    );
    assert.deepEqual([await ask('https://shop.example/callback'), await ask('https://shop.example/new')], [400, 303]);
    await disableClient(service.app.store, client.id, Date.now());
    assert.deepEqual([await ask('https://shop.example/callback'), await ask('https://shop.example/new')], [400, 400]);
  });

  it('12: clients do not learn why a grant is invalid; the log says it, without a token or a secret', async (t) => {
    const service = await startService(t);
    const credentials = await registerClient(service, { confidential: true });
    await registerUser(service);
    const tokens = await connect(service, credentials);
    const next = (await refresh(service, credentials, tokens.refresh_token)).json();
    await refresh(service, credentials, next.refresh_token);
    const reuse = await refresh(service, credentials, tokens.refresh_token);
    assert.deepEqual(reuse.json(), { error: 'invalid_grant', error_description: 'grant request is invalid' });
    await token(
      service,
      { ...credentials, secret: 'wrong' },
      { grant_type: 'refresh_token', refresh_token: String(tokens.refresh_token) },
    );
    const logged = service.logged();
    assert.match(logged, /"detail":"refresh token already used"/);
    assert.match(logged, /"detail":"invalid secret provided"/);
    for (const secret of [tokens.refresh_token, tokens.access_token, credentials.secret])
      assert.equal(logged.includes(String(secret)), false);
  });
});
