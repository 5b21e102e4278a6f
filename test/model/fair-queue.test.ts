// Turns go round the clients: what each may have at a time, who comes next, who is refused, and what a client leaves
// behind that went away.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from '../contract/properties.ts';
import { createFairQueue, type FairQueue, type QueueLimits, Refused } from '../../src/model/fair-queue.ts';
import { rounds } from '../contract/rounds.ts';

const limits: QueueLimits = { places: 2, maxPerClient: 1, maxWaiting: 6, maxWaitingPerClient: 4, maxWaitMs: 60_000 };

/** Work whose ends the test decides on, and the order in which it began. */
function workbench(queue: FairQueue): {
  readonly begun: readonly string[];
  readonly refused: readonly string[];
  readonly ask: (client: string, gone?: AbortSignal) => Promise<void>;
  readonly end: (client: string) => Promise<void>;
} {
  const begun: string[] = [];
  const refused: string[] = [];
  const running = new Map<string, (() => void)[]>();
  /** Promises that are settled have been told. */
  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  return {
    begun,
    refused,
    ask: async (client, gone) => {
      queue.enter(client, gone).then(
        (leave) => {
          begun.push(client);
          running.set(client, [...(running.get(client) ?? []), leave]);
        },
        (error: unknown) => {
          assert.ok(error instanceof Refused);
          refused.push(`${client} ${error.by}`);
        },
      );
      await settled();
    },
    end: async (client) => {
      running.get(client)?.shift()?.();
      await settled();
    },
  };
}

describe('a queue with turns for clients', () => {
  it('lets one client never have more than its share of the places, so that another need not wait', async () => {
    const { begun, ask } = workbench(createFairQueue(limits));
    for (let count = 0; count < 5; count += 1) await ask('flood');
    assert.deepEqual(begun, ['flood']);
    await ask('quiet');
    assert.deepEqual(begun, ['flood', 'quiet']);
  });

  it('gives a client that comes last its turn after one of each other, not after all that they asked for', async () => {
    const { begun, ask, end } = workbench(createFairQueue({ ...limits, places: 1 }));
    for (const client of ['a', 'a', 'a', 'b', 'b', 'quiet']) await ask(client);
    for (const client of ['a', 'b', 'quiet', 'a', 'b']) await end(client);
    assert.deepEqual(begun, ['a', 'b', 'quiet', 'a', 'b', 'a']);
  });

  it('puts a client that asks again as soon as it is answered behind those who wait', async () => {
    const { begun, ask, end } = workbench(createFairQueue({ ...limits, places: 1 }));
    await ask('busy');
    await ask('busy');
    await ask('quiet');
    await end('busy');
    await ask('busy');
    await end('quiet');
    await ask('quiet');
    await end('busy');
    assert.deepEqual(begun, ['busy', 'quiet', 'busy', 'quiet']);
  });

  it('refuses one client too many at once, and a full queue those who would add to the longest line', async () => {
    const queue = createFairQueue(limits);
    const { refused, ask } = workbench(queue);
    for (let count = 0; count < 7; count += 1) await ask('flood');
    assert.deepEqual(refused, ['flood client', 'flood client']);
    await ask('other');
    for (let count = 0; count < 3; count += 1) await ask('other');
    // Four of one waited and two of the other, which got a third place at the cost of the longest line.
    assert.deepEqual(refused.slice(2), ['flood client']);
    await ask('other');
    assert.deepEqual(refused.slice(3), ['other others']);
    assert.deepEqual(queue.counts(), { running: 2, waiting: 6 });
  });

  it('makes room for a client with nothing in a queue that others have filled', async () => {
    const queue = createFairQueue(limits);
    const { begun, refused, ask, end } = workbench(queue);
    for (const client of ['a', 'b', 'a', 'a', 'a', 'a', 'b', 'b']) await ask(client);
    assert.deepEqual(queue.counts(), { running: 2, waiting: 6 });
    await ask('quiet');
    assert.deepEqual(refused, ['a client']);
    await end('a');
    await end('b');
    await end('quiet');
    assert.deepEqual(begun, ['a', 'b', 'quiet', 'a', 'b']);
  });

  it('refuses a newcomer only where everybody has as little as it', async () => {
    const { refused, ask } = workbench(createFairQueue({ ...limits, maxWaiting: 3 }));
    for (const client of ['a', 'b', 'c', 'd', 'e', 'f']) await ask(client);
    assert.deepEqual(refused, ['f others']);
  });

  it('gives up the place of a client that went away while it waited, and takes none for one gone before', async () => {
    const queue = createFairQueue({ ...limits, places: 1 });
    const { begun, refused, ask, end } = workbench(queue);
    const gone = new AbortController();
    await ask('a');
    await ask('b', gone.signal);
    await ask('c');
    gone.abort();
    await ask('b', gone.signal);
    assert.deepEqual(queue.counts(), { running: 1, waiting: 1 });
    await end('a');
    assert.deepEqual(begun, ['a', 'c']);
    assert.deepEqual(refused, ['b gone', 'b gone']);
  });

  it('ends a wait that takes too long, and says whose doing it was', async () => {
    const queue = createFairQueue({ ...limits, places: 1, maxWaitMs: 20 });
    const leave = await queue.enter('a');
    // The time limit keeps no program alive.
    const alive = setInterval(() => undefined, 1000);
    const by = async (client: string): Promise<string> =>
      queue.enter(client).then(
        () => 'nobody',
        (error: unknown) => (error instanceof Refused ? error.by : 'broken'),
      );
    assert.deepEqual(await Promise.all([by('a'), by('b')]), ['client', 'others']);
    assert.deepEqual(queue.counts(), { running: 1, waiting: 0 });
    clearInterval(alive);
    leave();
  });

  it('refuses at once who would have to wait too long, by the pace of the last turns, and nobody else', async (t) => {
    let clock = 5000;
    t.mock.method(performance, 'now', () => clock);
    const many = { maxWaiting: 1000, maxWaitingPerClient: 1000, maxWaitMs: 3000 };
    const queue = createFairQueue({ places: 1, maxPerClient: 1, ...many });
    const { begun, refused, ask, end } = workbench(queue);
    for (let count = 0; count < 200; count += 1) await ask('flood');
    assert.deepEqual(refused, [], 'the pace is not known yet');
    // For one second, after which it is known.
    for (let turn = 0; turn < 50; turn += 1) {
      clock += 20;
      await end('flood');
    }
    for (let count = 0; count < 300; count += 1) await ask('flood');
    // The last one that may wait has 150 turns of 20 ms before it.
    assert.equal(queue.counts().waiting, 151);
    assert.deepEqual(new Set(refused), new Set(['flood client']));
    await assert.rejects(queue.enter('flood'), (error) => error instanceof Refused && error.isLate);
    await ask('quiet');
    await end('flood');
    assert.equal(begun.at(-1), 'quiet');
  });

  it('makes no room for whoever has as much as those who have most', async () => {
    const queue = createFairQueue({ ...limits, places: 1 });
    const { refused, ask } = workbench(queue);
    for (const client of ['a', 'a', 'a', 'b', 'b']) await ask(client);
    assert.equal(queue.makeRoom('b'), false);
    assert.equal(queue.makeRoom('quiet'), true);
    await ask('c');
    assert.deepEqual(refused, ['a client']);
    assert.deepEqual(queue.counts(), { running: 1, waiting: 4 });
  });

  it('refuses all who wait and all who come once it is closed', async () => {
    const queue = createFairQueue(limits);
    const { refused, ask } = workbench(queue);
    await ask('a');
    await ask('a');
    queue.close();
    await ask('b');
    assert.deepEqual(refused.toSorted(), ['a closed', 'b closed']);
  });

  it('gives a place back once, however often that is said', async () => {
    const queue = createFairQueue(limits);
    const leave = await queue.enter('a');
    leave();
    leave();
    assert.deepEqual(queue.counts(), { running: 0, waiting: 0 });
  });

  it('keeps its bounds, loses nobody and is empty in the end, whatever comes in whatever order', async () => {
    const step = fc.oneof(
      fc.record({ do: fc.constant('ask' as const), client: fc.constantFrom('a', 'b', 'c', 'd') }),
      fc.record({
        do: fc.constantFrom('end' as const, 'hang up' as const),
        client: fc.constantFrom('a', 'b', 'c', 'd'),
      }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), fc.constantFrom(1, 2, 4), async (steps, places) => {
        const maxPerClient = Math.max(1, places / 2);
        const queue = createFairQueue({ ...limits, places, maxPerClient });
        const asked: {
          readonly client: string;
          readonly controller: AbortController;
          leave: (() => void) | null;
          settled: boolean;
        }[] = [];
        const hold = async (): Promise<void> => {
          await new Promise((resolve) => setImmediate(resolve));
          const { running, waiting } = queue.counts();
          assert.equal(running, asked.filter(({ leave }) => leave !== null).length);
          assert.equal(waiting, asked.filter(({ settled }) => !settled).length);
          assert.ok(running <= places && waiting <= limits.maxWaiting);
          for (const client of ['a', 'b', 'c', 'd']) {
            const own = asked.filter((one) => one.client === client && one.leave !== null).length;
            const behind = asked.filter((one) => one.client === client && !one.settled).length;
            assert.ok(own <= maxPerClient && behind <= limits.maxWaitingPerClient);
            assert.ok(behind === 0 || own === maxPerClient || running === places, 'a free place is taken at once');
          }
        };
        for (const { do: what, client } of steps) {
          if (what === 'ask') {
            const one: (typeof asked)[number] = {
              client,
              controller: new AbortController(),
              leave: null,
              settled: false,
            };
            asked.push(one);
            queue.enter(client, one.controller.signal).then(
              (leave) => {
                one.leave = leave;
                one.settled = true;
              },
              () => {
                one.settled = true;
              },
            );
          } else if (what === 'end') {
            const one = asked.find((each) => each.client === client && each.leave !== null);
            one?.leave?.();
            if (one !== undefined) one.leave = null;
          } else asked.findLast((each) => each.client === client && !each.settled)?.controller.abort();
          await hold();
        }
        for (;;) {
          const one = asked.find(({ leave }) => leave !== null);
          if (one === undefined) break;
          one.leave?.();
          one.leave = null;
          await hold();
        }
        assert.deepEqual(queue.counts(), { running: 0, waiting: 0 });
      }),
      { numRuns: rounds(100) },
    );
  });
});
