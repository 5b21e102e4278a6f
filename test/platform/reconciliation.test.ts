// Whether stock adds up: sums like a plain evaluation in JavaScript, and each class of difference made on purpose.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from '../contract/properties.ts';
import { Problem } from '../../src/model/problem.ts';
import { reconcile } from '../../src/platform/reconcile.ts';
import { articleStock, articleStockMovement } from '../../src/resources/index.ts';
import type { Engine } from '../../src/store/engine.ts';
import { type Statement, sql } from '../../src/store/statement.ts';
import { createStockSums } from '../../src/store/stock-sums.ts';
import type { Store } from '../../src/store/store.ts';
import { enginesAboveStorage, type EngineUnderTest } from '../contract/engines.ts';
import { activityMaker, storeOfSuite } from '../contract/opened-store.ts';
import { roundsOn } from '../contract/rounds.ts';
import { statementText } from '../contract/statement-text.ts';
import {
  type Held,
  hour,
  monday,
  type Moved,
  movement,
  noon,
  stockRow,
  tuesday,
  walk,
} from './reconciliation-fixture.ts';

for (const engine of enginesAboveStorage) {
  describe(`reconciliation on ${engine.name}`, { skip: engine.skip }, () => reconciliationTests(engine));
}

function reconciliationTests(engineUnderTest: EngineUnderTest): void {
  let store: Store;
  storeOfSuite(engineUnderTest, (opened) => {
    ({ store } = opened);
  });
  const newActivity = activityMaker(() => store);
  const image = async (activity: string, at: number, rows: readonly Held[]): Promise<void> => {
    const draft = await store.images.draft(articleStock, activity, at);
    await draft.write(rows.map((row) => stockRow(activity, at, row)));
    await draft.publish();
  };
  const move = async (activity: string, movements: readonly Moved[]): Promise<void> => {
    await store.records.write(articleStockMovement, activity, movements.map(movement));
  };
  const result = (activity: string, more: { readonly all?: boolean } = {}) =>
    reconcile(store, { activity, from: monday, to: tuesday, after: null, all: false, ...more }, { client: 'test' });
  const classes = async (activity: string): Promise<readonly (readonly unknown[])[]> =>
    (await result(activity)).places.map((place) => [
      place.articleReference,
      place.gradeCode,
      place.difference,
      place.class,
    ]);

  it('finds no difference where there is none, and says which images it took', async () => {
    const activity = await newActivity();
    await image(activity, monday, [
      { article: 'A', quantity: 10 },
      { article: 'B', quantity: 0.1 },
    ]);
    await move(activity, [
      { article: 'A', quantity: -3 },
      { article: 'A', quantity: 1, at: tuesday },
      { article: 'A', quantity: 5, at: monday },
      { article: 'C', quantity: 2 },
    ]);
    await image(activity, tuesday, [
      { article: 'A', quantity: 8 },
      { article: 'B', quantity: 0.1 },
      { article: 'C', quantity: 2 },
    ]);
    const found = await reconcile(
      store,
      { activity, from: monday + hour, to: tuesday + hour, after: null, all: false },
      { client: 'test' },
    );
    assert.deepEqual(found.places, []);
    assert.deepEqual(
      [found.from.stockImageExtractionDate, found.to.stockImageExtractionDate],
      [new Date(monday).toISOString(), new Date(tuesday).toISOString()],
    );
    assert.deepEqual(found.totals, {
      ...{ places: 3, differing: 0, imageFrom: 10.1, movedIn: 3, movedOut: 3, expected: 10.1, imageTo: 10.1 },
      ...{ difference: 0, movements: 3, notCounted: 0, withoutArticle: 0 },
    });
    const all = await result(activity, { all: true });
    assert.deepEqual(
      all.places.map(({ articleReference, difference }) => [articleReference, difference]),
      [
        ['A', 0],
        ['B', 0],
        ['C', 0],
      ],
    );
  });

  it('calls a movement missing where nothing explains the difference', async () => {
    const activity = await newActivity();
    await image(activity, monday, [{ article: 'A', quantity: 10 }]);
    await move(activity, [{ article: 'A', quantity: -3 }]);
    await image(activity, tuesday, [{ article: 'A', quantity: 5 }]);
    assert.deepEqual(await classes(activity), [['A', 'STD', -2, 'missing-movement']]);
  });

  it('knows a movement that came after the image that it belongs before, at either end', async () => {
    const activity = await newActivity();
    await image(activity, monday, [
      { article: 'A', quantity: 10 },
      { article: 'B', quantity: 10 },
    ]);
    // Of before the earlier image, and stored after it: the later one has it.
    await move(activity, [{ article: 'B', quantity: 4, at: monday - 5 * hour }]);
    await image(activity, tuesday, [
      { article: 'A', quantity: 10 },
      { article: 'B', quantity: 14 },
    ]);
    await move(activity, [{ article: 'A', quantity: -2 }]);
    assert.deepEqual(await classes(activity), [
      ['A', 'STD', 2, 'late-movement'],
      ['B', 'STD', 4, 'late-movement'],
    ]);
  });

  it('knows what moved around the instant of an image', async () => {
    const activity = await newActivity();
    await move(activity, [{ article: 'D', quantity: 3, at: monday - 60_000 }]);
    await move(activity, [
      { article: 'A', quantity: -2, at: tuesday - 60_000 },
      { article: 'B', quantity: -4, at: tuesday + 60_000 },
      { article: 'C', quantity: -5, at: monday + 60_000 },
      { article: 'E', quantity: -1, at: tuesday + 2 * hour },
    ]);
    const tens = ['A', 'B', 'C', 'D', 'E'].map((article) => ({ article, quantity: 10 }));
    await image(activity, monday, tens);
    await image(activity, tuesday, [
      { article: 'A', quantity: 10 },
      { article: 'B', quantity: 6 },
      { article: 'C', quantity: 10 },
      { article: 'D', quantity: 13 },
      { article: 'E', quantity: 9 },
    ]);
    assert.deepEqual(await classes(activity), [
      ['A', 'STD', 2, 'movement-after-extraction'],
      ['B', 'STD', -4, 'movement-after-extraction'],
      ['C', 'STD', 5, 'movement-after-extraction'],
      ['D', 'STD', 3, 'movement-after-extraction'],
      ['E', 'STD', -1, 'missing-movement'],
    ]);
  });

  it('knows a grade change of which both halves are missing, or one', async () => {
    const activity = await newActivity();
    const grades = (article: string, standard: number, second: number): readonly Held[] => [
      { article, quantity: standard },
      { article, quantity: second, grade: 'SEC' },
    ];
    await image(activity, monday, [...grades('A', 10, 0), ...grades('B', 10, 0), ...grades('C', 10, 0)]);
    await move(activity, [
      // C shows that movements of this kind come in pairs; B lacks one half, and D only looks like it.
      { article: 'C', quantity: -3, code: 'BLOCK' },
      { article: 'C', quantity: 3, code: 'BLOCK', grade: 'SEC' },
      { article: 'B', quantity: -2, code: 'BLOCK' },
      { article: 'D', quantity: -2, code: 'SHIPMENT' },
    ]);
    await image(activity, tuesday, [
      ...grades('A', 6, 4),
      ...grades('B', 8, 2),
      ...grades('C', 7, 3),
      { article: 'D', quantity: -2 },
      { article: 'D', quantity: 2, grade: 'SEC' },
    ]);
    assert.deepEqual(await classes(activity), [
      ['A', 'SEC', 4, 'grade-change'],
      ['A', 'STD', -4, 'grade-change'],
      ['B', 'SEC', 2, 'grade-change'],
      ['D', 'SEC', 2, 'missing-movement'],
    ]);
  });

  it('tells a change of grade without its pair from those of the month before, where it is the only one', async () => {
    const activity = await newActivity();
    const changed = (at: number): readonly Moved[] => [
      { article: 'C', quantity: -1, code: 'BLOCK', at },
      { article: 'C', quantity: 1, code: 'BLOCK', grade: 'SEC', at },
    ];
    await image(activity, monday, [{ article: 'B', quantity: 5 }]);
    await move(activity, [
      ...[2, 20].flatMap((days) => changed(monday - days * 24 * hour)),
      { article: 'B', quantity: -2, code: 'BLOCK' },
    ]);
    await image(activity, tuesday, [
      { article: 'B', quantity: 3 },
      { article: 'B', quantity: 2, grade: 'SEC' },
    ]);
    assert.deepEqual(await classes(activity), [['B', 'SEC', 2, 'grade-change']]);
  });

  it('says unknown of what it cannot count, and counts what has no time by when it came', async () => {
    const activity = await newActivity();
    await image(
      activity,
      monday,
      ['A', 'B', 'C'].map((article) => ({ article, quantity: 10 })),
    );
    await move(activity, [
      { article: 'A', quantity: 1, direction: null },
      { article: 'B', quantity: null },
      { article: 'C', quantity: 5, direction: 'X' },
    ]);
    await image(activity, tuesday, [
      { article: 'A', quantity: 10 },
      { article: 'B', quantity: 9 },
      { article: 'C', quantity: null },
    ]);
    const { totals } = await result(activity);
    assert.deepEqual([totals.notCounted, totals.differing], [4, 2]);
    assert.deepEqual(await classes(activity), [
      ['A', 'STD', 0, 'unknown'],
      ['B', 'STD', -1, 'unknown'],
      ['C', 'STD', -10, 'unknown'],
    ]);
    const other = await newActivity();
    await image(other, monday, [{ article: 'A', quantity: 1 }]);
    await move(other, [{ article: 'A', quantity: 2, at: null }]);
    const now = Date.now();
    await image(other, now + hour, [{ article: 'A', quantity: 3 }]);
    const dated = await reconcile(
      store,
      { activity: other, from: monday, to: now + 2 * hour, after: null, all: true },
      { client: 'test' },
    );
    assert.deepEqual(
      dated.places.map(({ movedIn, difference }) => [movedIn, difference]),
      [[2, 0]],
    );
  });

  it('takes a negative quantity back in its direction', async () => {
    const activity = await newActivity();
    await image(activity, monday, [{ article: 'A', quantity: 10 }]);
    await move(activity, [
      { article: 'A', quantity: -4, direction: 'O' },
      { article: 'A', quantity: -1, direction: 'I' },
    ]);
    await image(activity, tuesday, [{ article: 'A', quantity: 13 }]);
    const [place] = (await result(activity, { all: true })).places;
    assert.deepEqual([place?.movedIn, place?.movedOut, place?.difference], [-1, -4, 0]);
  });

  it('keeps lots apart where movements name them, and joins them where one does not', async () => {
    const activity = await newActivity();
    await image(activity, monday, [
      ...['A', 'B'].flatMap((article) => ['L1', 'L2'].map((lot) => ({ article, quantity: 10, lot }))),
    ]);
    await move(activity, [
      { article: 'A', quantity: -1, lot: 'L1' },
      { article: 'B', quantity: -1, lot: 'L1' },
      { article: 'B', quantity: -2 },
    ]);
    await image(activity, tuesday, [
      { article: 'A', quantity: 10, lot: 'L1' },
      { article: 'A', quantity: 9, lot: 'L2' },
      { article: 'B', quantity: 9, lot: 'L1' },
      { article: 'B', quantity: 8, lot: 'L2' },
    ]);
    const { places } = await result(activity, { all: true });
    assert.deepEqual(
      places.map((place) => [place.articleReference, place.articleLotNumber, place.lotsJoined, place.difference]),
      [
        ['A', 'L1', false, 1],
        ['A', 'L2', false, -1],
        ['B', null, true, 0],
      ],
    );
  });

  it('leaves out what was withdrawn', async () => {
    const activity = await newActivity();
    await image(activity, monday, [{ article: 'A', quantity: 10 }]);
    await move(activity, [{ article: 'A', quantity: -3, id: 1 }]);
    await image(activity, tuesday, [{ article: 'A', quantity: 10 }]);
    assert.equal((await result(activity)).totals.differing, 1);
    await store.records.write(articleStockMovement, activity, [{ withdraw: { id: 1 } }]);
    assert.equal((await result(activity)).totals.differing, 0);
  });

  it('wants an image at the beginning, and an end that is not before it', async () => {
    const activity = await newActivity();
    await assert.rejects(result(activity), (error) => error instanceof Problem && error.slug === 'resource-not-found');
    await image(activity, monday, []);
    const asked = { activity, from: tuesday, to: monday, after: null, all: false };
    await assert.rejects(
      reconcile(store, asked, { client: 'test' }),
      (error) => error instanceof Problem && error.slug === 'invalid-parameter',
    );
    const { totals, from, to } = await result(activity);
    assert.deepEqual([totals.places, from], [0, to]);
  });

  it('reads no record and sorts no movement where they are many', async () => {
    const activity = await newActivity();
    await image(activity, monday, []);
    await image(activity, tuesday, []);
    const asked: Statement<unknown>[] = [];
    await reconcile(
      { ...store, stockSums: createStockSums(ofMany(store.engine, asked)) },
      { activity, from: monday, to: tuesday, after: null, all: false },
      { client: 'test' },
    );
    const [sums] = asked;
    if (sums === undefined) throw new Error('nothing was added up');
    if (store.engine.dialect === 'postgres') return;
    const plan = (await store.engine.read(sql`explain query plan ${sums}`)).map((row) => String(row[3]));
    const ofMovements = plan.filter((step) => step.includes('article_stock_movement'));
    assert.equal(ofMovements.length, 1, plan.join('\n'));
    assert.match(ofMovements[0] ?? '', /USING COVERING INDEX article_stock_movement_by_articleReference_stockUnitID/);
    // One for images and places together, and none for movements.
    assert.equal(plan.filter((step) => step === 'USE TEMP B-TREE FOR GROUP BY').length, 1, plan.join('\n'));
  });

  it('adds up as JavaScript does', { timeout: 900_000 }, async () => {
    const where = {
      article: fc.constantFrom('A', 'B', 'b', 'É'),
      unit: fc.constantFrom(null, 'MAI', 'RES'),
      lot: fc.constantFrom('L1', 'L2'),
      grade: fc.constantFrom(null, 'STD', 'SEC'),
    };
    const row = fc.record({ ...where, quantity: fc.integer({ min: -3, max: 9 }) });
    const rows = fc.uniqueArray(row, { maxLength: 12, selector: (one) => keyOf(one) });
    const moved = fc.record({
      ...where,
      lot: fc.constantFrom('L1', 'L2', 'L3', null),
      quantity: fc.integer({ min: -9, max: 9 }),
      direction: fc.constantFrom('I', 'O', 'I', 'O', null),
      at: fc.constantFrom(monday - 1, monday, monday + 1, noon, tuesday, tuesday + 1),
    });
    await fc.assert(
      fc.asyncProperty(rows, rows, fc.array(moved, { maxLength: 25 }), async (earlier, later, movements) => {
        const activity = await newActivity();
        await image(activity, monday, earlier);
        await image(activity, tuesday, later);
        await move(activity, movements);
        const found = await result(activity, { all: true });
        const many = { ...store, stockSums: createStockSums(ofMany(store.engine)) };
        const asked = { activity, from: monday, to: tuesday, after: null, all: true };
        assert.deepEqual(await reconcile(many, asked, { client: 'test' }), found, 'the same, along either index');
        const sums = found.places.map((place): [string, readonly number[]] => [
          JSON.stringify([place.articleReference, place.stockUnitID, place.articleLotNumber, place.gradeCode]),
          [place.imageFrom, place.movedIn, place.movedOut, place.expected, place.imageTo, place.difference],
        ]);
        assert.deepEqual(new Map(sums), evaluated(earlier, later, movements));
        assert.equal(found.totals.places, sums.length);
        assert.equal(
          found.totals.difference,
          found.places.reduce((sum, { difference }) => sum + difference, 0),
        );
        for (const maxPlaces of [1, 2, 5])
          assert.deepEqual(await walk(store, { ...asked, maxPlaces }), found.places, `in pages of ${maxPlaces}`);
        const differing = found.places.filter(({ difference }) => difference !== 0);
        assert.equal(found.totals.differing, differing.length);
        assert.ok(found.places.every((place) => place.difference === 0 || place.class !== null));
      }),
      { numRuns: roundsOn(engineUnderTest, 150, 50) },
    );
  });
}

/** The engine, where there are always many movements. @param asked gets what is asked beside that */
function ofMany(engine: Engine, asked: Statement<unknown>[] = []): Engine {
  return {
    ...engine,
    readLong: async (statement, reader) => {
      if (statementText(statement).startsWith('select 1 from')) return [statement.toRow([1])];
      asked.push(statement);
      return engine.readLong(statement, reader);
    },
  };
}

function evaluated(
  earlier: readonly Held[],
  later: readonly Held[],
  movements: readonly Moved[],
): ReadonlyMap<string, readonly number[]> {
  const between = movements.filter(({ at }) => Number(at) > monday && Number(at) <= tuesday);
  const named = [...earlier, ...later, ...between];
  const isJoined = (article: string): boolean =>
    between.some((moved) => moved.article === article && moved.lot === null) &&
    named.some((one) => one.article === article && one.lot !== null);
  const sums = new Map<string, [number, number, number, number]>();
  const add = (one: Held, column: 0 | 1 | 2 | 3, quantity: number): void => {
    const key = keyOf(isJoined(one.article) ? { ...one, lot: null } : one);
    const sum = sums.get(key) ?? [0, 0, 0, 0];
    sum[column] += quantity;
    sums.set(key, sum);
  };
  for (const one of earlier) add(one, 0, one.quantity ?? 0);
  for (const one of later) add(one, 3, one.quantity ?? 0);
  for (const one of between) add(one, one.direction === 'O' ? 2 : 1, one.direction === null ? 0 : (one.quantity ?? 0));
  return new Map(
    [...sums].map(([key, [before, came, went, after]]) => {
      const expected = before + came - went;
      return [key, [before, came, went, expected, after, after - expected]];
    }),
  );
}

function keyOf({ article, unit = null, lot = null, grade = null }: Held): string {
  return JSON.stringify([article, unit, lot, grade]);
}
