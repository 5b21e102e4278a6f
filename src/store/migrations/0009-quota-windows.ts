// What the processes have taken of each client's rates in the window that runs.
import { createTable } from '../migrate.ts';
import type { Migration } from '../migrate.ts';
import type { ColumnType, TableShape } from '../record-tables.ts';

export const quotaWindows: Migration = {
  name: '0009-quota-windows',
  up: (db, dialect) => createTable(db, dialect, shape),
};

const shape: TableShape = {
  name: 'quota_window',
  columns: [
    column('kind', 'text'),
    column('who_hash', 'text'),
    column('used', 'integer'),
    column('granted', 'integer'),
    column('quota', 'integer'),
    column('window_end', 'integer'),
  ],
  unique: [['kind', 'who_hash']],
  indexes: [['window_end']],
};

function column(name: string, type: ColumnType): TableShape['columns'][number] {
  return { name, type, nullable: false };
}
