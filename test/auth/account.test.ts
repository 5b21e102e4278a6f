// A person's own account on the wire: signing in there, the programs that were let in, another password; and the other
// account on the consent page. By what can go wrong first.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { engines } from '../contract/engines.ts';
import { goodPassword } from './fixture.ts';
import {
  type Answer,
  authorizationRequest,
  authorize,
  type Browser,
  callbackOf,
  connect,
  fieldIn,
  follow,
  locationOf,
  openBrowser,
  readArticles,
  redeem,
  refresh,
  registerClient,
  registerUser,
  send,
  type Service,
  startService,
} from './flow.ts';

const newPassword = 'quiet harbours keep small boats';

async function signIn(service: Service, browser: Browser, login = 'mia', password = goodPassword): Promise<Answer> {
  const page = await browser.get(`${service.authUrl}/account`);
  return browser.post(`${service.authUrl}/account/sign-in`, { csrf: fieldIn(page, 'csrf'), login, password });
}

/** The account of somebody who has just signed in there. */
async function openAccount(service: Service, browser: Browser, login = 'mia'): Promise<Answer> {
  const answer = await signIn(service, browser, login);
  assert.equal(locationOf(answer), '/account');
  return browser.get(`${service.authUrl}/account`);
}

/** HEAD may leave out the length (RFC 9110, 8.6), as it does where there is no page. */
function withoutWhatVaries({ headers }: Answer): Answer['headers'] {
  const length = headers['content-length'] === '0' ? undefined : headers['content-length'];
  return {
    ...{ ...headers, 'content-length': length },
    ...{ date: undefined, 'x-request-id': undefined, 'set-cookie': undefined },
  };
}

async function statusOf(service: Service, accessToken: unknown): Promise<number> {
  return (await readArticles(service, accessToken)).status;
}

function changes(page: Answer, fields: Record<string, string> = {}): Record<string, string> {
  return {
    csrf: fieldIn(page, 'csrf'),
    current: goodPassword,
    password: newPassword,
    again: newPassword,
    ...fields,
  };
}

describe('the account of nobody', () => {
  it('is the sign-in, with the headers of every page, and refuses other methods', async (t) => {
    const service = await startService(t);
    const browser = openBrowser(service);
    for (const path of ['', '/password', '/second-factor', '?done=%3Cscript%3E']) {
      const page = await browser.get(`${service.authUrl}/account${path}`);
      assert.equal(page.status, 200);
      assert.match(page.body, /name="password"/);
      assert.match(page.headers['content-security-policy'] ?? '', /^default-src 'none'; style-src 'sha256-/);
      assert.equal(page.headers['cache-control'], 'no-store');
    }
    assert.equal((await browser.get(`${service.authUrl}/account/withdraw`)).status, 405);
    assert.equal((await browser.get(`${service.authUrl}/account/nothing`)).status, 404);
    assert.equal(locationOf(await browser.get(`${service.authUrl}/account/sign-in`)), '/account');
  });

  it('answers HEAD at every page as GET, without the page', async (t) => {
    const service = await startService(t);
    await registerUser(service);
    const { client } = await registerClient(service);
    const browser = openBrowser(service);
    const { at: signInPage } = await follow(
      service,
      browser,
      await browser.get(authorizationRequest(service, client).address),
    );
    const assertSame = async (path: string, status: number): Promise<void> => {
      const address = new URL(path, service.authUrl).href;
      const [page, head] = [await browser.get(address), await browser.head(address)];
      assert.deepEqual([page.status, head.status, head.body], [status, status, ''], path);
      assert.deepEqual(withoutWhatVaries(head), withoutWhatVaries(page), path);
      assert.equal((await send(service, 'OPTIONS', address)).headers.allow?.startsWith('GET, HEAD, '), true, path);
    };
    const pages = ['/account', '/account/password', '/account/second-factor', '/connect/signout'];
    for (const path of [...pages, signInPage]) await assertSame(path, 200);
    await assertSame('/account/sign-in', 303);
    await assertSame('/account/invitation', 410);
    await openAccount(service, browser);
    // That of a second factor has another secret each time, whose picture has another size.
    for (const path of pages.filter((one) => one !== '/account/second-factor')) await assertSame(path, 200);
    // Not a page: a form is sent there.
    assert.equal((await browser.head(`${service.authUrl}/account/withdraw`)).status, 405);
  });

  it('takes no form without its cookie, of another browser, of another site, or of another purpose', async (t) => {
    const service = await startService(t);
    await registerUser(service);
    const [browser, other] = [openBrowser(service), openBrowser(service)];
    const page = await browser.get(`${service.authUrl}/account`);
    const form = { csrf: fieldIn(page, 'csrf'), login: 'mia', password: goodPassword };
    const target = `${service.authUrl}/account/sign-in`;
    assert.equal((await other.post(target, form)).status, 400);
    assert.equal((await browser.post(target, { ...form, csrf: '' })).status, 400);
    assert.equal((await browser.post(target, form, { origin: 'https://evil.example' })).status, 403);
    assert.equal((await browser.post(target, form, { 'sec-fetch-site': 'cross-site' })).status, 403);
    for (const step of ['code', 'set-up', 'saved', 'x'])
      assert.equal((await browser.post(target, { ...form, step, user: 'x', since: '1' })).status, 400, step);
    assert.equal(browser.cookie('session'), undefined);
    assert.equal((await browser.post(target, { ...form, password: 'wrong' })).status, 400);
    assert.equal((await browser.post(target, form)).status, 303);
  });

  it('gives a session an id that nobody knew before, and one of somebody else ends', async (t) => {
    const service = await startService(t);
    await registerUser(service);
    await registerUser(service, { login: 'leo' });
    const browser = openBrowser(service);
    await openAccount(service, browser);
    const [first, signature] = [browser.cookie('session'), browser.cookie('session.sig')];
    assert.ok(first !== undefined && signature !== undefined);
    // Somebody planted the session cookie of their own sign-in in this browser.
    const victim = openBrowser(service);
    victim.plant(`session=${first}; path=/`);
    victim.plant(`session.sig=${signature}; path=/`);
    assert.match((await victim.get(`${service.authUrl}/account`)).body, /<bdi>mia<\/bdi>/);
    const at = await victim.get(`${service.authUrl}/connect/signout`);
    assert.match(at.body, /<bdi>mia<\/bdi>/);
    const own = openBrowser(service);
    const page = await own.get(`${service.authUrl}/account`);
    own.plant(`session=${first}; path=/`);
    own.plant(`session.sig=${signature}; path=/`);
    const answer = await own.post(`${service.authUrl}/account/sign-in`, {
      csrf: fieldIn(page, 'csrf'),
      login: 'leo',
      password: goodPassword,
    });
    assert.equal(answer.status, 303);
    assert.notEqual(own.cookie('session'), first);
    assert.match((await own.get(`${service.authUrl}/account`)).body, /<bdi>leo<\/bdi>/);
    assert.match(
      (await browser.get(`${service.authUrl}/account`)).body,
      /name="password"/,
      'the planted one has ended',
    );
  });
});

for (const engine of engines) {
  describe(`the account on ${engine.name}`, { skip: engine.skip }, () => {
    it('shows the programs that were let in, and withdraws one: in every process, with all its tokens', async (t) => {
      const start = Date.now();
      t.mock.timers.enable({ apis: ['Date'], now: start });
      const service = await startService(t, {}, engine);
      const other = await service.again();
      const [shop, desk] = [await registerClient(service), await registerClient(service, { name: '<b>Desk</b>' })];
      await registerUser(service);
      await registerUser(service, { login: 'leo' });
      const tokens = [await connect(service, shop), await connect(service, shop)];
      const kept = await connect(service, desk);
      const browser = openBrowser(service, other);
      let page = await openAccount(service, browser);
      assert.equal(page.body.match(/<h3>/g)?.length, 2, 'one entry for each program');
      assert.match(page.body, /<h3><bdi>Web shop<\/bdi>/);
      assert.match(page.body, /&lt;b&gt;Desk/);
      assert.match(page.body, /Acts in <code>BBB<\/code>/);
      assert.match(page.body, /Let in on \d+ \w+ \d{4} at \d\d:\d\d UTC/);
      assert.doesNotMatch(page.body, /Last used/);
      t.mock.timers.setTime(start + 1000);
      const renewed = (await refresh(service, shop, tokens[0]?.refresh_token)).json();
      page = await browser.get(`${service.authUrl}/account`);
      assert.match(page.body, /Last used around/);
      for (const one of [service, other])
        for (const { access_token } of [...tokens, renewed, kept]) assert.equal(await statusOf(one, access_token), 200);

      // Somebody else can withdraw nothing of it.
      const stranger = openBrowser(service);
      const strange = await openAccount(service, stranger, 'leo');
      assert.match(strange.body, /None\. A program/);
      const target = `${service.authUrl}/account/withdraw`;
      const foreign = { csrf: fieldIn(page, 'csrf'), client: shop.client.id };
      assert.equal((await stranger.post(target, foreign)).status, 400);
      const pressed = await openAccount(service, openBrowser(service));
      assert.equal((await browser.post(target, { ...foreign, csrf: fieldIn(pressed, 'csrf') })).status, 400);
      const refused = await browser.post(target, foreign, { origin: 'https://evil.example' });
      assert.equal(refused.status, 403);
      for (const client of ['', 'nothing', '\0', 'x'.repeat(7000)])
        assert.equal((await browser.post(target, { ...foreign, client })).status, 303, client.slice(0, 9));
      assert.equal(await statusOf(service, renewed.access_token), 200);

      // Twice at once.
      const both = await Promise.all([browser.post(target, foreign), browser.post(target, foreign)]);
      for (const answer of both) assert.equal(locationOf(answer), '/account?done=withdrawn');
      page = await browser.get(`${service.authUrl}/account?done=withdrawn`);
      assert.match(page.body, /The access is withdrawn/);
      assert.doesNotMatch(page.body, /Web shop/);
      t.mock.timers.setTime(start + 32_000);
      for (const one of [service, other]) {
        for (const { access_token } of [...tokens, renewed]) assert.equal(await statusOf(one, access_token), 401);
        assert.equal(await statusOf(one, kept.access_token), 200);
      }
      assert.equal((await refresh(other, shop, renewed.refresh_token)).json().error, 'invalid_grant');
      const [entry, ...more] = await service.app.store.audit.read({ ...everything, action: 'program.withdraw' });
      assert.deepEqual(more, [], 'what was not there left no entry');
      assert.deepEqual(
        [entry?.actorKind, entry?.target, entry?.activityCodes],
        ['user', shop.client.id, ['BBB', 'CCC']],
      );
      // The program may ask again: the person is signed in, and is asked for consent.
      const again = authorizationRequest(service, shop.client);
      assert.deepEqual((await authorize(service, browser, again)).pages, ['consent']);
    });

    it('changes the password: other browsers are signed out, programs stay, the attempts are counted', async (t) => {
      const service = await startService(t, {}, engine);
      const shop = await registerClient(service);
      const user = await registerUser(service);
      const elsewhere = openBrowser(service);
      const tokens = await connect(service, shop, {}, elsewhere);
      const browser = openBrowser(service);
      await openAccount(service, browser);
      const before = browser.cookie('session');
      const target = `${service.authUrl}/account/password`;
      const page = await browser.get(target);
      for (const [fields, text] of [
        [{ again: 'another' }, /not twice the same/],
        [{ password: 'short', again: 'short' }, /at least 15 characters/],
        [{ password: '', again: '' }, /at least 15 characters/],
        [{ password: 'passwordpassword1', again: 'passwordpassword1' }, /first that anyone would try/],
        [{ password: 'y'.repeat(2000), again: 'y'.repeat(2000) }, /longer than 1024 bytes/],
        [{ password: goodPassword, again: goodPassword }, /That is the current password/],
        [{ csrf: 'x' }, /open for too long/],
      ] as const) {
        const answer = await browser.post(target, changes(page, fields));
        assert.equal(answer.status, 400);
        assert.match(answer.body, text);
        assert.ok(!answer.body.includes(newPassword), 'a password is not sent back');
      }
      for (let attempt = 0; attempt < 9; attempt += 1)
        assert.equal((await browser.post(target, changes(page, { current: 'wrong' }))).status, 400);
      const changed = await browser.post(target, changes(page));
      assert.equal(locationOf(changed), '/account?done=password');
      assert.match((await browser.get(`${service.authUrl}/account?done=password`)).body, /The password is changed/);
      assert.notEqual(browser.cookie('session'), before);
      assert.match((await elsewhere.get(`${service.authUrl}/account`)).body, /name="password"/);
      assert.equal(await statusOf(service, tokens.access_token), 200);
      assert.equal((await refresh(service, shop, tokens.refresh_token)).status, 200);
      assert.equal((await signIn(service, openBrowser(service))).status, 400);
      assert.equal((await signIn(service, openBrowser(service), 'mia', newPassword)).status, 303);
      const [entry] = await service.app.store.audit.read({ ...everything, action: 'user.password' });
      assert.deepEqual([entry?.actor, entry?.target, entry?.details], [user.id, user.id, { programs: 'kept' }]);
      // A wrong password too often shuts out, although the one who tries is signed in.
      const fresh = await browser.get(target);
      const tried = await Promise.all(
        Array.from({ length: 14 }, () => browser.post(target, changes(fresh, { current: 'wrong' }))),
      );
      assert.ok(tried.some(({ status, headers }) => status === 429 && headers['retry-after'] !== undefined));
    });

    it('ends the programs with the password where the person wants that, and of two changes one wins', async (t) => {
      const service = await startService(t, {}, engine);
      const shop = await registerClient(service);
      await registerUser(service);
      const tokens = await connect(service, shop);
      const browser = openBrowser(service);
      await openAccount(service, browser);
      const target = `${service.authUrl}/account/password`;
      const page = await browser.get(target);
      const answers = await Promise.all(
        [newPassword, `${newPassword} too`].map((password) =>
          browser.post(target, changes(page, { password, again: password, programs: 'end' })),
        ),
      );
      assert.deepEqual(answers.map(({ status }) => status).toSorted(), [303, 400]);
      assert.equal((await refresh(service, shop, tokens.refresh_token)).json().error, 'invalid_grant');
    });
  });
}

describe('the other account on the consent page', () => {
  it('ends the session and comes back to the same request', async (t) => {
    const service = await startService(t);
    const shop = await registerClient(service);
    await registerUser(service);
    await registerUser(service, { login: 'leo', activityCodes: ['AAA'] });
    const browser = openBrowser(service);
    await openAccount(service, browser);
    const before = [browser.cookie('session'), browser.cookie('session.sig')];
    const request = authorizationRequest(service, shop.client, { login_hint: 'mia', ui_locales: 'en fr' });
    const consent = await follow(service, browser, await browser.get(request.address));
    assert.match(consent.answer.body, /You are signed in as .*mia/);
    assert.match(consent.answer.body, /Not you\?/);
    const csrf = fieldIn(consent.answer, 'csrf');
    assert.equal((await browser.post(consent.at, { csrf: 'x', decision: 'other' })).status, 400);
    const away = await follow(service, browser, await browser.post(consent.at, { csrf, decision: 'other' }));
    assert.match(away.answer.body, /name="password"/);
    assert.equal(fieldIn(away.answer, 'login'), '', 'the name of before is not proposed');
    const old = openBrowser(service);
    old.plant(`session=${before[0]}; path=/`);
    old.plant(`session.sig=${before[1]}; path=/`);
    assert.match((await old.get(`${service.authUrl}/account`)).body, /name="password"/, 'the session has ended');
    assert.equal((await browser.get(consent.at)).status, 400, 'the sign-in of before is over');
    const signedIn = await follow(
      service,
      browser,
      await browser.post(away.at, { csrf: fieldIn(away.answer, 'csrf'), login: 'leo', password: goodPassword }),
    );
    assert.match(signedIn.answer.body, /You are signed in as .*leo/);
    const back = await follow(
      service,
      browser,
      await browser.post(signedIn.at, { csrf: fieldIn(signedIn.answer, 'csrf'), decision: 'allow' }),
    );
    const { code = '', state } = callbackOf(back, request);
    assert.equal(state, request.state);
    assert.equal((await redeem(service, shop, request, code)).status, 200);
  });
});

const everything = {
  activityCodes: null,
  operationId: null,
  action: null,
  actor: null,
  since: null,
  until: null,
  after: null,
  newestFirst: false,
  limit: 100,
} as const;
