// Operators sign in to the platform interface: what their tokens open, for how long, and what opens nothing.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { disableClient } from '../../src/auth/clients.ts';
import { changeClient } from '../../src/auth/client-changes.ts';
import { changeUser } from '../../src/auth/user-changes.ts';
import { changePassword, disableUser } from '../../src/auth/users.ts';
import { activityTable } from '../../src/store/tables/activities.ts';
import { removeRows } from '../contract/database.ts';
import { totpCode } from './totp-code.ts';
import { engines } from '../contract/engines.ts';
import { goodPassword } from './fixture.ts';
import {
  type Answer,
  authorizationRequest,
  authorize,
  type Browser,
  callbackOf,
  connect,
  type Credentials,
  decoded,
  fieldIn,
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

interface Desk {
  readonly service: Service;
  readonly desk: Credentials;
  readonly userId: string;
  readonly platform: Readonly<Record<string, string>>;
  readonly ask: (path: string, accessToken: unknown, at?: Service) => Promise<Answer>;
}

/** A service with an operator (mia: feed, audit; activity BBB too) and a client that may act for operators. */
async function openDesk(
  t: Parameters<typeof startService>[0],
  settings: Record<string, string> = {},
  engine = engines[0],
): Promise<Desk> {
  const service = await startService(t, settings, engine);
  const desk = await registerClient(service, { name: 'Desk', platform: true });
  const operatorRoles = ['feed', 'audit'];
  const user = await registerUser(service, { activityCodes: ['BBB'], operator: true, operatorRoles });
  return {
    ...{ service, desk, userId: user.id },
    platform: { scope: 'svc_platform', resource: service.platformUrl },
    ask: (path, accessToken, at = service) =>
      send(at, 'GET', `${service.platformUrl}${path}`, { authorization: `Bearer ${String(accessToken)}` }),
  };
}

/** Where the browser comes back to with an error in place of a code. */
async function refused({ service, desk }: Desk, changes: Record<string, string>, login = 'mia') {
  const request = authorizationRequest(service, desk.client, changes);
  return callbackOf(await authorize(service, openBrowser(service), request, { login }), request);
}

async function signOut(service: Service, browser: Browser): Promise<void> {
  const page = await browser.get(`${service.authUrl}/connect/signout`);
  await browser.post(`${service.authUrl}/connect/signout`, { csrf: fieldIn(page, 'csrf') });
}

for (const engine of engines) {
  describe(`an operator who signs in, on ${engine.name}`, { skip: engine.skip }, () => {
    it('opens what the roles say, in every activity, and nothing else', async (t) => {
      const { service, desk, userId, platform, ask } = await openDesk(t, {}, engine);
      const { access_token: accessToken, scope } = await connect(service, desk, platform);
      assert.equal(scope, 'svc_platform');
      assert.equal(decoded(accessToken).payload.aud, service.platformUrl);
      assert.deepEqual(decoded(accessToken).payload.activityCodes, []);
      const me = await ask('/me', accessToken);
      assert.deepEqual(me.json(), {
        ...{ kind: 'user', id: userId, name: 'mia', roles: ['feed', 'audit'], activityCodes: null },
      });
      assert.equal((await ask('/feeds', accessToken)).status, 200);
      const outbox = await ask('/outbox', accessToken);
      assert.equal(outbox.status, 403);
      assert.equal(outbox.json().role, 'outbox');
      assert.match(String(outbox.json().detail), /user change LOGIN --add-role outbox/);
    });

    it('loses a role at the next request, at every process, and gets one as soon', async (t) => {
      const { service, desk, platform, ask } = await openDesk(t, {}, engine);
      const other = await service.again();
      const { access_token: accessToken, refresh_token: refreshToken } = await connect(service, desk, platform);
      for (const at of [service, other]) assert.equal((await ask('/feeds', accessToken, at)).status, 200);
      const { store } = service.app;
      await changeUser(store, 'mia', { removedRoles: ['feed'], addedRoles: ['outbox'] });
      for (const at of [service, other]) {
        assert.equal((await ask('/feeds', accessToken, at)).status, 403);
        assert.equal((await ask('/outbox?consumer=desk', accessToken, at)).status, 200);
      }
      await changeUser(store, 'mia', { operator: false });
      for (const at of [service, other])
        for (const path of ['/me', '/audit', '/outbox']) {
          const answer = await ask(path, accessToken, at);
          assert.equal(answer.status, 403, path);
          assert.match(String(answer.json().type), /role-missing$/);
        }
      assert.equal((await refresh(service, desk, refreshToken)).json().error, 'invalid_grant');
    });

    for (const [what, end] of [
      ['the user is disabled', ({ service }) => disableUser(service.app.store, 'mia', Date.now())],
      [
        'the user gets a new password',
        ({ service }) => changePassword(service.app.store, 'mia', newPassword, Date.now()),
      ],
      ['the client is disabled', ({ service, desk }) => disableClient(service.app.store, desk.client.id, Date.now())],
      [
        'the client may no longer',
        ({ service, desk }) => changeClient(service.app.store, desk.client.id, { platform: false }),
      ],
      ['the person signs out', ({ service }, browser) => signOut(service, browser)],
    ] as readonly (readonly [string, (desk: Desk, browser: Browser) => Promise<unknown>])[]) {
      it(`is out at once, at every process, when ${what}`, async (t) => {
        const opened = await openDesk(t, {}, engine);
        const { service, desk, platform, ask } = opened;
        const other = await service.again();
        const browser = openBrowser(service);
        const { access_token: accessToken, refresh_token: refreshToken } = await connect(
          service,
          desk,
          platform,
          browser,
        );
        for (const at of [service, other]) assert.equal((await ask('/me', accessToken, at)).status, 200);
        await end(opened, browser);
        for (const at of [service, other]) {
          const answer = await ask('/me', accessToken, at);
          assert.equal(answer.status, 401, what);
          assert.match(answer.headers['www-authenticate'] ?? '', /realm="platform", error="invalid_token"/);
        }
        assert.notEqual((await refresh(service, desk, refreshToken)).status, 200);
      });
    }
  });
}

const newPassword = 'small boats carry light parcels';

describe('a token at the wrong interface', () => {
  it('opens nothing: of a client at the platform interface, of an operator at the client interface', async (t) => {
    const { service, desk, platform, ask } = await openDesk(t);
    const browser = openBrowser(service);
    const client = await connect(service, desk, {}, browser);
    const operator = await connect(service, desk, platform, browser);
    assert.equal((await readArticles(service, client.access_token)).status, 200);
    assert.equal((await ask('/me', operator.access_token)).status, 200);
    const wrong = [await ask('/me', client.access_token), await readArticles(service, operator.access_token)];
    for (const answer of wrong) {
      assert.equal(answer.status, 401);
      assert.match(String(answer.json().detail), /meant for another service/);
    }
  });

  it('both sign-ins stand beside each other, and each refreshes for itself', async (t) => {
    const { service, desk, platform, ask } = await openDesk(t);
    const browser = openBrowser(service);
    const operator = await connect(service, desk, platform, browser);
    const client = await connect(service, desk, {}, browser);
    const next = await refresh(service, desk, operator.refresh_token);
    assert.equal(next.status, 200, next.body);
    assert.equal((await ask('/me', next.json().access_token)).status, 200);
    assert.equal((await refresh(service, desk, client.refresh_token)).status, 200);
  });
});

describe('the way to a token for the platform interface', () => {
  it('is closed to who has no role, and to who is no operator', async (t) => {
    const opened = await openDesk(t);
    await registerUser(opened.service, { login: 'plain', activityCodes: ['BBB'] });
    await registerUser(opened.service, { login: 'idle', activityCodes: [], operator: true });
    for (const login of ['plain', 'idle'])
      assert.equal((await refused(opened, opened.platform, login)).error, 'access_denied', login);
  });

  it('is closed to a client that may not act for operators, and to one that acts for itself', async (t) => {
    const opened = await openDesk(t);
    const shop = await registerClient(opened.service, { name: 'Shop' });
    assert.equal((await refused({ ...opened, desk: shop }, opened.platform)).error, 'invalid_target');
    const service = await registerClient(opened.service, { confidential: true, service: true, platform: true });
    const answer = await token(opened.service, service, { grant_type: 'client_credentials', ...opened.platform });
    assert.equal(answer.json().error, 'invalid_target');
  });

  it('is not opened by a request for both, by the scope alone, or by another address', async (t) => {
    const opened = await openDesk(t);
    const { service, desk, platform } = opened;
    assert.equal((await refused(opened, { scope: 'svc_platform' })).error, 'invalid_scope');
    assert.equal(
      (await refused(opened, { scope: 'svc_connect', resource: service.platformUrl })).error,
      'invalid_scope',
    );
    for (const resource of [`${service.platformUrl}/`, `${service.platformUrl}/me`, 'https://elsewhere.example'])
      assert.equal((await refused(opened, { ...platform, resource })).error, 'invalid_target', resource);
    const request = authorizationRequest(service, desk.client, { ...platform, scope: 'svc_connect svc_platform' });
    const both = { ...request, address: `${request.address}&resource=${encodeURIComponent(service.baseUrl)}` };
    const answer = await authorize(service, openBrowser(service), both);
    assert.equal(callbackOf(answer, request).error, 'invalid_target');
  });

  it('does not lead to the other resource: a code and a refresh token stay with theirs, and stay good', async (t) => {
    const { service, desk, platform } = await openDesk(t);
    for (const [own, other, scope] of [
      [platform, service.baseUrl, 'svc_connect'],
      [{ scope: 'svc_connect', resource: service.baseUrl }, service.platformUrl, 'svc_platform'],
    ] as const) {
      const request = authorizationRequest(service, desk.client, own);
      const { code = '' } = callbackOf(await authorize(service, openBrowser(service), request), request);
      const asked = { grant_type: 'authorization_code', code, redirect_uri: request.redirectUri };
      const wrong = await token(service, desk, { ...asked, code_verifier: request.verifier, resource: other });
      assert.equal(wrong.json().error, 'invalid_target');
      const first = await redeem(service, desk, request, code);
      assert.equal(first.status, 200, first.body);
      const fields = { grant_type: 'refresh_token', refresh_token: String(first.json().refresh_token) };
      assert.equal((await token(service, desk, { ...fields, resource: other })).json().error, 'invalid_target');
      assert.equal((await token(service, desk, { ...fields, scope })).json().error, 'invalid_scope');
      assert.equal((await token(service, desk, fields)).status, 200);
    }
  });

  it('asks the person, and says with which roles', async (t) => {
    const { service, desk, platform } = await openDesk(t);
    const browser = openBrowser(service);
    const { pages } = await authorize(service, browser, authorizationRequest(service, desk.client, platform), {
      decision: 'deny',
    });
    assert.deepEqual(pages, ['sign-in', 'consent']);
    await connect(service, desk, {}, browser);
    const again = await authorize(service, browser, authorizationRequest(service, desk.client, platform));
    assert.deepEqual(again.pages, ['consent'], 'consent to the one interface is none to the other');
  });

  it('leads past the second factor where operators must have one, and no token of before is enough then', async (t) => {
    const { service, desk, platform, ask } = await openDesk(t);
    const { access_token: accessToken, refresh_token: refreshToken } = await connect(service, desk, platform);
    const strict = await service.again({ SECOND_FACTOR: 'operators' });
    assert.equal((await ask('/me', accessToken)).status, 200);
    const answer = await ask('/me', accessToken, strict);
    assert.equal(answer.status, 401);
    assert.match(String(answer.json().detail), /second factor/);
    assert.equal((await refresh(strict, desk, refreshToken)).json().error, 'invalid_grant');
    await registerUser(service, { login: 'plain', activityCodes: ['BBB'] });
    const plain = authorizationRequest(strict, desk.client);
    const { pages } = await authorize(strict, openBrowser(strict), plain, { login: 'plain' });
    assert.deepEqual(pages, ['sign-in', 'consent'], 'who is no operator needs none');
  });
});

describe('an operator who has to have a second factor', () => {
  it('sets it up on the way, and gets tokens that open what the roles say', async (t) => {
    const { service, desk, platform, ask } = await openDesk(t, { SECOND_FACTOR: 'operators' });
    const browser = openBrowser(service);
    const request = authorizationRequest(service, desk.client, platform);
    let step = await follow(service, browser, await browser.get(request.address));
    for (let turn = 0; turn < 6 && step.answer.status === 200; turn += 1) {
      const next = await follow(service, browser, await browser.post(step.at, answerTo(step.answer)));
      // A page that comes at once stands where the form was posted to.
      step = next.at === '' ? { ...next, at: step.at } : next;
    }
    const tokens = await redeem(service, desk, request, callbackOf(step, request).code ?? '');
    assert.equal((await ask('/feeds', tokens.json().access_token)).status, 200);
    const next = await refresh(service, desk, tokens.json().refresh_token);
    assert.equal((await ask('/feeds', next.json().access_token)).status, 200, next.body);
  });
});

/** What somebody sends from a page of the sign-in. */
function answerTo(page: Answer): Record<string, string> {
  const hidden = Object.fromEntries(
    [...page.body.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)].map(
      ([, name = '', value = '']) => [name, value],
    ),
  );
  if (page.body.includes('name="decision"')) return { ...hidden, decision: 'allow' };
  if (page.body.includes('name="password"')) return { ...hidden, login: 'mia', password: goodPassword };
  return hidden.secret === undefined ? hidden : { ...hidden, code: totpCode(hidden.secret, Date.now()) };
}

describe('what an operator does', () => {
  it('stands in the audit trail under the id of the person', async (t) => {
    const { service, desk, userId, platform } = await openDesk(t);
    await changeUser(service.app.store, 'mia', { addedRoles: ['outbox'] });
    const { access_token: accessToken } = await connect(service, desk, platform);
    const answer = await send(
      service,
      'POST',
      `${service.platformUrl}/outbox/ack`,
      { authorization: `Bearer ${String(accessToken)}`, 'content-type': 'application/json' },
      JSON.stringify({ consumer: 'desk', position: 'AAA:9' }),
    );
    assert.equal(answer.status, 400);
    const entries = await service.app.store.audit.read({
      ...{ activityCodes: null, operationId: null, action: 'outbox.acknowledge', actor: userId },
      ...{ since: null, until: null, after: null, newestFirst: true, limit: 5 },
    });
    assert.deepEqual(
      entries.map(({ actorKind, actor, subject, outcome }) => ({ actorKind, actor, subject, outcome })),
      [{ actorKind: 'user', actor: userId, subject: null, outcome: 'refused' }],
    );
  });

  it('is nothing but administration where there is no activity yet', async (t) => {
    const { service, desk, platform, ask } = await openDesk(t);
    await changeUser(service.app.store, 'mia', { removedActivities: ['BBB'] });
    await changeClient(service.app.store, desk.client.id, { removedActivities: [...desk.client.activityCodes] });
    const { access_token: accessToken } = await connect(service, desk, platform);
    await removeRows(service.app.store, activityTable);
    const other = await service.again();
    assert.equal((await ask('/me', accessToken, other)).status, 200);
    const answer = await ask('/feeds', accessToken, other);
    assert.equal(answer.status, 403);
    assert.match(String(answer.json().type), /activity-forbidden$/);
  });

  it('makes no consumer of the outbox by looking', async (t) => {
    const { service, desk, platform, ask } = await openDesk(t);
    await changeUser(service.app.store, 'mia', { addedRoles: ['outbox'] });
    const { access_token: accessToken } = await connect(service, desk, platform);
    assert.equal((await ask('/outbox', accessToken)).status, 400);
    assert.deepEqual(await service.app.store.outbox.consumers(), []);
  });

  it('counts against the rate of the platform interface', async (t) => {
    const { service, desk, platform, ask } = await openDesk(t, { RATE_PLATFORM: '3' });
    const { access_token: accessToken } = await connect(service, desk, platform);
    const statuses: number[] = [];
    for (let count = 0; count < 4; count += 1) statuses.push((await ask('/me', accessToken)).status);
    assert.deepEqual(statuses, [200, 200, 200, 429]);
  });
});
