// Labels in the database, on every engine: noted before the carrier is asked, never two under one key, never more than
// the limit, found by their activity alone.
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { v7 as uuidv7 } from 'uuid';
import { OperatorError } from '../../src/model/operator-error.ts';
import type { NewCarrierAccount } from '../../src/store/carrier-accounts.ts';
import type { Reserved } from '../../src/store/label-writes.ts';
import type { LabelFile, StoredLabel } from '../../src/store/labels.ts';
import type { Store } from '../../src/store/store.ts';
import { allEngines, storeOn, type TestDatabase } from '../contract/engines.ts';
import { storeOfSuite } from '../contract/opened-store.ts';
import { reserveLabel } from '../contract/reserve-label.ts';
import { storedLabel } from '../contract/stored-label.ts';
import { addRows, rowIn, rowsIn } from '../contract/database.ts';
import { carrierAccountTable, shippingLabelTable } from '../../src/store/tables/shipping.ts';

const midnight = Date.UTC(2026, 10, 23);
const noon = midnight + 12 * 3_600_000;

for (const engine of allEngines) {
  describe(`labels in ${engine.name}`, { skip: engine.skip }, () => {
    let database: TestDatabase;
    let store: Store;
    storeOfSuite(engine, async (opened) => {
      ({ database, store } = opened);
      for (const code of ['NOR', 'SOU']) await store.activities.add(code, code);
    });
    describe('an account', () => accountTests(() => store));
    describe('a label that is about to be asked for', () =>
      reserveTests(
        () => store,
        async () => storeOn(await database.open()),
        engine.parallel,
      ));
    describe('a label that was made', () => labelTests(() => store));
    describe('a file of a label', () => fileTests(() => store));
    describe('a label that is old', () => oldTests(() => store));
  });
}

let contexts = 0;

function account(about: Partial<NewCarrierAccount> = {}): NewCarrierAccount {
  return {
    activity: 'NOR',
    context: `context-${++contexts}`,
    carrier: 'sandbox',
    settings: {},
    secrets: null,
    sender: {},
    dailyLimit: null,
    ...about,
  };
}

/** An account that is there; its id and context. */
async function accountIn(
  { carrierAccounts }: Store,
  about: Partial<NewCarrierAccount> = {},
): Promise<Pick<StoredLabel, 'activity' | 'accountId' | 'context' | 'carrier'>> {
  const given = account(about);
  await carrierAccounts.put(given, noon);
  const stored = await carrierAccounts.find([given.activity], given.context, given.carrier);
  assert.ok(stored !== null);
  return { activity: stored.activity, accountId: stored.id, context: stored.context, carrier: stored.carrier };
}

function label(
  place: Pick<StoredLabel, 'activity' | 'accountId' | 'context' | 'carrier'>,
  about: Partial<StoredLabel> = {},
): StoredLabel {
  return storedLabel({
    ...place,
    id: uuidv7(),
    state: 'asked',
    fingerprint: 'f',
    request: '{}',
    operationId: uuidv7(),
    clientId: 'shop',
    createdAt: noon,
    ...about,
  });
}

function file(about: Partial<LabelFile> = {}): LabelFile {
  return {
    token: uuidv7(),
    mediaType: 'application/pdf',
    fileName: 'label.pdf',
    storedAs: `NOR/2026/11/${uuidv7()}.pdf`,
    size: 7,
    expiresAt: noon + 1000,
    ...about,
  };
}

function put({ records }: Store, given: StoredLabel, files: readonly LabelFile[] = []): Promise<void> {
  return records.submit([], (unit) => unit.putLabel(given, files));
}

function putMade({ records }: Store, given: StoredLabel): Promise<string | null> {
  return records.submit([], (unit) => unit.putMadeLabel(given, []));
}

function accountTests(store: () => Store): void {
  it('is added, then changed, and keeps its number and identity', async () => {
    const given = account({
      settings: { speed: '9', 'quo"te\\': 'é🚚' },
      secrets: 'encrypted',
      sender: { expAddr1: "O'Neil" },
      dailyLimit: 5,
    });
    assert.equal(await store().carrierAccounts.put(given, noon), 'added');
    const before = await store().carrierAccounts.find(['NOR'], given.context, 'sandbox');
    assert.deepEqual(before, { ...given, id: before?.id, createdAt: noon });
    await reserveLabel(
      store(),
      label({ activity: 'NOR', accountId: before?.id ?? '', context: given.context, carrier: 'sandbox' }),
      midnight,
    );
    assert.equal(await store().carrierAccounts.put({ ...given, dailyLimit: null, secrets: null }, noon + 1), 'changed');
    assert.deepEqual(await store().carrierAccounts.find(['NOR'], given.context, 'sandbox'), {
      ...before,
      dailyLimit: null,
      secrets: null,
    });
    assert.deepEqual(
      await reserveLabel(
        store(),
        label({ activity: 'NOR', accountId: before?.id ?? '', context: given.context, carrier: 'sandbox' }),
        midnight,
      ),
      { state: 'reserved', sequence: 2 },
    );
  });

  it('is refused for an activity that does not exist, and in the place of somebody else’s', async () => {
    const given = account();
    await assert.rejects(store().carrierAccounts.put({ ...given, activity: 'ZZZ' }, noon), OperatorError);
    await store().carrierAccounts.put(given, noon);
    await assert.rejects(
      store().carrierAccounts.put({ ...given, activity: 'SOU', secrets: 'theirs' }, noon),
      /another activity/,
    );
    assert.equal((await store().carrierAccounts.find(['NOR', 'SOU'], given.context, 'sandbox'))?.secrets, null);
  });

  it('is found by its activity alone, by exact names, and for nobody who has no activity', async () => {
    const { context } = await accountIn(store());
    for (const [activities, name, carrier] of [
      [['SOU'], context, 'sandbox'],
      [[], context, 'sandbox'],
      [['NOR'], context.toUpperCase(), 'sandbox'],
      [['NOR'], `${context} `, 'sandbox'],
      [['NOR'], context, 'karrio'],
      [['NOR'], "' or 1=1 --", 'sandbox'],
      [['NOR'], '%', 'sandbox'],
    ] as const) {
      assert.equal(await store().carrierAccounts.find(activities, name, carrier), null);
    }
    assert.equal((await store().carrierAccounts.find(['SOU', 'NOR'], context, 'sandbox'))?.context, context);
  });

  it('can be removed, once, and listed', async () => {
    const { context } = await accountIn(store());
    assert.ok((await store().carrierAccounts.list()).some((each) => each.context === context));
    assert.deepEqual(
      [
        await store().carrierAccounts.remove(context, 'sandbox'),
        await store().carrierAccounts.remove(context, 'sandbox'),
      ],
      [true, false],
    );
    assert.ok(!(await store().carrierAccounts.list()).some((each) => each.context === context));
  });
}

function reserveTests(store: () => Store, beside: () => Promise<Store>, parallel: boolean): void {
  const lastNumber = async (accountId: string): Promise<number> =>
    (await rowIn(store(), carrierAccountTable, { id: accountId })).lastSequence;
  const count = async (accountId: string): Promise<number> =>
    (await rowsIn(store(), shippingLabelTable, { accountId })).length;

  it('is noted as it is, and numbered 1, 2, 3 in its account', async () => {
    const [one, other] = [await accountIn(store()), await accountIn(store())];
    const given = label(one, { nDossier: 'D', orderId: 'o', request: '{"a":"é\\\\\\"🚚"}', requestKey: uuidv7() });
    assert.deepEqual(await reserveLabel(store(), given, midnight), { state: 'reserved', sequence: 1 });
    assert.deepEqual(await reserveLabel(store(), label(one), midnight), { state: 'reserved', sequence: 2 });
    assert.deepEqual(await reserveLabel(store(), label(other), midnight), { state: 'reserved', sequence: 1 });
    assert.deepEqual(await store().labels.byId(given.id), given);
    await assert.rejects(reserveLabel(store(), { ...given, id: uuidv7() }, midnight), /unique/i);
    assert.equal(await lastNumber(one.accountId), 2, 'what is refused takes no number');
  });

  it('is never numbered as another one of its series, by an account beside it, after it, or apart before', async () => {
    const series = `9520${++contexts}`;
    const numbered = async (
      place: Awaited<ReturnType<typeof accountIn>>,
      of: string | null = series,
    ): Promise<number> => {
      const reserved = await reserveLabel(store(), label(place), midnight, { series: of });
      return reserved.state === 'reserved' ? reserved.sequence : assert.fail(reserved.state);
    };
    const [one, other, elsewhere] = [
      await accountIn(store()),
      await accountIn(store(), { activity: 'SOU' }),
      await accountIn(store(), { carrier: 'other' }),
    ];
    assert.deepEqual([await numbered(one), await numbered(other), await numbered(one)], [1, 2, 3]);
    await store().carrierAccounts.remove(one.context, one.carrier);
    const again = await accountIn(store(), { context: one.context });
    assert.notEqual(again.accountId, one.accountId);
    assert.deepEqual(
      [await numbered(again), await numbered(again, `${series}0`), await numbered(elsewhere)],
      [4, 5, 1],
      'a series that is new begins after what the account has given out',
    );
    for (const _time of [1, 2, 3]) await numbered(elsewhere, null);
    assert.deepEqual([await numbered(elsewhere), await numbered(other)], [5, 5]);
  });

  it('is the only one where labels of an order exclude each other, whichever accounts they are asked of', async () => {
    const places = await Promise.all(Array.from({ length: 4 }, () => accountIn(store())));
    for (const [excludes, noted] of [
      [() => true, 1],
      [null, 4],
    ] as const) {
      const orderId = uuidv7();
      const reserved = await Promise.all(
        places.map((place) => reserveLabel(store(), label(place, { orderId }), midnight, { excludes })),
      );
      const states = reserved.map(({ state }) => state).toSorted();
      assert.deepEqual(states, [...Array(4 - noted).fill('excluded'), ...Array(noted).fill('reserved')]);
    }
  });

  it('is not noted where its account was removed', async () => {
    const place = await accountIn(store());
    await store().carrierAccounts.remove(place.context, place.carrier);
    assert.deepEqual(await reserveLabel(store(), label(place), midnight), { state: 'gone' });
    assert.equal(await count(place.accountId), 0);
  });

  it('is known under its key to its activity alone, whatever became of it, until it was refused', async () => {
    const [place, theirs] = [await accountIn(store()), await accountIn(store(), { activity: 'SOU' })];
    const requestKey = uuidv7();
    const begun = async (activity: string): Promise<StoredLabel | null> => {
      const request = { scope: 'scope', key: uuidv7(), fingerprint: 'f', label: { activity, requestKey } };
      const outcome = await store().idempotency.claim(request);
      return outcome.state === 'claimed' ? outcome.label : assert.fail(outcome.state);
    };
    const first = label(place, { requestKey });
    assert.equal(await begun('NOR'), null);
    await reserveLabel(store(), first, midnight);
    for (const now of [
      first,
      { ...first, state: 'unknown' },
      { ...first, state: 'made', expeditionNumber: '7', result: '{}' },
    ] as const) {
      await put(store(), now);
      assert.deepEqual(await begun('NOR'), now);
    }
    assert.equal(await begun('SOU'), null);
    assert.deepEqual(await reserveLabel(store(), label(theirs, { requestKey }), midnight), {
      state: 'reserved',
      sequence: 1,
    });
    await put(store(), { ...first, state: 'refused', requestKey: null });
    assert.equal(await begun('NOR'), null);
    assert.deepEqual(await reserveLabel(store(), label(place, { requestKey }), midnight), {
      state: 'reserved',
      sequence: 2,
    });
  });

  it('is refused by the database itself, were it ever noted twice under one key', async () => {
    const place = await accountIn(store());
    const requestKey = uuidv7();
    await put(store(), label(place, { requestKey }));
    await assert.rejects(put(store(), label(place, { requestKey })), /unique/i);
  });

  it('counts for the limit from midnight on, unless refused or made elsewhere, and takes none beyond', async () => {
    const place = await accountIn(store(), { dailyLimit: 3 });
    for (const about of [
      { createdAt: midnight - 1 },
      { state: 'refused' },
      { state: 'fetched' },
      { createdAt: midnight, state: 'made' },
      { state: 'unknown' },
    ] as const)
      await put(store(), label(place, about));
    assert.deepEqual(await reserveLabel(store(), label(place), midnight), { state: 'reserved', sequence: 1 });
    for (const _time of [1, 2])
      assert.deepEqual(await reserveLabel(store(), label(place), midnight), {
        state: 'beyond-limit',
        dailyLimit: 3,
      });
    assert.equal(await lastNumber(place.accountId), 1);
    assert.deepEqual(
      await reserveLabel(store(), label(place, { createdAt: midnight + 86_400_000 }), midnight + 86_400_000),
      { state: 'reserved', sequence: 2 },
    );
  });

  it('has a number of its series alone, however many come at once by two accounts', {
    skip: !parallel && 'one connection',
  }, async () => {
    const [one, other] = [await accountIn(store()), await accountIn(store())];
    const sides = [store(), await beside()];
    const reserve = (index: number): Promise<Reserved> =>
      reserveLabel(sides[index % 2] ?? store(), label(index % 3 === 0 ? one : other), midnight, {
        series: one.accountId,
      });
    const numbers = (await Promise.all(Array.from({ length: 30 }, (_, index) => reserve(index)))).map((outcome) =>
      outcome.state === 'reserved' ? outcome.sequence : 0,
    );
    assert.deepEqual(
      numbers.toSorted((a, b) => a - b),
      Array.from({ length: 30 }, (_, index) => index + 1),
    );
  });

  it('is never one too many, nor noted twice, however many come at once from several processes', {
    skip: !parallel && 'one connection',
  }, async () => {
    const place = await accountIn(store(), { dailyLimit: 9 });
    const sides = [store(), await beside(), await beside()];
    const keys = Array.from({ length: 4 }, () => uuidv7());
    const reserve = async (index: number): Promise<Reserved | null> => {
      const side = sides[index % 3] ?? store();
      if (index % 2 !== 0) return reserveLabel(side, label(place), midnight);
      const requestKey = keys[index % 4] ?? '';
      const request = { scope: 'scope', key: requestKey, fingerprint: 'f', label: { activity: 'NOR', requestKey } };
      const outcome = await side.idempotency.claim(request);
      if (outcome.state !== 'claimed') return null;
      const { claim } = outcome;
      const known = outcome.label !== null;
      const reserved = known ? null : await reserveLabel(side, label(place, { requestKey }), midnight, { claim });
      await side.idempotency.release(claim);
      return reserved;
    };
    const outcomes = await Promise.all(Array.from({ length: 60 }, (_, index) => reserve(index)));
    const numbers = outcomes
      .flatMap((outcome) => (outcome?.state === 'reserved' ? [outcome.sequence] : []))
      .toSorted((a, b) => a - b);
    assert.deepEqual(numbers, [1, 2, 3, 4, 5, 6, 7, 8, 9]);
    assert.deepEqual([await count(place.accountId), await lastNumber(place.accountId)], [9, 9]);
    const noted = await rowsIn(store(), shippingLabelTable, { accountId: place.accountId });
    const used = noted.flatMap(({ requestKey }) => requestKey ?? []);
    assert.equal(new Set(used).size, used.length);
    for (const side of sides.slice(1)) await side.close();
  });
}

function labelTests(store: () => Store): void {
  it('is found by its number, the newest first, by every context of its activity after its own', async () => {
    const [place, elsewhere] = [await accountIn(store()), await accountIn(store())];
    const number = uuidv7();
    const [old, young] = [
      label(place, { state: 'made', expeditionNumber: number, result: '{"old":1}' }),
      label(place, { state: 'made', expeditionNumber: number, result: '{"young":1}', createdAt: noon + 1 }),
    ];
    for (const each of [young, old]) await put(store(), each);
    assert.deepEqual(await store().labels.find(place, number), young);
    assert.deepEqual(await store().labels.find(elsewhere, number), young);
    const own = label(elsewhere, { state: 'made', expeditionNumber: number, createdAt: noon - 1 });
    await put(store(), own);
    assert.deepEqual(await store().labels.find(elsewhere, number), own);
    assert.deepEqual(await store().labels.find(place, number), young);
    for (const [where, which] of [
      [{ ...place, activity: 'SOU' }, number],
      [{ ...place, carrier: 'karrio' }, number],
      [place, `${number} `],
      [place, ''],
    ] as const)
      assert.equal(await store().labels.find(where, which), null);
  });

  it('is somebody else’s to every other activity, at its carrier, once it is known to exist', async () => {
    const place = await accountIn(store());
    const number = uuidv7();
    const given = label(place, { expeditionNumber: number });
    for (const [state, others] of [
      ['asked', false],
      ['fetched', false],
      ['unknown', true],
      ['made', true],
      ['past', true],
    ] as const) {
      await put(store(), { ...given, state });
      assert.equal(await store().labels.isMadeByOthers({ activity: 'SOU', carrier: 'sandbox' }, number), others, state);
    }
    assert.equal(await store().labels.isMadeByOthers(place, number), false);
    assert.equal(await store().labels.isMadeByOthers({ activity: 'SOU', carrier: 'karrio' }, number), false);
  });

  it('is somebody else’s with each of its parcels, also when it is no longer kept', async () => {
    const place = await accountIn(store());
    const [first, second] = [uuidv7(), uuidv7()];
    const result = JSON.stringify({
      status: '0',
      expeditionNumber: first,
      outputs: [first, second, second].map((value) => ({ name: 'ParcelNumber', value })),
    });
    const given = label(place, {
      state: 'made',
      expeditionNumber: first,
      result,
      createdAt: midnight - 50 * 86_400_000,
    });
    for (const _time of [1, 2]) await put(store(), given);
    await put(
      store(),
      label(await accountIn(store(), { activity: 'SOU' }), { state: 'fetched', expeditionNumber: first, result }),
    );
    await store().labels.forget(given.createdAt);
    const theirs = await Promise.all(
      [
        ['SOU', 'sandbox'],
        ['SOU', 'karrio'],
        ['NOR', 'sandbox'],
      ].map(([activity = '', carrier = '']) => store().labels.isMadeByOthers({ activity, carrier }, second)),
    );
    assert.deepEqual(theirs, [true, false, false]);
  });

  it('is the first of those that are alike', async () => {
    const [place, elsewhere] = [await accountIn(store()), await accountIn(store())];
    const one = label(place, { fingerprint: 'x' });
    const made = { ...one, state: 'made', expeditionNumber: 'its own', createdAt: noon - 1 } as const;
    assert.equal(await putMade(store(), made), null);
    for (const [about, number] of [
      [{ state: 'unknown' }, null],
      [{ state: 'made', createdAt: noon + 1 }, 'second'],
      [{ state: 'made' }, 'first'],
      [{ state: 'made', fingerprint: 'y', createdAt: 1 }, 'other'],
    ] as const)
      await put(store(), label(place, { fingerprint: 'x', expeditionNumber: number, ...about }));
    assert.equal(await putMade(store(), made), 'first');
    assert.equal(await putMade(store(), { ...made, ...elsewhere, id: uuidv7() }), null);
  });

  it('of two that are made at once one tells of the other', async () => {
    const place = await accountIn(store());
    for (let round = 0; round < 5; round += 1) {
      const fingerprint = uuidv7();
      const numbers = ['one', 'two'];
      const told = await Promise.all(
        numbers.map((expeditionNumber) =>
          putMade(store(), label(place, { fingerprint, state: 'made', expeditionNumber })),
        ),
      );
      assert.deepEqual(told.filter((number) => number === null).length, 1, told.join());
      assert.equal(numbers.includes(told.find((number) => number !== null) ?? ''), true);
    }
  });

  it('is written with its files or not at all', async () => {
    const place = await accountIn(store());
    const [given, one] = [label(place, { state: 'made', expeditionNumber: uuidv7() }), file()];
    await assert.rejects(
      store().records.submit([], async (unit) => {
        await unit.putLabel(given, [one]);
        throw new Error('no space left');
      }),
      /no space left/,
    );
    assert.deepEqual(
      [await store().labels.find(place, given.expeditionNumber ?? ''), await store().labels.file(one.token, noon)],
      [null, null],
    );
    // Once more, as after a commit that nobody heard of.
    for (const _time of [1, 2]) await put(store(), given, [one]);
    assert.deepEqual(await store().labels.find(place, given.expeditionNumber ?? ''), given);
  });
}

function fileTests(store: () => Store): void {
  it('is found by its whole token until it expires', async () => {
    const { token, ...rest } = file({ fileName: 'a"b.pdf' });
    await put(store(), label(await accountIn(store())), [{ token, ...rest }]);
    assert.deepEqual(await store().labels.file(token, noon + 999), rest);
    for (const [text, now] of [
      [token, noon + 1000],
      [token.slice(0, -1), noon],
      [`${token}a`, noon],
      [token.toUpperCase(), noon],
      ['', noon],
    ] as const)
      assert.equal(await store().labels.file(text, now), null);
  });

  it('is known to the sweep while it is not forgotten', async () => {
    const [kept, expired] = [file({ expiresAt: noon + 5000 }), file({ expiresAt: noon - 1 })];
    await put(store(), label(await accountIn(store())), [kept, expired]);
    assert.deepEqual(
      await store().labels.knownFiles([kept.storedAs, 'other', expired.storedAs]),
      new Set([kept.storedAs, expired.storedAs]),
    );
    assert.deepEqual(await store().labels.knownFiles([]), new Set());
    assert.equal(await store().labels.forgetFiles(noon - 1), 1);
    assert.deepEqual(await store().labels.knownFiles([kept.storedAs, expired.storedAs]), new Set([kept.storedAs]));
  });

  it('is forgotten with all others that have expired, however many', async () => {
    await put(
      store(),
      label(await accountIn(store())),
      Array.from({ length: 2_345 }, () => file({ expiresAt: 17 })),
    );
    assert.equal(await store().labels.forgetFiles(17), 2_345);
    assert.equal(await store().labels.forgetFiles(17), 0);
  });
}

function oldTests(store: () => Store): void {
  const rowsOf = async (accountId: string) =>
    Object.fromEntries((await rowsIn(store(), shippingLabelTable, { accountId })).map((row) => [row.id, row]));
  const told = {
    fingerprint: 'hash',
    nDossier: 'D-1',
    request: '{"destAddr1":"Camille Moreau"}',
    result: '{"outputs":["Camille"]}',
    orderId: 'o1',
  } as const;
  const everything = 2 ** 48;

  // Those of the tests before would count too.
  before(() => store().labels.forget(everything));

  it('says nothing of people any more, and still whose parcel it is and that its key was used', async () => {
    const place = await accountIn(store());
    const given = (['made', 'asked', 'unknown', 'refused', 'fetched'] as const).map((state, index) =>
      label(place, {
        ...told,
        state,
        requestKey: state === 'refused' ? null : uuidv7(),
        expeditionNumber: `N${index}`,
        createdAt: noon,
      }),
    );
    for (const each of given) await put(store(), each);
    assert.equal(await store().labels.forget(noon - 1), 0);
    assert.equal((await rowsOf(place.accountId))[given[0]?.id ?? '']?.request, told.request);

    assert.equal(await store().labels.forget(noon), 5);
    const rows = await rowsOf(place.accountId);
    assert.equal(Object.keys(rows).length, 3, 'what was refused or not made here is gone');
    for (const { id, state, requestKey, expeditionNumber } of given.slice(0, 3)) {
      const row = rows[id];
      assert.deepEqual(
        [row?.state, row?.fingerprint, row?.nDossier, row?.request, row?.result],
        [state === 'made' ? 'past' : state, '', null, '{}', null],
      );
      assert.deepEqual([row?.requestKey, row?.expeditionNumber, row?.orderId], [requestKey, expeditionNumber, 'o1']);
      assert.ok(!JSON.stringify(row).includes('Camille'));
    }
    assert.equal(await store().labels.forget(noon), 0, 'once is enough');
  });

  it('says nothing of people either where somebody fetches it at that moment', async () => {
    const place = await accountIn(store());
    const given = label(place, {
      ...told,
      state: 'made',
      requestKey: uuidv7(),
      expeditionNumber: 'N9',
      createdAt: noon,
    });
    await put(store(), given);
    await store().labels.forget(noon);
    const { [given.id]: erased } = await rowsOf(place.accountId);
    const again = file();
    await put(store(), given, [again]);
    assert.deepEqual((await rowsOf(place.accountId))[given.id], erased);
    assert.equal(await store().labels.file(again.token, noon), null, 'nor has it a file');
    assert.deepEqual([erased?.state, erased?.result], ['past', null]);
  });

  it('leaves those that are younger alone, however many are older', async () => {
    const place = await accountIn(store());
    const young = label(place, { ...told, state: 'made', createdAt: everything + 1 });
    await put(store(), young);
    const old = Array.from(
      { length: 1_100 },
      (_, index) =>
        ({
          id: uuidv7(),
          state: index % 2 === 0 ? 'made' : 'unknown',
          requestKey: null,
          expeditionNumber: null,
          fingerprint: 'f',
          nDossier: null,
          orderId: null,
          request: '{"a":"b"}',
          result: null,
          operationId: 'o',
          clientId: 'c',
          createdAt: 7,
          activity: place.activity,
          accountId: place.accountId,
          context: place.context,
          carrier: place.carrier,
        }) as const,
    );
    await addRows(store(), shippingLabelTable, old);
    assert.ok((await store().labels.forget(everything)) >= 1_100);
    const rows = await rowsOf(place.accountId);
    assert.deepEqual([rows[young.id]?.state, rows[young.id]?.request], ['made', told.request]);
    assert.ok(old.every(({ id }) => rows[id]?.request === '{}'));
  });
}
