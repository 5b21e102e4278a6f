// In which form the texts of each resource are stored, and how far they have been written anew where their definition
// gained a field.
import { createTable } from '../migrate.ts';
import type { Migration } from '../migrate.ts';
import type { ColumnType, TableShape } from '../record-tables.ts';

export const textForm: Migration = {
  name: '0013-text-form',
  up: (db, dialect) => createTable(db, dialect, shape),
};

const shape: TableShape = {
  name: 'text_form',
  columns: [
    column('resource', 'text'),
    column('form', 'integer'),
    column('owner', 'text'),
    column('key', 'text'),
    column('done', 'integer'),
  ],
  unique: [['resource']],
  indexes: [],
};

function column(name: string, type: ColumnType): TableShape['columns'][number] {
  return { name, type, nullable: false };
}
