// What is removed with time, on every engine: audit entries by age alone, entries of the outbox once every consumer has
// them, stock images whole.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { removeAcknowledgedEntries, removeOldAuditEntries, removeOldStockImages } from '../../src/jobs/retention.ts';
import { isRetentionSubject } from '../../src/jobs/retention-policy.ts';
import { createChecker } from '../../src/model/check.ts';
import { article, articleStock, resources } from '../../src/resources/index.ts';
import type { Engine } from '../../src/store/engine.ts';
import type { NewAuditEntry } from '../../src/store/audit-contract.ts';
import type { Store } from '../../src/store/store.ts';
import { type EngineUnderTest, enginesAboveStorage, storeOn } from '../contract/engines.ts';
import { openedStore } from '../contract/opened-store.ts';
import { articleRecord } from '../platform/export-fixture.ts';
import { changeRows, removeRows } from '../contract/database.ts';
import { stockImageTable } from '../../src/store/tables/activities.ts';
import { auditEntryTable, outboxEntryTable } from '../../src/store/tables/writes.ts';
import { sql } from '../../src/store/statement.ts';

const day = 86_400_000;

/** Resources whose records stay: the others name them. */
const kept: readonly string[] = ['articles'];

it('retention has a time for every resource whose records do not stay', () => {
  const names = resources.map(({ name }) => name);
  assert.deepEqual(
    names.filter((name) => !isRetentionSubject(name)),
    kept,
  );
});

for (const engine of enginesAboveStorage) {
  describe(`retention on ${engine.name}`, { skip: engine.skip }, () => {
    entryTests(engine);
    imageTests(engine);
  });
}

/** Entries are dated by the database's own clock: what is to be old is dated back. */
function entryTests(engineUnderTest: EngineUnderTest): void {
  it('of the audit trail keeps what is not older than the days', async (t) => {
    const { engine, store } = await openedStore(t, engineUnderTest, ['ACM', 'Acme']);
    const entry: NewAuditEntry = {
      actorKind: 'client',
      actor: 'shop',
      subject: null,
      action: 'x',
      activityCodes: [],
      target: null,
      operationId: null,
      outcome: 'accepted',
      address: null,
      details: null,
    };
    for (const at of [10 * day, 10 * day + 1, 11 * day]) {
      await store.audit.append({ ...entry, target: `${at}` });
      await changeRows(engine, auditEntryTable, { at }, { target: `${at}` });
    }
    assert.equal(await removeOldAuditEntries(store, 400, 410 * day), 0);
    assert.equal(await removeOldAuditEntries(store, 400, 410 * day + 1), 1);
    const left = await store.audit.read({
      activityCodes: null,
      operationId: null,
      action: null,
      actor: null,
      since: null,
      until: null,
      after: null,
      newestFirst: false,
      limit: 9,
    });
    assert.deepEqual(
      left.map(({ at }) => at),
      [10 * day + 1, 11 * day],
    );
  });

  it('of the outbox keeps what is not older than the days, and what a consumer has not taken', async (t) => {
    const { engine, store } = await openedStore(t, engineUnderTest, ['ACM', 'Acme']);
    for (const [index, at] of [10 * day, 11 * day, 12 * day].entries()) {
      await store.records.submit(['ACM'], (unit) => unit.write(article, 'ACM', [articleRecord(`A${at}`)], 'op'));
      await changeRows(engine, outboxEntryTable, { createdAt: at }, { changeNumber: index + 1 });
    }
    const left = async (): Promise<number> => (await store.outbox.read(['ACM'], {}, 9)).entries.length;
    assert.equal(await removeAcknowledgedEntries(store, 30, 1000 * day), 0, 'nobody has taken anything');
    await store.outbox.noteDelivered('wms', { ACM: 3 });
    await store.outbox.acknowledge('wms', { ACM: 2 });
    assert.equal(await removeAcknowledgedEntries(store, 30, 40 * day), 0);
    assert.equal(await removeAcknowledgedEntries(store, 30, 40 * day + 1), 1);
    assert.equal(await removeAcknowledgedEntries(store, 30, 1000 * day), 1);
    assert.equal(await left(), 1);
  });
}

function imageTests(engineUnderTest: EngineUnderTest): void {
  it('of stock images leaves no row behind where two processes remove one image at once', {
    skip: !engineUnderTest.parallel && 'one connection',
    timeout: 900_000,
  }, async (t) => {
    const { engine, store, another } = await openedStore(t, engineUnderTest, ['ACM', 'Acme']);
    const other = await another();
    await publish(store, [
      [1, 6_500],
      [2, 10],
    ]);
    const removed = await Promise.all(
      [store, other.store, store].map((own) => removeOldStockImages(own, [articleStock], () => 30, 100 * day)),
    );
    assert.equal(
      removed.reduce((sum, each) => sum + each),
      1,
      'told of once',
    );
    // Whoever ended first may have left the last rows to the other; nothing is left without its header.
    assert.deepEqual(await remaining(engine), { rows: 10, headers: 1 });
  });

  it('of stock images goes on where a process was lost amid the rows of one', async (t) => {
    const { engine, store, another } = await openedStore(t, engineUnderTest, ['ACM', 'Acme']);
    await publish(store, [
      [1, 3_200],
      [2, 10],
    ]);
    const dying = await another();
    const { write, writeInBackground } = dying.engine;
    let writes = 0;
    const aFewTimes = (each: Engine['write']): Engine['write'] => {
      return async (work) => {
        writes += 1;
        if (writes > 4) throw new Error('lost');
        return each(work);
      };
    };
    Object.assign(dying.engine, { write: aFewTimes(write), writeInBackground: aFewTimes(writeInBackground) });
    const lost = await storeOn(dying.engine);
    await assert.rejects(
      removeOldStockImages(lost, [articleStock], () => 30, 100 * day),
      /lost/,
    );
    const halfWay = await remaining(engine);
    assert.ok(halfWay.rows > 10 && halfWay.rows < 3_210, `${halfWay.rows} rows`);
    assert.equal(halfWay.headers, 2);
    await removeOldStockImages(store, [articleStock], () => 30, 100 * day);
    assert.deepEqual(await remaining(engine), { rows: 10, headers: 1 });
  });

  it('of stock images that are kept for ever removes what nobody can see', async (t) => {
    const { engine, store } = await openedStore(t, engineUnderTest, ['ACM', 'Acme']);
    await publish(store, [
      [1, 10],
      [2, 10],
      [3, 1_100],
    ]);
    await (await store.images.draft(articleStock, 'ACM', 4 * day)).write(rows(4, 0, 5));
    await (await store.images.draft(articleStock, 'ACM', 5 * day)).write(rows(5, 0, 5));
    // As a process leaves them that is killed once it has hidden an image, or while it writes one.
    await changeRows(
      engine,
      stockImageTable,
      { state: 'draft', touchedAt: 0 },
      { activity: 'ACM', extractedAt: 3 * day },
    );
    await changeRows(engine, stockImageTable, { touchedAt: 1 }, { activity: 'ACM', extractedAt: 4 * day });
    assert.equal(await removeOldStockImages(store, [articleStock], () => null, 1000 * day), 0);
    assert.deepEqual(await remaining(engine), { rows: 25, headers: 3 }, 'the images, and the draft of today');
  });

  it('of stock images finds rows whose header is gone, and no others', async (t) => {
    const { engine, store } = await openedStore(t, engineUnderTest, ['ACM', 'Acme']);
    await publish(store, [
      [1, 1_100],
      [2, 1_100],
      [3, 10],
    ]);
    const draft = await store.images.draft(articleStock, 'ACM', 4 * day);
    await draft.write(rows(4, 0, 5));
    await removeRows(engine, stockImageTable, { extractedAt: [day, 2 * day] });
    assert.equal(await removeOldStockImages(store, [articleStock], () => 30, 5 * day), 0);
    assert.deepEqual(await remaining(engine), { rows: 15, headers: 2 });
    await draft.write(rows(4, 5, 5));
    assert.equal(await draft.publish(), 'new');
    assert.deepEqual(await remaining(engine), { rows: 20, headers: 2 });
  });
}

/** Stock images of days, each with so many rows. */
async function publish(store: Store, images: readonly (readonly [day: number, rows: number])[]): Promise<void> {
  for (const [at, count] of images) {
    const draft = await store.images.draft(articleStock, 'ACM', at * day);
    for (let from = 0; from < count; from += 1000) await draft.write(rows(at, from, Math.min(1000, count - from)));
    await draft.publish();
  }
}

function rows(at: number, from: number, count: number) {
  const check = createChecker(articleStock);
  return Array.from({ length: count }, (_, index) => {
    const value = {
      articleReference: `A${from + index}`,
      stockImageExtractionDate: new Date(at * day).toISOString(),
      totalStockQuantity: 1,
    };
    const checked = check(value, { activity: 'ACM', activityName: 'Acme' });
    assert.ok(checked.ok);
    return checked.record;
  });
}

async function remaining(engine: Engine): Promise<{ readonly rows: number; readonly headers: number }> {
  const count = async (table: string): Promise<number> =>
    Number((await engine.read(sql`select count(*) from ${sql.quoted(table)}`))[0]?.[0]);
  return { rows: await count('article_stock'), headers: await count('stock_image') };
}
