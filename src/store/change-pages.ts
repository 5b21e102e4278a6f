// In charge of pages in change order: activity after activity, records from a position on, or one stock image whole.
import { compositeKey } from '../model/composite-key.ts';
import { expiredCursor } from '../model/cursor.ts';
import { type ChangePosition, isValuePosition, type WalkStarts } from '../model/plan.ts';
import { isIncremental, type ReadPlan } from './access-path.ts';
import { liveChange } from './live-records.ts';
import { type PageRows, type Scope, changePage, changeRows, existsAfter, lastChangeBefore } from './list-sql.ts';
import { type PageReading, arrayOf, joinArrays } from './page-bytes.ts';
import { fittingRows, sizedRow } from './page-cut.ts';
import { type Image, imageAround, imageAt, imageOf, scopeOf } from './published-images.ts';
import type { Page, Revision } from './store.ts';

/**
 * A page of records. Only activities in which something was written after the position are asked.
 *
 * The revision was read before the rows, and whoever rewrites a record meanwhile gives it a number beyond that: a page
 * that is full is the last one only if nothing comes after it by now, and one that is not full has seen all that there
 * was. So when a walk ends, each record that was there all the while has been on one of its pages.
 */
export async function recordOrderPage(reading: PageReading, plan: ReadPlan, revision: Revision): Promise<Page> {
  const after = positions(plan, revision);
  const next: Record<string, number> = { ...after };
  const starts: Record<string, number> = { ...plan.walkStarts };
  const filling = startFilling(reading, plan);
  for (const activity of plan.activities) {
    const newest = revision[activity] ?? 0;
    const from = await startOf(reading, plan, activity, after[activity] ?? 0);
    next[activity] = from;
    if (from >= newest) continue;
    const began = beginningOf(plan, { activity, position: after[activity] ?? 0, newest });
    const scope = { activity, imageId: null, withdrawnAfter: from < began ? began : 0 };
    let reached = from;
    if (!filling.isFull()) {
      reached = (await filling.read(scope, from)) ?? from;
      next[activity] = filling.isFull() ? reached : Math.max(newest, reached);
      if (!filling.isFull()) continue;
    }
    // Without conditions the record of the newest change comes after, unless it is left out: no need to ask.
    const isNewestRead =
      plan.where.length === 0 &&
      reached < newest &&
      (scope.withdrawnAfter < newest || (await isLiveChange(reading, plan, activity, newest)));
    if (isNewestRead || (await comesMore(reading, plan, scope, reached))) {
      return { ...filling.page(), more: true, next, walkStarts: openStarts({ ...starts, [activity]: began }, next) };
    }
    // What was refused by the filter need not be looked at again.
    next[activity] = Math.max(newest, reached);
  }
  return { ...filling.page(), more: false, next, walkStarts: null };
}

/**
 * A page of stock: of each activity one image, from its first row to its last. What was published meanwhile is for the
 * walk that begins when this one has ended, which is what the cursor of its last page stands for.
 * @throws Problem `cursor-expired` when the image that the walk is in has been removed
 */
export async function imageOrderPage(reading: PageReading, plan: ReadPlan, revision: Revision): Promise<Page> {
  const after = positions(plan, revision);
  const next: Record<string, number> = Object.fromEntries(
    plan.activities.map((activity) => [activity, after[activity] ?? 0]),
  );
  const [current = ''] = Object.keys(plan.walkStarts ?? {});
  const filling = startFilling(reading, plan);
  for (const activity of plan.activities) {
    const from = next[activity] ?? 0;
    const newest = revision[activity] ?? 0;
    if (activity < current || (activity !== current && from >= newest)) continue;
    const walk = await walkImage(reading, plan, activity, { from, newest, filling });
    next[activity] = walk.reached;
    if (walk.unfinished !== null) {
      return { ...filling.page(), more: true, next, walkStarts: { [activity]: walk.unfinished.base } };
    }
  }
  return { ...filling.page(), more: false, next, walkStarts: null };
}

/** The bytes of a page as they come together. */
interface Filling {
  /** True when it has as many records as are wanted, or the next one does not fit. */
  readonly isFull: () => boolean;
  /**
   * Adds the rows of a scope after a place, as many as fit; gives the place of the last one, null where there is none.
   */
  readonly read: (scope: Scope, after: number) => Promise<number | null>;
  readonly page: () => Pick<Page, 'bytes' | 'count'>;
}

function startFilling({ engine, rows, maxBytes }: PageReading, plan: ReadPlan): Filling {
  const parts: Buffer[] = [];
  let count = 0;
  let left = maxBytes;
  let ended = false;
  const add = (array: Buffer, found: number): void => {
    parts.push(array);
    count += found;
    left -= array.length;
  };
  const readLong = async (asked: PageRows): Promise<number | null> => {
    const found = (await rows(changeRows(asked))).map((row) => sizedRow(asked.scope, row));
    const fitting = await fittingRows(engine, plan.resource, found, { bytes: left, isEmpty: count === 0 });
    // The first one was written meanwhile.
    if (fitting.length === 0 && found.length > 0 && count === 0) return readLong(asked);
    ended = fitting.length < found.length;
    if (fitting.length > 0) add(arrayOf(fitting.map(({ bytes }) => bytes)), fitting.length);
    return fitting.at(-1)?.place ?? null;
  };
  return {
    isFull: () => ended || left <= 0 || count >= plan.limit,
    read: async (scope, after) => {
      const limit = plan.limit - count;
      // As many of this length as are wanted fit by all means.
      const asked = { plan, scope, after, limit, maxBytesEach: Math.floor(left / limit) };
      const [row] = await rows(changePage(asked));
      const found = Number(row?.[1] ?? 0);
      if (found === 0) return null;
      if (Number(row?.[3] ?? found) < found || !(row?.[0] instanceof Buffer)) return readLong(asked);
      add(row[0], found);
      return Number(row[2]);
    },
    page: () => ({ bytes: joinArrays(parts), count }),
  };
}

/**
 * The last change number when the walk began in an activity; 0 where it shows all that was withdrawn. Whoever has read
 * nothing of the activity begins now: what is withdrawn already was never given to him. A position without a beginning
 * is one of a walk that has come to an end once, or of a cursor of an earlier program.
 */
function beginningOf(
  plan: ReadPlan,
  { activity, position, newest }: { readonly activity: string; readonly position: number; readonly newest: number },
): number {
  if (isIncremental(plan)) return 0;
  return plan.walkStarts?.[activity] ?? (position === 0 ? newest : 0);
}

/** Of the activities in which the walk has begun, those in which it has not come to where it began; null: none. */
function openStarts(starts: WalkStarts, reached: ChangePosition): WalkStarts | null {
  const open = Object.entries(starts).filter(([activity, start]) => {
    const place = reached[activity] ?? 0;
    return place > 0 && place < start;
  });
  return open.length === 0 ? null : Object.fromEntries(open);
}

/**
 * True where the record of the last change is not withdrawn: asked once for each change that is the last one when pages
 * of a walk are read, since it stays so as long as the record has this number.
 */
async function isLiveChange(
  { engine, liveChanges }: PageReading,
  { resource }: ReadPlan,
  activity: string,
  change: number,
): Promise<boolean> {
  const name = compositeKey(resource.table, activity);
  if (liveChanges.get(name) === change) return true;
  const found = (await engine.read(liveChange(resource, activity, change))).length > 0;
  if (found) liveChanges.set(name, change);
  return found;
}

async function comesMore({ rows }: PageReading, plan: ReadPlan, scope: Scope, after: number): Promise<boolean> {
  return (await rows(existsAfter(plan, scope, after))).length > 0;
}

/**
 * Where change order starts in one activity: after the position, and after all that was written before `updatedSince`.
 */
async function startOf({ engine }: PageReading, plan: ReadPlan, activity: string, position: number): Promise<number> {
  if (plan.updatedSince === null) return position;
  const [row] = await engine.read(lastChangeBefore(plan.resource, activity, plan.updatedSince));
  return Math.max(position, Number(row?.[0] ?? 0));
}

/** The position per activity, 0 for one that the cursor does not know. */
function positions(plan: ReadPlan, revision: Revision): ChangePosition {
  const { after } = plan;
  if (after === null) return {};
  if (isValuePosition(after)) throw new Error('a plan in change order has a position in value order');
  for (const [activity, position] of Object.entries(after)) {
    if (position > (revision[activity] ?? 0)) throw expiredCursor();
  }
  return after;
}

/** Where a walk stands in one activity. */
interface Walk {
  readonly reached: number;
  /** The image, where some of its rows are for the next page. */
  readonly unfinished: Image | null;
}

interface WalkStart {
  /** Position in change order, and the last change of the stock in this activity. */
  readonly from: number;
  readonly newest: number;
  readonly filling: Filling;
}

async function walkImage(reading: PageReading, plan: ReadPlan, activity: string, start: WalkStart): Promise<Walk> {
  const { from, newest, filling } = start;
  const image = await imageToWalk(reading, plan, activity, from);
  if (image === null) return { reached: Math.max(from, newest), unfinished: null };
  const over: Walk = { reached: image.base + image.rowCount, unfinished: null };
  const unfinished = (after: number): Walk => ({ reached: Math.max(from, image.base + after), unfinished: image });
  const scope = scopeOf(activity, image);
  let after = Math.max(from - image.base, 0);
  if (!filling.isFull()) {
    const last = await filling.read(scope, after);
    // A page with room to spare has seen all rows that there were; one without any may have come too late.
    if (last !== null && !filling.isFull()) return over;
    after = last ?? after;
  }
  if (filling.isFull() && after < image.rowCount) {
    if (plan.where.length === 0 || (await comesMore(reading, plan, scope, after))) return unfinished(after);
  }
  if (after === image.rowCount || (await imageOf(reading.engine, activity, image.base)) !== null) return over;
  // Removed while it was read. The latest image always stays, so that whoever was shown nothing of this one finds
  // another.
  if (after > 0) throw expiredCursor();
  return walkImage(reading, plan, activity, start);
}

/**
 * The image to read in one activity: the one that the walk is in, else the one in which the position lies, as cursors
 * of earlier programs have it, else the newest; null where that has been read.
 */
async function imageToWalk(
  { engine }: PageReading,
  plan: ReadPlan,
  activity: string,
  from: number,
): Promise<Image | null> {
  const base = plan.walkStarts?.[activity];
  if (base !== undefined) {
    const walked = await imageOf(engine, activity, base);
    if (walked === null) throw expiredCursor();
    return walked;
  }
  const around = plan.imageAt === null && from > 0 ? await imageAround(engine, activity, from) : null;
  const image = around ?? (await imageAt(engine, activity, plan.imageAt));
  if (image === null || image.base + image.rowCount <= from) return null;
  return plan.updatedSince !== null && image.publishedAt < plan.updatedSince ? null : image;
}
