// Numbers of parcels: those that this service gives out itself, which outlive the accounts that took them, and whose
// the others are.
import { createTable } from '../migrate.ts';
import type { Migration } from '../migrate.ts';
import type { ColumnType, TableShape } from '../record-tables.ts';

export const parcelNumbers: Migration = {
  name: '0006-parcel-numbers',
  up: async (db, dialect) => {
    for (const shape of shapes) await createTable(db, dialect, shape);
  },
};

const shapes: readonly TableShape[] = [
  {
    name: 'number_series',
    columns: [column('carrier', 'text'), column('series', 'text'), column('last_number', 'integer')],
    unique: [['carrier', 'series']],
    indexes: [],
  },
  {
    name: 'label_parcel',
    columns: [
      column('owner', 'text'),
      column('carrier', 'text'),
      column('parcel_number', 'text'),
      column('label_id', 'text'),
    ],
    unique: [['owner', 'carrier', 'parcel_number']],
    indexes: [['parcel_number']],
  },
];

function column(name: string, type: ColumnType): TableShape['columns'][number] {
  return { name, type, nullable: false };
}
