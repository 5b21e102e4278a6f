// A refresh that is sent twice, by a program whose answer was lost or by two at the same moment, and what remains a
// theft: alike on every engine.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { disableUser, enableUser } from '../../src/auth/users.ts';
import { Problem } from '../../src/model/problem.ts';
import { oidcPayloadTable } from '../../src/store/tables/access.ts';
import { rowsIn } from '../contract/database.ts';
import { engines } from '../contract/engines.ts';
import {
  type Answer,
  authorizationRequest,
  authorize,
  callbackOf,
  connect,
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
import { watchedStore } from './watched-store.ts';

const start = Date.now();
/** The parts of an answer that stay the same however late it is given again. */
const tokensOf = ({ body, json, status }: Answer): unknown => {
  assert.equal(status, 200, body);
  const { access_token: access, refresh_token: refreshed, scope, token_type: type } = json();
  return { access, refreshed, scope, type };
};

for (const engine of engines) {
  describe(`a refresh that is repeated on ${engine.name}`, { skip: engine.skip }, () => {
    for (const { confidential, graceMs } of [
      { confidential: true, graceMs: 60_000 },
      { confidential: false, graceMs: 10_000 },
    ]) {
      const kind = confidential ? 'confidential' : 'public';

      it(`gets the same answer for ${graceMs / 1000} s where the client is ${kind}, and is a theft then`, async (t) => {
        t.mock.timers.enable({ apis: ['Date'], now: start });
        const service = await startService(t, {}, engine);
        const other = await service.again();
        const credentials = await registerClient(service, { confidential });
        await registerUser(service);
        const { refresh_token: first } = await connect(service, credentials);
        const answer = await refresh(service, credentials, first);
        assert.deepEqual((await refresh(other, credentials, first)).json(), answer.json());
        t.mock.timers.setTime(start + graceMs - 1);
        const late = await refresh(other, credentials, first);
        assert.deepEqual(tokensOf(late), tokensOf(answer));
        assert.equal(late.json().expires_in, 3600 - Math.floor((graceMs - 1) / 1000));
        t.mock.timers.setTime(start + graceMs);
        assert.equal((await refresh(service, credentials, first)).json().error, 'invalid_grant');
        const next = answer.json().refresh_token;
        assert.equal((await refresh(service, credentials, next)).json().error, 'invalid_grant', 'the grant has ended');
      });

      it(`at the same moment, twelve times over, gives one answer to all where the client is ${kind}`, async (t) => {
        const service = await startService(t, {}, engine);
        const other = await service.again();
        const credentials = await registerClient(service, { confidential });
        await registerUser(service);
        for (let turn = 0; turn < 12; turn += 1) {
          const { refresh_token: first } = await connect(service, credentials);
          const answers = await Promise.all(
            [service, turn < 6 ? service : other].map((one) => refresh(one, credentials, first)),
          );
          assert.deepEqual(...(answers.map(tokensOf) as [unknown, unknown]));
          const next = answers[0]?.json().refresh_token;
          assert.equal((await refresh(other, credentials, next)).status, 200, 'a race is not a theft');
        }
      });
    }

    it('is a theft once the answer has been used', async (t) => {
      const service = await startService(t, {}, engine);
      const credentials = await registerClient(service, { confidential: true });
      await registerUser(service);
      const { refresh_token: first } = await connect(service, credentials);
      const second = (await refresh(service, credentials, first)).json();
      const third = (await refresh(service, credentials, second.refresh_token)).json();
      assert.equal((await refresh(service, credentials, first)).json().error, 'invalid_grant');
      assert.equal((await refresh(service, credentials, third.refresh_token)).json().error, 'invalid_grant');
    });

    for (const changes of [{ scope: 'svc_connect' }, { resource: '' }])
      it(`is a theft where it is another request: ${Object.keys(changes).join()}`, async (t) => {
        const service = await startService(t, {}, engine);
        const credentials = await registerClient(service, { confidential: true });
        await registerUser(service);
        const { refresh_token: first } = await connect(service, credentials);
        const answer = await refresh(service, credentials, first);
        const fields = { ...changes, ...('resource' in changes && { resource: service.baseUrl }) };
        const another = { grant_type: 'refresh_token', refresh_token: String(first), ...fields };
        assert.equal((await token(service, credentials, another)).json().error, 'invalid_grant');
        const next = answer.json().refresh_token;
        assert.equal((await refresh(service, credentials, next)).json().error, 'invalid_grant');
      });

    it('gets nothing where the grant or the user has ended meanwhile, or another client asks', async (t) => {
      const service = await startService(t, {}, engine);
      const credentials = await registerClient(service, { confidential: true });
      const stranger = await registerClient(service, { confidential: true, name: 'Stranger' });
      const user = await registerUser(service);
      const [{ refresh_token: first }, { refresh_token: gone }] = [
        await connect(service, credentials),
        await connect(service, credentials),
      ];
      const answer = await refresh(service, credentials, first);
      assert.equal((await refresh(service, stranger, first)).json().error, 'invalid_grant');
      assert.deepEqual(tokensOf(await refresh(service, credentials, first)), tokensOf(answer), 'nothing has ended');

      const next = (await refresh(service, credentials, gone)).json().refresh_token;
      const { client, secret } = credentials;
      const form = new URLSearchParams({ client_id: client.id, client_secret: secret ?? '', token: String(next) });
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      await send(service, 'POST', `${service.authUrl}/connect/revocation`, headers, form.toString());
      assert.equal((await refresh(service, credentials, gone)).json().error, 'invalid_grant');

      await disableUser(service.app.store, user.login, Date.now());
      assert.equal((await refresh(service, credentials, first)).json().error, 'invalid_grant');
      await enableUser(service.app.store, user.login);
      assert.equal((await refresh(service, credentials, first)).json().error, 'invalid_grant');
    });

    it('is kept so that the table tells no token, and no longer than it can be repeated', async (t) => {
      t.mock.timers.enable({ apis: ['Date'], now: start });
      const service = await startService(t, {}, engine);
      const { store } = service.app;
      const credentials = await registerClient(service, { confidential: true });
      await registerUser(service);
      const first = await connect(service, credentials);
      const next = (await refresh(service, credentials, first.refresh_token)).json();
      const rows = () => rowsIn(store, oidcPayloadTable);
      const kept = await rows();
      assert.equal(kept.filter(({ model }) => model === 'RefreshAnswer').length, 1);
      const text = JSON.stringify(kept);
      for (const one of [first.refresh_token, next.refresh_token, next.access_token])
        assert.equal(text.includes(String(one)), false);
      t.mock.timers.setTime(start + 60_000);
      await store.oidcPayloads.removeExpired(Date.now());
      assert.equal((await rows()).filter(({ model }) => model === 'RefreshAnswer').length, 0);
    });

    it('uses nothing up where storage goes away before the answer is stored', async (t) => {
      let away = false;
      const service = await startService(t, {}, engine, (store) =>
        watchedStore(store, (operation) => {
          if (away && operation === 'oidcPayloads.spend') throw new Problem('unavailable', 'Storage is away.');
        }),
      );
      const credentials = await registerClient(service);
      await registerUser(service);
      const request = authorizationRequest(service, credentials.client);
      const { code = '' } = callbackOf(await authorize(service, openBrowser(service), request), request);
      away = true;
      const refused = await redeem(service, credentials, request, code);
      assert.deepEqual([refused.status, refused.json().error], [503, 'temporarily_unavailable']);
      assert.ok(refused.headers['retry-after']);
      away = false;
      const { refresh_token: first } = (await redeem(service, credentials, request, code)).json();
      away = true;
      assert.equal((await refresh(service, credentials, first)).status, 503);
      away = false;
      assert.equal((await refresh(service, credentials, first)).status, 200);
    });
  });

  describe(`a code on ${engine.name}`, { skip: engine.skip }, () => {
    it('that is sent twice at the same moment is good for one; sent again later, it ends the tokens', async (t) => {
      // The same moment, on a busy machine too: whoever comes first to spending the code waits there for the other.
      let spending = 0;
      let met = Promise.withResolvers<void>();
      const service = await startService(t, {}, engine, (store) =>
        watchedStore(store, async (operation) => {
          if (operation !== 'oidcPayloads.spend' || spending === 2) return;
          spending += 1;
          if (spending === 2) met.resolve();
          await Promise.race([met.promise, pause(30_000, undefined, { ref: false })]);
        }),
      );
      const credentials = await registerClient(service);
      await registerUser(service);
      // Of more, the refusals would be too many for an address.
      for (let turn = 0; turn < 9; turn += 1) {
        const request = authorizationRequest(service, credentials.client);
        const { code = '' } = callbackOf(await authorize(service, openBrowser(service), request), request);
        [spending, met] = [0, Promise.withResolvers<void>()];
        const answers = await Promise.all([service, service].map((one) => redeem(one, credentials, request, code)));
        assert.equal(spending, 2, 'both came to spending the code');
        assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 400]);
        assert.equal(answers.find(({ status }) => status === 400)?.json().error, 'invalid_grant');
        const won = answers.find(({ status }) => status === 200)?.json() ?? {};
        const next = await refresh(service, credentials, won.refresh_token);
        assert.equal(next.status, 200, 'a race is not a theft');
        assert.equal((await redeem(service, credentials, request, code)).json().error, 'invalid_grant');
        assert.equal((await readArticles(service, won.access_token)).status, 401);
        assert.equal((await refresh(service, credentials, next.json().refresh_token)).json().error, 'invalid_grant');
      }
    });
  });
}
