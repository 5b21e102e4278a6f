// The last requests of clients, on every engine: what is kept, how much, and who is shown it.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { addPlatformKey } from '../../src/auth/platform-keys.ts';
import type { EndedRequest } from '../../src/http/ended-request.ts';
import {
  createRequestRecorder,
  maxOthersAtOnce,
  maxProblemsAtOnce,
  maxRowsAtOnce,
} from '../../src/platform/request-recorder.ts';
import { createRequestLog, type LoggedRequest } from '../../src/store/request-log.ts';
import { engines } from '../contract/engines.ts';
import { type RunningApp, startApp } from '../contract/running-app.ts';

interface Listed {
  readonly requests: readonly {
    readonly id: string;
    readonly requestId: string;
    readonly client: string;
    readonly target: string;
    readonly status: number;
    readonly problem: string | null;
    readonly detail: string | null;
    readonly further: number;
  }[];
  readonly after: string | null;
}

const ended: EndedRequest = {
  ...{ requestId: 'r', clientId: 'shop', subject: null, method: 'GET', target: '/v1/orders', route: '/v1/orders' },
  ...{ status: 200, problem: null, detail: null, milliseconds: 1.4, bytes: 2 },
};
const failed: EndedRequest = { ...ended, status: 400, problem: 'invalid-filter', detail: 'There is no such property.' };

describe('the recorder of requests', () => {
  /** What a recorder writes of these requests, in one go. */
  async function written(requests: readonly EndedRequest[]): Promise<readonly Omit<LoggedRequest, 'id'>[]> {
    const rows: Omit<LoggedRequest, 'id'>[] = [];
    const add = async (given: readonly Omit<LoggedRequest, 'id'>[]): Promise<void> => void rows.push(...given);
    const recorder = createRequestRecorder({
      store: { requestLog: { add, read: async () => [], removeBefore: async () => 0 } },
      now: () => 1,
      onLost: assert.ifError,
      everyMs: 1_000_000,
    });
    for (const request of requests) recorder.record(request);
    await recorder.close();
    return rows;
  }

  it('keeps some of many, problems first, and says how many it did not keep', async () => {
    const rows = await written([...Array(1000).fill(ended), ...Array(500).fill(failed)]);
    assert.equal(rows.filter(({ problem }) => problem === null).length, maxOthersAtOnce);
    assert.equal(rows.filter(({ problem }) => problem !== null).length, maxProblemsAtOnce);
    assert.equal(
      rows.reduce((sum, { further }) => sum + further + 1, 0),
      1500,
    );
  });

  it('keeps no more rows than there may be, however many clients ask', async () => {
    const clients = Array.from({ length: 50_000 }, (_, index) => ({ ...ended, clientId: `c${index}` }));
    assert.equal((await written(clients)).length, maxRowsAtOnce);
  });

  it('cuts what is long', async () => {
    const [row] = await written([{ ...failed, target: `/v1/orders?${'x'.repeat(8000)}`, detail: 'y'.repeat(90_000) }]);
    assert.deepEqual([row?.target.length, row?.detail?.length], [1000, 1000]);
  });

  it('says that it lost something, and goes on', async () => {
    const lost: unknown[] = [];
    let isAway = true;
    const kept: unknown[] = [];
    const recorder = createRequestRecorder({
      store: {
        requestLog: {
          add: async (rows) => {
            if (isAway) throw new Error('away');
            kept.push(...rows);
          },
          read: async () => [],
          removeBefore: async () => 0,
        },
      },
      now: () => 1,
      onLost: (error) => lost.push(error),
      everyMs: 1,
    });
    recorder.record(ended);
    await recorder.close();
    isAway = false;
    recorder.record(ended);
    await recorder.close();
    assert.deepEqual([lost.length, kept.length], [1, 1]);
  });
});

for (const engine of engines) {
  describe(`requests of clients on ${engine.name}`, { skip: engine.skip }, () => {
    let running: RunningApp;
    const keys: Record<string, { readonly id: string; readonly text: string }> = {};
    before(async () => {
      running = await startApp(engine);
      const add = async (name: string, activityCodes: readonly string[] | null, roles: readonly string[]) => {
        const { key, text } = await addPlatformKey(running.app.store, { name, activityCodes, roles }, Date.now());
        keys[name] = { id: key.id, text };
      };
      await add('operator', null, ['operations']);
      await add('bounded', ['NOR'], ['operations']);
      await add('wms', null, ['feed']);
    });
    after(() => running.close());
    const list = async (query: string): Promise<Listed> => {
      const answer = await running.get(`/platform/requests${query}`, { token: keys.operator?.text ?? '' });
      assert.equal(answer.status, 200, answer.body);
      return JSON.parse(answer.body);
    };
    const found = async (query: string, wanted: number): Promise<Listed['requests']> => {
      for (let tries = 0; tries < 200; tries += 1) {
        const { requests } = await list(query);
        if (requests.length >= wanted) return requests;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      return (await list(query)).requests;
    };

    it('are found by their request id, with what they asked for and heard', async () => {
      const token = keys.wms?.text ?? '';
      const asked = await running.get('/platform/feeds?nonsense=1', { token });
      const requestId = String(asked.headers['x-request-id']);
      const [request] = await found(`?requestId=${encodeURIComponent(requestId)}`, 1);
      assert.ok(request !== undefined);
      assert.deepEqual(
        [request.client, request.target, request.status, request.problem],
        [keys.wms?.id, '/platform/feeds?nonsense=1', 400, 'unknown-parameter'],
      );
      assert.equal(request.detail, String(asked.object().detail));
    });

    it('are told apart by client, and by whether they ended in a problem', async () => {
      await running.get('/platform/feeds', { token: keys.wms?.text ?? '' });
      const all = await found(`?client=${keys.wms?.id}`, 2);
      assert.deepEqual(all.map(({ status }) => status).slice(0, 2), [200, 400]);
      const { requests } = await list(`?client=${keys.wms?.id}&problems=true`);
      assert.deepEqual(
        requests.map(({ status }) => status),
        [400],
      );
      assert.deepEqual((await list('?client=nobody')).requests, []);
    });

    it('hold no secret of whoever asked', async () => {
      const text = JSON.stringify(await list(''));
      for (const { text: secret } of Object.values(keys)) assert.equal(text.includes(secret), false);
    });

    it('are none of somebody whom nobody knows', async () => {
      const { headers } = await running.get('/platform/feeds', { token: `lck_000000000000_${'x'.repeat(43)}` });
      await running.get('/platform/feeds', { token: keys.wms?.text ?? '' });
      await found(`?client=${keys.wms?.id}`, 3);
      assert.deepEqual((await list(`?requestId=${headers['x-request-id']}`)).requests, []);
    });

    it('are shown page by page, and to those of every activity alone', async () => {
      const first = await list('?limit=1');
      const second = await list(`?limit=1&after=${first.after}`);
      assert.ok(String(second.requests[0]?.id) < String(first.requests[0]?.id));
      assert.equal((await running.get('/platform/requests', { token: keys.bounded?.text ?? '' })).status, 403);
      assert.equal((await running.get('/platform/requests?limit=0', { token: keys.operator?.text ?? '' })).status, 400);
      assert.equal((await running.get('/platform/requests?after=x', { token: keys.operator?.text ?? '' })).status, 400);
    });

    it('are so many of each client, the last ones, and none that are old', async () => {
      const log = createRequestLog(running.app.store.engine, 10);
      const row = (clientId: string, at: number): Omit<LoggedRequest, 'id'> => ({
        ...{ requestId: `\u0000${clientId} ${at}`, at, clientId, subject: null, method: 'GET', target: '/\ud800' },
        ...{
          route: null,
          status: 404,
          problem: 'resource-not-found',
          detail: null,
          milliseconds: 1,
          bytes: 1,
          further: 0,
        },
      });
      const read = (clientId: string): Promise<readonly LoggedRequest[]> =>
        log.read({ clientId, requestId: null, problemsOnly: false, after: null, limit: 100 });
      for (let batch = 0; batch < 5; batch += 1)
        await log.add(Array.from({ length: 7 }, (_, index) => row(index < 6 ? 'busy' : 'calm', batch * 10 + index)));
      assert.equal((await read('busy')).length, 10);
      assert.equal((await read('busy'))[0]?.at, 45);
      assert.equal((await read('calm')).length, 5);
      assert.ok((await log.removeBefore(27)) > 0);
      assert.deepEqual(
        (await read('calm')).map(({ at }) => at),
        [46, 36],
      );
    });
  });
}
