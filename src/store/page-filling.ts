// Assembles the bytes of a page in change order, stretch after stretch.
import type { ReadPlan } from './access-path.ts';
import type { Row } from './engine.ts';
import { type PageRows, type Scope, changePage, changeRows } from './list-sql.ts';
import { type PageReading, arrayOf, joinArrays, runOf } from './page-bytes.ts';
import { fittingRows, sizedRow } from './page-size.ts';
import type { Page } from './store.ts';

/** Rows of a scope that a page may show: those after a place, and the last place that existed when the page began. */
export interface Stretch {
  readonly scope: Scope;
  readonly from: number;
  readonly newest: number;
}

/** The bytes of a page while they are assembled. */
export interface Filling {
  /** True when the page has as many records as requested, or the next one does not fit. */
  readonly isFull: () => boolean;
  /**
   * Adds the rows of the first stretch, as many as fit; returns the place of the last one, null if there is none. Rows
   * of the following stretches are read at the same time, as far as they are likely to fit too.
   */
  readonly read: (stretches: readonly Stretch[]) => Promise<number | null>;
  readonly page: () => Pick<Page, 'bytes' | 'count'>;
}

export function startFilling(reading: PageReading, plan: ReadPlan): Filling {
  const { engine, rows, maxBytes } = reading;
  const ahead = new Map<Scope, Promise<Row | undefined>>();
  const parts: Buffer[] = [];
  let count = 0;
  let left = maxBytes;
  let ended = false;
  let stretchesRead = 0;
  const add = (array: Buffer, found: number): void => {
    parts.push(array);
    count += found;
    left -= array.length;
  };
  const asked = ({ scope, from }: Stretch): PageRows => {
    const limit = plan.limit - count;
    // Records of this length fit in any case, as many as are requested.
    return { plan, scope, after: from, limit, maxBytesEach: Math.floor(left / limit) };
  };
  const rowOf = async (stretch: Stretch): Promise<Row | undefined> => (await rows(changePage(asked(stretch))))[0];
  const readAhead = (stretches: readonly Stretch[]): void => {
    const each = stretchesRead === 0 ? Infinity : count / stretchesRead;
    for (const stretch of likelyToFit(runOf(reading, stretches), plan.limit - count, each)) {
      const row = rowOf(stretch);
      // The reader of the row receives a failure; the row may never be read.
      row.catch(() => undefined);
      ahead.set(stretch.scope, row);
    }
  };
  const readLong = async (stretch: Stretch): Promise<number | null> => {
    const found = (await rows(changeRows(asked(stretch)))).map((row) => sizedRow(stretch.scope, row));
    const fitting = await fittingRows(engine, plan.resource, found, { bytes: left, isEmpty: count === 0 });
    // The first record was rewritten meanwhile.
    if (fitting.length === 0 && found.length > 0 && count === 0) return readLong(stretch);
    ended = fitting.length < found.length;
    if (fitting.length > 0) add(arrayOf(fitting.map(({ bytes }) => bytes)), fitting.length);
    return fitting.at(-1)?.place ?? null;
  };
  return {
    isFull: () => ended || left <= 0 || count >= plan.limit,
    read: async (stretches) => {
      const [stretch] = stretches;
      if (stretch === undefined) return null;
      if (!ahead.has(stretch.scope)) readAhead(stretches);
      const early = await ahead.get(stretch.scope);
      const fits = early !== undefined && Number(early[1]) <= plan.limit - count && lengthOf(early) <= left;
      const row = fits ? early : await rowOf(stretch);
      stretchesRead += 1;
      const found = Number(row?.[1] ?? 0);
      if (found === 0) return null;
      if (Number(row?.[3] ?? found) < found || !(row?.[0] instanceof Buffer)) return readLong(stretch);
      add(row[0], found);
      return Number(row[2]);
    },
    page: () => ({ bytes: joinArrays(parts), count }),
  };
}

/**
 * The first stretches that are expected to fit on the page together, at least one.
 * @param each average number of rows in the stretches read so far
 */
function likelyToFit(stretches: readonly Stretch[], room: number, each: number): readonly Stretch[] {
  let expected = 0;
  const beyond = stretches.findIndex(({ from, newest }, index) => {
    if (index > 0 && expected >= room) return true;
    expected += Math.min(each, Math.max(newest - from, 0));
    return false;
  });
  return (beyond < 0 ? stretches : stretches.slice(0, beyond)).filter(({ from, newest }) => from < newest);
}

function lengthOf(row: Row): number {
  return row[0] instanceof Buffer ? row[0].length : 0;
}
