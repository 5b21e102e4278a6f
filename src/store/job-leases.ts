// Background work that one process of a database does at a time: who is doing it, and when it was last done.
import type { Engine, WriteTransaction } from './engine.ts';
import { sql } from './statement.ts';
import { type Changes, selectRows, update } from './table-statements.ts';
import { jobLeaseTable } from './tables/processes.ts';

/**
 * How long a lease lasts unless its holder renews it: after this time, another process takes over the work of one that
 * died.
 */
export const jobLeaseMs = 60_000;

/** The right to do one round of a job. */
interface HeldRound {
  /** Extends the lease. */
  renew(): Promise<void>;
  /** Returns the lease: the round is done, and the next one is due after its interval. */
  end(): Promise<void>;
  /** Returns the lease with the round not done: it is due as it was before. */
  release(): Promise<void>;
}

/** Rounds of background work, shared by all processes of a database. */
export interface JobLeases {
  /**
   * Takes the next round of a job if it is due and nobody is doing it.
   * @param everyMs from the end of one round, by whichever process, to the next
   * @returns the round, or the number of milliseconds after which to ask again
   */
  take(name: string, everyMs: number): Promise<HeldRound | number>;
  /**
   * Every job ever begun, by name: when its last round ended (milliseconds; null: never), and whether it is running
   * now.
   */
  list(): Promise<readonly JobState[]>;
}

/** The current state of a job. */
interface JobState {
  readonly name: string;
  readonly doneAt: number | null;
  readonly isRunning: boolean;
}

/**
 * The leases of a database, for one process. Each is a row: it costs no connection while nothing is done, and works
 * alike on both engines.
 * @param holder name of the process, unique among all processes
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
          release: () => set(name, () => ({ holder: '', endsAt: 0 })),
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

interface LeaseRequest {
  readonly name: string;
  readonly everyMs: number;
  readonly now: number;
}

/**
 * Times far in the future come from a clock that was set back and count as past. Times slightly ahead come from a
 * process that was faster while this one waited for the row.
 */
async function takeRow(
  transaction: WriteTransaction,
  { name, holder, everyMs, now }: LeaseRequest & { readonly holder: string },
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

async function waitFor(transaction: WriteTransaction, { name, everyMs, now }: LeaseRequest): Promise<number> {
  const [lease] = await transaction.query(selectRows(jobLeaseTable, { name }));
  const { endsAt, doneAt } = lease ?? { endsAt: 0, doneAt: 0 };
  return Math.max(endsAt - now, (doneAt ?? 0) + everyMs - now, minWaitMs);
}

const minWaitMs = 1000;
