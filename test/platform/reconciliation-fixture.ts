// Rows of stock images and movements for tests of the reconciliation.
import assert from 'node:assert/strict';
import type { IncomingRecord } from '../../src/model/record.ts';
import type { Resource } from '../../src/model/resource.ts';
import { reconcile, type ReconciledPlace } from '../../src/platform/reconcile.ts';
import { articleStock, articleStockMovement } from '../../src/resources/index.ts';
import type { Store } from '../../src/store/store.ts';
import { checkRecord } from '../model/checked.ts';

export const hour = 3_600_000;
export const monday = Date.UTC(2026, 2, 2, 2);
export const tuesday = monday + 24 * hour;
export const noon = monday + 10 * hour;

/** A row of an image: article, quantity, and what is not ordinary. */
export interface Held {
  readonly article: string;
  readonly quantity: number | null;
  readonly unit?: string | null;
  readonly lot?: string | null;
  readonly grade?: string | null;
}

/** A movement: positive into stock, negative out of it. */
export interface Moved extends Held {
  readonly at?: number | null;
  readonly direction?: string | null;
  readonly code?: string;
  readonly id?: number;
}

/** All places, page by page. @param seen is told of each page */
export async function walk(
  store: Store,
  asked: Omit<Parameters<typeof reconcile>[1], 'after'>,
  seen: (places: readonly ReconciledPlace[], after: string | null) => void = () => undefined,
): Promise<readonly ReconciledPlace[]> {
  const all: ReconciledPlace[] = [];
  for (let after: string | null = null, isFirst = true; isFirst || after !== null; isFirst = false) {
    const page = await reconcile(store, { ...asked, after }, { client: 'test' });
    all.push(...page.places);
    seen(page.places, page.after);
    after = page.after;
  }
  return all;
}

export function stockRow(
  activity: string,
  at: number,
  { article, quantity, unit, lot = null, grade }: Held,
): IncomingRecord {
  return checked(articleStock, activity, {
    articleReference: article,
    stockImageExtractionDate: new Date(at).toISOString(),
    stockUnitID: unit === undefined ? 'MAI' : unit,
    articleLotNumber: lot,
    gradeCode: grade === undefined ? 'STD' : grade,
    totalStockQuantity: quantity,
  });
}

export function movement({
  article,
  quantity,
  unit,
  lot = null,
  grade,
  at = noon,
  direction,
  code,
  id,
}: Moved): IncomingRecord {
  const isSigned = direction === undefined && quantity !== null;
  return checked(articleStockMovement, '', {
    ...(id === undefined ? {} : { id }),
    articleReference: article,
    stockUnitID: unit === undefined ? 'MAI' : unit,
    articleLotNumber: lot,
    gradeCode: grade === undefined ? 'STD' : grade,
    movementTimestamp: at === null ? null : new Date(at).toISOString(),
    movedQuantity: isSigned ? Math.abs(quantity) : quantity,
    movementDirection: direction === undefined ? (Number(quantity) < 0 ? 'O' : 'I') : direction,
    movementCode: code ?? null,
  });
}

function checked(resource: Resource, activity: string, given: Readonly<Record<string, unknown>>): IncomingRecord {
  const result = checkRecord(resource, given, { activity, activityName: 'Acme' });
  assert.ok(result.ok, JSON.stringify(result));
  return result.record;
}
