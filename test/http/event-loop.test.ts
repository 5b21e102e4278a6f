// When work that has waited for its turn begins: as much as fits into a round of the event loop, and none in some
// rounds while connections arrive, of which each round takes in one.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createPace } from '../../src/http/event-loop.ts';

/** Rounds of the event loop until something has happened. @param each is called in every one */
async function roundsUntil(happened: Promise<void>, each: () => void): Promise<number> {
  let isOver = false;
  void happened.then(() => {
    isOver = true;
  });
  for (let rounds = 0; ; rounds += 1) {
    if (isOver) return rounds;
    each();
    await new Promise((next) => setImmediate(next));
  }
}

describe('work that waits for its round', () => {
  it('gives way to connections that arrive, for three rounds at most', async () => {
    let connections = 7;
    const pace = createPace(() => connections);
    const quiet = await roundsUntil(pace(), () => {});
    connections += 1;
    const one = await roundsUntil(pace(), () => {});
    connections += 1;
    const many = await roundsUntil(pace(), () => {
      connections += 1;
    });
    assert.deepEqual([one - quiet, many - quiet], [1, 3]);
    await roundsUntil(pace(), () => {});
    assert.equal(await roundsUntil(pace(), () => {}), quiet);
  });

  it('begins in the order in which it came, some of it in each round', async () => {
    let connections = 0;
    const pace = createPace(() => connections);
    const begun: number[] = [];
    const all = Promise.all(Array.from({ length: 20 }, (_none, index) => pace().then(() => begun.push(index))));
    const rounds = await roundsUntil(
      all.then(() => {}),
      () => {
        connections += 1;
      },
    );
    assert.deepEqual(
      begun,
      Array.from({ length: 20 }, (_none, index) => index),
    );
    // Four at most in a round of work, of which every fourth round is one.
    assert.ok(rounds >= 17 && rounds <= 90, `${rounds} rounds`);
  });
});
