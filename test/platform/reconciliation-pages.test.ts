// Pages of the reconciliation: bounded though one article has very many places, and the same as all in one.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addPlatformKey } from '../../src/auth/platform-keys.ts';
import { Problem } from '../../src/model/problem.ts';
import { reconcile, type ReconciledPlace } from '../../src/platform/reconcile.ts';
import {
  maxCursorLength,
  readReconciliationCursor,
  writeReconciliationCursor,
} from '../../src/platform/reconciliation-cursor.ts';
import { maxPagePlaces } from '../../src/platform/reconciliation-pages.ts';
import { articleStock, articleStockMovement } from '../../src/resources/index.ts';
import type { Store } from '../../src/store/store.ts';
import { engines, type EngineUnderTest } from '../contract/engines.ts';
import { storeOfSuite } from '../contract/opened-store.ts';
import { startApp } from '../contract/running-app.ts';
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

const units = ['MAI', 'RES', null];
const lots = Array.from({ length: 476 }, (_, index) => (index === 475 ? null : `L${String(index).padStart(3, '0')}`));
const grades = ['A', 'B', 'C', 'D', 'E', 'F', null];
/** The goods that have one grade more than a page has places are those of this lot. */
const manyGrades = Array.from({ length: maxPagePlaces + 1 }, (_, index) => `G${String(index).padStart(5, '0')}`);

/** A place, and what is done there. */
interface Made {
  readonly place: Omit<Held, 'quantity'>;
  readonly to: number;
  readonly movements: readonly Moved[];
  readonly late?: readonly Moved[];
  readonly class: string | null;
}

for (const engine of engines) {
  describe(`pages of the reconciliation on ${engine.name}`, { skip: engine.skip }, () => pageTests(engine));
}

function pageTests(engineUnderTest: EngineUnderTest): void {
  let store: Store;
  storeOfSuite(engineUnderTest, (opened) => {
    ({ store } = opened);
  });
  const fill = async (activity: string, made: readonly Made[]): Promise<void> => {
    await store.activities.add(activity, 'Acme');
    const image = async (at: number, quantity: (one: Made) => number): Promise<void> => {
      const draft = await store.images.draft(articleStock, activity, at);
      const rows = made.map((one) => stockRow(activity, at, { ...one.place, quantity: quantity(one) }));
      for (let from = 0; from < rows.length; from += 1000) await draft.write(rows.slice(from, from + 1000));
      await draft.publish();
    };
    const move = async (moved: readonly Moved[]): Promise<void> => {
      for (let from = 0; from < moved.length; from += 1000)
        await store.records.write(articleStockMovement, activity, moved.slice(from, from + 1000).map(movement));
    };
    await image(monday, () => 10);
    await move(made.flatMap(({ movements }) => movements));
    await image(tuesday, ({ to }) => to);
    await move(made.flatMap(({ late = [] }) => late));
  };

  it('are bounded and say the same as one page of all', { timeout: 900_000 }, async () => {
    const made = [...someOf('A'), ...manyPlaces(), ...someOf('C')];
    await fill('MNY', made);
    const differing = made.filter((one) => one.class !== null);
    for (const all of [true, false]) {
      const asked = { activity: 'MNY', from: monday, to: tuesday, all };
      const whole = await reconcile(store, { ...asked, after: null, maxPlaces: 50_000 }, { client: 'test' });
      assert.equal(whole.after, null);
      assert.equal(whole.totals.places, made.length);
      assert.equal(whole.totals.differing, differing.filter((one) => one.class !== 'unknown').length);
      const pages: (readonly ReconciledPlace[])[] = [];
      const places = await walk(store, asked, (page) => pages.push(page));
      assert.deepEqual(places, whole.places);
      assert.deepEqual(
        new Map(places.map((one) => [nameOf(one), one.class])),
        new Map((all ? made : differing).map((one) => [madeName(one), one.class])),
      );
      for (const page of pages) {
        assert.ok(page.length > 0 && page.length <= maxPagePlaces, `${page.length} places`);
        const articles = new Set(page.map(({ articleReference }) => articleReference));
        assert.ok(articles.size === 1 || !articles.has('B'), 'a part of an article stands alone');
      }
      assert.equal(pages.length, 2 + Math.ceil((all ? manyPlaces().length : differing.length - 2) / maxPagePlaces));
    }
  });

  it('go on after a place that is gone by now', async () => {
    await fill('GON', [...someOf('A'), ...grades.map((grade) => ordinary({ article: 'B', grade })), ...someOf('C')]);
    const asked = { activity: 'GON', from: monday, to: tuesday, all: true };
    const after = (grade: string | null, articleReference = 'B') =>
      writeReconciliationCursor(
        { articleReference, within: { stockUnitID: 'MAI', articleLotNumber: null, gradeCode: grade } },
        [asked.activity, asked.from, asked.to, asked.all],
      );
    const page = async (position: string, maxPlaces: number) =>
      (await reconcile(store, { ...asked, after: position, maxPlaces }, { client: 'test' })).places.map(
        ({ articleReference, gradeCode }) => `${articleReference} ${gradeCode}`,
      );
    assert.deepEqual(await page(after('BB'), 2), ['B C', 'B D']);
    assert.deepEqual(await page(after('E'), 9), ['B F', 'B null']);
    assert.deepEqual(await page(after(null), 9), ['C A', 'C B']);
    assert.deepEqual(await page(after('Z', 'AA'), 3), await page(after(null, 'AA'), 3));
    assert.deepEqual(await page(after(null, 'Z'), 3), []);
  });

  it('have no more bytes than rows of the longest texts', { timeout: 900_000 }, async () => {
    const wide = '\u{1F600}';
    const made = Array.from({ length: maxPagePlaces + 1 }, (_, index) =>
      ordinary({ article: wide.repeat(8), unit: wide, lot: wide.repeat(17), grade: `${wide.repeat(125)}${index}` }),
    );
    await fill('WID', made);
    const asked = { activity: 'WID', from: monday, to: tuesday, all: true };
    const page = await reconcile(store, { ...asked, after: null }, { client: 'test' });
    assert.equal(page.places.length, maxPagePlaces);
    const bytes = Buffer.byteLength(JSON.stringify(page));
    assert.ok(bytes < 4_000_000, `${bytes} bytes`);
    assert.ok(page.after !== null && page.after.length <= maxCursorLength, page.after ?? '');
    const rest = await reconcile(store, { ...asked, after: page.after }, { client: 'test' });
    assert.deepEqual([rest.places.length, rest.after], [1, null]);
  });

  it('refuse a position that is none of theirs', async () => {
    await fill('REF', someOf('A'));
    const asked = { activity: 'REF', from: monday, to: tuesday, all: true };
    const { after: good } = await reconcile(
      store,
      { ...asked, from: tuesday, after: null, maxPlaces: 1 },
      { client: 'test' },
    );
    assert.ok(good !== null);
    const foreign = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const [hash] = JSON.parse(Buffer.from(good, 'base64url').toString());
    const wrong = [
      ...['', 'A', 'null', `${good}=`, `${good} `, good.slice(0, -2), 'x'.repeat(100_000), good],
      ...[null, 1, [], [hash], [hash, null], [hash, 1], [hash, 'A', null], [hash, 'A', null, null, 1]].map(foreign),
      ...[
        [hash, 'A\0'],
        [hash, 'A', null, null, '\ud800'],
        [hash, 'A', null, null, null, null],
      ].map(foreign),
    ];
    for (const from of [monday, tuesday])
      for (const after of from === tuesday ? wrong.filter((one) => one !== good) : wrong)
        await assert.rejects(
          reconcile(store, { ...asked, from, after }, { client: 'test' }),
          (error) =>
            error instanceof Problem && error.slug === 'invalid-parameter' && error.message.includes("'after'"),
          after.slice(0, 100),
        );
    const running = await startApp(engineUnderTest);
    try {
      const key = { name: 'stock', activityCodes: null, roles: ['stock'] } as const;
      const { text: token } = await addPlatformKey(running.app.store, key, Date.now());
      const query = 'activity=NOR&from=2026-01-01&to=2026-01-02';
      for (const after of ['A', good]) {
        const answer = await running.get(`/platform/reconciliation?${query}&after=${after}`, { token });
        assert.equal(answer.status, 400, JSON.stringify(answer.body));
      }
    } finally {
      await running.close();
    }
    const question = ['REF', monday, tuesday, true];
    const position = { articleReference: 'É "\\', within: { stockUnitID: null, articleLotNumber: '', gradeCode: 'x' } };
    assert.deepEqual(readReconciliationCursor(writeReconciliationCursor(position, question), question), position);
  });
}

/** Two places of an article that has few: one agrees, one does not. */
function someOf(article: string): readonly Made[] {
  const [first, second] = ['A', 'B'].map((grade) => ordinary({ article, grade }));
  assert.ok(first !== undefined && second !== undefined);
  return [first, { ...second, to: 9, class: 'missing-movement' }];
}

function ordinary(place: Omit<Held, 'quantity'>): Made {
  return { place, to: 10, movements: [], class: null };
}

/** One article of some twelve thousand places, each of its goods with differences of one kind. */
function manyPlaces(): readonly Made[] {
  const goods = units.flatMap((unit) => lots.map((lot) => ({ article: 'B', unit, lot })));
  const ofGoods = goods.flatMap((one, index) =>
    grades.map((grade, position) => madeAt({ ...one, grade }, index % 7, position)),
  );
  // All grades together make up for one another, the first and the last with a page between them.
  const last = manyGrades.length - 1;
  const spread = manyGrades.map((grade, index): Made => {
    const place = { article: 'B', unit: 'MAI', lot: 'MANY', grade };
    if (index === 1) return ordinary(place);
    const change = index === 0 ? -3 : index === last ? 3 : index % 2 === 0 ? 1 : -1;
    return { place, to: 10 + change, movements: [], class: 'grade-change' };
  });
  return [...ofGoods, ...spread];
}

/** @param position of the grade among those of the goods */
function madeAt(place: Omit<Held, 'quantity'>, kind: number, position: number): Made {
  const [isFirst, isLast] = [position === 0, position === grades.length - 1];
  const at = (quantity: number, more: Partial<Moved> = {}): Moved => ({ ...place, quantity, ...more });
  // A movement without a lot would make all lots of the article one.
  if (place.lot === null) return ordinary(place);
  const pair = { code: 'BLOCK', at: noon };
  if (kind === 0 && (isFirst || isLast))
    // Both halves of a change of grade are missing.
    return { place, to: isFirst ? 6 : 14, movements: [], class: 'grade-change' };
  if (kind === 1 && isFirst) return { place, to: 8, movements: [at(-2, pair)], class: null };
  // Its other half is missing.
  if (kind === 1 && isLast) return { place, to: 12, movements: [], class: 'grade-change' };
  if (kind === 2 && (isFirst || isLast))
    return { place, to: isFirst ? 7 : 13, movements: [at(isFirst ? -3 : 3, pair)], class: null };
  if (kind === 3 && isFirst)
    return { place, to: 15, movements: [at(5, { at: monday - 5 * hour })], class: 'late-movement' };
  if (kind === 4 && isLast) return { place, to: 10, movements: [], late: [at(-2)], class: 'late-movement' };
  if (kind === 5 && isFirst)
    return { place, to: 10, movements: [at(-4, { at: tuesday - 60_000 })], class: 'movement-after-extraction' };
  if (kind === 6 && isLast) return { place, to: 9, movements: [], class: 'missing-movement' };
  if (kind === 6 && isFirst) return { place, to: 10, movements: [at(1, { direction: 'X' })], class: 'unknown' };
  return ordinary(place);
}

function nameOf({ articleReference, stockUnitID, articleLotNumber, gradeCode }: ReconciledPlace): string {
  return JSON.stringify([articleReference, stockUnitID, articleLotNumber, gradeCode]);
}

function madeName({ place: { article, unit = 'MAI', lot = null, grade = null } }: Made): string {
  return JSON.stringify([article, unit, lot, grade]);
}
