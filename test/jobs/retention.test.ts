// What is removed with time: audit entries by age alone, entries of the outbox once every consumer has them.
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { removeOldAuditEntries } from '../../src/jobs/audit-retention.ts';
import { removeTakenEntries } from '../../src/jobs/outbox-retention.ts';
import { article } from '../../src/resources/index.ts';
import type { NewAuditEntry, Store } from '../../src/store/store.ts';
import { engines, storeOn } from '../contract/engines.ts';
import { articleRecord } from '../platform/export-fixture.ts';

const day = 86_400_000;

/** A store on the embedded engine whose clock the test sets. */
async function openAt(t: TestContext, clock: { at: number }): Promise<Store> {
  const [engine] = engines;
  assert.ok(engine !== undefined);
  const database = await engine.create(() => clock.at);
  const store = await storeOn(await database.open());
  t.after(async () => {
    await store.close();
    await database.remove();
  });
  await store.addActivity('ACM', 'Acme');
  return store;
}

describe('retention', () => {
  it('of the audit trail keeps what is not older than the days', async (t) => {
    const clock = { at: 0 };
    const store = await openAt(t, clock);
    const entry: NewAuditEntry = { actorKind: 'client', actor: 'shop', subject: null, action: 'x', activityCodes: [], target: null, operationId: null, outcome: 'accepted', address: null, details: null };
    for (clock.at of [10 * day, 10 * day + 1, 11 * day]) await store.audit.append(entry);
    assert.equal(await removeOldAuditEntries(store, 400, 410 * day), 0);
    assert.equal(await removeOldAuditEntries(store, 400, 410 * day + 1), 1);
    const left = await store.audit.read({ activityCodes: null, operationId: null, action: null, actor: null, since: null, until: null, after: null, newestFirst: false, limit: 9 });
    assert.deepEqual(left.map(({ at }) => at), [10 * day + 1, 11 * day]);
  });

  it('of the outbox keeps what is not older than the days, and what a consumer has not taken', async (t) => {
    const clock = { at: 0 };
    const store = await openAt(t, clock);
    for (clock.at of [10 * day, 11 * day, 12 * day]) await store.submit(['ACM'], (unit) => unit.write(article, 'ACM', [articleRecord(`A${clock.at}`)], 'op'));
    const left = async (): Promise<number> => (await store.outbox.read(['ACM'], {}, 9)).entries.length;
    assert.equal(await removeTakenEntries(store, 30, 1000 * day), 0, 'nobody has taken anything');
    await store.outbox.noteDelivered('wms', { ACM: 3 });
    await store.outbox.acknowledge('wms', { ACM: 2 });
    assert.equal(await removeTakenEntries(store, 30, 40 * day), 0);
    assert.equal(await removeTakenEntries(store, 30, 40 * day + 1), 1);
    assert.equal(await removeTakenEntries(store, 30, 1000 * day), 1);
    assert.equal(await left(), 1);
  });
});
