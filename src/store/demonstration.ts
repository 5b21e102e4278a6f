// The state of the demonstration warehouse: its clock, the inputs from outside, advances of the clock.
import { appendAudit } from './audit.ts';
import type { NewAuditEntry } from './audit-contract.ts';
import { createDemoAdvances, type DemoAdvances } from './demo-advances.ts';
import { clockName as name, lockedClock, type StoredDemoClock } from './demo-clock.ts';
import type { Engine, WriteTransaction } from './engine.ts';
import { readFirst, writeOnce } from './single-statements.ts';
import { rowsAs, sql } from './statement.ts';
import type { RowOf } from './table.ts';
import { type Changes, countRows, insert, remove, selectRows, update, upsert } from './table-statements.ts';
import { demoClockTable, demoInputTable } from './tables/demonstration.ts';

export type { StoredDemoClock } from './demo-clock.ts';
type StoredDemoInput = RowOf<typeof demoInputTable>;

export interface DemonstrationStorage {
  /** The clock; null: this database holds no live demonstration. */
  clock(): Promise<StoredDemoClock | null>;
  /** The inputs received after the one with this number, in order. */
  inputs(after: number): Promise<readonly StoredDemoInput[]>;
  /** Inputs that wait to be taken, in order. */
  waiting(): Promise<readonly StoredDemoInput[]>;
  /** Begins anew: sets the clock, and forgets all inputs. */
  begin(clock: StoredDemoClock): Promise<void>;
  /** Changes the clock. */
  set(changes: Changes<typeof demoClockTable.columns>): Promise<void>;
  /**
   * Adds a waiting input.
   * @param askedAt milliseconds
   * @param check receives the clock and the number of waiting inputs while nobody can change them; if it throws,
   *   nothing is added
   * @param audit entry of the same transaction; null: there is none
   */
  ask(
    body: string,
    askedAt: number,
    check?: (clock: StoredDemoClock | null, waiting: number) => void,
    audit?: NewAuditEntry | null,
  ): Promise<void>;
  /**
   * Takes the waiting inputs, and further ones that have just become known.
   * @param takenAt by the clock of the demonstration
   * @param outbox the present position in the outbox
   */
  takeIn(takenAt: number, bodies: readonly string[], outbox: string): Promise<void>;
  /** Ends the demonstration: removes its clock and its inputs. */
  end(): Promise<void>;
  readonly advances: DemoAdvances;
}

export function createDemonstration(engine: Engine): DemonstrationStorage {
  const { number } = demoInputTable.column;
  return {
    clock: () => readFirst(engine, selectRows(demoClockTable, { name })),
    inputs: (after) => engine.read(selectRows(demoInputTable, sql`${number} > ${after}`, { by: ['number'] })),
    waiting: () => engine.read(selectRows(demoInputTable, { takenAt: null }, { by: ['number'] })),
    begin: (clock) =>
      engine.write(async ({ query }) => {
        await query(remove(demoInputTable, {}));
        await query(upsert(demoClockTable, { name, ...clock }));
      }),
    set: async (changes) => void (await writeOnce(engine, update(demoClockTable, changes, { name }))),
    ask: (...asked) => engine.write((transaction) => askInput(transaction, ...asked)),
    takeIn: (takenAt, bodies, outbox) =>
      engine.write(async (transaction) => {
        const last = await lastNumber(transaction);
        await transaction.query(update(demoInputTable, { takenAt }, { takenAt: null }));
        for (const [index, body] of bodies.entries())
          await transaction.query(
            insert(demoInputTable, { number: last + 1 + index, takenAt, askedAt: takenAt, body }),
          );
        await transaction.query(update(demoClockTable, { outbox }, { name }));
      }),
    end: () =>
      engine.write(async ({ query }) => {
        await query(remove(demoInputTable, {}));
        await query(remove(demoClockTable, { name }));
      }),
    advances: createDemoAdvances(engine),
  };
}

/** `DemonstrationStorage.ask` within a transaction. */
export async function askInput(
  transaction: WriteTransaction,
  ...[body, askedAt, check = () => undefined, audit = null]: Parameters<DemonstrationStorage['ask']>
): Promise<void> {
  const clock = await lockedClock(transaction);
  const [waiting = 0] = await transaction.query(countRows(demoInputTable, { takenAt: null }));
  check(clock, waiting);
  const last = await lastNumber(transaction);
  await transaction.query(insert(demoInputTable, { number: last + 1, takenAt: null, askedAt, body }));
  if (audit !== null) await appendAudit(transaction, audit);
}

/** Number of the last input. The lock on the clock's row gives exclusive access to the numbers. */
async function lastNumber(transaction: WriteTransaction): Promise<number> {
  await lockedClock(transaction);
  const { query } = transaction;
  const last = sql`select coalesce(max(${demoInputTable.column.number}), 0) from ${demoInputTable.quoted}`;
  const [found = 0] = await query(rowsAs(last, ([cell]) => Number(cell)));
  return found;
}
