// How the service does, on every engine: what is told to whom, and that it is true.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { addPlatformKey } from '../../src/auth/platform-keys.ts';
import { engines } from '../contract/engines.ts';
import { type RunningApp, startApp } from '../contract/running-app.ts';

interface Told {
  readonly storage: { readonly engine: string };
  readonly activities: readonly { readonly activityCode: string; readonly refusedLines: number }[];
  readonly tasks: readonly { readonly name: string }[] | null;
  readonly labelsUnknown: number | null;
  readonly service: {
    readonly processes: number;
    readonly requests: readonly { readonly status: string; readonly count: number }[];
    readonly problems: readonly { readonly problem: string; readonly count: number }[];
  } | null;
}

interface Consumer {
  readonly consumer: string | null;
  readonly activityCode: string;
  readonly waiting: number;
  readonly waitingSince: string | null;
}

for (const engine of engines) {
  describe(`the health of a service on ${engine.name}`, { skip: engine.skip }, () => {
    let running: RunningApp;
    const keys: Record<string, string> = {};
    before(async () => {
      running = await startApp(engine);
      const add = async (name: string, activityCodes: readonly string[] | null, roles: readonly string[]) => {
        keys[name] = (await addPlatformKey(running.app.store, { name, activityCodes, roles }, Date.now())).text;
      };
      await add('all', null, ['operations', 'feed', 'outbox']);
      await add('one', ['NOR'], ['operations', 'feed', 'outbox']);
    });
    after(() => running.close());
    const ask = async <T>(path: string, who: 'all' | 'one'): Promise<T> => {
      const answer = await running.get(`/platform${path}`, { token: keys[who] ?? '' });
      assert.equal(answer.status, 200, answer.body);
      return JSON.parse(answer.body);
    };
    const health = (who: 'all' | 'one'): Promise<Told> => ask('/health', who);

    it('tells those of every activity of all, and others of their activities alone', async () => {
      const [all, one] = [await health('all'), await health('one')];
      assert.deepEqual(
        all.activities.map(({ activityCode }) => activityCode),
        ['NOR', 'SOU'],
      );
      assert.equal(all.storage.engine, /sqlite/i.test(engine.name) ? 'sqlite' : 'postgresql');
      assert.ok(all.service !== null && all.service.processes >= 1);
      assert.equal(all.labelsUnknown, 0);
      assert.ok(all.tasks !== null);
      assert.deepEqual(
        one.activities.map(({ activityCode }) => activityCode),
        ['NOR'],
      );
      assert.deepEqual([one.service, one.tasks, one.labelsUnknown], [null, null, null]);
    });

    it('counts requests by status and problem, and refused lines', async () => {
      const before = await health('all');
      const count = ({ service }: Told, problem: string): number =>
        service?.problems.find((each) => each.problem === problem)?.count ?? 0;
      await running.get('/platform/feeds?nonsense=1', { token: keys.all ?? '' });
      await running.send('/platform/feeds/articles', [{ activityCode: 'NOR' }], { token: keys.one ?? '' });
      // What is read is shared for a moment by all who ask.
      let told = await health('all');
      for (
        let tries = 0;
        count(told, 'unknown-parameter') === count(before, 'unknown-parameter') && tries < 100;
        tries += 1
      ) {
        await new Promise((resolve) => setTimeout(resolve, 50));
        told = await health('all');
      }
      assert.equal(count(told, 'unknown-parameter'), count(before, 'unknown-parameter') + 1);
      const answered = (status: string, { service }: Told): number =>
        service?.requests.find((each) => each.status === status)?.count ?? 0;
      assert.ok(answered('4xx', told) > answered('4xx', before));
    });

    it('tells of consumers by activity, those first that wait longest, and of what nobody takes', async () => {
      const { store } = running.app;
      const consumers = async (who: 'all' | 'one'): Promise<readonly Consumer[]> =>
        (await ask<{ readonly consumers: readonly Consumer[] }>('/outbox/consumers', who)).consumers;
      assert.deepEqual(await consumers('all'), []);
      await store.outbox.noteDelivered('wms', { NOR: 0, SOU: 0 });
      const until = async (wanted: number): Promise<readonly Consumer[]> => {
        for (let tries = 0; tries < 100; tries += 1) {
          const found = await consumers('all');
          if (found.length === wanted) return found;
          await new Promise((resolve) => setTimeout(resolve, 50));
        }
        return consumers('all');
      };
      assert.deepEqual(
        (await until(2)).map(({ consumer, activityCode, waiting }) => [consumer, activityCode, waiting]).toSorted(),
        [
          ['wms', 'NOR', 0],
          ['wms', 'SOU', 0],
        ],
      );
      assert.deepEqual(
        (await consumers('one')).map(({ activityCode }) => activityCode),
        ['NOR'],
      );
    });

    it('takes no parameter, and nobody without a key', async () => {
      assert.equal((await running.get('/platform/health?x=1', { token: keys.all ?? '' })).status, 400);
      assert.equal((await running.get('/platform/health', { token: null })).status, 401);
    });
  });
}
