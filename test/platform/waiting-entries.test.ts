// What waits in the outbox, as operators look at it, on every engine: page by page, for whom, and that looking moves
// nothing.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { addPlatformKey } from '../../src/auth/platform-keys.ts';
import { engines } from '../contract/engines.ts';
import { type Answered, type RunningApp, startApp } from '../contract/running-app.ts';
import { articleOf, pageOf } from './outbox-pages.ts';

interface Entry {
  readonly key: string;
  readonly position: string;
  readonly changeNumber: number;
  readonly kind: string;
}

for (const engine of engines) {
  describe(`entries that wait in the outbox on ${engine.name}`, { skip: engine.skip }, () => {
    let running: RunningApp;
    let looking: string;
    before(async () => {
      running = await startApp(engine);
      looking = await keyFor(['operations'], null);
      for (const reference of ['A', 'B', 'C']) {
        const article = { ...articleOf('NOR', reference), longArticleDescription: 'Of a secret collection' };
        await running.send('/v1/articles', [article], { token: running.tokens.north });
      }
      await running.send('/v1/articles', [articleOf('SOU', 'S')], { token: running.tokens.south });
    });
    after(() => running.close());

    const keyFor = async (roles: readonly string[], activityCodes: readonly string[] | null): Promise<string> =>
      (await addPlatformKey(running.app.store, { name: 'one', activityCodes, roles }, Date.now())).text;
    const look = (query: string, token = looking): Promise<Answered> =>
      running.get(`/platform/outbox/waiting?${query}`, { token });
    const entriesOf = (answer: Answered): readonly Entry[] => {
      assert.equal(answer.status, 200, answer.body);
      return Object(answer.object().entries);
    };

    it('are shown to nobody without the role, and not those of others', async () => {
      assert.equal((await look('activity=NOR', await keyFor(['outbox'], null))).status, 403);
      assert.equal((await look('activity=NOR', await keyFor(['operations'], ['SOU']))).status, 400);
    });

    for (const query of [
      '',
      'activity=QQQ',
      'activity=NOR&after=x',
      'activity=NOR&after=1e3',
      'activity=NOR&after=9999999999999999',
      'activity=NOR&limit=0',
      'activity=NOR&limit=101',
      'activity=NOR&consumer=%00',
      'activity=NOR&wait=5',
    ])
      it(`refuses "${query}"`, async () => assert.equal((await look(query)).status, 400));

    it('are told page by page, without what is in them', async () => {
      const first = await look('activity=NOR&limit=2');
      const second = await look(`activity=NOR&limit=2&after=${String(first.object().after)}`);
      assert.deepEqual(
        [...entriesOf(first), ...entriesOf(second)].map(({ key }) => key),
        ['A', 'B', 'C'],
      );
      assert.equal(second.object().after, null);
      assert.equal(first.body.includes('secret collection'), false);
      const [entry] = entriesOf(first);
      assert.deepEqual([entry?.kind, entry?.position], ['article', `NOR:${entry?.changeNumber}`]);
      assert.deepEqual(entriesOf(await look('activity=NOR&after=999999999999999')), []);
    });

    it('are those that a consumer has not acknowledged; looking gives it nothing and makes none known', async () => {
      assert.equal((await look('activity=NOR&consumer=wms')).status, 404);
      assert.deepEqual(await running.app.store.outbox.consumers(), []);
      const token = running.keys.north;
      const { entries } = pageOf(await running.get('/platform/outbox?consumer=wms&limit=2', { token }));
      const position = Object(entries[0]).position;
      const acknowledged = await running.send('/platform/outbox/ack', { consumer: 'wms', position }, { token });
      assert.equal(acknowledged.status, 200, acknowledged.body);
      const before = await running.app.store.outbox.consumers();
      assert.deepEqual(
        entriesOf(await look('activity=NOR&consumer=wms')).map(({ key }) => key),
        ['B', 'C'],
      );
      assert.deepEqual(await running.app.store.outbox.consumers(), before);
    });
  });
}
