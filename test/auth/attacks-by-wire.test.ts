// Attacks on the running service that no other test of this folder names: the wrong kind of token, the wrong place for
// one, and finding out who has a login.
import assert from 'node:assert/strict';
import { createHook } from 'node:async_hooks';
import { describe, it } from 'node:test';
import { createSignIn } from '../../src/auth/sign-in.ts';
import { disableUser } from '../../src/auth/users.ts';
import {
  authorizationRequest,
  authorize,
  callbackOf,
  connect,
  fieldIn,
  follow,
  openBrowser,
  readArticles,
  registerClient,
  registerUser,
  send,
  type Service,
  startService,
} from './flow.ts';
import { goodPassword } from './fixture.ts';

const pepper = async (): Promise<string> => 'the same in every process';

async function connected(
  t: Parameters<typeof startService>[0],
  changes: Record<string, string | null> = {},
): Promise<{ readonly service: Service; readonly tokens: Record<string, unknown> }> {
  const service = await startService(t);
  const credentials = await registerClient(service);
  await registerUser(service);
  return { service, tokens: await connect(service, credentials, changes) };
}

describe('attack by the wrong kind of token', () => {
  it('an ID token, a refresh token and a code open nothing', async (t) => {
    const { service, tokens } = await connected(t, { scope: 'openid svc_connect' });
    assert.equal((await readArticles(service, tokens.access_token)).status, 200);
    for (const name of ['id_token', 'refresh_token']) {
      assert.equal(typeof tokens[name], 'string', name);
      const answer = await readArticles(service, tokens[name]);
      assert.deepEqual(
        [answer.status, /error="invalid_token"/.test(answer.headers['www-authenticate'] ?? '')],
        [401, true],
        name,
      );
    }
    const { client } = await registerClient(service);
    const request = authorizationRequest(service, client);
    const { code } = callbackOf(await authorize(service, openBrowser(service), request), request);
    assert.equal((await readArticles(service, code)).status, 401);
  });

  it('a cookie of a signed-in browser opens nothing', async (t) => {
    const service = await startService(t);
    const { client } = await registerClient(service);
    await registerUser(service);
    const browser = openBrowser(service);
    await authorize(service, browser, authorizationRequest(service, client));
    assert.ok(browser.cookie('session') !== undefined);
    assert.equal((await browser.get(`${service.baseUrl}/articles`)).status, 401);
  });
});

describe('attack by a token in the wrong place', () => {
  it('in the query it opens nothing, and is in no log', async (t) => {
    const { service, tokens } = await connected(t);
    const token = String(tokens.access_token);
    for (const name of ['access_token', 'token', 'Authorization']) {
      const value = name === 'Authorization' ? `Bearer ${token}` : token;
      const answer = await send(service, 'GET', `${service.baseUrl}/articles?${name}=${encodeURIComponent(value)}`);
      assert.equal(answer.status, 401, name);
      assert.doesNotMatch(answer.headers['www-authenticate'] ?? '', /error=/);
    }
    // Beside a good header it is a parameter that nobody knows.
    const beside = await send(service, 'GET', `${service.baseUrl}/articles?access_token=${token}`, {
      authorization: `Bearer ${token}`,
    });
    assert.equal(beside.status, 400);
    assert.ok(!service.logged().includes(token) && !beside.body.includes(token));
  });

  it('in a form body, a cookie or another header it opens nothing', async (t) => {
    const { service, tokens } = await connected(t);
    const token = String(tokens.access_token);
    for (const headers of [
      { cookie: `access_token=${token}` },
      { 'x-access-token': token },
      { 'proxy-authorization': `Bearer ${token}` },
    ]) {
      assert.equal((await send(service, 'GET', `${service.baseUrl}/articles`, headers)).status, 401);
    }
    const posted = await send(
      service,
      'POST',
      `${service.baseUrl}/articles`,
      { 'content-type': 'application/x-www-form-urlencoded' },
      new URLSearchParams({ access_token: token }).toString(),
    );
    assert.ok([401, 405].includes(posted.status), String(posted.status));
  });
});

describe('attack to find out who has a login', () => {
  it('by text: the page is the same but for what was typed', async (t) => {
    const service = await startService(t);
    const { client } = await registerClient(service);
    await registerUser(service);
    await registerUser(service, { login: 'leo' });
    await disableUser(service.app.store, 'leo', Date.now());
    const pages: string[] = [];
    for (const [login, password] of [
      ['mia', 'wrong'],
      ['nobody', 'wrong'],
      ['leo', 'wrong'],
      ['leo', goodPassword],
      ['nobody', goodPassword],
    ] as const) {
      const browser = openBrowser(service);
      const { answer, at } = await follow(
        service,
        browser,
        await browser.get(authorizationRequest(service, client).address),
      );
      const refused = await browser.post(at, { csrf: fieldIn(answer, 'csrf'), login, password });
      assert.equal(refused.status, 400);
      pages.push(
        refused.body
          .replace(fieldIn(refused, 'csrf'), '')
          .replaceAll(new URL(at).pathname, '')
          .replace(`value="${login}"`, ''),
      );
      assert.ok(!refused.body.includes(password));
    }
    assert.equal(new Set(pages).size, 1);
  });

  it('by time: one password hash is made, whether the login is known, unknown or disabled', async (t) => {
    const service = await startService(t);
    await registerUser(service);
    await registerUser(service, { login: 'leo' });
    await disableUser(service.app.store, 'leo', Date.now());
    const signIn = createSignIn({
      store: service.app.store,
      pepper,
      now: Date.now,
      isPasswordEnough: () => true,
    }).password;
    await signIn({ login: 'mia', password: 'warm', address: '192.0.2.9', browser: null });
    for (const login of ['mia', 'nobody', 'leo', '', 'x'.repeat(5000)]) {
      const jobs: string[] = [];
      const hook = createHook({
        init: (_id, type) => {
          if (/argon2/i.test(type)) jobs.push(type);
        },
      }).enable();
      assert.deepEqual(await signIn({ login: login, password: 'wrong', address: '192.0.2.9', browser: null }), {
        user: null,
        fault: 'credentials',
      });
      hook.disable();
      assert.equal(jobs.length, 1, `${login.slice(0, 9)}: ${jobs.join()}`);
    }
  });

  it('by being shut out: an unknown login is shut out like a known one', async (t) => {
    const service = await startService(t);
    await registerUser(service);
    const signIn = createSignIn({
      store: service.app.store,
      pepper,
      now: Date.now,
      isPasswordEnough: () => true,
    }).password;
    for (const login of ['mia', 'nobody']) {
      const faults = [];
      for (let attempt = 0; attempt < 11; attempt += 1)
        faults.push(
          (await signIn({ login: login, password: 'wrong', address: '192.0.2.9', browser: null })).user === null,
        );
      assert.deepEqual(new Set(faults), new Set([true]));
      const outcome = await signIn({ login: login, password: goodPassword, address: '192.0.2.9', browser: null });
      assert.ok(outcome.user === null && outcome.fault === 'throttled', login);
    }
  });
});

describe('attack by a sign-in that somebody else prepared', () => {
  it('nobody goes on with an interaction of another browser, or takes over a planted session cookie', async (t) => {
    const service = await startService(t);
    const { client } = await registerClient(service);
    await registerUser(service);
    const [attacker, victim] = [openBrowser(service), openBrowser(service)];
    const { at } = await follow(service, attacker, await attacker.get(authorizationRequest(service, client).address));
    assert.match((await victim.get(at)).body, /This sign-in is over/);
    victim.plant(`session=${'x'.repeat(43)}; path=/`);
    victim.plant(`session.sig=${'x'.repeat(27)}; path=/`);
    const request = authorizationRequest(service, client);
    callbackOf(await authorize(service, victim, request), request);
    assert.notEqual(victim.cookie('session'), 'x'.repeat(43));
  });

  it('the way out of a sign-in leads to its client and nowhere else', async (t) => {
    const service = await startService(t);
    const { client } = await registerClient(service);
    const browser = openBrowser(service);
    const request = authorizationRequest(service, client);
    const { at } = await follow(service, browser, await browser.get(request.address));
    const { at: left } = await follow(
      service,
      browser,
      await browser.get(`${at}/cancel?redirect_uri=https://evil.example&returnTo=https://evil.example`),
    );
    assert.equal(callbackOf({ at: left }, request).error, 'access_denied');
  });
});
