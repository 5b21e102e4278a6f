// In charge of background work that one process of a database does at a time: who is at it, and when it was last done.
import type { Engine, WriteTransaction } from './engine.ts';
import { sql } from './statement.ts';
import { type Changes, selectRows, update } from './table-statements.ts';
import { jobLeaseTable } from './tables/processes.ts';

/**
 * How long a lease lasts unless its holder renews it: what a process was at when it died is taken over
 * after so long.
 */
export const jobLeaseMs = 60_000;

/** The right to do one round of a piece of work. */
interface HeldRound {
  /** Lets the lease last anew. */
  renew(): Promise<void>;
  /** Gives it back: the round is done, and the next one is due after its time. */
  end(): Promise<void>;
  /** Gives it back undone: the round is due as it was before. */
  giveUp(): Promise<void>;
}

/** Rounds of background work, shared by all processes of a database. */
export interface JobLeases {
  /**
   * Takes the next round of a piece of work where it is due and nobody is at it.
   * @param everyMs from the end of one round, whoever did it, to the next
   * @returns or in how many milliseconds to ask again
   */
  take(name: string, everyMs: number): Promise<HeldRound | number>;
  /** What was ever begun, by name: when a round was last ended (milliseconds; null: never), and who is at it now. */
  list(): Promise<readonly JobState[]>;
}

/** A piece of background work as it is now. */
interface JobState {
  readonly name: string;
  readonly doneAt: number | null;
  readonly isRunning: boolean;
}

/**
 * The leases of a database, for one process. A row each: it costs no connection while nothing is done, and works alike
 * on both engines.
 * @param holder name of the process that no other one has
 */
export function createJobLeases(engine: Engine, holder: string): JobLeases {
  const set = async (name: string, changes: (now: number) => Changes<typeof jobLeaseTable.columns>): Promise<void> => {
    await engine.write(async (transaction) =>
      transaction.query(update(jobLeaseTable, changes(await transaction.now()), { name, holder })),
    );
  };
  return {
    take: (name, everyMs) =>
      engine.write(async (transaction) => {
        const now = await transaction.now();
        if (!(await takeRow(transaction, { name, holder, everyMs, now })))
          return waitFor(transaction, { name, everyMs, now });
        return {
          renew: () => set(name, (at) => ({ endsAt: at + jobLeaseMs })),
          end: () => set(name, (at) => ({ holder: '', endsAt: 0, doneAt: at })),
          giveUp: () => set(name, () => ({ holder: '', endsAt: 0 })),
        };
      }),
    list: async () => {
      const now = await engine.now();
      const leases = await engine.read(selectRows(jobLeaseTable, {}, { by: ['name'] }));
      return leases.map((lease) => ({
        name: lease.name,
        doneAt: lease.doneAt,
        isRunning: lease.holder !== '' && lease.endsAt > now,
      }));
    },
  };
}

interface Wanted {
  readonly name: string;
  readonly everyMs: number;
  readonly now: number;
}

/**
 * Times that lie far ahead are those of a clock that was set back: they count as past. A little ahead are those of a
 * process that was faster while this one waited for the row.
 */
async function takeRow(
  transaction: WriteTransaction,
  { name, holder, everyMs, now }: Wanted & { readonly holder: string },
): Promise<boolean> {
  const taken = await transaction.query(
    sql`
      insert into job_lease (name, holder, ends_at) values (${name}, ${holder}, ${now + jobLeaseMs})
      on conflict (name) do update set holder = excluded.holder, ends_at = excluded.ends_at
      where (job_lease.ends_at <= ${now} or job_lease.ends_at > ${now + 2 * jobLeaseMs})
      and (job_lease.done_at is null or job_lease.done_at <= ${now - everyMs}
        or job_lease.done_at > ${now + jobLeaseMs})
      returning holder
    `,
  );
  return taken.length > 0;
}

async function waitFor(transaction: WriteTransaction, { name, everyMs, now }: Wanted): Promise<number> {
  const [lease] = await transaction.query(selectRows(jobLeaseTable, { name }));
  const { endsAt, doneAt } = lease ?? { endsAt: 0, doneAt: 0 };
  return Math.max(endsAt - now, (doneAt ?? 0) + everyMs - now, minWaitMs);
}

const minWaitMs = 1000;
