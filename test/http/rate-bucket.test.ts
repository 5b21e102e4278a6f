// Counting from shares: nothing beyond the quota with any number of processes, and nobody locked out when storage is
// away.
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Counted, type RateBucket, createBucket } from '../../src/http/rate-bucket.ts';
import type { QuotaRequest, Quotas, QuotaShare, UnusedShare } from '../../src/model/quota.ts';

/**
 * Storage as it is described in `model/quota.ts`, in memory, with a clock and faults that the test sets. Timers stand
 * still until the test lets them go on.
 */
function world(t: TestContext, quota: number) {
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  const state = { now: 1000, away: false, silent: false, asked: 0, transactions: [] as QuotaRequest[] };
  const windows = new Map<string, { used: number; end: number }>();
  const quotas: Quotas = {
    take: async (request): Promise<QuotaShare> => {
      state.asked += 1;
      state.transactions.push(request);
      const since = state.now;
      await new Promise((resolve) => setImmediate(resolve));
      if (state.silent) return new Promise<never>(() => undefined);
      if (state.away) throw new Error('storage is away');
      const known = windows.get(request.costKey);
      const window =
        known !== undefined && known.end > state.now ? known : { used: 0, end: state.now + request.windowMs };
      const granted = Math.max(0, Math.min(request.wanted, request.quota - window.used));
      window.used += granted;
      windows.set(request.costKey, window);
      return { granted, used: window.used, windowEnd: window.end, endsInMs: window.end - since };
    },
    giveBack: async (unused: readonly UnusedShare[]) => {
      for (const { costKey, amount, windowEnd } of unused) {
        const window = windows.get(costKey);
        if (window?.end === windowEnd) window.used -= amount;
      }
    },
  };
  const process = (isFirstShareFree = false): RateBucket =>
    createBucket({ kind: 'read', quota, quotas, now: () => state.now, isFirstShareFree });
  return { state, process, passTimers: (ms: number) => t.mock.timers.tick(ms) };
}

/** Until storage has answered what it was asked meanwhile: it takes one turn. */
async function storageAnswers(): Promise<void> {
  for (let turns = 0; turns < 3; turns += 1) await nextTurn();
}

/** How many of these requests, one after another, were allowed. */
async function allowed(buckets: readonly RateBucket[], requests: number, costKey = 'shop'): Promise<number> {
  let count = 0;
  for (let index = 0; index < requests; index += 1)
    if ((await buckets[index % buckets.length]?.count(costKey))?.allowed === true) count += 1;
  return count;
}

describe('a rate', () => {
  for (const quota of [1, 2, 3, 10, 19, 20, 60, 600, 10_007]) {
    it(`of ${quota} is given out to the last request by one process, and says exactly what is left`, async (t) => {
      const { state, process } = world(t, quota);
      const bucket = process();
      for (let left = quota - 1; left >= 0; left -= 1)
        assert.deepEqual(await bucket.count('shop'), { allowed: true, left, endsInMs: 60_000 });
      const asked = state.asked;
      for (let more = 0; more < 50; more += 1)
        assert.deepEqual(await bucket.count('shop'), { allowed: false, left: 0, endsInMs: 60_000 });
      assert.equal(state.asked, asked);
      assert.ok(asked <= Math.min(quota, 25), `asked ${asked} times`);
      state.now += 60_000;
      assert.equal((await bucket.count('shop')).allowed, true);
    });
  }

  for (const processes of [2, 3, 8]) {
    it(`is neither exceeded nor left unused by ${processes} processes, in turn and all at once`, async (t) => {
      const { state, process } = world(t, 600);
      const buckets = Array.from({ length: processes }, () => process());
      assert.equal(await allowed(buckets, 1500), 600);
      state.now += 61_000;
      const counted = await Promise.all(
        Array.from({ length: 1500 }, (_one, index) => buckets[index % processes]?.count('shop')),
      );
      assert.equal(counted.filter((one) => one?.allowed).length, 600);
    });
  }

  it('reaches nine tenths in one process while another, that had its share first, stands still', async (t) => {
    const { process } = world(t, 600);
    const [idle, busy] = [process(), process()];
    assert.equal(await allowed([idle], 1), 1);
    const reached = 1 + (await allowed([busy], 1000));
    assert.ok(reached >= 540 && reached <= 600, String(reached));
  });

  it('gets back what a process that stands still does not need, where that knows of others', async (t) => {
    const { state, process, passTimers } = world(t, 600);
    const [idle, busy] = [process(), process()];
    await allowed([busy], 1);
    await allowed([idle], 1);
    let reached = 2 + (await allowed([busy], 1000));
    assert.ok(reached < 600);
    state.now += 4000;
    passTimers(1000);
    await storageAnswers();
    await allowed([busy], 1);
    await storageAnswers();
    reached += await allowed([busy], 100);
    assert.equal(reached, 600);
  });

  it('asks storage seldom for a client that asks seldom, and never for each request', async (t) => {
    const { state, process } = world(t, 600);
    const bucket = process();
    for (let count = 0; count < 10; count += 1) {
      assert.equal((await bucket.count('shop')).allowed, true);
      state.now += 5000;
    }
    assert.equal(state.asked, 1);
  });

  it('whose first share is free asks nothing for who asks seldom, and is given out to the last request', async (t) => {
    const { state, process } = world(t, 600);
    const bucket = process(true);
    for (let one = 0; one < 1000; one += 1) assert.equal(await allowed([bucket], 14, `address ${one}`), 14);
    assert.equal(state.asked, 0);
    for (let left = 599; left >= 0; left -= 1)
      assert.deepEqual(await bucket.count('shop'), { allowed: true, left, endsInMs: 60_000 });
    assert.equal((await bucket.count('shop')).allowed, false);
    assert.ok(state.asked <= 25, `asked ${state.asked} times`);
  });

  it('whose first share is free is exceeded by no more than that share of each other process', async (t) => {
    const { process } = world(t, 600);
    assert.equal(await allowed([process(true), process(true)], 1500), 600);
    const [one, other, third] = [process(true), process(true), process(true)];
    assert.equal(await allowed([one], 1000, 'crawler'), 600);
    assert.equal(await allowed([other, third], 1000, 'crawler'), 60);
  });

  it('is held by each process for itself while storage is away, and made up for afterwards', async (t) => {
    const { state, process } = world(t, 100);
    const [one, other] = [process(), process()];
    state.away = true;
    assert.equal(await allowed([one], 150), 100);
    assert.equal(await allowed([other], 30), 30);
    assert.ok(state.asked <= 4, `asked ${state.asked} times`);
    state.away = false;
    state.now += 2000;
    // Both have given out 130 together, so that nothing is left for anybody.
    await allowed([one, other], 2);
    await storageAnswers();
    assert.equal(await allowed([one, other], 50), 0);
  });

  it('lets requests through after a second where storage never answers', async (t) => {
    const { state, process, passTimers } = world(t, 100);
    const bucket = process();
    state.silent = true;
    const counted: Counted[] = [];
    const count = (costKey: string): Promise<unknown> =>
      Promise.resolve(bucket.count(costKey)).then((one) => counted.push(one));
    const all = Promise.all(Array.from({ length: 150 }, () => count('shop')));
    passTimers(999);
    await storageAnswers();
    assert.equal(counted.length, 0);
    passTimers(1);
    await all;
    assert.equal(counted.filter((one) => one.allowed).length, 100);
    const another = count('another');
    passTimers(1000);
    await another;
    assert.equal(counted.at(-1)?.allowed, true);
  });

  it('is counted for ever new addresses in bounded memory: who is forgotten here is not in storage', async (t) => {
    const { state, process } = world(t, 100);
    const bucket = process();
    for (let index = 0; index < 50_000; index += 1) await bucket.count(`address ${index}`);
    const asked = state.asked;
    assert.deepEqual(await bucket.count('address 0'), { allowed: true, left: 98, endsInMs: 60_000 });
    assert.equal(state.asked, asked);
    await bucket.count('one more');
    // The share that it had is lost with it, and counts as used.
    assert.deepEqual(await bucket.count('address 0'), { allowed: true, left: 94, endsInMs: 60_000 });
    assert.equal(state.asked, asked + 2);
  });
});
