// Writes: the outbox and its consumers, documents of orders, stored answers of repeated requests, platform keys, the
// audit trail.
import { createIndex, createTable } from '../migrate.ts';
import type { Migration } from '../migrate.ts';
import type { ColumnType, TableShape } from '../record-tables.ts';

export const writes: Migration = {
  name: '0004-writes',
  up: async (db, dialect) => {
    for (const shape of shapes) await createTable(db, dialect, shape);
    // The path of an upload names an order by its id.
    await createIndex(db, 'customer_order', ['owner', 'id', 'change_number']);
  },
};

const shapes: readonly TableShape[] = [
  {
    name: 'outbox_entry',
    columns: [
      column('owner', 'text'),
      column('change_number', 'integer'),
      column('kind', 'text'),
      column('body', 'text'),
      column('operation_id', 'text'),
      column('created_at', 'integer'),
    ],
    unique: [['owner', 'change_number']],
    indexes: [],
  },
  {
    name: 'outbox_consumer',
    columns: [
      column('owner', 'text'),
      column('consumer', 'text'),
      column('delivered', 'integer'),
      column('acknowledged', 'integer'),
      column('export_file', 'text', true),
      column('export_to', 'integer', true),
      column('created_at', 'integer'),
      column('updated_at', 'integer'),
    ],
    unique: [['owner', 'consumer']],
    indexes: [],
  },
  {
    name: 'order_document',
    columns: [
      column('owner', 'text'),
      column('id', 'text'),
      column('order_id', 'text'),
      column('order_unique_id', 'text', true),
      column('slug', 'text'),
      column('version', 'integer'),
      column('sha256', 'text'),
      column('media_type', 'text'),
      column('size', 'integer'),
      column('file_name', 'text', true),
      column('stored_as', 'text'),
      column('change_number', 'integer'),
      column('operation_id', 'text'),
      column('client_id', 'text'),
      column('created_at', 'integer'),
    ],
    unique: [
      ['owner', 'id'],
      ['owner', 'order_id', 'slug', 'sha256'],
      ['owner', 'order_id', 'slug', 'version'],
    ],
    indexes: [['stored_as']],
  },
  {
    name: 'stored_answer',
    columns: [
      column('scope', 'text'),
      column('key_hash', 'text'),
      column('fingerprint', 'text'),
      column('claim', 'text'),
      column('claimed_until', 'integer'),
      column('answer', 'text', true),
      column('expires_at', 'integer'),
    ],
    unique: [['scope', 'key_hash']],
    indexes: [['expires_at']],
  },
  {
    name: 'platform_key',
    columns: [
      column('id', 'text'),
      column('name', 'text'),
      column('secret_hash', 'text'),
      column('activity_codes', 'text', true),
      column('created_at', 'integer'),
      column('revoked_at', 'integer', true),
      column('last_used_at', 'integer', true),
    ],
    unique: [['id']],
    indexes: [],
  },
  {
    name: 'audit_entry',
    columns: [
      column('id', 'text'),
      column('change_number', 'integer'),
      column('at', 'integer'),
      column('actor_kind', 'text'),
      column('actor', 'text'),
      column('subject', 'text', true),
      column('action', 'text'),
      column('activity_codes', 'text'),
      column('target', 'text', true),
      column('operation_id', 'text', true),
      column('outcome', 'text'),
      column('address', 'text', true),
      column('details', 'text', true),
    ],
    unique: [['id'], ['change_number']],
    indexes: [['at'], ['operation_id']],
  },
];

function column(name: string, type: ColumnType, nullable = false): TableShape['columns'][number] {
  return { name, type, nullable };
}
