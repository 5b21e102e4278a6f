// Clients after a restore: whoever was connected stays so, once for each chain of tokens, on every engine.
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { disableUser, enableUser } from '../../src/auth/users.ts';
import { oidcPayloadTable } from '../../src/store/tables/access.ts';
import { addRows, removeRows, rowsIn } from '../contract/database.ts';
import { engines, type EngineUnderTest } from '../contract/engines.ts';
import {
  connect,
  type Credentials,
  readArticles,
  refresh,
  registerClient,
  registerUser,
  send,
  type Service,
  startService,
} from './flow.ts';

interface Scene {
  readonly service: Service;
  readonly credentials: Credentials;
  /** The refresh token that was valid when the backup was made, and those that came after it, the newest last. */
  readonly tokens: readonly unknown[];
  /** Puts the backup back, says so, and starts the server again. */
  readonly restore: () => Promise<Service>;
}

const minute = 60_000;

/** A client that has refreshed once before the backup, and three times after it, an hour apart. */
async function scene(t: TestContext, engine: EngineUnderTest, confidential = true): Promise<Scene> {
  let at = Date.now();
  t.mock.timers.enable({ apis: ['Date'], now: at });
  const service = await startService(t, {}, engine);
  const { store } = service.app;
  const credentials = await registerClient(service, { confidential });
  await registerUser(service);
  const hourLater = async (token: unknown): Promise<unknown> => {
    at += 60 * minute;
    t.mock.timers.setTime(at);
    const answer = await refresh(service, credentials, token);
    assert.equal(answer.status, 200, answer.body);
    return answer.json().refresh_token;
  };
  const tokens = [await hourLater((await connect(service, credentials)).refresh_token)];
  const backup = await rowsIn(store, oidcPayloadTable);
  for (let turn = 0; turn < 3; turn += 1) tokens.push(await hourLater(tokens.at(-1)));
  return {
    service,
    credentials,
    tokens,
    restore: async () => {
      at += minute;
      t.mock.timers.setTime(at);
      await removeRows(store, oidcPayloadTable, {});
      await addRows(store, oidcPayloadTable, backup);
      await store.beginHistory();
      at += minute;
      t.mock.timers.setTime(at);
      return service.again();
    },
  };
}

async function refused(service: Service, credentials: Credentials, token: unknown): Promise<void> {
  const answer = await refresh(service, credentials, token);
  assert.deepEqual([answer.status, answer.json().error], [400, 'invalid_grant'], answer.body);
}

for (const engine of engines) {
  describe(`after a restore on ${engine.name}`, { skip: engine.skip }, () => {
    for (const confidential of [true, false])
      it(`a ${confidential ? 'confidential' : 'public'} client goes on with its newest token`, async (t) => {
        const { credentials, tokens, restore } = await scene(t, engine, confidential);
        const service = await restore();
        const answer = await refresh(service, credentials, tokens.at(-1));
        assert.equal(answer.status, 200, answer.body);
        assert.deepEqual((await refresh(service, credentials, tokens.at(-1))).json(), answer.json(), 'a lost answer');
        const next = answer.json();
        assert.equal((await readArticles(service, next.access_token)).status, 200);
        const after = await refresh(service, credentials, next.refresh_token);
        assert.equal(after.status, 200, 'it rotates on');
        assert.equal((await readArticles(service, after.json().access_token)).status, 200);
        await refused(service, credentials, tokens.at(-1));
        await refused(service, credentials, after.json().refresh_token);
      });

    for (const [which, of] of [
      ['was valid when the backup was made', 0],
      ['the database has lost', 2],
    ] as const)
      it(`an older token that ${which} is a theft once the newest has come`, async (t) => {
        const { credentials, tokens, restore } = await scene(t, engine);
        const service = await restore();
        const next = (await refresh(service, credentials, tokens.at(-1))).json();
        await refused(service, credentials, tokens[of]);
        await refused(service, credentials, next.refresh_token);
        assert.equal((await readArticles(service, next.access_token)).status, 401);
      });

    it('a client that has not refreshed since the backup goes on, and any other token of it is a theft', async (t) => {
      const { credentials, tokens, restore } = await scene(t, engine);
      const service = await restore();
      const next = await refresh(service, credentials, tokens[0]);
      assert.equal(next.status, 200, next.body);
      await refused(service, credentials, tokens.at(-1));
      await refused(service, credentials, next.json().refresh_token);
    });

    it('of two tokens of one chain at the same moment one goes on', async (t) => {
      const { credentials, tokens, restore } = await scene(t, engine);
      const service = await restore();
      const answers = await Promise.all(
        [tokens[0], tokens.at(-1)].map((token) => refresh(service, credentials, token)),
      );
      assert.ok(answers.filter(({ status }) => status === 200).length <= 1, answers.map(({ body }) => body).join());
    });

    it('one newest token at the same moment gives all the same answer', async (t) => {
      const { credentials, tokens, restore } = await scene(t, engine);
      const service = await restore();
      const other = await service.again();
      const newest = tokens.at(-1);
      const answers = await Promise.all([service, other, service].map((one) => refresh(one, credentials, newest)));
      assert.deepEqual(
        answers.map(({ status }) => status),
        [200, 200, 200],
      );
      assert.equal(new Set(answers.map(({ body }) => body)).size, 1);
    });

    it('a second restore of the same backup leaves the client connected again', async (t) => {
      const { credentials, tokens, restore } = await scene(t, engine);
      const between = (await refresh(await restore(), credentials, tokens.at(-1))).json();
      const service = await restore();
      assert.equal((await refresh(service, credentials, between.refresh_token)).status, 200);
    });

    it('who is disabled or revoked anew stays out, and a forged or foreign token opens nothing', async (t) => {
      const { credentials, tokens, restore } = await scene(t, engine);
      const stranger = await registerClient(await restore(), { name: 'Stranger' });
      const service = await restore();
      const newest = String(tokens.at(-1));
      await refused(service, stranger, newest);
      const forged = newest.replace(/^./, (letter) => (letter === 'A' ? 'B' : 'A'));
      for (const odd of [forged, newest.slice(1), `${newest}A`, 'A'.repeat(5000)])
        await refused(service, credentials, odd);
      await disableUser(service.app.store, 'mia', Date.now());
      await enableUser(service.app.store, 'mia');
      await refused(service, credentials, newest);
    });

    it('a client can revoke what the database has lost', async (t) => {
      const { credentials, tokens, restore } = await scene(t, engine, false);
      const service = await restore();
      const form = new URLSearchParams({ client_id: credentials.client.id, token: String(tokens.at(-1)) });
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      const address = `${service.authUrl}/connect/revocation`;
      assert.equal((await send(service, 'POST', address, headers, form.toString())).status, 200);
      for (const token of tokens) await refused(service, credentials, token);
    });
  });

  describe(`without a restore on ${engine.name}`, { skip: engine.skip }, () => {
    it('a token that the database does not have is of no use', async (t) => {
      const { service, credentials, tokens } = await scene(t, engine);
      await removeRows(service.app.store, oidcPayloadTable, { model: 'RefreshToken' });
      await refused(await service.again(), credentials, tokens.at(-1));
    });
  });
}
