// Administration: activities with their counters, revisions, stock images, clients, users, keys, secrets.
import { createTable } from '../migrate.ts';
import type { Migration } from '../migrate.ts';
import type { ColumnType, TableShape } from '../record-tables.ts';

export const administration: Migration = {
  name: '0002-administration',
  up: async (db, dialect) => {
    for (const shape of shapes) await createTable(db, dialect, shape);
  },
};

const shapes: readonly TableShape[] = [
  table(
    'activity',
    [
      ['code', 'text'],
      ['name', 'text'],
      ['number', 'integer'],
      ['last_change', 'integer'],
      ['last_id', 'integer'],
      ['last_write_at', 'integer'],
      ['created_at', 'integer'],
    ],
    [],
    [['code'], ['number']],
  ),
  table(
    'revision',
    [
      ['owner', 'text'],
      ['resource', 'text'],
      ['last_change', 'integer'],
    ],
    [],
    [['owner', 'resource']],
  ),
  table(
    'stock_image',
    [
      ['owner', 'text'],
      ['image_id', 'text'],
      ['extracted_at', 'integer'],
      ['state', 'text'],
      ['base', 'integer'],
      ['row_count', 'integer'],
      ['content_hash', 'text'],
      ['published_at', 'integer'],
      ['touched_at', 'integer'],
    ],
    [],
    [['owner', 'image_id']],
    [['owner', 'state', 'extracted_at', 'base']],
  ),
  table(
    'oauth_client',
    [
      ['id', 'text'],
      ['name', 'text'],
      ['redirect_uris', 'text'],
      ['activity_codes', 'text'],
      ['read_only', 'integer'],
      ['confidential', 'integer'],
      ['created_at', 'integer'],
    ],
    [
      ['secret_hash', 'text'],
      ['disabled_at', 'integer'],
    ],
    [['id']],
  ),
  table(
    'user_account',
    [
      ['id', 'text'],
      ['login', 'text'],
      ['password_hash', 'text'],
      ['activity_codes', 'text'],
      ['operator', 'integer'],
      ['created_at', 'integer'],
    ],
    [['disabled_at', 'integer']],
    [['id'], ['login']],
  ),
  table(
    'signing_key',
    [
      ['kid', 'text'],
      ['alg', 'text'],
      ['public_jwk', 'text'],
      ['private_jwk', 'text'],
      ['generation', 'integer'],
      ['created_at', 'integer'],
    ],
    [['retired_at', 'integer']],
    [['kid'], ['alg', 'generation']],
  ),
  table(
    'secret',
    [
      ['name', 'text'],
      ['value', 'text'],
      ['created_at', 'integer'],
    ],
    [],
    [['name']],
  ),
];

type Columns = readonly (readonly [name: string, type: ColumnType])[];

function table(
  name: string,
  required: Columns,
  optional: Columns,
  unique: TableShape['unique'],
  indexes: TableShape['indexes'] = [],
): TableShape {
  const column =
    (nullable: boolean) =>
    ([field, type]: Columns[number]) => ({ name: field, type, nullable });
  return { name, columns: [...required.map(column(false)), ...optional.map(column(true))], unique, indexes };
}
