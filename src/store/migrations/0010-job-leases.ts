// Background work that one process at a time does: who is at it until when, and when it was last done.
import { createTable } from '../migrate.ts';
import type { Migration } from '../migrate.ts';

export const jobLeases: Migration = {
  name: '0010-job-leases',
  up: (db, dialect) =>
    createTable(db, dialect, {
      name: 'job_lease',
      columns: [
        { name: 'name', type: 'text', nullable: false },
        { name: 'holder', type: 'text', nullable: false },
        { name: 'ends_at', type: 'integer', nullable: false },
        { name: 'done_at', type: 'integer', nullable: true },
      ],
      unique: [['name']],
      indexes: [],
    }),
};
