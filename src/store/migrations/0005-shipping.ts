// Shipping: accounts at carriers, the labels that were made, their files, and the last answers about parcels.
import { createTable } from '../migrate.ts';
import type { Migration } from '../migrate.ts';
import type { ColumnType, TableShape } from '../record-tables.ts';

export const shipping: Migration = {
  name: '0005-shipping',
  up: async (db, dialect) => {
    for (const shape of shapes) await createTable(db, dialect, shape);
  },
};

const shapes: readonly TableShape[] = [
  {
    name: 'carrier_account',
    columns: [
      column('id', 'text'),
      column('owner', 'text'),
      column('context', 'text'),
      column('carrier', 'text'),
      column('settings', 'text'),
      column('secrets', 'text', true),
      column('sender', 'text'),
      column('daily_limit', 'integer', true),
      column('last_sequence', 'integer'),
      column('created_at', 'integer'),
    ],
    unique: [['id'], ['context', 'carrier']],
    indexes: [],
  },
  {
    name: 'shipping_label',
    columns: [
      column('owner', 'text'),
      column('id', 'text'),
      column('account_id', 'text'),
      column('context', 'text'),
      column('carrier', 'text'),
      column('expedition_number', 'text', true),
      column('state', 'text'),
      column('request_key', 'text', true),
      column('fingerprint', 'text'),
      column('n_dossier', 'text', true),
      column('order_id', 'text', true),
      column('request', 'text'),
      column('result', 'text', true),
      column('operation_id', 'text'),
      column('client_id', 'text'),
      column('created_at', 'integer'),
    ],
    // A key makes one label, whatever else goes wrong.
    unique: [
      ['owner', 'id'],
      ['owner', 'request_key'],
    ],
    indexes: [
      ['expedition_number'],
      ['owner', 'account_id', 'fingerprint', 'created_at', 'id'],
      ['account_id', 'created_at'],
      ['state', 'created_at'],
    ],
  },
  {
    name: 'label_file',
    columns: [
      column('token_hash', 'text'),
      column('owner', 'text'),
      column('label_id', 'text'),
      column('media_type', 'text'),
      column('file_name', 'text'),
      column('stored_as', 'text'),
      column('size', 'integer'),
      column('expires_at', 'integer'),
    ],
    unique: [['token_hash']],
    indexes: [['owner', 'label_id'], ['stored_as'], ['expires_at']],
  },
  {
    name: 'parcel_tracking',
    columns: [
      column('account_id', 'text'),
      column('expedition_number', 'text'),
      column('tracking', 'text'),
      column('fetched_at', 'integer'),
    ],
    unique: [['account_id', 'expedition_number']],
    indexes: [['fetched_at']],
  },
];

function column(name: string, type: ColumnType, nullable = false): TableShape['columns'][number] {
  return { name, type, nullable };
}
