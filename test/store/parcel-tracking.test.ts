// The last answers about parcels, on every engine: kept per account and number, replaced, dropped, and forgotten when
// they are old.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { v7 as uuidv7 } from 'uuid';
import type { Store } from '../../src/store/store.ts';
import { allEngines } from '../contract/engines.ts';
import { storeOfSuite } from '../contract/opened-store.ts';
import { addRows } from '../contract/database.ts';
import { parcelTrackingTable } from '../../src/store/tables/shipping.ts';

const noon = Date.UTC(2026, 10, 23, 12);

for (const engine of allEngines) {
  describe(`the tracking of a parcel in ${engine.name}`, { skip: engine.skip }, () => {
    let store: Store;
    storeOfSuite(engine, (opened) => {
      ({ store } = opened);
    });
    trackingTests(() => store);
  });
}

function trackingTests(store: () => Store): void {
  it('is the last answer, per account and number', async () => {
    const [one, other] = [uuidv7(), uuidv7()];
    assert.equal(await store().tracking.last(one, 'X1'), null);
    await store().tracking.put({ accountId: one, expeditionNumber: 'X1', tracking: '{"a":1}', fetchedAt: noon });
    await store().tracking.put({
      accountId: one,
      expeditionNumber: 'X1',
      tracking: '{"a":"é🚚"}',
      fetchedAt: noon + 1,
    });
    assert.deepEqual(await store().tracking.last(one, 'X1'), {
      accountId: one,
      expeditionNumber: 'X1',
      tracking: '{"a":"é🚚"}',
      fetchedAt: noon + 1,
    });
    assert.equal(await store().tracking.last(other, 'X1'), null);
    assert.equal(await store().tracking.last(one, 'x1'), null);
  });

  it('is forgotten when it is old, however many there are', async () => {
    const id = uuidv7();
    for (const [number, at] of [
      ['OLD', 10],
      ['NEW', 11],
    ] as const)
      await store().tracking.put({ accountId: id, expeditionNumber: number, tracking: '{}', fetchedAt: at });
    await addRows(
      store(),
      parcelTrackingTable,
      Array.from({ length: 1_100 }, (_, index) => ({
        accountId: id,
        expeditionNumber: `N${index}`,
        tracking: '{}',
        fetchedAt: 5,
      })),
    );
    assert.equal(await store().tracking.forget(11), 1_101);
    assert.equal(await store().tracking.last(id, 'OLD'), null);
    assert.notEqual(await store().tracking.last(id, 'NEW'), null);
  });

  it('is dropped for one parcel of one account', async () => {
    const [one, other] = [uuidv7(), uuidv7()];
    for (const [id, number] of [
      [one, 'X1'],
      [one, 'X2'],
      [other, 'X1'],
    ] as const)
      await store().tracking.put({ accountId: id, expeditionNumber: number, tracking: '{}', fetchedAt: noon });
    for (const _time of [1, 2]) await store().tracking.drop(one, 'X1');
    assert.equal(await store().tracking.last(one, 'X1'), null);
    for (const [id, number] of [
      [one, 'X2'],
      [other, 'X1'],
    ] as const)
      assert.notEqual(await store().tracking.last(id, number), null);
  });
}
