// Several processes on one database, on every engine: what is redeemed or refreshed at once is given once.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { disableUser, type User } from '../../src/auth/users.ts';
import type { NewAuditEntry } from '../../src/store/audit-contract.ts';
import type { StoredPayload } from '../../src/store/oidc-payloads.ts';
import type { Store } from '../../src/store/store.ts';
import { oidcPayloadTable } from '../../src/store/tables/access.ts';
import { rowsIn } from '../contract/database.ts';
import { engines } from '../contract/engines.ts';
import {
  authorizationRequest,
  authorize,
  type Browser,
  callbackOf,
  connect,
  decoded,
  fieldIn,
  follow,
  openBrowser,
  readArticles,
  redeem,
  refresh,
  registerClient,
  registerUser,
  type Service,
  startService,
} from './flow.ts';
import { watchedStore } from './watched-store.ts';

function sessionsOf({ app }: Service, userId: string): Promise<readonly StoredPayload[]> {
  return app.store.sessions.of(userId, Date.now());
}

interface Ended {
  readonly user: User;
  readonly session: StoredPayload;
}

const endings: readonly (readonly [string, (service: Service, browser: Browser, ended: Ended) => Promise<unknown>])[] =
  [
    [
      'an operator ends',
      ({ app: { store } }, _browser, { user, session }) => store.sessions.end(user.id, session.uid ?? '', entry),
    ],
    [
      'the person ends in another window',
      async (service, browser) => {
        const page = await browser.get(`${service.authUrl}/connect/signout`);
        return browser.post(`${service.authUrl}/connect/signout`, { csrf: fieldIn(page, 'csrf') });
      },
    ],
  ];

const entry: NewAuditEntry = {
  ...{ actorKind: 'command', actor: 'olga', subject: null, action: 'user.session.end', activityCodes: [] },
  ...{ target: null, operationId: null, outcome: 'accepted', address: null, details: null },
};

for (const engine of engines) {
  describe(`two processes on ${engine.name}`, { skip: engine.skip }, () => {
    it('trap 1: give one answer to three redemptions of a code, or uses of a refresh token, at once', async (t) => {
      const gate = createGate();
      const service = await startService(t, {}, engine, gate.through);
      const other = await service.again();
      const credentials = await registerClient(service);
      await registerUser(service);
      for (let turn = 0; turn < 4; turn += 1) {
        const request = authorizationRequest(service, credentials.client);
        const { code = '' } = callbackOf(await authorize(service, openBrowser(service), request), request);
        gate.holdUntil(3);
        const answers = await Promise.all(
          [service, other, service].map((one) => redeem(one, credentials, request, code)),
        );
        assert.equal(gate.missing(), 0);
        assert.deepEqual(
          answers.map(({ status }) => status).toSorted(),
          [200, 400, 400],
          answers.map(({ body }) => body).join(),
        );
        for (const { status, json } of answers) if (status === 400) assert.equal(json().error, 'invalid_grant');
        // A race is not a theft: whoever won goes on.
        const { refresh_token: won } = answers.find(({ status }) => status === 200)?.json() ?? {};
        assert.equal((await refresh(other, credentials, won)).status, 200);
      }
      const { refresh_token: refreshToken } = await connect(service, credentials);
      gate.holdUntil(3);
      const refreshed = await Promise.all(
        [other, service, other].map((one) => refresh(one, credentials, refreshToken)),
      );
      assert.equal(gate.missing(), 0);
      assert.deepEqual(
        refreshed.map(({ status }) => status),
        [200, 200, 200],
      );
      assert.equal(new Set(refreshed.map(({ body }) => body)).size, 1, 'all have the answer of the first one');
      const grantId = String(decoded(refreshed[0]?.json().access_token).payload.grant_id);
      const unused = { model: 'RefreshToken', grantId, consumedAt: null };
      assert.equal(
        (await rowsIn(service.app.store, oidcPayloadTable, unused)).length,
        1,
        'what nobody was given is gone',
      );
    });

    for (const [how, end] of endings)
      it(`leave a session ended that ${how} while a request of its browser is under way`, async (t) => {
        const held = Promise.withResolvers<void>();
        const reached = Promise.withResolvers<void>();
        let isArmed = false;
        const service = await startService(t, {}, engine, (store) =>
          watchedStore(store, async (operation) => {
            if (!isArmed || !/^oidcPayloads\.(put|replace)$/.test(operation)) return;
            reached.resolve();
            await held.promise;
          }),
        );
        const other = await service.again();
        const { client } = await registerClient(service);
        const user = await registerUser(service);
        const browser = openBrowser(service);
        await authorize(service, browser, authorizationRequest(service, client));
        const [session] = await sessionsOf(other, user.id);
        assert.ok(session !== undefined);
        isArmed = true;
        const underWay = browser.get(authorizationRequest(service, client).address);
        await reached.promise;
        isArmed = false;
        await end(other, browser, { user, session });
        held.resolve();
        await underWay;
        assert.deepEqual(await sessionsOf(other, user.id), []);
        const { pages } = await authorize(service, browser, authorizationRequest(service, client));
        assert.equal(pages[0], 'sign-in');
      });

    it('share sessions, interactions, codes, grants and keys', async (t) => {
      const service = await startService(t, {}, engine);
      const other = await service.again();
      const credentials = await registerClient(service);
      const user = await registerUser(service);
      const request = authorizationRequest(service, credentials.client);
      const { code = '' } = callbackOf(await authorize(service, openBrowser(service, other), request), request);
      const tokens = (await redeem(other, credentials, request, code)).json();
      assert.equal((await readArticles(service, tokens.access_token)).status, 200);
      assert.equal((await readArticles(other, tokens.access_token)).status, 200);
      const next = (await refresh(other, credentials, tokens.refresh_token)).json();
      assert.equal((await readArticles(service, next.access_token)).status, 200);
      await disableUser(other.app.store, user.login, Date.now());
      assert.equal((await refresh(service, credentials, next.refresh_token)).json().error, 'invalid_grant');
    });

    it('are not upset by texts that nobody registers', async (t) => {
      const service = await startService(t, {}, engine);
      const credentials = await registerClient(service);
      await registerUser(service);
      const browser = openBrowser(service);
      for (const odd of ['\0', 'shop\0', '\ufffd', '\ud800', 'x'.repeat(2000), '%', "'; drop table oidc_payload --"]) {
        assert.equal(
          (await browser.get(authorizationRequest(service, credentials.client, { client_id: odd }).address)).status,
          400,
        );
        assert.equal(
          (await refresh(service, { ...credentials, client: { ...credentials.client, id: odd } }, odd)).json().error,
          'invalid_client',
        );
        assert.equal((await refresh(service, credentials, odd)).json().error, 'invalid_grant');
        const request = authorizationRequest(service, credentials.client, {
          state: odd,
          login_hint: odd,
          nonce: odd,
          scope: 'openid svc_connect',
          prompt: 'login',
        });
        const page = await follow(service, browser, await browser.get(request.address));
        const refused = await browser.post(page.at, {
          csrf: fieldIn(page.answer, 'csrf'),
          login: odd.slice(0, 200),
          password: odd.slice(0, 200),
        });
        assert.equal(refused.status, 400, refused.body);
        const outcome = await authorize(service, browser, request);
        assert.equal(callbackOf(outcome, request).state, odd.toWellFormed());
      }
    });
  });
}

/**
 * Holds requests where they have found a code unused and are about to use it up, until all of them are there:
 * the worst moment, which would otherwise come by chance.
 */
function createGate(): Gate {
  let missing = 0;
  let open: () => void = () => undefined;
  let opened: Promise<void> = Promise.resolve();
  return {
    holdUntil: (count) => {
      missing = count;
      opened = new Promise((resolve) => {
        open = resolve;
      });
    },
    missing: () => missing,
    through: (store) =>
      watchedStore(store, async (operation) => {
        if (operation !== 'oidcPayloads.spend') return;
        missing -= 1;
        if (missing <= 0) open();
        await opened;
      }),
  };
}

interface Gate {
  readonly holdUntil: (count: number) => void;
  /** How many have not come yet. */
  readonly missing: () => number;
  readonly through: (store: Store) => Store;
}
