// Entries of the outbox whose text stands in the record itself: stored twice only once the record says something else.
import { textBlock } from '../../model/text-block.ts';
import { sql } from 'kysely';
import { createTable } from '../migrate.ts';
import type { Migration } from '../migrate.ts';
import type { ColumnType, TableShape } from '../record-tables.ts';

export const outboxText: Migration = {
  name: '0007-outbox-text',
  up: async (db, dialect) => {
    if (dialect === 'postgres') {
      await sql.raw('alter table outbox_entry alter column body drop not null').execute(db);
      return;
    }
    // SQLite takes no constraint off a column.
    await sql.raw('alter table outbox_entry rename to outbox_entry_before').execute(db);
    await sql.raw('drop index outbox_entry_by_change_number').execute(db);
    await createTable(db, dialect, shape);
    await sql
      .raw(
        textBlock`
          insert into outbox_entry select owner, change_number, kind, body, operation_id, created_at from
          outbox_entry_before
        `,
      )
      .execute(db);
    await sql.raw('drop table outbox_entry_before').execute(db);
  },
};

const shape: TableShape = {
  name: 'outbox_entry',
  columns: [
    column('owner', 'text'),
    column('change_number', 'integer'),
    column('kind', 'text'),
    column('body', 'text', true),
    column('operation_id', 'text'),
    column('created_at', 'integer'),
  ],
  unique: [['owner', 'change_number']],
  indexes: [],
};

function column(name: string, type: ColumnType, nullable = false): TableShape['columns'][number] {
  return { name, type, nullable };
}
