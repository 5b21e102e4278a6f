// The pages between request and code: sign-in, consent, cancelling, and what other sites and strangers try with them.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { hashPassword } from '../../src/auth/passwords.ts';
import { disableUser } from '../../src/auth/users.ts';
import {
  type Answer,
  authorizationRequest,
  authorize,
  type Browser,
  callbackOf,
  connect,
  decoded,
  fieldIn,
  follow,
  locationOf,
  openBrowser,
  redeem,
  refresh,
  registerClient,
  registerUser,
  type Request,
  send,
  type Service,
  startService,
} from './flow.ts';
import { goodPassword } from './fixture.ts';
import { raw } from '../http/sample-server.ts';
import { changeRows, rowIn, run } from '../contract/database.ts';
import { userAccountTable } from '../../src/store/tables/access.ts';
import { sql } from '../../src/store/statement.ts';

interface Started {
  readonly service: Service;
  readonly credentials: Awaited<ReturnType<typeof registerClient>>;
  readonly browser: Browser;
  readonly request: Request;
  readonly page: Answer;
  readonly at: string;
}

/** A browser on the sign-in page. */
async function start(
  t: Parameters<typeof startService>[0],
  changes: Record<string, string | null> = {},
  settings: Record<string, string> = {},
): Promise<Started> {
  const service = await startService(t, settings);
  const credentials = await registerClient(service);
  await registerUser(service);
  const browser = openBrowser(service);
  const request = authorizationRequest(service, credentials.client, changes);
  const { answer, at } = await follow(service, browser, await browser.get(request.address));
  assert.equal(answer.status, 200, answer.body);
  return { service, credentials, browser, request, page: answer, at };
}

const right = (page: Answer) => ({ csrf: fieldIn(page, 'csrf'), login: 'mia', password: goodPassword });

describe('the sign-in page', () => {
  for (const [what, fields, headers, status] of [
    ['without its token', { csrf: '' }, {}, 400],
    ['with a made-up token', { csrf: `${'x'.repeat(22)}.${'x'.repeat(43)}` }, {}, 400],
    ['from another origin', {}, { origin: 'https://evil.example' }, 403],
    ['from a page without an origin', {}, { origin: 'null' }, 403],
    ['from another site, as the browser says', {}, { 'sec-fetch-site': 'cross-site' }, 403],
    ['as JSON', {}, { 'content-type': 'application/json' }, 415],
    ['that is too long', { login: 'x'.repeat(9000) }, {}, 413],
  ] as const) {
    it(`takes no form ${what}`, async (t) => {
      const { browser, page, at, request, service } = await start(t);
      const answer = await browser.post(at, { ...right(page), ...fields }, headers);
      assert.equal(answer.status, status, answer.body);
      assert.match(answer.headers['content-type'] ?? '', /^text\/html/);
      const { at: stays } = await follow(service, browser, await browser.get(request.address));
      assert.match(stays, /\/connect\/interaction\//);
    });
  }

  for (const [what, requestLine, headers, status, allow] of [
    ['in another spelling', 'GET /connect/interaction/%2e%2e', '', 400, undefined],
    ['with two Hosts', 'GET /connect/interaction/x', 'Host: b\r\n', 400, undefined],
    ['at too long an address', `GET /connect/interaction/x?${'x'.repeat(9000)}`, '', 414, undefined],
    ['by a method that it does not have', 'PUT /connect/interaction/x', '', 405, 'GET, HEAD, POST, OPTIONS'],
    ['by a method that is rare', 'QUERY /connect/interaction/x', '', 405, 'GET, HEAD, POST, OPTIONS'],
    [
      'by a method that it does not have, with a malformed Content-Type',
      'DELETE /connect/token',
      'Content-Type: ;\r\nContent-Length: 0\r\n',
      405,
      'POST, OPTIONS',
    ],
    ['by a method that signing out does not have', 'PUT /connect/signout', '', 405, 'GET, HEAD, POST, DELETE, OPTIONS'],
  ] as const) {
    it(`is refused ${what} as every other path is`, async (t) => {
      const service = await startService(t);
      const answer = await raw(
        service.port,
        `${requestLine} HTTP/1.1\r\nHost: a\r\n${headers}Connection: close\r\n\r\n`,
      );
      assert.equal(answer.status, status);
      assert.equal(answer.headers.allow, allow);
    });
  }

  it('that fails tells the operator why', async (t) => {
    const { browser, page, at, service } = await start(t);
    await run(service.app.store, sql`drop table login_attempt`);
    assert.equal((await browser.post(at, right(page))).status, 500);
    assert.match(service.logged(), /no such table: login_attempt/);
  });

  it("takes no form of another browser's sign-in, so that nobody signs in a victim as himself", async (t) => {
    const { service, page, at } = await start(t);
    const victim = openBrowser(service);
    const answer = await victim.post(at, right(page));
    assert.equal(answer.status, 400);
    assert.match(answer.body, /This sign-in is over/);
    assert.equal(victim.cookie('session'), undefined);
  });

  it('takes no token of another sign-in', async (t) => {
    const { service, browser, at, credentials } = await start(t);
    const attacker = openBrowser(service);
    const { answer } = await follow(
      service,
      attacker,
      await attacker.get(authorizationRequest(service, credentials.client).address),
    );
    const refused = await browser.post(at, { ...right(answer) });
    assert.equal(refused.status, 400);
    assert.match(refused.body, /open for too long/);
  });

  it('tells a wrong password and an unknown login in the same words, and keeps the login that was typed', async (t) => {
    const { browser, page, at } = await start(t);
    const wrong = await browser.post(at, { ...right(page), password: 'wrong' });
    const unknown = await browser.post(at, { ...right(page), login: 'nobody' });
    assert.deepEqual([wrong.status, unknown.status], [400, 400]);
    const plain = ({ body }: Answer) => body.replaceAll(/value="[^"]*"/g, 'value');
    assert.equal(plain(wrong), plain(unknown));
    assert.equal(fieldIn(wrong, 'login'), 'mia');
    assert.equal(wrong.body.includes('wrong"'), false);
    assert.match(wrong.body, /login or the password is not right/);
    const { status } = await browser.post(at, right(wrong));
    assert.equal(status, 303);
  });

  it('stops guessing, and says how long', async (t) => {
    const { browser, page, at } = await start(t);
    let answer = page;
    for (let turn = 0; turn < 11; turn += 1)
      answer = await browser.post(at, { ...right(page), password: `wrong ${turn}` });
    assert.equal(answer.status, 429);
    assert.match(answer.headers['retry-after'] ?? '', /^\d+$/);
    assert.equal((await browser.post(at, right(page))).status, 429);
  });

  it('gives the browser a new session when somebody signs in', async (t) => {
    const { service, browser, request } = await start(t);
    for (const planted of ['session=planted; path=/', 'session.sig=planted; path=/']) browser.plant(planted);
    callbackOf(await authorize(service, browser, request), request);
    const first = browser.cookie('session');
    assert.ok(first !== undefined && first !== 'planted');
    const again = authorizationRequest(service, (await registerClient(service)).client, { prompt: 'login' });
    callbackOf(await authorize(service, browser, again), again);
    assert.notEqual(browser.cookie('session'), first);
    const stale = openBrowser(service);
    stale.plant(`session=${first}; path=/`);
    const { at } = await follow(service, stale, await stale.get(again.address));
    assert.match(at, /\/connect\/interaction\//);
  });

  it('can be left: the client is told', async (t) => {
    const { service, browser, at, request } = await start(t);
    const outcome = await follow(service, browser, await browser.get(`${at}/cancel`));
    const { error, state } = callbackOf(outcome, request);
    assert.deepEqual([error, state], ['access_denied', request.state]);
  });

  it('is over after half an hour, when it is finished, and in another browser: a page says so', async (t) => {
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() });
    const { service, browser, page, at, request } = await start(t);
    for (const one of [await openBrowser(service).get(at), await openBrowser(service).get(`${at.slice(0, -3)}xyz`)]) {
      assert.deepEqual([one.status, /This sign-in is over/.test(one.body)], [400, true]);
    }
    const outcome = await authorize(service, browser, request);
    callbackOf(outcome, request);
    t.mock.timers.setTime(Date.now() + 31 * 60_000);
    for (const one of [
      await browser.get(at),
      await browser.post(at, right(page)),
      await browser.get(at.replace('interaction', 'authorize')),
    ]) {
      assert.deepEqual([one.status, /This sign-in is over/.test(one.body)], [400, true], one.body);
    }
  });

  it('speaks the language of the browser, or the one that the client asks for', async (t) => {
    const { service, browser, at, credentials } = await start(t);
    assert.match((await browser.get(at, { 'accept-language': 'fr-FR, en;q=0.5' })).body, /<html lang="fr">/);
    assert.match((await browser.get(at, { 'accept-language': 'de' })).body, /<html lang="en">/);
    const asked = authorizationRequest(service, credentials.client, {
      ui_locales: 'fr-CA fr en',
      login_hint: 'mia@example.com',
    });
    const { answer } = await follow(service, browser, await browser.get(asked.address));
    assert.match(answer.body, /<html lang="fr">/);
    assert.equal(fieldIn(answer, 'login'), 'mia@example.com');
    assert.match(
      (await openBrowser(service).get(`${service.authUrl}/connect/authorize`, { 'accept-language': 'fr' })).body,
      /Ce programme est inconnu|Cette demande/,
    );
  });

  it('makes a hash anew that was made at another cost', async (t) => {
    const { service, browser, request } = await start(t);
    const { store } = service.app;
    // "tall ships carry heavy crates" at 256 KiB and 1 pass, made by the same function.
    const { argon2Sync } = await import('node:crypto');
    const salt = Buffer.alloc(16, 7);
    const tag = argon2Sync('argon2id', {
      message: goodPassword,
      nonce: salt,
      memory: 256,
      passes: 1,
      parallelism: 1,
      tagLength: 32,
    });
    const plain = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64').replace(/=+$/, '');
    await changeRows(store, userAccountTable, {
      passwordHash: `$argon2id$v=19$m=256,t=1,p=1$${plain(salt)}$${plain(tag)}`,
    });
    callbackOf(await authorize(service, browser, request), request);
    const { passwordHash: hash } = await rowIn(store, userAccountTable);
    assert.equal(hash.split('$')[3], (await hashPassword('x')).split('$')[3]);
    const again = authorizationRequest(service, (await registerClient(service)).client);
    callbackOf(await authorize(service, openBrowser(service), again), again);
  });
});

describe('consent', () => {
  it('names the client, the person, the activities and what is granted, and may be refused', async (t) => {
    const { service, browser, page, at, request } = await start(t);
    const consent = await follow(service, browser, await browser.post(at, right(page)));
    for (const text of ['Web shop', 'mia', 'BBB', 'Activity BBB', 'shop.example', 'Create shipping labels'])
      assert.ok(consent.answer.body.includes(text), text);
    for (const text of ['AAA', 'CCC']) assert.equal(consent.answer.body.includes(text), false);
    const outcome = await follow(
      service,
      browser,
      await browser.post(consent.at, { csrf: fieldIn(consent.answer, 'csrf'), decision: 'deny' }),
    );
    assert.deepEqual(callbackOf(outcome, request).error, 'access_denied');
  });

  it('takes no form without its token, from elsewhere, or without a decision', async (t) => {
    const { service, browser, page, at, request } = await start(t);
    const consent = await follow(service, browser, await browser.post(at, right(page)));
    const csrf = fieldIn(consent.answer, 'csrf');
    assert.equal((await browser.post(consent.at, { csrf: '', decision: 'allow' })).status, 400);
    assert.equal((await browser.post(consent.at, { csrf: fieldIn(page, 'csrf'), decision: 'allow' })).status, 400);
    assert.equal(
      (await browser.post(consent.at, { csrf, decision: 'allow' }, { origin: 'https://evil.example' })).status,
      403,
    );
    const outcome = await follow(service, browser, await browser.post(consent.at, { csrf }));
    assert.deepEqual(callbackOf(outcome, request).error, 'access_denied');
  });

  it('is remembered for a web client, asked again on wish, and when there is more to agree to', async (t) => {
    const { service, browser, request, credentials } = await start(t);
    const { store } = service.app;
    assert.deepEqual((await authorize(service, browser, request)).pages, ['sign-in', 'consent']);
    const next = async (changes: Record<string, string | null> = {}) => {
      const one = authorizationRequest(service, credentials.client, changes);
      const outcome = await authorize(service, browser, one);
      const tokens = (await redeem(service, credentials, one, callbackOf(outcome, one).code ?? '')).json();
      return { pages: outcome.pages, tokens };
    };
    assert.deepEqual((await next()).pages, []);
    assert.deepEqual((await next({ prompt: 'none' })).pages, []);
    assert.deepEqual((await next({ prompt: 'consent' })).pages, ['consent']);
    assert.deepEqual((await next({ scope: 'svc_connect openid' })).pages, ['consent']);
    assert.deepEqual((await next({ prompt: 'login' })).pages, ['sign-in']);

    const before = (await next()).tokens;
    await changeRows(store, userAccountTable, { activityCodes: ['AAA', 'BBB'] });
    // What was not shown is not in a token until it has been.
    const refreshed = (await refresh(service, credentials, before.refresh_token)).json();
    assert.deepEqual(decoded(refreshed.access_token).payload.activityCodes, ['BBB']);
    const widened = await next();
    assert.deepEqual(widened.pages, ['consent']);
    assert.deepEqual(decoded(widened.tokens.access_token).payload.activityCodes, ['AAA', 'BBB']);
  });

  it('is asked anew when the activities change while the page is open', async (t) => {
    const { service, browser, page, at } = await start(t);
    const consent = await follow(service, browser, await browser.post(at, right(page)));
    await changeRows(service.app.store, userAccountTable, { activityCodes: ['AAA', 'BBB'] });
    const again = await browser.post(consent.at, { csrf: fieldIn(consent.answer, 'csrf'), decision: 'allow' });
    assert.equal(again.status, 400);
    assert.match(again.body, /Activity AAA/);
    assert.equal((await browser.post(consent.at, { csrf: fieldIn(again, 'csrf'), decision: 'allow' })).status, 303);
  });

  it('is not asked of somebody who has nothing in common with the client: the client is told', async (t) => {
    const { service, browser, request } = await start(t);
    await registerUser(service, { login: 'leo', activityCodes: ['CCC'] });
    const outcome = await authorize(service, browser, request, { login: 'leo' });
    assert.deepEqual(outcome.pages, ['sign-in']);
    assert.equal(callbackOf(outcome, request).error, 'access_denied');
  });

  it('ends with what was consented to', async (t) => {
    const { service, credentials } = await start(t);
    const tokens = await connect(service, credentials);
    await changeRows(service.app.store, userAccountTable, { activityCodes: ['CCC'] });
    const refused = await refresh(service, credentials, tokens.refresh_token);
    assert.equal(refused.json().error, 'invalid_grant');
    await changeRows(service.app.store, userAccountTable, { activityCodes: ['BBB'] });
    // The refusal used nothing up.
    assert.equal((await refresh(service, credentials, tokens.refresh_token)).status, 200);
  });
});

describe('a session', () => {
  it('is asked to sign in again when the client wants it younger', async (t) => {
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() });
    const { service, browser, request, credentials } = await start(t, { scope: 'openid svc_connect' });
    await authorize(service, browser, request);
    const next = async (maxAge: string) => {
      const one = authorizationRequest(service, credentials.client, { scope: 'openid svc_connect', max_age: maxAge });
      const outcome = await authorize(service, browser, one);
      callbackOf(outcome, one);
      return outcome.pages;
    };
    t.mock.timers.setTime(Date.now() + 600_000);
    assert.deepEqual(await next('3600'), []);
    assert.deepEqual(await next('60'), ['sign-in']);
    assert.deepEqual(await next('60'), []);
    assert.deepEqual(await next('0'), ['sign-in']);
  });

  it('ends after eight hours', async (t) => {
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() });
    const { service, browser, request, credentials } = await start(t);
    await authorize(service, browser, request);
    t.mock.timers.setTime(Date.now() + 8 * 3_600_000 + 1000);
    assert.deepEqual((await authorize(service, browser, authorizationRequest(service, credentials.client))).pages, [
      'sign-in',
      'consent',
    ]);
  });

  it('ends eight hours after the sign-in, however often it was used meanwhile', async (t) => {
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() });
    const { service, browser, request, credentials } = await start(t);
    await authorize(service, browser, request);
    for (let hour = 1; hour < 8; hour += 1) {
      t.mock.timers.setTime(Date.now() + 3_600_000);
      assert.deepEqual(
        (await authorize(service, browser, authorizationRequest(service, credentials.client))).pages,
        [],
        `after ${hour} hours`,
      );
    }
    t.mock.timers.setTime(Date.now() + 3_601_000);
    assert.deepEqual((await authorize(service, browser, authorizationRequest(service, credentials.client))).pages, [
      'sign-in',
      'consent',
    ]);
  });

  it('that was begun in another window meanwhile changes hands too', async (t) => {
    const { service, browser, credentials } = await start(t);
    const leo = await registerUser(service, { login: 'leo', activityCodes: ['BBB'] });
    const request = authorizationRequest(service, credentials.client);
    const open = await follow(service, browser, await browser.get(request.address));
    await connect(service, credentials, {}, browser);
    const consent = await follow(
      service,
      browser,
      await browser.post(open.at, { csrf: fieldIn(open.answer, 'csrf'), login: 'leo', password: goodPassword }),
    );
    const outcome = await follow(
      service,
      browser,
      await browser.post(consent.at, { csrf: fieldIn(consent.answer, 'csrf'), decision: 'allow' }),
    );
    const given = (await redeem(service, credentials, request, callbackOf(outcome, request).code ?? '')).json();
    assert.equal(decoded(given.access_token).payload.sub, leo.id);
    assert.match((await browser.get(`${service.authUrl}/connect/signout`)).body, /leo/);
  });

  it("of a disabled person is a stranger's: somebody else signs in, without a script", async (t) => {
    const { service, browser, request, credentials } = await start(t);
    callbackOf(await authorize(service, browser, request), request);
    await registerUser(service, { login: 'leo', activityCodes: ['BBB'] });
    // The session is kept here, as it is when the two happen at the same moment.
    const { store } = service.app;
    await changeRows(store, userAccountTable, { disabledAt: 1 }, { login: 'mia' });
    const next = authorizationRequest(service, credentials.client);
    const outcome = await authorize(service, browser, next, { login: 'leo' });
    assert.deepEqual(outcome.pages, ['sign-in', 'consent']);
    callbackOf(outcome, next);
  });

  it('changes hands on the sign-in page, and what programs of the first one have stays theirs', async (t) => {
    const { service, browser, credentials } = await start(t);
    const tokens = await connect(service, credentials, {}, browser);
    const leo = await registerUser(service, { login: 'leo', activityCodes: ['BBB'] });
    const request = authorizationRequest(service, credentials.client, { prompt: 'login' });
    const outcome = await authorize(service, browser, request, { login: 'leo' });
    const given = (await redeem(service, credentials, request, callbackOf(outcome, request).code ?? '')).json();
    assert.equal(decoded(given.access_token).payload.sub, leo.id);
    assert.equal((await refresh(service, credentials, tokens.refresh_token)).status, 200);
  });

  it('ends when the person signs out, and programs keep what they have', async (t) => {
    const { service, browser, credentials } = await start(t);
    const tokens = await connect(service, credentials, {}, browser);
    const address = `${service.authUrl}/connect/signout`;
    const page = await browser.get(address);
    assert.match(page.body, /signed in as/);
    assert.match((await browser.post(address, { csrf: '' })).body, /signed in as/);
    assert.equal(
      (await browser.post(address, { csrf: fieldIn(page, 'csrf') }, { origin: 'https://evil.example' })).status,
      403,
    );
    const kept = browser.cookie('session');
    locationOf(await browser.post(address, { csrf: fieldIn(page, 'csrf') }));
    assert.equal(browser.cookie('session'), undefined);
    assert.match((await browser.get(address)).body, /You are signed out/);
    const thief = openBrowser(service);
    thief.plant(`session=${kept}; path=/`);
    assert.match((await thief.get(address)).body, /You are signed out/);
    assert.equal((await refresh(service, credentials, tokens.refresh_token)).status, 200);
    assert.deepEqual((await authorize(service, browser, authorizationRequest(service, credentials.client))).pages, [
      'sign-in',
      'consent',
    ]);
  });

  it('ends at the request of a page of this origin alone, without a form', async (t) => {
    const { service, browser, credentials } = await start(t);
    await connect(service, credentials, {}, browser);
    const address = `${service.authUrl}/connect/signout`;
    const cookie = ['session', 'session.sig'].map((name) => `${name}=${browser.cookie(name) ?? ''}`).join('; ');
    const end = (headers: Record<string, string>) => send(service, 'DELETE', address, { cookie, ...headers });
    const origin = new URL(service.authUrl).origin;
    for (const foreign of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin, 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'cross-site' },
    ])
      assert.equal((await end(foreign)).status, 403, JSON.stringify(foreign));
    const preflight = await send(service, 'OPTIONS', address, {
      ...{ origin: 'https://evil.example', 'access-control-request-method': 'DELETE' },
    });
    assert.equal(preflight.headers['access-control-allow-origin'], undefined);
    assert.match((await browser.get(address)).body, /signed in as/);
    const ended = await end({ origin, 'sec-fetch-site': 'same-origin' });
    assert.deepEqual([ended.status, ended.body, ended.headers['cache-control']], [204, '', 'no-store']);
    for (const line of ended.cookies) browser.plant(line);
    assert.equal(browser.cookie('session'), undefined);
    const thief = openBrowser(service);
    for (const pair of cookie.split('; ')) thief.plant(`${pair}; path=/`);
    assert.match((await thief.get(address)).body, /You are signed out/);
    assert.equal((await end({ origin })).status, 204, 'again');
    assert.equal((await send(service, 'DELETE', address)).status, 204, 'of nobody');
  });

  it('is gone when the person is disabled', async (t) => {
    const { service, browser, request } = await start(t);
    callbackOf(await authorize(service, browser, request), request);
    await disableUser(service.app.store, 'mia', Date.now());
    assert.match((await browser.get(`${service.authUrl}/connect/signout`)).body, /You are signed out/);
  });
});
