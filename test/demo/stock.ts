// In charge of whether stock adds up: by article, stock unit, lot and grade.
import assert from 'node:assert/strict';
import type { PlainRecord } from '../../src/demo/catalogue.ts';

/** Articles, stock units, lots and grades, with what they hold. */
export function totals(rows: readonly PlainRecord[]): Map<string, number> {
  return new Map(rows.map((row) => [placeOf(row), Number(row.totalStockQuantity)]));
}

function placeOf(record: PlainRecord): string {
  return [record.articleReference, record.stockUnitID, record.articleLotNumber, record.gradeCode].join(' ');
}

/** Adds a movement to what places hold. */
export function post(stock: Map<string, number>, movement: PlainRecord): void {
  const signed = Number(movement.movedQuantity) * (movement.movementDirection === 'I' ? 1 : -1);
  const place = placeOf(movement);
  stock.set(place, (stock.get(place) ?? 0) + signed);
}

/** The places that hold something. */
export const filled = (stock: ReadonlyMap<string, number>): readonly unknown[] =>
  [...stock].filter(([, quantity]) => quantity !== 0).toSorted(([one], [other]) => (one < other ? -1 : 1));

/** In each row of an image: available = total less all that is promised or blocked; nothing is less than nothing. */
export function assertRowsAddUp(rows: readonly PlainRecord[]): void {
  for (const row of rows) {
    const [total, notStarted, inProgress, blocked, available] = [
      row.totalStockQuantity,
      row.notStartedProductionQuantity,
      row.inProgressPreparationQuantity,
      row.totalBlockedQuantity,
      row.totalAvailableForSaleQuantity,
    ].map(Number);
    assert.equal(available, (total ?? 0) - (notStarted ?? 0) - (inProgress ?? 0) - (blocked ?? 0));
    for (const quantity of [total, notStarted, inProgress, blocked, available]) assert.ok((quantity ?? -1) >= 0);
  }
}
