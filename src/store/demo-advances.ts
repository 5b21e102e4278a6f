// Advances of the demonstration's clock: they wait in order, one is worked on at a time, and the outcome of the last
// ones is kept.
import { appendAudit } from './audit.ts';
import type { NewAuditEntry } from './audit-contract.ts';
import { clockName, lockedClock, type StoredDemoClock } from './demo-clock.ts';
import type { Engine, WriteTransaction } from './engine.ts';
import { sql } from './statement.ts';
import type { RowOf } from './table.ts';
import { type Changes, insert, remove, selectRows, update } from './table-statements.ts';
import { demoAdvanceTable, demoClockTable } from './tables/demonstration.ts';

/** Its members are described at the table. */
export type DemoAdvance = RowOf<typeof demoAdvanceTable>;
/** An advance that was begun: its end is fixed, so that resuming it after a kill takes it no further. */
type RunningAdvance = DemoAdvance & { readonly fromClock: number; readonly toClock: number };

/** How an advance ended. */
interface AdvanceEnd {
  readonly state: 'done' | 'failed';
  /** Milliseconds, in real time. */
  readonly endedAt: number;
  readonly failure: string | null;
}

export interface DemoAdvances {
  /** Those that wait or are being worked on, in order. */
  open(): Promise<readonly DemoAdvance[]>;
  /** The open ones and the last that ended, newest first. */
  latest(): Promise<readonly DemoAdvance[]>;
  find(number: number): Promise<DemoAdvance | null>;
  /**
   * Adds a waiting advance.
   * @param check receives the clock and the open advances while nobody can change them; if it throws, nothing is added
   * @param audit entry of the same transaction; null: there is none
   */
  ask(
    asked: Pick<DemoAdvance, 'durationMs' | 'askedAt' | 'askedBy'>,
    check: (clock: StoredDemoClock | null, open: readonly DemoAdvance[]) => void,
    audit: NewAuditEntry | null,
  ): Promise<DemoAdvance>;
  /**
   * The oldest open advance; if it is waiting, it begins at the present time of the clock.
   * @param reading returns the time of a clock now, milliseconds
   * @returns null: none is open
   */
  begin(reading: (clock: StoredDemoClock) => number): Promise<RunningAdvance | null>;
  /**
   * Ends an open advance, and sets the clock in the same transaction; if it has already ended, neither changes.
   * @param clockChanges null: the clock stays as it is
   */
  end(
    number: number,
    end: AdvanceEnd,
    clockChanges: ((clock: StoredDemoClock) => Changes<typeof demoClockTable.columns>) | null,
  ): Promise<void>;
  /** Ends all open advances as failed. */
  endAll(endedAt: number, failure: string): Promise<void>;
}

/** Ended advances that are kept. */
const maxEnded = 20;
const open = { state: ['waiting', 'running'] } as const;
const inOrder = { by: ['number'] } as const;

export function createDemoAdvances(engine: Engine): DemoAdvances {
  return {
    open: () => engine.read(selectRows(demoAdvanceTable, open, inOrder)),
    latest: async () => {
      const ended = { state: ['done', 'failed'] } as const;
      const newest = { by: ['number'], descending: true } as const;
      const [waiting, last] = await Promise.all([
        engine.read(selectRows(demoAdvanceTable, open, newest)),
        engine.read(selectRows(demoAdvanceTable, ended, { ...newest, limit: maxEnded })),
      ]);
      // One that ended between the two reads is in both.
      const seen = new Map([...waiting, ...last].map((advance) => [advance.number, advance]));
      return [...seen.values()].toSorted((one, other) => other.number - one.number);
    },
    find: async (number) => (await engine.read(selectRows(demoAdvanceTable, { number })))[0] ?? null,
    ask: (...asked) => engine.write((transaction) => queueAdvance(transaction, ...asked)),
    begin: (reading) => engine.write((transaction) => begin(transaction, reading)),
    end: (number, end, clockChanges) =>
      engine.write(async (transaction) => {
        const clock = await lockedClock(transaction);
        const ended = await transaction.query(update(demoAdvanceTable, end, { ...open, number }));
        if (ended.length > 0 && clock !== null && clockChanges !== null)
          await transaction.query(update(demoClockTable, clockChanges(clock), { name: clockName }));
      }),
    endAll: async (endedAt, failure) => {
      await engine.write(({ query }) => query(update(demoAdvanceTable, { state: 'failed', endedAt, failure }, open)));
    },
  };
}

/** `DemoAdvances.ask` within a transaction. */
export async function queueAdvance(
  transaction: WriteTransaction,
  ...[asked, check, audit]: Parameters<DemoAdvances['ask']>
): Promise<DemoAdvance> {
  // The lock on the clock's row gives exclusive access to the advances.
  const clock = await lockedClock(transaction);
  const all = await transaction.query(selectRows(demoAdvanceTable, {}, inOrder));
  const isOpen = ({ state }: DemoAdvance): boolean => state === 'waiting' || state === 'running';
  check(clock, all.filter(isOpen));
  const number = (all.at(-1)?.number ?? 0) + 1;
  const none = { fromClock: null, toClock: null, endedAt: null, failure: null };
  const advance: DemoAdvance = { number, state: 'waiting', ...asked, ...none };
  await transaction.query(insert(demoAdvanceTable, advance));
  const oldest = all.filter((each) => !isOpen(each)).at(-maxEnded)?.number ?? 0;
  await transaction.query(
    remove(demoAdvanceTable, sql`${demoAdvanceTable.column.number} < ${oldest} and state in ('done', 'failed')`),
  );
  if (audit !== null)
    await appendAudit(transaction, { ...audit, details: { ...Object(audit.details), advance: number } });
  return advance;
}

async function begin(
  transaction: WriteTransaction,
  reading: (clock: StoredDemoClock) => number,
): Promise<RunningAdvance | null> {
  const clock = await lockedClock(transaction);
  const [first] = await transaction.query(selectRows(demoAdvanceTable, open, { ...inOrder, limit: 1 }));
  if (clock === null || first === undefined) return null;
  const fromClock = first.fromClock ?? reading(clock);
  const toClock = first.toClock ?? fromClock + first.durationMs;
  const changes = { state: 'running', fromClock, toClock } as const;
  if (first.state === 'waiting')
    await transaction.query(update(demoAdvanceTable, changes, { number: first.number, state: 'waiting' }));
  return { ...first, ...changes };
}
