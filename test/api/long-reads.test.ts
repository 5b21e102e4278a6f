// One client's slow filters over the whole HTTP path: whom they hold up, what their client is told, and that hanging up
// ends them.
import assert from 'node:assert/strict';
import { get } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { changeClient } from '../../src/auth/client-changes.ts';
import { disableClient } from '../../src/auth/clients.ts';
import { articleStockMovement } from '../../src/resources/index.ts';
import type { Engine } from '../../src/store/engine.ts';
import { defaultLongReads, maxWaitingPerClient } from '../../src/store/long-reads.ts';
import { type EngineUnderTest, engines } from '../contract/engines.ts';
import { baseUrl, type RunningApp, startApp } from '../contract/running-app.ts';
import { statementValues } from '../contract/statement-text.ts';
import { until } from '../contract/until.ts';
import { plain } from '../contract/database.ts';
import { rowsAs } from '../../src/store/statement.ts';

/** Work for hours. */
const endless: Readonly<Record<Engine['dialect'], string>> = {
  sqlite: 'with recursive c(n) as (select 1 union all select n + 1 from c) select count(*) from c',
  postgres: 'select count(*) from generate_series(1, 100000) a, generate_series(1, 10000000) b where a % 7 = b % 11',
};

/**
 * The engine with other long reads.
 * @param readLong in place of that of the opened engine
 */
function withLongReads(
  engine: EngineUnderTest,
  readLong: (opened: Engine) => Engine['readLong'],
  settings = defaultLongReads,
): EngineUnderTest {
  return {
    ...engine,
    create: async (clock) => {
      const database = await engine.create(clock);
      return {
        ...database,
        open: async () => {
          const opened = await database.open(settings);
          return { ...opened, readLong: readLong(opened) };
        },
      };
    },
  };
}

/**
 * The engine as it is on a table without end: a long read that looks for SLOW finds nothing and never stops looking.
 */
function onEndlessTable(engine: EngineUnderTest, maxLongReadSeconds: number): EngineUnderTest {
  const readLong =
    (opened: Engine): Engine['readLong'] =>
    (statement, reader) =>
      opened.readLong(
        statementValues(statement).includes('SLOW')
          ? rowsAs(plain(endless[opened.dialect]), statement.toRow)
          : statement,
        reader,
      );
  return withLongReads(engine, readLong, { ...defaultLongReads, maxLongReadSeconds });
}

async function startLoaded(engine: EngineUnderTest, maxLongReadSeconds: number): Promise<RunningApp> {
  // Where the machine stands still, a quick statement is a slow one, whose plan would wait among the long reads.
  const running = await startApp(onEndlessTable(engine, maxLongReadSeconds), { SLOW_STATEMENT_MS: '0' });
  for (const activity of ['NOR', 'SOU']) await running.load(articleStockMovement, activity, [movement]);
  return running;
}

const movement = { articleReference: 'A1', movementCode: 'IN' };

const slow = '/v1/articles/movements?filter=movementCode==SLOW';

for (const engine of engines.filter(({ parallel }) => parallel)) {
  describe(`slow filters of one client on ${engine.name}`, { skip: engine.skip, timeout: 900_000 }, () => {
    let running: RunningApp;
    before(async () => {
      // Far longer than the test takes on any machine: no limit of time ends what holds the others up.
      running = await startLoaded(engine, 3600);
    });
    after(() => running.close());

    it('hold up nobody else: neither what an index serves, nor health, nor writes', async () => {
      const {
        tokens,
        keys,
        get: ask,
        app: { store },
      } = running;
      // One after another, so that none is turned away before it comes to the long reads, however busy the machine is.
      const floods = [
        { path: slow, token: tokens.north },
        { path: '/platform/audit?action=SLOW', token: keys.north },
      ];
      let isAnswered = false;
      for (const [index, { path, token }] of floods.entries()) {
        for (let count = 0; count <= maxWaitingPerClient; count += 1) {
          void ask(path, { token }).then(() => {
            isAnswered = true;
          });
          await until(() => store.longReads().waiting === index * maxWaitingPerClient + count);
        }
      }
      const south = async (path: string, token = tokens.south): Promise<void> => {
        const answer = await ask(path, { token });
        assert.equal(answer.status, 200, answer.body);
      };
      for (let count = 0; count < 30; count += 1) {
        await south(`/v1/articles/movements?articleReference=A1&limit=${1 + count}`);
        await south(`/v1/articles/movements?sort=-dateLastUpdate&limit=${1 + count}`);
        await south(`/v1/articles/movements?limit=${1 + count}`, tokens.both);
      }
      await south('/readyz', '');
      await running.load(articleStockMovement, 'SOU', [{ ...movement, articleReference: 'A2' }]);
      assert.deepEqual(store.longReads(), { running: 2, waiting: 2 * maxWaitingPerClient, ended: 0 });
      for (const { path, token } of floods) {
        const refused = await ask(path, { token });
        assert.equal(refused.status, 429);
        assert.match(refused.headers['retry-after'] ?? '', /^\d+$/);
        assert.equal(refused.object().type, `${baseUrl}/problems/quota-exceeded`);
        assert.deepEqual(refused.object()['violated-policies'], ['long-reads']);
      }
      assert.deepEqual(store.longReads(), { running: 2, waiting: 2 * maxWaitingPerClient, ended: 0 });
      assert.ok(!isAnswered, 'a slow filter has been answered');
    });
  });

  describe(`slow filters that nobody waits for, or that take too long, on ${engine.name}`, {
    skip: engine.skip,
    timeout: 900_000,
  }, () => {
    it('end when the client closes its connections, and give all their places back', async (t) => {
      const running = await startLoaded(engine, 600);
      t.after(running.close);
      const { store, server } = running.app;
      await server.listen({ host: '127.0.0.1', port: 0 });
      const address = server.server.address();
      assert.ok(typeof address === 'object' && address !== null);
      const requests = Array.from({ length: 8 }, () => {
        const request = get({
          host: '127.0.0.1',
          port: address.port,
          path: slow,
          agent: false,
          headers: { authorization: `Bearer ${running.tokens.north}` },
        });
        request.on('error', () => undefined);
        return request;
      });
      await until(() => store.longReads().waiting === 7);
      for (const request of requests.slice(1)) request.destroy();
      await until(() => store.longReads().waiting === 0);
      assert.equal(store.longReads().running, 1);
      for (const request of requests) request.destroy();
      await until(() => store.longReads().running === 0);
      assert.equal((await running.get('/v1/articles/movements?filter=movementCode==IN')).status, 200);
      assert.equal(store.longReads().ended, 0);
      // Nobody is told of a failure of the service.
      assert.doesNotMatch(running.logged(), /"level":50/);
    });

    it('are told which condition has no index, and what to ask instead', async (t) => {
      const running = await startLoaded(engine, 1);
      t.after(running.close);
      const answer = await running.get(slow);
      assert.equal(answer.status, 503);
      assert.match(answer.headers['retry-after'] ?? '', /^\d+$/);
      const detail = String(answer.object().detail);
      assert.match(detail, /^The query took longer than 1 s and was ended\. No index serves the filter by /);
      assert.match(detail, /filter by 'movementCode'\..*'articleReference'/);
      const metrics = await running.get('/metrics');
      assert.match(metrics.body, /^logistics_long_reads_ended_total 1$/m);
      assert.match(metrics.body, /^logistics_long_reads_running 0$/m);
    });
  });
}

describe('the answer of a slow filter', () => {
  it('is not given where the activity was withdrawn, or the client disabled, while it waited', async (t) => {
    const [engine = assert.fail('there is no engine')] = engines;
    let ahead = 0;
    const held = { read: Promise.withResolvers<void>(), isReached: false };
    const holding = withLongReads(engine, (opened) => async (statement, reader) => {
      held.isReached = true;
      await held.read.promise;
      return opened.readLong(statement, reader);
    });
    const running = await startApp(holding, {}, () => Date.now() + ahead);
    t.after(running.close);
    const { store } = running.app;
    for (const activity of ['NOR', 'SOU']) await running.load(articleStockMovement, activity, [movement]);
    const clients = await store.clients.list();
    const idOf = (name: string): string => clients.find((client) => client.name === name)?.id ?? '';
    const changes = [
      [403, () => changeClient(store, idOf('nor-sou'), { removedActivities: ['SOU'] })],
      [401, () => disableClient(store, idOf('nor-sou'), Date.now() + ahead)],
    ] as const;
    for (const [status, change] of changes) {
      Object.assign(held, { read: Promise.withResolvers<void>(), isReached: false });
      const answer = running.get('/v1/articles/movements?filter=movementCode==IN', { token: running.tokens.both });
      await until(() => held.isReached);
      await change();
      ahead += 30_000;
      await pause(1100);
      held.read.resolve();
      assert.equal((await answer).status, status);
    }
  });
});
