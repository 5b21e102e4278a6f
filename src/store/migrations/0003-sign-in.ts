// Sign-in: what the authorization server remembers, and attempts at passwords.
import { createTable } from '../migrate.ts';
import type { Migration } from '../migrate.ts';
import type { ColumnType, TableShape } from '../record-tables.ts';

export const signIn: Migration = {
  name: '0003-sign-in',
  up: async (db, dialect) => {
    for (const shape of shapes) await createTable(db, dialect, shape);
  },
};

const shapes: readonly TableShape[] = [
  {
    name: 'oidc_payload',
    columns: [
      column('model', 'text'),
      column('id_hash', 'text'),
      column('payload', 'text'),
      column('grant_id', 'text', true),
      column('uid', 'text', true),
      column('account_id', 'text', true),
      column('client_id', 'text', true),
      column('consumed_at', 'integer', true),
      column('expires_at', 'integer'),
    ],
    unique: [['model', 'id_hash']],
    indexes: [['grant_id'], ['uid'], ['account_id'], ['client_id'], ['expires_at']],
  },
  {
    name: 'login_attempt',
    columns: [
      column('scope', 'text'),
      column('key_hash', 'text'),
      column('count', 'integer'),
      column('window_start', 'integer'),
    ],
    unique: [['scope', 'key_hash']],
    indexes: [['window_start']],
  },
];

function column(name: string, type: ColumnType, nullable = false): TableShape['columns'][number] {
  return { name, type, nullable };
}
