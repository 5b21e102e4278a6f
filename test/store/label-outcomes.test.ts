// What operators see of labels and how a doubt about one ends, on every engine.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { v7 as uuidv7 } from 'uuid';
import type { StoredLabel } from '../../src/store/labels.ts';
import type { Store } from '../../src/store/store.ts';
import { labelAliasTable, shippingLabelTable } from '../../src/store/tables/shipping.ts';
import { removeRows } from '../contract/database.ts';
import { allEngines } from '../contract/engines.ts';
import { storeOfSuite } from '../contract/opened-store.ts';
import { reserveLabel } from '../contract/reserve-label.ts';
import { storedLabel } from '../contract/stored-label.ts';

const noon = Date.UTC(2026, 10, 23, 12);
const minute = 60_000;

for (const engine of allEngines) {
  describe(`the doubt about labels in ${engine.name}`, { skip: engine.skip }, () => {
    let store: Store;
    storeOfSuite(engine, async (opened) => {
      ({ store } = opened);
      for (const code of ['NOR', 'SOU']) await store.activities.add(code, code);
    });
    outcomeTests(() => store);
  });
}

let contexts = 0;

async function contextOf(
  { carrierAccounts }: Store,
  activity = 'NOR',
): Promise<(about?: Partial<StoredLabel>) => StoredLabel> {
  const context = `context-${++contexts}`;
  await carrierAccounts.put(
    { activity, context, carrier: 'sandbox', settings: {}, secrets: null, sender: {}, dailyLimit: null },
    noon,
  );
  const account = await carrierAccounts.find([activity], context, 'sandbox');
  assert.ok(account !== null);
  return (about = {}) =>
    storedLabel({
      activity,
      accountId: account.id,
      context,
      carrier: 'sandbox',
      id: uuidv7(),
      state: 'asked',
      fingerprint: 'f',
      request: '{"a":"b"}',
      operationId: uuidv7(),
      clientId: 'shop',
      createdAt: noon,
      ...about,
    });
}

function outcomeTests(store: () => Store): void {
  const put = (given: StoredLabel): Promise<void> => store().records.submit([], (unit) => unit.putLabel(given, []));
  const unknown = (context: string): Promise<readonly StoredLabel[]> =>
    store().labels.list({ activity: null, context, unknown: true, limit: 100 });

  it('is there for a question without a good answer, and without any; metrics count this one later', async () => {
    const label = await contextOf(store());
    const [doubtful, asked] = [label({ state: 'unknown' }), label()];
    for (const each of [
      doubtful,
      asked,
      label({ state: 'made' }),
      label({ state: 'refused' }),
      label({ state: 'fetched' }),
      label({ state: 'past' }),
    ])
      await put(each);
    const before = await store().labels.countUnknown(noon + 10 * minute);
    assert.deepEqual(new Set((await unknown(asked.context)).map(({ id }) => id)), new Set([doubtful.id, asked.id]));
    assert.equal(await store().labels.countUnknown(noon + 10 * minute + 1), before + 1);
    assert.equal(await store().labels.settle(asked, null), 'settled');
  });

  it('may come with the number of a parcel, which is then nobody else’s, and goes with the parcel', async () => {
    const [label, theirs] = [await contextOf(store()), await contextOf(store(), 'SOU')];
    const [known, other] = [label({ state: 'unknown', expeditionNumber: 'HALF-1' }), theirs({ state: 'unknown' })];
    for (const each of [known, other]) await put(each);
    assert.equal(await store().labels.find(known, 'HALF-1'), null, 'nothing is known of it that could be answered');
    assert.equal(await store().labels.isMadeByOthers(other, 'HALF-1'), true);
    assert.equal(await store().labels.isMadeByOthers(known, 'HALF-1'), false);
    assert.equal(await store().labels.settle(other, 'HALF-1'), 'number-taken');
    assert.equal(await store().labels.settle(known, 'HALF-1'), 'settled');
    assert.equal((await store().labels.find(known, 'HALF-1'))?.id, known.id);
    const cancelled = label({ state: 'unknown', expeditionNumber: 'HALF-2' });
    await put(cancelled);
    assert.equal(await store().labels.settle(cancelled, null), 'settled');
    assert.equal((await store().labels.byId(cancelled.id))?.expeditionNumber, null);
  });

  it('does not hide other labels: the newest first, of one context or of all, as many as are asked for', async () => {
    const label = await contextOf(store());
    const given = [1, 2, 3].map((at) => label({ state: 'made', createdAt: noon + at }));
    for (const each of given) await put(each);
    const ids = async (context: string | null, limit: number) =>
      (await store().labels.list({ activity: null, context, unknown: false, limit })).map(({ id }) => id);
    const newestFirst = given.map(({ id }) => id).toReversed();
    assert.deepEqual(await ids(given[0]?.context ?? '', 100), newestFirst);
    assert.deepEqual(await ids(given[0]?.context ?? '', 2), newestFirst.slice(0, 2));
    assert.ok((await ids(null, 1000)).length > 3);
    assert.deepEqual(await store().labels.byId(newestFirst[0] ?? ''), given[2]);
    assert.equal(await store().labels.byId('nobody'), null);
  });

  it('keeps what a carrier gives for a settled label beside the label that has the key now', async () => {
    const label = await contextOf(store());
    const requestKey = uuidv7();
    const [first, second] = [label({ requestKey }), label({ requestKey })];
    await put(first);
    assert.equal(await store().labels.settle(first, null), 'settled');
    await put(second);
    const made = { ...first, state: 'made', expeditionNumber: uuidv7() } as const;
    await put(made);
    assert.deepEqual(await store().labels.byId(first.id), { ...made, requestKey: null });
    assert.deepEqual(await store().labels.byId(second.id), second);
  });

  it('ends with a number, once', async () => {
    const label = await contextOf(store());
    const given = label({ state: 'unknown', requestKey: uuidv7() });
    const number = uuidv7();
    await put(given);
    assert.equal(await store().labels.settle(given, number), 'settled');
    assert.deepEqual(await store().labels.byId(given.id), { ...given, state: 'made', expeditionNumber: number });
    for (const again of [null, 'another']) assert.equal(await store().labels.settle(given, again), 'no-doubt');
  });

  it('ends without a parcel, which frees the key and what was kept of people', async () => {
    const label = await contextOf(store());
    const requestKey = uuidv7();
    const given = label({ state: 'unknown', requestKey });
    await put(given);
    assert.equal(await store().labels.settle(given, null), 'settled');
    assert.deepEqual(await store().labels.byId(given.id), {
      ...given,
      state: 'refused',
      requestKey: null,
      fingerprint: '',
      request: '{}',
    });
    assert.equal((await reserveLabel(store(), label({ requestKey }), noon)).state, 'reserved');
  });

  it('ends with a number beside those that the carrier had given, which stay those of its parcels', async () => {
    const label = await contextOf(store());
    const [one, several] = [
      label({
        state: 'unknown',
        expeditionNumber: 'ONLY1',
        result: '{"status":"0","expeditionNumber":"ONLY1","outputs":[]}',
      }),
      label({ state: 'unknown', expeditionNumber: 'FIRST1' }),
    ];
    await put(one);
    await store().records.submit([], (unit) => unit.putLabel(several, [], { parcels: ['FIRST1', 'FIRST2'] }));
    assert.equal(await store().labels.settle(one, 'ONLY2'), 'settled');
    assert.equal(await store().labels.settle(several, 'FIRST3'), 'settled');
    assert.deepEqual(await store().labelVoids.parcelNumbers(one), ['ONLY1', 'ONLY2']);
    assert.deepEqual(await store().labelVoids.parcelNumbers(several), ['FIRST1', 'FIRST2', 'FIRST3']);
    for (const number of ['ONLY1', 'ONLY2']) assert.equal((await store().labels.find(one, number))?.id, one.id);
    const { expeditionNumber, result } = (await store().labels.byId(one.id)) ?? {};
    assert.deepEqual([expeditionNumber, result], ['ONLY2', '{"status":"0","expeditionNumber":"ONLY2","outputs":[]}']);
    const single = label({ state: 'unknown', expeditionNumber: 'ONLY3' });
    await put(single);
    assert.equal(await store().labels.settle(single, 'ONLY3'), 'settled');
    assert.deepEqual(await store().labelVoids.parcelNumbers(single), []);
  });

  it('ends under the number that the carrier had given, if somebody gives another spelling of it', async () => {
    const label = await contextOf(store());
    for (const [given, others] of [
      ['SPELLED1-ALIAS', []],
      ['spelled.1', []],
      ['00SPELLED1', ['SPELLED1']],
    ] as const) {
      const doubtful = label({ state: 'unknown', expeditionNumber: 'SPELLED1' });
      await store().records.submit([], (unit) => unit.putLabel(doubtful, [], { aliases: ['SPELLED1-ALIAS'] }));
      assert.equal(await store().labels.settle(doubtful, given, others), 'settled', given);
      assert.equal((await store().labels.byId(doubtful.id))?.expeditionNumber, 'SPELLED1', given);
      assert.deepEqual(await store().labelVoids.parcelNumbers(doubtful), [], given);
      await removeRows(store(), shippingLabelTable, { activity: doubtful.activity, id: doubtful.id });
      await removeRows(store(), labelAliasTable, { activity: doubtful.activity, labelId: doubtful.id });
    }
  });

  it('ends with a number that nobody else may ask for in another spelling, nor settle a label with', async () => {
    const [label, theirs] = [await contextOf(store()), await contextOf(store(), 'SOU')];
    const [ours, other] = [label({ state: 'unknown' }), theirs({ state: 'unknown' })];
    for (const each of [ours, other]) await put(each);
    assert.equal(await store().labels.settle(ours, 'FOUNDOUT1', ['00FOUNDOUT1']), 'settled');
    assert.equal(await store().labels.isMadeByOthers(other, '00FOUNDOUT1'), true);
    assert.equal((await store().labels.find(ours, '00FOUNDOUT1'))?.id, ours.id);
    assert.equal(await store().labels.settle(other, '0000FOUNDOUT1', ['00FOUNDOUT1']), 'number-taken');
  });

  it('does not end with the number of another parcel in another place or spelling', async () => {
    const [label, theirs] = [await contextOf(store()), await contextOf(store(), 'SOU')];
    const outputs = ['TWIN-1', 'TWIN-2'].map((value) => ({ name: 'ParcelNumber', value }));
    const result = JSON.stringify({ status: '0', expeditionNumber: 'TWIN-1', outputs });
    const made = theirs({ state: 'made', expeditionNumber: 'TWIN-1', result });
    await store().records.submit([], (unit) => unit.putMadeLabel(made, [], ['TWINALIAS']));
    const given = label({ state: 'unknown' });
    await put(given);
    for (const number of ['TWIN-2', 'twin-2', 'TWIN2', 'TWINALIAS', 'twin1']) {
      assert.equal(await store().labels.settle(given, number), 'number-taken', number);
      assert.equal(await store().labels.isMadeByOthers(given, number), true, number);
      assert.equal(await store().labels.isMadeByOthers(made, number), false, number);
    }
  });

  it('does not end with the number of another parcel, whoever has it', async () => {
    const [label, theirs] = [await contextOf(store()), await contextOf(store(), 'SOU')];
    const given = label({ state: 'unknown' });
    await put(given);
    for (const other of [
      label({ state: 'made', expeditionNumber: uuidv7() }),
      theirs({ state: 'made', expeditionNumber: uuidv7() }),
      label({ state: 'past', expeditionNumber: uuidv7() }),
    ]) {
      await put(other);
      assert.equal(await store().labels.settle(given, other.expeditionNumber), 'number-taken');
    }
    assert.equal((await store().labels.byId(given.id))?.state, 'unknown');
  });
}
