// In charge of answering list plans: which rows of which activity, in which order, joined as bytes.
import { type ChangePosition, type ListPlan, type StoredValue, type ValuePosition, isValuePosition } from '../model/plan.ts';
import { expiredCursor } from '../model/cursor.ts';
import type { Resource } from '../model/resource.ts';
import { type Engine, type Reader, type Row, type Statement, placeholders } from './engine.ts';
import { type Image, imageAround, imageAt, scopeOf } from './images.ts';
import { indexAdvice } from './index-advice.ts';
import { type Scope, type ValueRun, changePage, existsAfter, isServedByIndex, lastChangeBefore, valuePage } from './list-sql.ts';
import type { Page, Revision } from './store.ts';

/** Last change number per activity of one resource; 0 where nothing was written. */
export async function readRevision(engine: Engine, resource: Resource, owners: readonly string[]): Promise<Revision> {
  const { values, add } = placeholders(engine.dialect);
  const where = `where resource = ${add(resource.name)} and owner in (${owners.map(add).join(', ')})`;
  const rows = await engine.read({ text: `select owner, last_change from revision ${where}`, values });
  const revision: Record<string, number> = Object.fromEntries(owners.map((owner) => [owner, 0]));
  for (const [owner, lastChange] of rows) revision[String(owner)] = Number(lastChange);
  return revision;
}

/**
 * Answers a plan.
 * @throws Problem `cursor-expired` when the position lies beyond what this database ever wrote
 */
export async function readPage(engine: Engine, plan: ListPlan, revision: Revision, reader: Reader): Promise<Page> {
  const read = reading(engine, plan, reader);
  return plan.sort.length === 0 ? changeOrderPage({ engine, read }, plan, revision) : valueOrderPage({ engine, read }, plan);
}

/** The engine, and how the rows of this plan are read from it. */
interface Reading { readonly engine: Engine; readonly read: Engine['read'] }

/** Where a list reads in one activity. `base` turns the order column of the rows into change numbers. */
interface Place { readonly scope: Scope; readonly base: number; readonly last: number }

/**
 * Activity after activity. Only activities in which something was written after the position are asked.
 * A position moves up to the revision read before the page when nothing more fits: what was refused by the filter need
 * not be looked at again, and a write that came in between has a higher number.
 */
async function changeOrderPage({ engine, read }: Reading, plan: ListPlan, revision: Revision): Promise<Page> {
  const after = positions(plan, revision);
  const next: Record<string, number> = { ...after };
  const parts: Buffer[] = [];
  let count = 0;
  let more = false;
  for (const owner of plan.owners) {
    const newest = revision[owner] ?? 0;
    let from = await startOf(engine, plan, owner, after[owner] ?? 0);
    next[owner] = from;
    while (from < newest && !more) {
      const place = await placeAfter(engine, plan, owner, from, newest);
      if (place === null) {
        next[owner] = from = newest;
        break;
      }
      const start = Math.max(from - place.base, 0);
      if (count === plan.limit) {
        // Without conditions the record of the newest change comes after: no need to ask.
        more = plan.where.length === 0 || (await read(existsAfter(engine.dialect, plan, place.scope, start))).length > 0;
        if (more) break;
        from = place.last;
        continue;
      }
      const [row] = await read(changePage(engine.dialect, plan, place.scope, start, plan.limit - count));
      const found = Number(row?.[1] ?? 0);
      count += found;
      if (found > 0 && row?.[0] instanceof Buffer) parts.push(row[0]);
      const reached = place.base + Number(row?.[2] ?? 0);
      // What was written since the revision was read may be on the page already.
      from = count === plan.limit ? reached : Math.max(place.last, found > 0 ? reached : 0);
      next[owner] = from;
    }
    if (more) break;
  }
  return { bytes: joinArrays(parts), count, more, next };
}

/** How the rows of a plan are read: at once when an index leads to them in order, beside other requests when many may have to be looked at. */
function reading(engine: Engine, plan: ListPlan, reader: Reader): Engine['read'] {
  return isServedByIndex(plan) ? engine.read : (statement: Statement) => engine.readLong(statement, { ...reader, advice: indexAdvice(plan) });
}

/** Where change order starts in one activity: after the position, and after all that was written before `updatedSince`. */
async function startOf(engine: Engine, plan: ListPlan, owner: string, position: number): Promise<number> {
  if (plan.updatedSince === null || plan.resource.storage === 'images') return position;
  const [row] = await engine.read(lastChangeBefore(engine.dialect, plan.resource, owner, plan.updatedSince));
  return Math.max(position, Number(row?.[0] ?? 0));
}

/** The position per activity, 0 for one that the cursor does not know. */
function positions(plan: ListPlan, revision: Revision): ChangePosition {
  const after = plan.after;
  if (after === null) return {};
  if (isValuePosition(after)) throw new Error('a plan in change order has a position in value order');
  for (const [owner, position] of Object.entries(after)) {
    if (position > (revision[owner] ?? 0)) throw expiredCursor();
  }
  return after;
}

/** The rows to read next in one activity: all records, or the image in which the position lies, else the latest image. */
async function placeAfter(engine: Engine, plan: ListPlan, owner: string, from: number, newest: number): Promise<Place | null> {
  if (plan.resource.storage === 'records') return { scope: { owner, imageId: null }, base: 0, last: newest };
  const around = plan.imageAt === null && from > 0 ? await imageAround(engine, owner, from) : null;
  const image = around ?? await imageAt(engine, owner, plan.imageAt);
  if (image === null || image.base + image.rowCount <= from || isTooOld(plan, image)) return null;
  return { scope: scopeOf(owner, image), base: image.base, last: image.base + image.rowCount };
}

function isTooOld(plan: ListPlan, image: Image): boolean {
  return plan.updatedSince !== null && image.publishedAt < plan.updatedSince;
}

interface ValueRow { readonly bytes: Buffer; readonly owner: string; readonly position: number; readonly values: readonly (StoredValue | null)[] }

/** Each activity is read in the wanted order and merged at once: no more than two pages are held, however many activities there are. */
async function valueOrderPage(reading: Reading, plan: ListPlan): Promise<Page> {
  let rows: readonly ValueRow[] = [];
  for (const owner of plan.owners) {
    const found = await valueRows(reading, plan, owner, plan.limit + 1);
    if (found.length > 0) rows = [...rows, ...found].sort((a, b) => compareRows(plan, a, b)).slice(0, plan.limit + 1);
  }
  const page = rows.slice(0, plan.limit);
  const last = page.at(-1);
  const next: ValuePosition | null = last === undefined ? null : { values: last.values, owner: last.owner, changeNumber: last.position };
  return {
    bytes: arrayOf(page.map((row) => row.bytes)),
    count: page.length,
    more: rows.length > plan.limit,
    next: next ?? plan.after,
  };
}

async function valueRows({ engine, read }: Reading, plan: ListPlan, owner: string, limit: number): Promise<readonly ValueRow[]> {
  const image = plan.resource.storage === 'images' ? await imageAt(engine, owner, plan.imageAt) : null;
  if (plan.resource.storage === 'images' && (image === null || isTooOld(plan, image))) return [];
  const scope = image === null ? { owner, imageId: null } : scopeOf(owner, image);
  const afterNull = plan.after !== null && isValuePosition(plan.after) && (plan.after.values[0] ?? null) === null;
  const runs: readonly ValueRun[] = afterNull ? ['missing'] : ['present', 'missing'];
  const found: ValueRow[] = [];
  for (const run of runs) {
    if (found.length >= limit) break;
    const rows = await read(valuePage(engine.dialect, plan, scope, run, limit - found.length));
    found.push(...rows.map((row) => toValueRow(owner, row)));
  }
  return found;
}

function toValueRow(owner: string, [bytes, position, ...values]: Row): ValueRow {
  if (!(bytes instanceof Buffer)) throw new Error('a record is expected as bytes');
  return { bytes, owner, position: Number(position), values: values.map((value) => (Buffer.isBuffer(value) ? value.toString() : value)) };
}

function compareRows(plan: ListPlan, a: ValueRow, b: ValueRow): number {
  for (const [index, key] of plan.sort.entries()) {
    const left = a.values[index] ?? null;
    const right = b.values[index] ?? null;
    if (left === right) continue;
    if (left === null) return 1;
    if (right === null) return -1;
    const order = compareValues(left, right);
    if (order !== 0) return key.descending ? -order : order;
  }
  if (a.owner !== b.owner) return a.owner < b.owner ? -1 : 1;
  return plan.sort.at(-1)?.descending ? b.position - a.position : a.position - b.position;
}

/** Numbers by size, text by code point (JavaScript's own order is by UTF-16 unit). */
function compareValues(a: StoredValue, b: StoredValue): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return Buffer.compare(Buffer.from(String(a)), Buffer.from(String(b)));
}

const openBracket = Buffer.from('[');
const closeBracket = Buffer.from(']');
const comma = Buffer.from(',');

/** One JSON array of the elements of several; a single one is passed on as it is. */
function joinArrays(arrays: readonly Buffer[]): Buffer {
  const [first] = arrays;
  return first !== undefined && arrays.length === 1 ? first : arrayOf(arrays.map((array) => array.subarray(1, -1)));
}

function arrayOf(elements: readonly Buffer[]): Buffer {
  return Buffer.concat([openBracket, ...elements.flatMap((element, index) => (index === 0 ? [element] : [comma, element])), closeBracket]);
}
