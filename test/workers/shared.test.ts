// What workers share, without processes: messages go from hand to hand.
import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate as round } from 'node:timers/promises';
import { shareOf } from '../../src/app/worker-share.ts';
import { checkWorkers } from '../../src/commands/doctor/workers.ts';
import { runCommandLine } from '../../src/commands/program.ts';
import { readConfig } from '../../src/config.ts';
import { type QueueLimits, Refused } from '../../src/model/fair-queue.ts';
import { createFeedPlaces, feedPlaceLimits } from '../../src/platform/feed-places.ts';
import { createWriteQueue, writeQueueLimits } from '../../src/store/write-queue.ts';
import { createMemoryQuotas } from '../../src/workers/memory-quotas.ts';
import type { FromWorker, ToWorker } from '../../src/workers/worker-messages.ts';
import { createRemoteQueues, type RemoteQueues } from '../../src/workers/remote-queue.ts';
import { createRestartPace } from '../../src/workers/restart-pace.ts';
import { createCoordinator, type Coordinator } from '../../src/workers/coordination.ts';
import { forwardLines } from '../../src/workers/line-forwarding.ts';
import { environmentOf, temporaryFolder } from '../commands/fixture.ts';

/** Queues of workers that are joined by one coordinator; a message takes a round of the event loop. */
function joinedWorkers(count: number): { readonly workers: readonly RemoteQueues[]; readonly board: Coordinator } {
  const hear = (to: number, message: ToWorker): void => {
    if (message.tell === 'entered' || message.tell === 'refused' || message.tell === 'awaited')
      setImmediate(() => workers[to]?.hear(message));
  };
  const board = createCoordinator(hear);
  const workers = Array.from({ length: count }, (_, from) =>
    createRemoteQueues((message: FromWorker) => {
      if (message.tell === 'ready' || message.tell === 'serving' || message.tell === 'connections ended') return;
      setImmediate(() => board.hear(from, message));
    }),
  );
  return { workers, board };
}

async function rounds(count = 10): Promise<void> {
  for (let index = 0; index < count; index += 1) await round();
}

const onePlace: QueueLimits = {
  places: 1,
  maxPerClient: 1,
  maxWaiting: 100,
  maxWaitingPerClient: 100,
  maxWaitMs: 60_000,
};

describe('a queue of several workers', () => {
  it('gives its places once, in turns of the clients of all workers', async () => {
    const { workers } = joinedWorkers(3);
    const order: string[] = [];
    let running = 0;
    const work = async (worker: number, client: string): Promise<void> => {
      const leave = await workers[worker]?.open('reads', onePlace).enter(client);
      running += 1;
      assert.equal(running, 1);
      order.push(client);
      await rounds(3);
      running -= 1;
      leave?.();
    };
    await Promise.all([
      ...['a', 'a', 'a', 'a'].map((client) => work(0, client)),
      ...['a', 'b'].map((client) => work(1, client)),
      work(2, 'c'),
    ]);
    assert.deepEqual(order.slice(0, 3), ['a', 'b', 'c']);
    assert.equal(order.length, 7);
  });

  it('gives on the places of a worker that has ended, and forgets who waited there', async () => {
    const { workers, board } = joinedWorkers(3);
    const [first, second, third] = workers.map((worker) => worker.open('reads', onePlace));
    assert.ok(first && second && third);
    await first.enter('a');
    void first.enter('b');
    const other = second.enter('c');
    await rounds();
    board.left(0);
    (await other)();
    (await third.enter('d'))();
  });

  it('tells who has a place that others wait, and no longer when they do not', async () => {
    const { workers } = joinedWorkers(2);
    const [first, second] = workers.map((worker) => worker.open('turns', onePlace));
    assert.ok(first && second);
    const leave = await first.enter('a');
    const gone = new AbortController();
    const waiting = second.enter('b', gone.signal).catch((error: unknown) => error);
    await rounds();
    assert.deepEqual([first.isAwaited(), second.counts()], [true, { running: 0, waiting: 1 }]);
    gone.abort();
    const refusal = await waiting;
    assert.ok(refusal instanceof Refused && refusal.by === 'gone');
    await rounds();
    assert.equal(first.isAwaited(), false);
    leave();
    leave();
    (await second.enter('b'))();
  });

  it('refuses by the limits of all together', async () => {
    const { workers } = joinedWorkers(2);
    const [first, second] = workers.map((worker) => createFeedPlaces(4, worker.open('feeds', feedPlaceLimits(4))));
    assert.ok(first && second);
    const leaves = [await first.take('key'), await second.take('key')];
    await assert.rejects(first.take('key'), { slug: 'quota-exceeded' });
    await assert.rejects(second.take('key'), { slug: 'quota-exceeded' });
    leaves.push(await second.take('other'), await first.take('another'));
    await assert.rejects(second.take('third'), { slug: 'unavailable' });
    for (const leave of leaves) leave();
    await rounds();
    (await second.take('third'))();
  });

  it('lets workers write in turns, each with what waits in it', async () => {
    const { workers } = joinedWorkers(2);
    const order: number[] = [];
    let writing = 0;
    const writer = (worker: number): (() => Promise<void>) => {
      const queue = workers[worker]?.open('writes', writeQueueLimits);
      assert.ok(queue);
      const line = createWriteQueue(queue, String(worker));
      let last: Promise<void> = Promise.resolve();
      return () => {
        line.expect();
        last = last.then(async () => {
          await line.begin();
          writing += 1;
          assert.equal(writing, 1);
          order.push(worker);
          await rounds(2);
          writing -= 1;
          line.end(Promise.resolve());
        });
        return last;
      };
    };
    const [one, other] = [writer(0), writer(1)];
    const all = Array.from({ length: 40 }, () => one());
    await rounds(4);
    all.push(other(), other());
    await Promise.all(all);
    assert.equal(order.length, 42);
    // Neither behind all forty nor in their midst each by itself.
    const [first, second] = [order.indexOf(1), order.lastIndexOf(1)];
    assert.ok(first <= 17 && second === first + 1, order.join(''));
  });
});

describe('a grant that changed in one worker', () => {
  /** A coordinator with workers that hear, and all that it told them. */
  function board(workers: readonly number[]) {
    const told: (readonly [number, ToWorker])[] = [];
    const coordinator = createCoordinator((worker, message) => void told.push([worker, message]));
    for (const worker of workers) coordinator.hears(worker);
    const change = (): void => coordinator.hear(1, { tell: 'grant changed', id: 7, grantId: 'g' });
    const answer = (worker: number): void => {
      const [, message] = told.findLast(([to, { tell }]) => to === worker && tell === 'grant changed') ?? [];
      if (message?.tell === 'grant changed') coordinator.hear(worker, { tell: 'grant heard', id: message.id });
    };
    const isKnown = async (): Promise<boolean> => {
      await rounds();
      return told.some(([to, message]) => to === 1 && message.tell === 'grant known' && message.id === 7);
    };
    return { coordinator, told, change, answer, isKnown };
  }

  it('is known when every other one has heard of it', async () => {
    const { told, change, answer, isKnown } = board([1, 2, 3]);
    change();
    assert.deepEqual(
      told.map(([to, message]) => [to, message.tell, 'grantId' in message && message.grantId]),
      [
        [2, 'grant changed', 'g'],
        [3, 'grant changed', 'g'],
      ],
    );
    answer(2);
    answer(2);
    assert.equal(await isKnown(), false);
    answer(3);
    assert.equal(await isKnown(), true);
  });

  it('is known though one of them ends without a word, and where there is no other', async () => {
    const three = board([1, 2, 3]);
    three.change();
    three.answer(3);
    assert.equal(await three.isKnown(), false);
    three.coordinator.left(2);
    assert.equal(await three.isKnown(), true);
    const alone = board([1]);
    alone.change();
    assert.equal(await alone.isKnown(), true);
  });
});

describe('a read at one worker', () => {
  it('is told to every other one that hears', () => {
    const told: (readonly [number, ToWorker['tell']])[] = [];
    const coordinator = createCoordinator((worker, { tell }) => void told.push([worker, tell]));
    for (const worker of [1, 2, 3, 4]) coordinator.hears(worker);
    coordinator.left(4);
    coordinator.hear(2, { tell: 'waiting' });
    assert.deepEqual(told, [
      [1, 'waiting'],
      [3, 'waiting'],
    ]);
  });
});

describe('quotas of several workers', () => {
  it('are given out once in each window', () => {
    let now = 0;
    const quotas = createMemoryQuotas(() => now);
    const request = { kind: 'public', costKey: '192.0.2.1', quota: 10, windowMs: 60_000, wanted: 4 };
    const granted = [1, 2, 3, 4].map(() => quotas.take(request).granted);
    assert.deepEqual(granted, [4, 4, 2, 0]);
    const { windowEnd } = quotas.take(request);
    quotas.giveBack([{ kind: 'public', costKey: '192.0.2.1', windowEnd, amount: 3 }]);
    assert.equal(quotas.take(request).granted, 3);
    assert.equal(quotas.take({ ...request, costKey: '192.0.2.2' }).granted, 4);
    now = 60_001;
    assert.equal(quotas.take(request).granted, 4);
    // What comes back of a window that is over is none of this one.
    quotas.giveBack([{ kind: 'public', costKey: '192.0.2.1', windowEnd, amount: 4 }]);
    assert.deepEqual(
      [1, 2].map(() => quotas.take(request).granted),
      [4, 2],
    );
  });
});

describe('the share of a worker', () => {
  const config = readConfig({}, '/tmp');

  it('adds up to no more than the bounds of the server', () => {
    for (const count of [2, 3, 4]) {
      const share = shareOf(config, { count, port: 8080 });
      for (const name of [
        'maxRunningRequests',
        'maxClientRunningRequests',
        'maxOpenRequests',
        'maxClientOpenRequests',
        'maxMegabytesInFlight',
        'pageCacheMegabytes',
      ] as const) {
        assert.ok(share[name] * count <= config[name] && share[name] >= 1, `${name} of ${count}`);
        assert.ok(share[name] * count > config[name] - count, `${name} of ${count}`);
      }
      assert.ok(share.maxClientMegabytesInFlight >= 22);
    }
  });

  it('leaves what is no limit, and takes nobody the last place', () => {
    const own = readConfig({ RATE_ANONYMOUS: '0', MAX_RUNNING_REQUESTS: '1', MAX_CLIENT_MB_IN_FLIGHT: '5' }, '/tmp');
    const share = shareOf(own, { count: 4, port: 8080 });
    assert.deepEqual([share.anonymousRate, share.maxRunningRequests, share.maxClientMegabytesInFlight], [0, 1, 5]);
  });

  it('has room for the largest body, however many workers there are', () => {
    const { maxMegabytesInFlight, maxClientMegabytesInFlight } = shareOf(config, { count: 64, port: 8080 });
    assert.deepEqual([maxMegabytesInFlight, maxClientMegabytesInFlight], [22, 22]);
  });
});

describe('the number of workers', () => {
  /** How many are asked for on a machine; null: the program serves itself. */
  async function wanted(t: TestContext, processors: number, variables: Record<string, string>): Promise<number | null> {
    let count: number | null = null;
    const stopped = AbortSignal.abort();
    const place = { folder: temporaryFolder(t), variables: { PORT: '0', ...variables }, signal: stopped };
    const code = await runCommandLine(['serve', '--json'], {
      ...environmentOf(place),
      processors,
      supervise: async (options) => {
        count = options.count;
        return 0;
      },
    });
    assert.equal(code, 0);
    return count;
  }

  it('is one for each processor, four at most, unless it is said', async (t) => {
    assert.deepEqual(
      [await wanted(t, 2, {}), await wanted(t, 3, {}), await wanted(t, 16, {}), await wanted(t, 1, { WORKERS: '6' })],
      [2, 3, 4, 6],
    );
    // One process needs nobody who looks after it.
    assert.deepEqual([await wanted(t, 1, {}), await wanted(t, 16, { WORKERS: '1' })], [null, null]);
  });
});

describe('replacing workers', () => {
  it('comes later the more often they end at once, and is given up only where none serves', () => {
    const pace = createRestartPace();
    assert.deepEqual(
      [0, 0, 100, 0, 0, 0, 0, 0].map((servedMs) => pace.ended(servedMs, true)),
      [500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000],
    );
    assert.equal(pace.ended(0, false), null);
    assert.equal(pace.ended(60_000, false), 500);
    // Killed soon, and not one of them failed to start.
    assert.deepEqual(
      [1, 1, 1, 1, 1, 1, 1].map((servedMs) => pace.ended(servedMs, false)),
      [500, 1000, 2000, 4000, 8000, 16_000, 30_000],
    );
    assert.equal(pace.ended(60_000, false), 500);
    assert.deepEqual(
      [0, 0, 0, 0, 0].map((servedMs) => pace.ended(servedMs, false)),
      [500, 1000, 2000, 4000, null],
    );
  });
});

describe('one log of several processes', () => {
  it('has whole lines, whatever parts they come in, and what is left at the end', async () => {
    const [one, other, out] = [new PassThrough(), new PassThrough(), new PassThrough()];
    forwardLines(one, out, () => false);
    forwardLines(other, out, () => false);
    const read = text(out);
    one.write('{"a":');
    other.write('{"b":1}\n{"b"');
    await rounds();
    one.write('1}\n');
    other.write(':2}\n');
    await rounds();
    one.end('Segmentation fault');
    other.end();
    await rounds();
    out.end();
    const lines = (await read).split('\n');
    assert.deepEqual(lines.toSorted(), ['', 'Segmentation fault', '{"a":1}', '{"b":1}', '{"b":2}']);
  });
});

describe('the doctor', () => {
  it('warns of more workers than there are processors', () => {
    assert.deepEqual(checkWorkers(null, 1), []);
    assert.deepEqual(checkWorkers(4, 4), []);
    const [{ verdict, message } = assert.fail('no finding')] = checkWorkers(4, 1);
    assert.equal(verdict, 'warning');
    assert.match(message, /WORKERS is 4, and this machine has 1 processor for them/);
  });
});
