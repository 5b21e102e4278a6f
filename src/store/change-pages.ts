// Pages in change order: activity after activity, records from a position on, or one whole stock image.
import { compositeKey } from '../model/composite-key.ts';
import { expiredCursor } from '../model/cursor.ts';
import { type ChangePosition, isValuePosition, type WalkStarts } from '../model/plan.ts';
import { isIncremental, type ReadPlan } from './access-path.ts';
import { liveChange } from './live-records.ts';
import { type Scope, existsAfter, lastChangeBefore } from './list-sql.ts';
import { type PageReading, runOf, together } from './page-bytes.ts';
import { type Filling, type Stretch, startFilling } from './page-filling.ts';
import { type Image, imageAround, imageAt, imageOf, scopeOf } from './published-images.ts';
import type { Page, Revision } from './store.ts';

/**
 * A page of records. Only activities with writes after the position are queried.
 *
 * The revision was read before the rows, and a record rewritten meanwhile gets a number beyond that revision. So a full
 * page is the last one only if nothing follows it by now, and a page that is not full has seen everything there was.
 * When a walk ends, each record that existed throughout has therefore been on one of its pages.
 */
export async function recordOrderPage(reading: PageReading, plan: ReadPlan, revision: Revision): Promise<Page> {
  const after = positions(plan, revision);
  const next: Record<string, number> = { ...after };
  const starts: Record<string, number> = { ...plan.walkStarts };
  const filling = startFilling(reading, plan);
  const stretches = await stretchesOf(reading, plan, revision, after);
  const follows = asking(reading, plan);
  for (const [index, { activity, scope, from, newest, began }] of stretches.entries()) {
    next[activity] = from;
    if (from >= newest) continue;
    let reached = from;
    const wasFull = filling.isFull();
    if (!wasFull) {
      reached = (await filling.read(stretches.slice(index))) ?? from;
      next[activity] = filling.isFull() ? reached : Math.max(newest, reached);
      if (!filling.isFull()) continue;
    }
    // Without conditions, the record of the newest change follows unless it is left out, so no query is needed.
    const isNewestRead =
      plan.where.length === 0 &&
      reached < newest &&
      (scope.withdrawnAfter === null ||
        scope.withdrawnAfter < newest ||
        (await isLiveChange(reading, plan, activity, newest)));
    if (isNewestRead || (await follows(wasFull ? stretches.slice(index) : [{ scope, from: reached, newest }]))) {
      return { ...filling.page(), more: true, next, walkStarts: openStarts({ ...starts, [activity]: began }, next) };
    }
    // Records that the filter rejected need not be read again.
    next[activity] = Math.max(newest, reached);
  }
  return { ...filling.page(), more: false, next, walkStarts: null };
}

/** What a page may show of one activity, and the change number from which the walk shows withdrawals. */
interface ActivityStretch extends Stretch {
  readonly activity: string;
  readonly began: number;
}

/**
 * For each activity, the stretch after the position, and after everything written before `updatedSince`, up to the
 * revision.
 */
async function stretchesOf(
  { engine }: PageReading,
  plan: ReadPlan,
  revision: Revision,
  after: ChangePosition,
): Promise<readonly ActivityStretch[]> {
  const { resource, updatedSince } = plan;
  const stretchOf = async (activity: string): Promise<ActivityStretch> => {
    const position = after[activity] ?? 0;
    const newest = revision[activity] ?? 0;
    const [row] = updatedSince === null ? [] : await engine.read(lastChangeBefore(resource, activity, updatedSince));
    const from = Math.max(position, Number(row?.[0] ?? 0));
    const began = beginningOf(plan, { activity, position, newest });
    const scope = { activity, imageId: null, withdrawnAfter: from < began ? began : 0 };
    return { activity, scope, from, newest, began };
  };
  const stretches: ActivityStretch[] = [];
  for (const activities of together(plan.activities))
    stretches.push(...(await Promise.all(activities.map((activity) => stretchOf(activity)))));
  return stretches;
}

/**
 * Returns a function that tells whether the first stretch contains anything that matches the plan; it queries the other
 * stretches at the same time, because they come next.
 */
function asking(reading: PageReading, plan: ReadPlan): (stretches: readonly Stretch[]) => Promise<boolean> {
  const asked = new Map<Scope, Promise<boolean>>();
  return async (stretches) => {
    const [first] = stretches;
    if (first === undefined) return false;
    for (const { scope, from, newest } of runOf(reading, stretches)) {
      if (from >= newest || asked.has(scope)) continue;
      const answer = comesMore(reading, plan, scope, from);
      // An earlier stretch may already have answered, so a rejection must not go unhandled.
      answer.catch(() => undefined);
      asked.set(scope, answer);
    }
    return asked.get(first.scope) ?? comesMore(reading, plan, first.scope, first.from);
  };
}

/**
 * A page of stock: for each activity one image, from its first row to its last. Images published meanwhile are left to
 * the walk that begins when this one has ended, which is what the cursor of its last page stands for.
 * @throws Problem `cursor-expired` when the image of the walk has been removed
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

/**
 * The last change number when the walk began in an activity; 0 if the walk shows all withdrawals. A reader that has
 * read nothing of the activity begins now: it was never given records that are already withdrawn. A position without a
 * beginning comes from a completed walk, or from a cursor of an earlier program version.
 */
function beginningOf(
  plan: ReadPlan,
  { activity, position, newest }: { readonly activity: string; readonly position: number; readonly newest: number },
): number {
  if (isIncremental(plan)) return 0;
  return plan.walkStarts?.[activity] ?? (position === 0 ? newest : 0);
}

/** The activities in which the walk has begun but has not yet reached the point where it began; null: none. */
function openStarts(starts: WalkStarts, reached: ChangePosition): WalkStarts | null {
  const open = Object.entries(starts).filter(([activity, start]) => {
    const place = reached[activity] ?? 0;
    return place > 0 && place < start;
  });
  return open.length === 0 ? null : Object.fromEntries(open);
}

/**
 * True if the record of the last change is not withdrawn. Asked once for each change that is the last one when pages of
 * a walk are read: the answer holds as long as the record has this number.
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

/** The position in each activity, 0 for one that is not in the cursor. */
function positions(plan: ReadPlan, revision: Revision): ChangePosition {
  const { after } = plan;
  if (after === null) return {};
  if (isValuePosition(after)) throw new Error('a plan in change order has a position in value order');
  for (const [activity, position] of Object.entries(after)) {
    if (position > (revision[activity] ?? 0)) throw expiredCursor();
  }
  return after;
}

/** How far a walk has come in one activity. */
interface Walk {
  readonly reached: number;
  /** The image, if some of its rows remain for the next page. */
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
    const last = await filling.read([{ scope, from: after, newest: image.rowCount }]);
    // A page with space left has seen all rows that existed; a page without any may have come too late.
    if (last !== null && !filling.isFull()) return over;
    after = last ?? after;
  }
  if (filling.isFull() && after < image.rowCount) {
    if (plan.where.length === 0 || (await comesMore(reading, plan, scope, after))) return unfinished(after);
  }
  if (after === image.rowCount || (await imageOf(reading.engine, activity, image.base)) !== null) return over;
  // The image was removed while it was being read. The latest image always stays, so a reader that was shown nothing of
  // this one finds another.
  if (after > 0) throw expiredCursor();
  return walkImage(reading, plan, activity, start);
}

/**
 * The image to read in one activity: the image of the walk, otherwise the one that contains the position, as in cursors
 * of earlier program versions, otherwise the newest; null if that has been read.
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
