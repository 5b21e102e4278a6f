// Narrower access: roles of platform keys, the key behind a consumer, and when all that a user was signed in to ended.
import { sql } from 'kysely';
import { quoted } from '../engine.ts';
import { createIndex } from '../migrate.ts';
import type { Migration } from '../migrate.ts';

export const access: Migration = {
  name: '0008-access',
  up: async (db, dialect) => {
    const [text, integer] = dialect === 'sqlite' ? ['text', 'integer'] : ['text collate "C"', 'bigint'];
    const add = async (table: string, column: string): Promise<unknown> =>
      sql.raw(`alter table ${quoted(table)} add column ${column}`).execute(db);
    // Those that are there opened all that there was.
    await add('platform_key', `roles ${text} not null default '["outbox","audit"]'`);
    await add('outbox_consumer', `key_id ${text}`);
    await createIndex(db, 'outbox_consumer', ['key_id']);
    await add('user_account', `signed_out_at ${integer}`);
  },
};
