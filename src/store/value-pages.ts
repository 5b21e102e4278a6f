// Pages in value order: the rows of all activities in the order that the client asked for.
import { expiredCursor } from '../model/cursor.ts';
import { type StoredValue, type ValuePosition, type WalkStarts, isValuePosition } from '../model/plan.ts';
import { isIncremental, type ReadPlan } from './access-path.ts';
import type { Row } from './engine.ts';
import type { Scope } from './list-sql.ts';
import { compareValues } from './span.ts';
import { type PageReading, arrayOf, together } from './page-bytes.ts';
import { fittingRows, type SizedRow, sizedRow } from './page-size.ts';
import { type Image, imageAt, imageOf, scopeOf } from './published-images.ts';
import type { Page } from './store.ts';
import { type ValueRun, valuePage } from './value-order-sql.ts';

/**
 * Each activity is read in the requested order, several at once, and the results are merged. With several activities,
 * records are read only when it is known which are on the page. Stock is read from the images that were the newest when
 * the walk began.
 * @throws Problem `cursor-expired` when one of these images has been removed
 */
export async function valueOrderPage(reading: PageReading, plan: ReadPlan): Promise<Page> {
  const walked = await inTurns(reading, plan.activities, (activity) => scopeToWalk(reading, plan, activity));
  const rows = await mergedRows(reading, plan, walked);
  if (rows === null) return valueOrderPage(reading, plan);
  const room = { bytes: reading.maxBytes, isEmpty: true };
  const page = await fittingRows(reading.engine, plan.resource, rows.slice(0, plan.limit), room);
  // The first record was rewritten meanwhile, or its image removed.
  if (page.length === 0 && rows.length > 0) return valueOrderPage(reading, plan);
  const more = rows.length > page.length;
  const last = page.at(-1);
  const next: ValuePosition | null =
    last === undefined ? null : { values: last.values, activity: last.scope.activity, tieBreaker: last.tieBreaker };
  const walkStarts: WalkStarts | null =
    more && plan.resource.storage === 'images'
      ? Object.fromEntries(walked.map(({ activity, base }) => [activity, base]))
      : null;
  return {
    bytes: arrayOf(page.map((row) => row.bytes)),
    count: page.length,
    more,
    next: next ?? plan.after,
    walkStarts,
  };
}

/**
 * The first rows of all scopes, one more than a page has; null if an image was removed before any of it was shown: the
 * latest one always stays, so another is found. Rows without a value follow all others, of whatever activity.
 * @throws Problem `cursor-expired` when an image that the walk began with was removed
 */
async function mergedRows(
  reading: PageReading,
  plan: ReadPlan,
  walked: readonly Walked[],
): Promise<readonly ValueRow[] | null> {
  const open = walked.filter(({ scope }) => scope !== null);
  const wanted = plan.limit + 1;
  const afterNull = plan.after !== null && isValuePosition(plan.after) && (plan.after.values[0] ?? null) === null;
  const runs: readonly ValueRun[] = afterNull ? ['missing'] : ['present', 'missing'];
  let rows: readonly ValueRow[] = [];
  let exhausted: Walked[] = [];
  for (const run of runs) {
    if (rows.length >= wanted) break;
    const limit = wanted - rows.length;
    exhausted = [];
    for (const some of together(open, reading.isShort)) {
      const found = await Promise.all(some.map(({ scope }) => scopeRows(reading, plan, { scope, run, limit })));
      rows = [...rows, ...found.flat()].sort((a, b) => compareRows(plan, a, b)).slice(0, wanted);
      exhausted.push(...some.filter((_, index) => (found[index]?.length ?? 0) < limit));
    }
  }
  if (plan.resource.storage === 'records') return rows;
  // An image that returned all requested rows still existed; one that returned fewer may have lost rows.
  const images = await inTurns(reading, exhausted, ({ activity, base }) => imageOf(reading.engine, activity, base));
  if (!images.includes(null)) return rows;
  if (plan.walkStarts !== null) throw expiredCursor();
  return null;
}

/** Queries several at once if none of the answers can take long, otherwise one after the other. */
async function inTurns<T, U>(
  { isShort }: PageReading,
  items: readonly T[],
  ask: (item: T) => Promise<U>,
): Promise<readonly U[]> {
  const answers: U[] = [];
  for (const run of together(items, isShort)) answers.push(...(await Promise.all(run.map(ask))));
  return answers;
}

interface ValueRow extends SizedRow {
  readonly tieBreaker: StoredValue;
  readonly values: readonly (StoredValue | null)[];
}

/** What is walked in one activity: no scope if there is nothing; the base of its image, if it has one. */
interface Walked {
  readonly activity: string;
  readonly scope: Scope | null;
  readonly base: number;
}

/** There was no image when the walk began. */
const noImage = -1;

async function scopeToWalk(reading: PageReading, plan: ReadPlan, activity: string): Promise<Walked> {
  if (plan.resource.storage === 'records') return { activity, scope: recordScope(plan, activity), base: noImage };
  const image = await imageToWalk(reading, plan, activity);
  if (image === null) return { activity, scope: null, base: noImage };
  return { activity, scope: scopeOf(activity, image), base: image.base };
}

async function imageToWalk({ engine }: PageReading, plan: ReadPlan, activity: string): Promise<Image | null> {
  if (plan.walkStarts !== null) {
    const base = plan.walkStarts[activity] ?? noImage;
    if (base === noImage) return null;
    const walked = await imageOf(engine, activity, base);
    if (walked === null) throw expiredCursor();
    return walked;
  }
  const image = await imageAt(engine, activity, plan.imageAt);
  if (image === null) return null;
  return plan.updatedSince !== null && image.publishedAt < plan.updatedSince ? null : image;
}

/** Lists in value order leave withdrawn records out, except lists of what was written since an instant. */
function recordScope(plan: ReadPlan, activity: string): Scope {
  return { activity, imageId: null, withdrawnAfter: isIncremental(plan) ? 0 : null };
}

async function scopeRows(
  { rows, maxBytes, isShort }: PageReading,
  plan: ReadPlan,
  { scope, ...asked }: { readonly scope: Scope | null; readonly run: ValueRun; readonly limit: number },
): Promise<readonly ValueRow[]> {
  if (scope === null) return [];
  // With several activities, only what determines which records are on the page is read.
  const maxBytesEach = isShort && plan.activities.length > 1 ? 0 : Math.floor(maxBytes / (plan.limit + 1));
  return (await rows(valuePage({ plan, scope, ...asked, maxBytesEach }))).map((row) => toValueRow(scope, row));
}

function toValueRow(scope: Scope, row: Row): ValueRow {
  const [tieBreaker, ...values] = row.slice(3);
  if (typeof tieBreaker !== 'string' && typeof tieBreaker !== 'number')
    throw new Error('a record without an id cannot be ordered');
  return {
    ...sizedRow(scope, row),
    tieBreaker,
    values: values.map((value) => (Buffer.isBuffer(value) ? value.toString() : value)),
  };
}

function compareRows(plan: ReadPlan, a: ValueRow, b: ValueRow): number {
  for (const [index, key] of plan.sort.entries()) {
    const left = a.values[index] ?? null;
    const right = b.values[index] ?? null;
    if (left === right) continue;
    if (left === null) return 1;
    if (right === null) return -1;
    const order = compareValues(left, right);
    if (order !== 0) return key.descending ? -order : order;
  }
  if (a.scope.activity !== b.scope.activity) return a.scope.activity < b.scope.activity ? -1 : 1;
  const order = compareValues(a.tieBreaker, b.tieBreaker);
  return plan.sort.at(-1)?.descending ? -order : order;
}
