// Waiting for something scarce: limits, turns, and places that go to those who have fewer.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createAddressQueue, type AddressQueueLimits, originOf } from '../../src/auth/address-queue.ts';

/** A queue whose works end when the test says so; what began, in order, and what came of each. */
function world(limits: Partial<AddressQueueLimits> = {}) {
  const queue = createAddressQueue({ maxRunning: 1, maxWaiting: 8, maxPerNetwork: 6, maxPerAddress: 4, ...limits });
  const began: string[] = [];
  const full: string[] = [];
  const ends: (() => void)[] = [];
  const come = (address: string, name = address): void => {
    void queue
      .run(
        originOf(address),
        () =>
          new Promise<void>((end) => {
            began.push(name);
            ends.push(end);
          }),
      )
      .then((outcome) => {
        if (outcome === 'full') full.push(name);
      });
  };
  const end = async (): Promise<void> => {
    ends.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  return { queue, began, full, come, end, settled };
}

describe('the queue', () => {
  it('never runs more than its bound, and goes on after a failure', async () => {
    const queue = createAddressQueue({ maxRunning: 2, maxWaiting: 3, maxPerNetwork: 9, maxPerAddress: 9 });
    let [running, most] = [0, 0];
    const order: number[] = [];
    const works = Array.from({ length: 6 }, (_, index) =>
      queue.run(originOf('192.0.2.1'), async () => {
        running += 1;
        most = Math.max(most, running);
        order.push(index);
        await new Promise((resolve) => setImmediate(resolve));
        running -= 1;
        if (index === 1) throw new Error('boom');
        return index;
      }),
    );
    const outcomes = await Promise.allSettled(works);
    assert.deepEqual(
      outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : 'failed')),
      [0, 'failed', 2, 3, 4, 'full'],
    );
    assert.equal(most, 2);
    assert.deepEqual(order, [0, 1, 2, 3, 4]);
    assert.equal(await queue.run(originOf('192.0.2.1'), async () => 'again'), 'again');
  });

  it('takes turns among networks and among the addresses of one', async () => {
    const { began, come, end } = world({ maxWaiting: 20, maxPerNetwork: 20 });
    for (const address of [
      '10.0.0.1',
      '10.0.0.1',
      '10.0.0.1',
      '10.0.0.1',
      '10.0.0.2',
      '10.0.0.2',
      '10.1.0.1',
      '10.1.0.1',
      '10.2.0.1',
    ])
      come(address);
    for (let turn = 0; turn < 9; turn += 1) await end();
    assert.deepEqual(began, [
      '10.0.0.1',
      '10.0.0.1',
      '10.1.0.1',
      '10.2.0.1',
      '10.0.0.2',
      '10.1.0.1',
      '10.0.0.1',
      '10.0.0.2',
      '10.0.0.1',
    ]);
  });

  it('gives an address and a network no more than their places', async () => {
    const { queue, full, come, settled } = world();
    for (let count = 0; count < 7; count += 1) come('10.0.0.1', `a${count}`);
    await settled();
    assert.deepEqual(full, ['a5', 'a6']);
    assert.equal(queue.hasPlace(originOf('10.0.0.1')), false);
    come('10.0.0.2', 'b0');
    come('10.0.0.3', 'c0');
    await settled();
    assert.deepEqual(full, ['a5', 'a6']);
    // The network is full: who has most of its places gives one up, for one who has none; then all have too few to
    // give.
    come('10.0.0.4', 'd0');
    await settled();
    assert.deepEqual(full, ['a5', 'a6', 'a4']);
  });

  it('lets a newcomer in where the queue is full of others, as long as somebody has more', async () => {
    const { queue, full, come, settled } = world({ maxWaiting: 4 });
    come('10.0.0.1', 'runs');
    for (let count = 0; count < 4; count += 1) come('10.0.0.1', `a${count}`);
    come('10.9.0.1', 'b');
    come('10.8.0.1', 'c');
    await settled();
    assert.deepEqual(full, ['a3', 'a2']);
    come('10.7.0.1', 'd');
    await settled();
    assert.deepEqual(full, ['a3', 'a2', 'a1']);
    // All have one place each: nobody has more than a newcomer would have.
    assert.equal(queue.hasPlace(originOf('10.6.0.1')), false);
    come('10.6.0.1', 'e');
    await settled();
    assert.deepEqual(full, ['a3', 'a2', 'a1', 'e']);
  });
});
