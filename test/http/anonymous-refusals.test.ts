// The pace of refusals to callers that nobody knows: who is held back, for how long, and who never is.
import assert from 'node:assert/strict';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createHoldBack, maxHeld, maxHeldMs } from '../../src/http/anonymous-refusals.ts';
import { sharedQuotas } from '../contract/shared-quotas.ts';

describe('refusals of callers that nobody knows', () => {
  it('are answered at once up to ten seconds of the rate, and then each in its turn', (t) => {
    const { refuse, pass } = paced(t, 600);
    for (let count = 0; count < 100; count += 1) assert.equal(refuse('192.0.2.1').waits, false, `number ${count}`);
    const third = [1, 2, 3].map(() => refuse('192.0.2.1'))[2];
    assert.equal(third?.waits, true);
    // Each 100 ms after the one before.
    pass(299);
    assert.equal(third?.isAnswered(), false);
    pass(1);
    assert.equal(third?.isAnswered(), true);
    assert.equal(refuse('192.0.2.2').waits, false, 'a neighbour');
    pass(60_000);
    assert.equal(refuse('192.0.2.1').waits, false, 'later');
  });

  it('wait five seconds at most, however many there are', (t) => {
    const { refuse, pass } = paced(t, 600);
    for (let count = 0; count < 400; count += 1) refuse('192.0.2.1');
    const last = refuse('192.0.2.1');
    pass(maxHeldMs - 1);
    assert.equal(last.isAnswered(), false);
    pass(1);
    assert.equal(last.isAnswered(), true);
  });

  it('count for the network too, so that many addresses of it are no way around', (t) => {
    for (const addressOf of [(n: number) => `198.51.100.${n}`, (n: number) => `2001:db8:1:${n.toString(16)}::1`]) {
      const { refuse } = paced(t, 60);
      let waiting = 0;
      for (let count = 0; count < 300; count += 1) if (refuse(addressOf(count % 200)).waits) waiting += 1;
      assert.ok(waiting >= 190 && waiting <= 200, `${waiting} of 300, where 100 may come at once`);
    }
    const { refuse } = paced(t, 60);
    for (let count = 0; count < 10; count += 1) refuse('2001:db8:1:1::1');
    assert.equal(refuse('2001:db8:1:1::2').waits, true, 'the same network of 64 bits');
    assert.equal(refuse('2001:db8:1:2::1').waits, false, 'another one');
  });

  it('end the connection that asks for more meanwhile, and forget who has gone away', (t) => {
    const { refuse, pass } = paced(t, 6);
    refuse('192.0.2.1');
    const waiting = refuse('192.0.2.1');
    assert.equal(waiting.waits, true);
    refuse('192.0.2.1', waiting.socket);
    assert.equal(waiting.socket.destroyed, true);
    waiting.response.emit('close');
    pass(0);
    assert.equal(waiting.isAnswered(), true, 'it is over at once');
  });

  it(`are ${maxHeld} at a time; beyond, they are answered and the connection ends`, (t) => {
    const { refuse } = paced(t, 600);
    const all = Array.from({ length: 100 + maxHeld + 5 }, () => refuse('192.0.2.1'));
    assert.equal(all.filter(({ waits }) => waits).length, maxHeld);
    assert.deepEqual(
      all.slice(-5).map(({ response }) => response.getHeader('connection')),
      Array.from({ length: 5 }, () => 'close'),
    );
  });

  it('wait longest once all processes together have answered as many as they may in a minute', async (t) => {
    const { quotas, taken } = sharedQuotas();
    const [one, other] = [paced(t, 60, { quotas }), paced(t, 60, { quotas })];
    for (const { refuse } of [one, other])
      for (let count = 0; count < 10; count += 1) assert.equal(refuse('192.0.2.1').waits, false);
    assert.equal(taken(), 0, 'what comes at once is of each process, and writes nothing');
    for (let count = 0; count < 60; count += 1) one.refuse('192.0.2.1');
    await someTurns();
    const next = other.refuse('192.0.2.1');
    await someTurns();
    other.pass(maxHeldMs - 1);
    assert.equal(next.isAnswered(), false, 'alone it would have been answered after a second');
    other.pass(1);
    assert.equal(next.isAnswered(), true);
    assert.equal(other.refuse('198.51.100.1').waits, false, 'an address elsewhere');
    assert.ok(taken() <= 60);
  });

  it('come at the pace of one server from all of its workers', (t) => {
    const { refuse, pass } = paced(t, 600, { workers: 2 });
    for (let count = 0; count < 50; count += 1) assert.equal(refuse('192.0.2.1').waits, false, `number ${count}`);
    const next = refuse('192.0.2.1');
    pass(199);
    assert.equal(next.isAnswered(), false);
    pass(1);
    assert.equal(next.isAnswered(), true);
  });

  it('never wait where there is no limit', (t) => {
    const { refuse } = paced(t, 0);
    for (let count = 0; count < 1000; count += 1) assert.equal(refuse('192.0.2.1').waits, false);
  });
});

async function someTurns(): Promise<void> {
  for (let turns = 0; turns < 100; turns += 1) await nextTurn();
}

function paced(
  t: { readonly mock: { readonly timers: typeof import('node:test').mock.timers } },
  perMinute: number,
  options: Parameters<typeof createHoldBack>[1] = {},
) {
  t.mock.timers.reset();
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let now = 0;
  const holdBack = createHoldBack(perMinute, { ...options, now: () => now });
  return {
    pass: (milliseconds: number): void => {
      now += milliseconds;
      t.mock.timers.tick(milliseconds);
    },
    refuse: (address: string, socket = new Socket()) => {
      const request = new IncomingMessage(socket);
      const response = new ServerResponse(request);
      let closed = response.listenerCount('close');
      const waiting = holdBack(address, request, response);
      closed = response.listenerCount('close') - closed;
      return {
        waits: waiting !== null,
        socket,
        response,
        /** It listens for the end of the response for as long as it waits. */
        isAnswered: () => waiting !== null && response.listenerCount('close') < closed,
      };
    },
  };
}
