// The outbox over the whole HTTP path, on every engine: who gets which entries, in which order, how often, and what is
// refused.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { addPlatformKey, revokePlatformKey } from '../../src/auth/platform-keys.ts';
import { order } from '../../src/resources/index.ts';
import { engines } from '../contract/engines.ts';
import { type Answered, type RunningApp, startApp } from '../contract/running-app.ts';
import { pdf } from '../documents/samples.ts';
import { articleOf, pageOf } from './outbox-pages.ts';

const path = '/platform/outbox';
let names = 0;

for (const engine of engines) {
  describe(`the outbox on ${engine.name}`, { skip: engine.skip }, () => {
    let running: RunningApp;
    let shift = 0;
    before(async () => {
      running = await startApp(engine, {}, () => Date.now() + shift);
      await running.load(order, 'NOR', [
        { ...order.example, activityCode: 'NOR', activityName: 'North Trading', orderUniqueID: 'N-1' },
      ]);
    });
    after(() => running.close());
    outboxTests(
      () => running,
      engine.parallel,
      (milliseconds) => {
        shift += milliseconds;
      },
    );
  });
}

function outboxTests(running: () => RunningApp, parallel: boolean, letPass: (milliseconds: number) => void): void {
  const get = (query: string, options?: Parameters<RunningApp['get']>[1]): Promise<Answered> =>
    running().get(`${path}?${query}`, options);
  const ack = (body: unknown, options?: Parameters<RunningApp['send']>[2]): Promise<Answered> =>
    running().send(`${path}/ack`, body, options);
  const ends = async (): Promise<Readonly<Record<string, number>>> => running().app.store.outbox.ends(['NOR', 'SOU']);
  /** A consumer that has taken in all that there is. */
  const newConsumer = async (): Promise<string> => {
    const name = `consumer-${++names}`;
    await running().app.store.outbox.noteDelivered(name, await ends());
    await running().app.store.outbox.acknowledge(name, await ends());
    return name;
  };
  /** Creates articles; the answer is their references. */
  const write = async (activityCode: 'NOR' | 'SOU', count = 1): Promise<readonly string[]> => {
    const references = Array.from({ length: count }, () => `A${++names}`);
    const answer = await running().send(
      '/v1/articles',
      references.map((articleReference) => articleOf(activityCode, articleReference)),
      { token: running().tokens.both },
    );
    assert.equal(answer.object().status, 200, answer.body);
    return references;
  };
  const progressOf = async (consumer: string): Promise<unknown> =>
    (await running().app.store.outbox.progress(consumer, ['NOR', 'SOU'])).map(
      ({ activity, delivered, acknowledged }) => [activity, delivered, acknowledged],
    );

  it('is closed to a key that was revoked, within a minute here and at once in a new process', {
    skip: !parallel && 'one connection',
  }, async () => {
    const { key, text } = await addPlatformKey(
      running().app.store,
      { name: 'revoked', activityCodes: ['NOR'], roles: ['outbox', 'audit'] },
      Date.now(),
    );
    assert.equal((await get('', { token: text })).status, 200);
    await revokePlatformKey(running().app.store, key.id, Date.now());
    assert.equal((await (await running().beside()).get(path, { token: text })).status, 401);
    letPass(60_000);
    assert.equal((await get('', { token: text })).status, 401);
  });

  describe('refuses', () => {
    it('a position that lies ahead, and says where the outbox ends', async () => {
      await write('NOR');
      const end = (await ends()).NOR ?? 0;
      for (const answer of [await get(`after=NOR:${end + 1}`), await ack({ position: `NOR:${end + 1}` })]) {
        assert.equal(answer.status, 400);
        assert.equal(answer.object().end, `NOR:${end}`);
      }
    });

    it('what a consumer was not given, and says how far that was', async () => {
      const consumer = await newConsumer();
      await write('NOR', 3);
      const end = (await ends()).NOR ?? 0;
      await get(`consumer=${consumer}&limit=2`);
      for (const answer of [
        await get(`consumer=${consumer}&after=NOR:${end}`),
        await ack({ consumer, position: `NOR:${end}` }),
      ]) {
        assert.equal(answer.status, 409);
        assert.match(String(answer.object().delivered), new RegExp(`^NOR:${end - 1}`));
      }
      // What one consumer was given, another one was not.
      const never = `never-${++names}`;
      assert.equal((await ack({ consumer: never, position: `NOR:${end - 1}` })).status, 409);
      assert.deepEqual(
        (await running().app.store.outbox.consumers()).filter((each) => each.consumer === never),
        [],
      );
    });

    it('all of a position where a part of it is wrong', async () => {
      const consumer = await newConsumer();
      await write('NOR', 2);
      await write('SOU', 2);
      await get(`consumer=${consumer}&limit=3`, { token: running().keys.both });
      const [untouched, end] = [await progressOf(consumer), await ends()];
      assert.equal(
        (await ack({ consumer, position: `NOR:${end.NOR},SOU:${end.SOU}` }, { token: running().keys.both })).status,
        409,
      );
      assert.equal(
        (await ack({ consumer, position: `NOR:${end.NOR},SOU:${Number(end.SOU) + 1}` }, { token: running().keys.both }))
          .status,
        400,
      );
      assert.equal((await ack({ consumer, position: `NOR:${end.NOR},SOU:${end.SOU}` })).status, 400);
      assert.deepEqual(await progressOf(consumer), untouched);
    });
  });

  describe('gives', () => {
    it('articles as clients read them, and documents with an address, in the order of their writing', async () => {
      const consumer = await newConsumer();
      const [first] = await write('NOR');
      const uploaded = await running().upload('/v1/orders/N-1/docs/invoice', { content: pdf(`of ${consumer}`) });
      const [last] = await write('NOR');
      const { entries, position, more } = pageOf(await get(`consumer=${consumer}`));
      assert.deepEqual(
        entries.map(({ kind }) => kind),
        ['article', 'document', 'article'],
      );
      assert.deepEqual([position, more], [entries.at(-1)?.position, false]);
      for (const [entry, reference] of [
        [entries[0], first],
        [entries[2], last],
      ] as const) {
        const [article] = (await running().get(`/v1/articles?articleReference=${reference}`)).list();
        assert.deepEqual(entry?.article, article);
        assert.deepEqual(Object.keys(entry ?? {}), [
          'position',
          'kind',
          'activityCode',
          'operationId',
          'at',
          'article',
        ]);
      }
      const { document, content, operationId } = entries[1] ?? {};
      assert.equal(operationId, uploaded.object().operationId);
      const { pathname, origin } = new URL(String(content));
      assert.equal(origin, 'https://api.logistics.example');
      assert.deepEqual((await running().get(pathname)).bytes, pdf(`of ${consumer}`));
      assert.deepEqual((await running().get(pathname.replace('/content', ''))).object(), document);
    });

    it('each entry again until it is acknowledged, and then never', async () => {
      const consumer = await newConsumer();
      await write('NOR', 5);
      const seen = pageOf(await get(`consumer=${consumer}`)).entries.map(({ position }) => String(position));
      assert.equal(seen.length, 5);
      assert.deepEqual(
        pageOf(await get(`consumer=${consumer}`)).entries.map(({ position }) => position),
        seen,
      );
      // Reading on from a position acknowledges nothing.
      assert.deepEqual(
        pageOf(await get(`consumer=${consumer}&after=${seen[3]}`)).entries.map(({ position }) => position),
        seen.slice(4),
      );
      const answer = await ack({ consumer, position: seen[2] });
      assert.deepEqual(answer.object(), { consumer, acknowledged: seen[2], waiting: 2 });
      assert.deepEqual(
        pageOf(await get(`consumer=${consumer}`)).entries.map(({ position }) => position),
        seen.slice(3),
      );
      for (const behind of [seen[0], seen[2]])
        assert.deepEqual((await ack({ consumer, position: behind })).object(), {
          consumer,
          acknowledged: seen[2],
          waiting: 2,
        });
      assert.deepEqual((await ack({ consumer, position: seen[4] })).object(), {
        consumer,
        acknowledged: seen[4],
        waiting: 0,
      });
      assert.deepEqual(pageOf(await get(`consumer=${consumer}`)), { entries: [], position: seen[4], more: false });
    });

    it('pages that meet without a gap or an overlap, of any length, over several activities', async () => {
      const expected = [...(await write('NOR', 7)), ...(await write('SOU', 7))];
      for (const limit of [1, 2, 3, 13, 14, 100]) {
        const consumer = await newConsumer();
        const back = await ends();
        let after = `NOR:${Number(back.NOR) - 7},SOU:${Number(back.SOU) - 7}`;
        const references: unknown[] = [];
        for (;;) {
          const page = pageOf(
            await get(`consumer=${consumer}&limit=${limit}&after=${after}`, { token: running().keys.both }),
          );
          assert.ok(page.entries.length <= limit);
          references.push(...page.entries.map(({ article }) => Object(article).articleReference));
          after = page.position;
          if (!page.more) break;
        }
        assert.deepEqual(references, expected);
        assert.equal(
          pageOf(await get(`consumer=${consumer}&after=${after}`, { token: running().keys.both })).entries.length,
          0,
        );
      }
    });

    it('from a position that names some activities: the others go on after what was acknowledged there', async () => {
      const consumer = await newConsumer();
      await write('NOR', 2);
      await write('SOU', 2);
      await get(`consumer=${consumer}`, { token: running().keys.both });
      const end = await ends();
      await ack({ consumer, position: `SOU:${Number(end.SOU) - 1}` }, { token: running().keys.both });
      const { entries } = pageOf(
        await get(`consumer=${consumer}&after=NOR:${end.NOR}`, { token: running().keys.both }),
      );
      assert.deepEqual(
        entries.map(({ position }) => position),
        [`SOU:${end.SOU}`],
      );
    });

    it('consumers side by side everything, each at its own pace', async () => {
      const consumers = await Promise.all([newConsumer(), newConsumer(), newConsumer()]);
      const references = await write('NOR', 20);
      const taken = await Promise.all(
        consumers.map(async (consumer, index) => {
          const own: unknown[] = [];
          for (
            let page = pageOf(await get(`consumer=${consumer}&limit=${index + 2}`));
            page.entries.length > 0;
            page = pageOf(await get(`consumer=${consumer}&limit=${index + 2}`))
          ) {
            own.push(...page.entries.map(({ article }) => Object(article).articleReference));
            assert.equal((await ack({ consumer, position: page.position })).status, 200);
          }
          return own;
        }),
      );
      for (const own of taken) assert.deepEqual(own, references);
    });

    it('nothing to HEAD, which therefore notes nothing', async () => {
      const consumer = await newConsumer();
      await write('NOR');
      const untouched = await progressOf(consumer);
      const answer = await get(`consumer=${consumer}`, { method: 'HEAD' });
      assert.deepEqual([answer.status, answer.body], [200, '']);
      assert.deepEqual(await progressOf(consumer), untouched);
      assert.equal((await ack({ consumer, position: `NOR:${(await ends()).NOR}` })).status, 409);
    });

    it('a key that names no consumer one of its own', async () => {
      await write('NOR');
      let page = pageOf(await get(''));
      while (page.more) page = pageOf(await get(`after=${page.position}`));
      const id = /^lck_([^_]+)_/.exec(running().keys.north)?.[1];
      assert.deepEqual((await ack({ position: page.position })).object(), {
        consumer: id,
        acknowledged: page.position,
        waiting: 0,
      });
    });
  });

  describe('lets a consumer wait', () => {
    it('no longer than it asked', { timeout: 20_000 }, async () => {
      const consumer = await newConsumer();
      assert.deepEqual(pageOf(await get(`consumer=${consumer}&wait=1`)).entries, []);
    });

    it('until something is written, here or by another process', async () => {
      for (const on of [running(), parallel ? await running().beside() : running()]) {
        const consumer = await newConsumer();
        const until = performance.now() + 25_000;
        const waiting = on.get(`${path}?consumer=${consumer}&wait=25`);
        await pause(50);
        const [reference] = await write('NOR');
        const { entries } = pageOf(await waiting);
        assert.ok(performance.now() < until, 'it waited to the end');
        assert.deepEqual(
          entries.map(({ article }) => Object(article).articleReference),
          [reference],
        );
      }
    });

    it('through what is written for another activity', async () => {
      const consumer = await newConsumer();
      const waiting = get(`consumer=${consumer}&wait=1`);
      await pause(50);
      await write('SOU');
      assert.deepEqual(pageOf(await waiting).entries, []);
    });

    it('and gives nothing of an activity that was removed meanwhile', async () => {
      const { store } = running().app;
      await store.activities.add('GON', 'Gone');
      const key = { name: 'waits', activityCodes: ['GON', 'NOR'], roles: ['outbox'] } as const;
      const { text } = await addPlatformKey(store, key, Date.now());
      const consumer = await newConsumer();
      const waiting = get(`consumer=${consumer}&wait=3`, { token: text });
      await pause(200);
      await store.activityRemoval.remove('GON', Date.now());
      assert.doesNotMatch((await waiting).body, /GON/);
      assert.deepEqual((await store.activityRemoval.contents('GON'))?.rows, {});
    });
  });

  describe('of one activity', () => {
    it('shows a key of another one nothing: no entry, no position, no number', async () => {
      const consumer = await newConsumer();
      await write('SOU', 3);
      const own = running().keys.north;
      assert.doesNotMatch((await get(`consumer=${consumer}`, { token: own })).body, /SOU/);
      assert.doesNotMatch((await ack({ consumer, position: `NOR:${(await ends()).NOR}` }, { token: own })).body, /SOU/);
      for (const position of ['SOU:0', 'SOU:1', 'SOU:999999', 'NOR:0,SOU:0', 'XXX:1']) {
        // Whether there is such an activity makes no difference.
        const [read, acknowledged] = [
          await get(`consumer=${consumer}&after=${position}`, { token: own }),
          await ack({ consumer, position }, { token: own }),
        ];
        for (const answer of [read, acknowledged]) {
          const asked = /(SOU|XXX)/.exec(position)?.[1] ?? '';
          assert.deepEqual(
            [answer.status, String(answer.object().detail).replace(asked, '*')],
            [400, 'The position names activity *, which this key does not open.'],
          );
          assert.deepEqual(Object.keys(answer.object()).toSorted(), [
            'detail',
            'errors',
            'instance',
            'status',
            'title',
            'traceId',
            'type',
          ]);
        }
      }
      const ahead = await get(`consumer=${consumer}&after=NOR:99999999`, { token: own });
      assert.doesNotMatch(ahead.body, /SOU/);
      await write('NOR');
      assert.doesNotMatch((await ack({ consumer, position: `NOR:${(await ends()).NOR}` }, { token: own })).body, /SOU/);
    });

    it('joins those of a key whose rights grow, from where the consumer stands there', async () => {
      const consumer = await newConsumer();
      const [reference] = await write('SOU');
      const before = pageOf(await get(`consumer=${consumer}`, { token: running().keys.north })).position;
      const { entries } = pageOf(await get(`consumer=${consumer}&after=${before}`, { token: running().keys.both }));
      assert.deepEqual(
        entries.map(({ article }) => Object(article).articleReference),
        [reference],
      );
    });
  });

  it('keeps what a consumer has not taken in, and tells who asks for what is gone where to go on', async () => {
    for (const { consumer } of await running().app.store.outbox.consumers())
      await running().app.store.outbox.forget(consumer);
    const [slow, fast] = [await newConsumer(), await newConsumer()];
    await write('NOR', 4);
    const end = Number((await ends()).NOR);
    const take = async (consumer: string, to: number): Promise<void> => {
      await get(`consumer=${consumer}`);
      assert.equal((await ack({ consumer, position: `NOR:${to}` })).status, 200);
    };
    await take(fast, end);
    await take(slow, end - 2);
    await running().app.store.outbox.removeAcknowledged(Date.now() + 86_400_000);
    assert.equal(pageOf(await get(`consumer=${slow}`)).entries.length, 2);
    const gone = await get(`consumer=${slow}&after=NOR:${end - 3}`);
    assert.deepEqual([gone.status, gone.object().oldest], [410, `NOR:${end - 2}`]);
    assert.equal(pageOf(await get(`consumer=${slow}&after=${gone.object().oldest}`)).entries.length, 2);
    // A consumer that comes later begins with what is left.
    assert.equal(pageOf(await get(`consumer=late-${++names}`)).entries.length, 2);
  });
}
