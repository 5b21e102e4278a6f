// Long writes of one client come one at a time and leave most of the time to others.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { createLongWriteTurns } from '../../src/api/long-write-turns.ts';

/** Milliseconds of a write in these tests. */
const writeMs = 40;

describe('long writes', () => {
  it('of one client come one at a time, each after a pause that is longer than the write before it', async () => {
    const turns = createLongWriteTurns(undefined, () => true);
    const spans: { readonly from: number; readonly to: number }[] = [];
    const write = async (): Promise<void> => {
      const from = performance.now();
      await wait(writeMs);
      spans.push({ from, to: performance.now() });
    };
    await Promise.all([turns('a', write), turns('a', write), turns('a', write)]);
    for (const [index, { from }] of spans.slice(1).entries()) {
      const before = spans[index];
      assert.ok(before !== undefined);
      assert.ok(from - before.to > before.to - before.from, `begun ${from - before.to} ms after a write`);
    }
  });

  it('of another client do not wait for the pause', async () => {
    const turns = createLongWriteTurns(undefined, () => true);
    const begun: string[] = [];
    const write = (name: string) => async (): Promise<void> => {
      begun.push(name);
      await wait(writeMs);
    };
    await Promise.all([turns('a', write('a1')), turns('a', write('a2')), turns('b', write('b'))]);
    assert.deepEqual(begun, ['a1', 'b', 'a2']);
  });

  it('take no turns where nobody else is served', async () => {
    const turns = createLongWriteTurns({ enter: () => assert.fail('a turn was taken') }, () => false);
    assert.equal(await turns('a', async () => 'done'), 'done');
  });

  it('that fail end their turn too', async () => {
    const turns = createLongWriteTurns(undefined, () => true);
    await assert.rejects(
      turns('a', async () => {
        throw new Error('no');
      }),
      /^Error: no$/,
    );
    assert.equal(await turns('a', async () => 'done'), 'done');
  });

  it('go on without a turn when there is none to be had', async () => {
    const turns = createLongWriteTurns({ enter: () => Promise.reject(new Error('the server stops')) }, () => true);
    assert.equal(await turns('a', async () => 'done'), 'done');
  });
});
