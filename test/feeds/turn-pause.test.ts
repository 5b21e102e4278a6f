// A turn of a feed is followed by a pause while others are served, and by none where there is nobody else.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { createFeedTurns } from '../../src/feeds/feed-turns.ts';

/** Milliseconds of a batch in these tests. */
const batchMs = 40;

describe('turns of feeds', () => {
  it('come one at a time, each after a pause that is longer than the batch before it', async () => {
    const turns = createFeedTurns(undefined, () => true);
    const spans: { readonly from: number; readonly to: number }[] = [];
    const batch = async (feed: string): Promise<void> => {
      const leave = await turns.enter(feed);
      const from = performance.now();
      await wait(batchMs);
      spans.push({ from, to: performance.now() });
      leave();
    };
    await Promise.all(['one', 'two', 'one'].map(batch));
    assert.equal(spans.length, 3);
    for (const [index, { from }] of spans.slice(1).entries()) {
      const before = spans[index];
      assert.ok(before !== undefined);
      assert.ok(from - before.to > before.to - before.from, `begun ${from - before.to} ms after a batch`);
    }
  });

  it('follow each other at once where nobody else is served', async () => {
    const ended: string[] = [];
    const queue = { enter: async () => () => ended.push('turn'), isAwaited: () => false };
    const leave = await createFeedTurns(queue, () => false).enter('one');
    await wait(batchMs);
    leave();
    assert.deepEqual(ended, ['turn']);
  });
});
