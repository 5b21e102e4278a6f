// Value order: records with equal sort values are told apart by their id, which no write changes, and no longer by
// change number.
import { createIndex, dropIndex, type Migration } from '../migrate.ts';

export const valueOrder: Migration = {
  name: '0012-value-order',
  up: async (db) => {
    for (const { table, field, alsoLookedUp } of sorted) {
      await createIndex(db, table, ['owner', field, 'id']);
      if (!alsoLookedUp) await dropIndex(db, table, ['owner', field, 'change_number']);
    }
  },
};

interface Sorted {
  readonly table: string;
  readonly field: string;
  /** The index in change order stays: many records may have one value, and clients ask for them by it. */
  readonly alsoLookedUp: boolean;
}

const sorted: readonly Sorted[] = [
  { table: 'article', field: 'supplierCode', alsoLookedUp: true },
  { table: 'article', field: 'articleFamily', alsoLookedUp: true },
  { table: 'article_stock_movement', field: 'movementTimestamp', alsoLookedUp: false },
  { table: 'article_stock_movement', field: 'articleReference', alsoLookedUp: true },
  { table: 'customer_order', field: 'customerOrderPlacementDate', alsoLookedUp: false },
  { table: 'customer_order', field: 'expectedPrepDate', alsoLookedUp: false },
  { table: 'order_report', field: 'lastPackageLoadDate', alsoLookedUp: false },
  { table: 'procurement', field: 'expectedReceiptDate', alsoLookedUp: false },
  { table: 'procurement', field: 'supplierCode', alsoLookedUp: true },
  { table: 'procurement_report', field: 'actualReceptionDate', alsoLookedUp: false },
];
