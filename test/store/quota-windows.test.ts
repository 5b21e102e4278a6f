// The quotas that all processes of a database share, on every engine.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { QuotaRequest } from '../../src/model/quota.ts';
import type { Engine } from '../../src/store/engine.ts';
import type { Store } from '../../src/store/store.ts';
import { allEngines, storeOn } from '../contract/engines.ts';
import { changeRows, removeRows, rowsIn } from '../contract/database.ts';
import { quotaWindowTable } from '../../src/store/tables/processes.ts';

const minute = 60_000;
const wish = (costKey: string, wanted: number, more: Partial<QuotaRequest> = {}): QuotaRequest => ({
  kind: 'read',
  costKey,
  quota: 100,
  windowMs: minute,
  wanted,
  ...more,
});

for (const { name, skip, create } of allEngines) {
  describe(`shares of quotas on ${name}`, { skip }, () => {
    const opened: Engine[] = [];
    let [one, other]: readonly Store[] = [];
    let remove: () => Promise<void>;
    before(async () => {
      const database = await create();
      opened.push(await database.open(), await database.open());
      [one, other] = [await storeOn(opened[0] ?? assert.fail()), await storeOn(opened[1] ?? assert.fail())];
      remove = database.remove;
    });
    after(async () => {
      for (const engine of opened) await engine.close();
      await remove();
    });
    const processes = (): readonly [Store, Store] => [one ?? assert.fail(), other ?? assert.fail()];

    it('never give more than there is, however many processes ask at once', async () => {
      const [first, second] = processes();
      const shares = await Promise.all(
        Array.from({ length: 60 }, (_one, index) => (index % 2 === 0 ? first : second).quotas.take(wish('shop', 7))),
      );
      assert.equal(
        shares.reduce((sum, { granted }) => sum + granted, 0),
        100,
      );
      assert.equal(Math.max(...shares.map(({ used }) => used)), 100);
      assert.equal(new Set(shares.map(({ windowEnd }) => windowEnd)).size, 1);
      for (const { endsInMs } of shares) assert.ok(endsInMs > 0 && endsInMs <= minute + 1000, String(endsInMs));
    });

    it('go on in a window that another process began a moment later than this one looked at the clock', async () => {
      const [store] = processes();
      const { windowEnd } = await store.quotas.take(wish('late', 90));
      await changeRows(store, quotaWindowTable, { windowEnd: windowEnd + 20_000 }, { windowEnd, used: 90 });
      assert.deepEqual((({ granted, used }) => [granted, used])(await store.quotas.take(wish('late', 90))), [10, 100]);
    });

    it('are kept apart for each limit and for everybody', async () => {
      const [{ quotas }] = processes();
      const shares = await Promise.all([
        quotas.take(wish('a', 60)),
        quotas.take(wish('b', 60)),
        quotas.take(wish('a', 60, { kind: 'write' })),
        quotas.take(wish('a', 60)),
      ]);
      assert.deepEqual(
        shares.map(({ granted }) => granted),
        [60, 60, 60, 40],
      );
    });

    it('can be given back, as long as their window runs', async () => {
      const [first, second] = processes();
      const { windowEnd } = await first.quotas.take(wish('idle', 100));
      assert.equal((await second.quotas.take(wish('idle', 5))).granted, 0);
      await first.quotas.giveBack([{ kind: 'read', costKey: 'idle', windowEnd: windowEnd - 1, amount: 50 }]);
      assert.equal((await second.quotas.take(wish('idle', 5))).granted, 0);
      await first.quotas.giveBack([{ kind: 'read', costKey: 'idle', windowEnd, amount: 30 }]);
      assert.deepEqual((await second.quotas.take(wish('idle', 50))).granted, 30);
    });

    it('begin anew when the minute is over, and also where the clock was set back', async () => {
      const [store] = processes();
      const now = (await opened[0]?.now()) ?? assert.fail();
      const { windowEnd } = await store.quotas.take(wish('old', 100));
      assert.ok(Math.abs(windowEnd - now - minute) < 10_000);
      for (const end of [now - 1, now + 86_400_000]) {
        await changeRows(store, quotaWindowTable, { windowEnd: end }, { windowEnd, used: 100 });
        const share = await store.quotas.take(wish('old', 100));
        assert.deepEqual([share.granted, share.used], [100, 100]);
        assert.ok(share.windowEnd >= windowEnd && share.windowEnd < windowEnd + 30_000);
        await changeRows(store, quotaWindowTable, { windowEnd }, { windowEnd: share.windowEnd });
      }
    });

    it('follow a quota that was changed', async () => {
      const [{ quotas }] = processes();
      await quotas.take(wish('changed', 80));
      assert.equal((await quotas.take(wish('changed', 10, { quota: 50 }))).granted, 0);
      assert.equal((await quotas.take(wish('changed', 100, { quota: 200 }))).granted, 100);
    });

    it('serve thousands of clients in few transactions', async () => {
      const [{ quotas }] = processes();
      const shares = await Promise.all(
        Array.from({ length: 1200 }, (_one, index) => quotas.take(wish(`client ${index}`, 3))),
      );
      assert.ok(shares.every(({ granted, used }) => granted === 3 && used === 3));
    });

    it('tell nobody who reads the table whom they are for', async () => {
      const [store] = processes();
      await store.quotas.take(wish('192.0.2.77', 1));
      assert.doesNotMatch(JSON.stringify(await rowsIn(store, quotaWindowTable)), /192\.0\.2/);
    });

    it('are swept when they are over, by two processes at once, and no others', async () => {
      const [first, second] = processes();
      await removeRows(first, quotaWindowTable);
      await Promise.all(Array.from({ length: 1500 }, (_one, index) => first.quotas.take(wish(`client ${index}`, 3))));
      await changeRows(first, quotaWindowTable, { windowEnd: 1 });
      await first.quotas.take(wish('alive', 1));
      const removed = await Promise.all([
        first.quotas.removeEnded(),
        second.quotas.removeEnded(),
        first.quotas.take(wish('client 7', 1)),
      ]);
      const left = await rowsIn(first, quotaWindowTable);
      assert.ok(removed[0] + removed[1] >= 1499, JSON.stringify(removed));
      assert.ok(left.length <= 2 && left.every((row) => row.windowEnd > 1), JSON.stringify(left));
    });
  });
}
