// In charge of where the demonstration warehouse stands: its clock, and what came in from outside.
import type { Engine, WriteTransaction } from './engine.ts';
import { readFirst, writeOnce } from './single-statements.ts';
import { rowsAs, sql } from './statement.ts';
import type { RowOf } from './table.ts';
import { type Changes, insert, remove, selectRows, update, upsert } from './table-statements.ts';
import { demoClockTable, demoInputTable } from './tables/demonstration.ts';

type ClockRow = RowOf<typeof demoClockTable>;
export type StoredDemoClock = Omit<ClockRow, 'name'>;
type StoredDemoInput = RowOf<typeof demoInputTable>;

export interface DemonstrationStorage {
  /** The clock; null: this database holds no demonstration that lives. */
  clock(): Promise<StoredDemoClock | null>;
  /** What came in after the input of this number, in order. */
  inputs(after: number): Promise<readonly StoredDemoInput[]>;
  /** How many inputs wait to be taken. */
  waiting(): Promise<number>;
  /** Begins anew: sets the clock, and forgets all inputs. */
  begin(clock: StoredDemoClock): Promise<void>;
  /** Changes the clock. */
  set(changes: Changes<typeof demoClockTable.columns>): Promise<void>;
  /** Adds an input that waits. @param askedAt milliseconds */
  ask(body: string, askedAt: number): Promise<void>;
  /**
   * Takes what waits, and further inputs that are known just now.
   * @param takenAt by the clock of the demonstration
   * @param outbox how far the outbox is known now
   */
  takeIn(takenAt: number, bodies: readonly string[], outbox: string): Promise<void>;
  /** The demonstration is gone: its clock and its inputs go too. */
  end(): Promise<void>;
}

const name = 'demo';

export function createDemonstration(engine: Engine): DemonstrationStorage {
  const { number, takenAt: taken } = demoInputTable.column;
  return {
    clock: () => readFirst(engine, selectRows(demoClockTable, { name })),
    inputs: (after) => engine.read(selectRows(demoInputTable, sql`${number} > ${after}`, { by: ['number'] })),
    waiting: async () => {
      const count = sql`select count(*) from ${demoInputTable.quoted} where ${taken} is null`;
      return (
        (await readFirst(
          engine,
          rowsAs(count, ([cell]) => Number(cell)),
        )) ?? 0
      );
    },
    begin: (clock) =>
      engine.write(async ({ query }) => {
        await query(remove(demoInputTable, {}));
        await query(upsert(demoClockTable, { name, ...clock }));
      }),
    set: async (changes) => void (await writeOnce(engine, update(demoClockTable, changes, { name }))),
    ask: (body, askedAt) =>
      engine.write(async (transaction) => {
        const last = await lastNumber(transaction);
        await transaction.query(insert(demoInputTable, { number: last + 1, takenAt: null, askedAt, body }));
      }),
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
  };
}

/** Number of the last input. Whoever holds the row of the clock is alone with the numbers. */
async function lastNumber({ query }: WriteTransaction): Promise<number> {
  await query(update(demoClockTable, { name }, { name }));
  const last = sql`select coalesce(max(${demoInputTable.column.number}), 0) from ${demoInputTable.quoted}`;
  const [found = 0] = await query(rowsAs(last, ([cell]) => Number(cell)));
  return found;
}
