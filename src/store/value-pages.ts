// In charge of pages in value order: the rows of all activities in the order that the client asked for.
import { expiredCursor } from '../model/cursor.ts';
import { type StoredValue, type ValuePosition, type WalkStarts, isValuePosition } from '../model/plan.ts';
import { isIncremental, type ReadPlan } from './access-path.ts';
import type { Row } from './engine.ts';
import { type Scope, type ValueRun, valuePage } from './list-sql.ts';
import { type PageReading, arrayOf, together } from './page-bytes.ts';
import { fittingRows, type SizedRow, sizedRow } from './page-cut.ts';
import { type Image, imageAt, imageOf, scopeOf } from './published-images.ts';
import type { Page } from './store.ts';

/**
 * Each activity is read in the wanted order, several at once, and merged: no more is held than their pages and one
 * more, however many activities there are. Where there are several, records are read when it is known which are on the
 * page. Stock is read of the images that were the newest when the walk began.
 * @throws Problem `cursor-expired` when one of these images has been removed
 */
export async function valueOrderPage(reading: PageReading, plan: ReadPlan): Promise<Page> {
  const images: Record<string, number> = {};
  let rows: readonly ValueRow[] = [];
  for (const activities of reading.isShort
    ? together(plan.activities)
    : plan.activities.map((activity) => [activity])) {
    const read = await Promise.all(activities.map((activity) => activityRows(reading, plan, activity)));
    for (const [index, { base }] of read.entries()) if (base !== null) images[activities[index] ?? ''] = base;
    const found = read.flatMap((rowsOfOne) => rowsOfOne.found);
    if (found.length > 0) rows = [...rows, ...found].sort((a, b) => compareRows(plan, a, b)).slice(0, plan.limit + 1);
  }
  const room = { bytes: reading.maxBytes, isEmpty: true };
  const page = await fittingRows(reading.engine, plan.resource, rows.slice(0, plan.limit), room);
  // The first one was written meanwhile, or its image removed.
  if (page.length === 0 && rows.length > 0) return valueOrderPage(reading, plan);
  const more = rows.length > page.length;
  const last = page.at(-1);
  const next: ValuePosition | null =
    last === undefined ? null : { values: last.values, activity: last.scope.activity, tieBreaker: last.tieBreaker };
  const walkStarts: WalkStarts | null = more && plan.resource.storage === 'images' ? images : null;
  return {
    bytes: arrayOf(page.map((row) => row.bytes)),
    count: page.length,
    more,
    next: next ?? plan.after,
    walkStarts,
  };
}

interface ValueRow extends SizedRow {
  readonly tieBreaker: StoredValue;
  readonly values: readonly (StoredValue | null)[];
}

/** The rows of one activity, as many as a page may need, and the name of the image that they are of. */
interface ActivityRows {
  readonly found: readonly ValueRow[];
  readonly base: number | null;
}

/** Names no image: there was none when the walk began. */
const noImage = -1;

async function activityRows(reading: PageReading, plan: ReadPlan, activity: string): Promise<ActivityRows> {
  const wanted = plan.limit + 1;
  if (plan.resource.storage === 'records')
    return { found: await scopeRows(reading, plan, recordScope(plan, activity), wanted), base: null };
  const image = await imageToWalk(reading, plan, activity);
  if (image === null) return { found: [], base: noImage };
  const found = await scopeRows(reading, plan, scopeOf(activity, image), wanted);
  if (found.length === wanted || (await imageOf(reading.engine, activity, image.base)) !== null)
    return { found, base: image.base };
  // Removed while it was read. The latest image always stays, so that who has shown nothing of this one finds another.
  if (plan.walkStarts !== null) throw expiredCursor();
  return activityRows(reading, plan, activity);
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

/** Withdrawn records are in no list in value order, but in one of what was written since an instant. */
function recordScope(plan: ReadPlan, activity: string): Scope {
  return { activity, imageId: null, withdrawnAfter: isIncremental(plan) ? 0 : null };
}

async function scopeRows(
  { rows, maxBytes, isShort }: PageReading,
  plan: ReadPlan,
  scope: Scope,
  wanted: number,
): Promise<readonly ValueRow[]> {
  const afterNull = plan.after !== null && isValuePosition(plan.after) && (plan.after.values[0] ?? null) === null;
  const runs: readonly ValueRun[] = afterNull ? ['missing'] : ['present', 'missing'];
  const maxBytesEach = isShort && plan.activities.length > 1 ? 0 : Math.floor(maxBytes / wanted);
  const found: ValueRow[] = [];
  for (const run of runs) {
    if (found.length >= wanted) break;
    const limit = wanted - found.length;
    const more = await rows(valuePage({ plan, scope, run, limit, maxBytesEach }));
    found.push(...more.map((row) => toValueRow(scope, row)));
  }
  return found;
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

/** Numbers by size, text by code point (JavaScript's own order is by UTF-16 unit). */
function compareValues(a: StoredValue, b: StoredValue): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return Buffer.compare(Buffer.from(String(a)), Buffer.from(String(b)));
}
