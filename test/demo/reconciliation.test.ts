// Stock and movements of the demonstration reconcile exactly, over its whole history and while it lives; a movement
// that was lost shows.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createDemoRunner } from '../../src/demo/runner.ts';
import { seedDemo } from '../../src/demo/seed.ts';
import { sentenceOf } from '../../src/demo/notes.ts';
import { createFeedTurns } from '../../src/feeds/feed-turns.ts';
import { reconcile, type Reconciliation } from '../../src/platform/reconcile.ts';
import type { Store } from '../../src/store/store.ts';
import { engines } from '../contract/engines.ts';
import { storeOf } from './fixture.ts';

/** A Tuesday morning. */
const filledAt = Date.parse('2026-03-03T09:02:30Z');
const dayMs = 86_400_000;

/** That sums are the same on every engine is proven with random ones, and of the demonstration where it is killed. */
const [engine = assert.fail('there is no engine')] = engines;

describe('reconciliation of the demonstration', () => {
  let store: Store;
  let close: () => Promise<void>;
  const reconciled = (activity: string, from: number, to: number): Promise<Reconciliation> =>
    reconcile(store, { activity, from, to, after: null, all: false }, { client: 'test' });
  before(async () => {
    ({ store, close } = await storeOf(engine));
    await seedDemo(store, filledAt);
  });
  after(() => close());

  it('finds no difference in any place, neither in the history nor after it', async () => {
    const runner = createDemoRunner({ store, turns: createFeedTurns(), now: () => filledAt });
    await runner.advance(2 * dayMs, 'test');
    for (const activity of ['ACM', 'BEL'])
      for (const [from, to] of [
        [filledAt - 59 * dayMs, filledAt],
        [filledAt, filledAt + 2 * dayMs],
      ] as const) {
        const { totals, places } = await reconciled(activity, from, to);
        assert.deepEqual(places, []);
        assert.deepEqual([totals.differing, totals.difference], [0, 0]);
        assert.ok(totals.places > 300 && totals.movements > 100, JSON.stringify(totals));
      }
  });

  it('shows a movement that was lost, and nothing else', async () => {
    await store.demonstration.ask(JSON.stringify({ kind: 'fault', activity: 'ACM', fault: 'lost-movement' }), filledAt);
    const notes: string[] = [];
    const runner = createDemoRunner({
      ...{ store, turns: createFeedTurns(), now: () => filledAt },
      onNote: (note) => notes.push(sentenceOf(note)),
    });
    await runner.advance(2 * dayMs, 'test');
    const { places } = await reconciled('ACM', filledAt + 2 * dayMs, filledAt + 4 * dayMs);
    assert.equal(places.length, 1);
    assert.ok(
      notes.some((note) => note.includes(`of ${places[0]?.articleReference}`)),
      notes.join(),
    );
    assert.deepEqual((await reconciled('BEL', filledAt + 2 * dayMs, filledAt + 4 * dayMs)).places, []);
  });

  it('shows in its feeds a message that came twice, and one that came late with older records', async () => {
    for (const fault of ['duplicate-message', 'out-of-order'])
      await store.demonstration.ask(JSON.stringify({ kind: 'fault', activity: 'BEL', fault }), filledAt);
    await createDemoRunner({ store, turns: createFeedTurns(), now: () => filledAt }).advance(3 * dayMs, 'test');
    const messages = await store.feeds.messages({ activities: ['BEL'], limit: 2000 });
    assert.equal(messages.filter(({ state }) => state === 'duplicate').length, 1);
    const refused = messages.filter((message) => message.refused > 0);
    assert.deepEqual(
      refused.map(({ resource }) => resource),
      ['orders'],
    );
    const feeds = await store.feeds.list(['ACM', 'BEL']);
    assert.deepEqual(
      feeds.filter(({ missing }) => missing.length > 0),
      [],
    );
  });
});
