// An index that leads to the entries of the audit trail which concern an activity: without it a rare one is looked for
// in all of them.
import { sql } from 'kysely';
import type { Migration } from '../migrate.ts';

export const auditByActivity: Migration = {
  name: '0011-audit-by-activity',
  up: async (db, dialect) => {
    // SQLite has no index over the elements of a list; there the trail is read in a process of its own.
    if (dialect === 'postgres')
      await sql
        .raw('create index audit_entry_by_activity on audit_entry using gin ((activity_codes::jsonb))')
        .execute(db);
  },
};
