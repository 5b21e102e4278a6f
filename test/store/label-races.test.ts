// What voiding a label does to what else is done with it at the same moment, on every engine: what is being voided is
// not put on a list once more, and what is void stays so.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { v7 as uuidv7 } from 'uuid';
import type { NewAuditEntry } from '../../src/store/audit-contract.ts';
import type { Engine, WriteTransaction } from '../../src/store/engine.ts';
import type { Handover } from '../../src/store/handovers.ts';
import type { LabelVoid } from '../../src/store/label-voids.ts';
import type { StoredLabel } from '../../src/store/labels.ts';
import type { Store } from '../../src/store/store.ts';
import { update, upsert } from '../../src/store/table-statements.ts';
import { labelVoidTable, shippingLabelTable } from '../../src/store/tables/shipping.ts';
import { allEngines, type EngineUnderTest, storeOn } from '../contract/engines.ts';
import { storedLabel } from '../contract/stored-label.ts';

const noon = Date.UTC(2026, 10, 23, 12);

for (const engine of allEngines) {
  describe(`a label that is being voided in ${engine.name}`, { skip: engine.skip }, () => {
    let database: Awaited<ReturnType<EngineUnderTest['create']>>;
    let store: Store;
    let beside: Engine;
    before(async () => {
      database = await engine.create();
      store = await storeOn(await database.open());
      beside = await database.open();
      await store.activities.add('NOR', 'North');
    });
    after(async () => {
      await beside.close();
      await store.close();
      await database.remove();
    });
    raceTests(
      () => store,
      () => beside,
    );
  });
}

let contexts = 0;

/** Labels that were made at an account of their own. */
async function labelsOf({ carrierAccounts, records }: Store, count: number): Promise<readonly StoredLabel[]> {
  const place = { activity: 'NOR', context: `context-${++contexts}`, carrier: 'sandbox' };
  await carrierAccounts.put({ ...place, settings: {}, secrets: null, sender: {}, dailyLimit: null }, noon);
  const account = await carrierAccounts.find(['NOR'], place.context, place.carrier);
  assert.ok(account !== null);
  const labels = Array.from({ length: count }, () =>
    storedLabel({
      ...place,
      ...{ accountId: account.id, id: uuidv7(), state: 'made', expeditionNumber: uuidv7(), fingerprint: 'f' },
      ...{ request: '{"a":"b"}', operationId: uuidv7(), clientId: 'shop', createdAt: noon },
    }),
  );
  for (const label of labels) await records.submit([], (unit) => unit.putLabel(label, []));
  return labels;
}

/** A list of these labels whose outcome is unknown. */
async function unknownList({ handovers }: Store, labels: readonly StoredLabel[]): Promise<Handover> {
  const [label] = labels;
  assert.ok(label !== undefined);
  const { activity, accountId, context, carrier } = label;
  const list = {
    ...{ activity, accountId, context, carrier, id: uuidv7(), day: '2026-11-23', state: 'asked' as const },
    ...{ attempt: uuidv7(), askedAt: noon, endedAt: null, detail: '', number: null, createdAt: noon },
  };
  const handed = labels.map((one) => ({ ...one, expeditionNumber: one.id, parcelNumbers: [one.id] }));
  assert.equal(await handovers.begin(list, handed), true);
  const counts = { labels: labels.length, parcels: labels.length };
  const outcome = { state: 'unknown' as const, detail: 'Lost.', number: null, file: null, ...counts };
  return handovers.end(
    { ...list, ...counts },
    { attempt: list.attempt, endedAt: noon + 1 },
    { ...outcome, audit: entry('label.hand-over') },
  );
}

function entry(action: string): NewAuditEntry {
  return {
    ...{ actorKind: 'command', actor: 'desk', subject: null, action, activityCodes: ['NOR'], target: null },
    ...{ operationId: null, outcome: 'accepted', address: null, details: {} },
  };
}

/** Changes a label as a void does, in a transaction that stays open while something else is done. */
async function during<T>(
  beside: Engine,
  change: (transaction: WriteTransaction) => Promise<unknown>,
  work: () => Promise<T>,
): Promise<T> {
  const [changed, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const open = beside.write(async (transaction) => {
    await change(transaction);
    changed.resolve();
    await release.promise;
  });
  await Promise.race([changed.promise, open]);
  const done = work();
  // By then it waits for the transaction, or has read what was there before.
  await pause(200);
  release.resolve();
  await open;
  return done;
}

function raceTests(store: () => Store, beside: () => Engine): void {
  const onList = async (list: Handover): Promise<readonly string[]> =>
    (await store().handovers.labelsOf(list)).map(({ id }) => id);
  const askAgain = (list: Handover): Promise<boolean> =>
    store().handovers.beginAgain(list, { attempt: uuidv7(), askedAt: noon + 10 });
  const outcome = { detail: 'So it is.', voidedParcels: [], audit: entry('label.void') };

  for (const state of ['voided', 'unknown'] as const) {
    it(`is not on a list that is asked for again, and ends ${state}`, async () => {
      const [gone, kept] = await labelsOf(store(), 2);
      assert.ok(gone !== undefined && kept !== undefined);
      const list = await unknownList(store(), [gone, kept]);
      const attempt = { id: uuidv7(), at: noon + 2 };
      assert.equal((await store().labelVoids.begin(gone, attempt)).state, 'begun');
      if (state === 'unknown')
        await store().labelVoids.end(gone, { ...attempt, endedAt: noon + 3 }, { ...outcome, state });
      assert.equal(await askAgain(list), true);
      assert.deepEqual(await onList(list), [kept.id]);
      if (state === 'voided')
        await store().labelVoids.end(gone, { ...attempt, endedAt: noon + 3 }, { ...outcome, state });
      assert.deepEqual(await onList(list), [kept.id]);
      assert.equal((await store().labelVoids.begin(kept, { id: uuidv7(), at: noon + 20 })).state, 'running');
    });
  }

  it('is on a list that is asked for again after the carrier did not void it', async () => {
    const labels = await labelsOf(store(), 1);
    const list = await unknownList(store(), labels);
    const [label] = labels;
    assert.ok(label !== undefined);
    const attempt = { id: uuidv7(), at: noon + 2 };
    await store().labelVoids.begin(label, attempt);
    await store().labelVoids.end(label, { ...attempt, endedAt: noon + 3 }, { ...outcome, state: 'refused' });
    assert.equal(await askAgain(list), true);
    assert.deepEqual(await onList(list), [label.id]);
  });

  it('is not on a list that is asked for again at the moment when the void begins', async () => {
    const [gone, kept] = await labelsOf(store(), 2);
    assert.ok(gone !== undefined && kept !== undefined);
    const list = await unknownList(store(), [gone, kept]);
    const { activity, id } = gone;
    const noted: LabelVoid = {
      ...{ activity, labelId: id, state: 'asked', attempt: uuidv7(), askedAt: noon + 2, endedAt: null },
      ...{ detail: '', voidedParcels: [] },
    };
    const begin = async (transaction: WriteTransaction): Promise<void> => {
      await transaction.query(update(shippingLabelTable, { state: 'made' }, { activity, id }));
      await transaction.query(upsert(labelVoidTable, noted));
    };
    assert.equal(await during(beside(), begin, () => askAgain(list)), true);
    assert.deepEqual(await onList(list), [kept.id]);
  });

  it('stays void where it is fetched at the moment when the void ends', async () => {
    const [label] = await labelsOf(store(), 1);
    assert.ok(label !== undefined);
    const { activity, id } = label;
    await during(
      beside(),
      (transaction) => transaction.query(update(shippingLabelTable, { state: 'voided' }, { activity, id })),
      () => store().records.submit([], (unit) => unit.putLabel({ ...label, result: '{"status":"0"}' }, [])),
    );
    assert.deepEqual(await store().labels.byId(id), { ...label, state: 'voided', result: '{"status":"0"}' });
  });
}
