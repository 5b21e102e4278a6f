// In charge of activities (the client companies' accounts) and of what their counters promise to readers.
import { OperatorError } from '../model/operator-error.ts';
import { longestWrite } from './counters.ts';
import type { Engine } from './engine.ts';
import { onPostgres, rowsAs, sql } from './statement.ts';
import { insert, selectRows } from './table-statements.ts';
import { activityTable } from './tables/activities.ts';

/** An activity: a client company's account at the provider. */
export interface Activity {
  readonly code: string;
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** When anything of it was last written, milliseconds since 1970; null: never. */
  readonly lastWriteAt: number | null;
}

export interface Activities {
  /**
   * Adds an activity; the same code with the same name again changes nothing.
   * @param code 1 to 3 letters or digits, upper case
   * @param name 1 to 30 characters
   * @throws OperatorError when code or name is not of this form, or the code has another name already
   */
  add(code: string, name: string): Promise<void>;
  /** All activities, by code. */
  list(): Promise<readonly Activity[]>;
  /** Those of these codes that there are, by code. */
  named(codes: readonly string[]): Promise<readonly Activity[]>;
}

export function createActivities(engine: Engine): Activities {
  return {
    add: (code, name) => addActivity(engine, code, name),
    list: async () => (await engine.read(selectRows(activityTable, {}, { by: ['code'] }))).map(toActivity),
    named: async (codes) =>
      (await engine.read(selectRows(activityTable, { code: codes }, { by: ['code'] }))).map(toActivity),
  };
}

/** @throws OperatorError when code or name is not of the right form */
export function checkActivity(code: string, name: string): void {
  if (!/^[A-Z0-9]{1,3}$/.test(code))
    throw new OperatorError(`"${code}" is no activity code.`, 'Use 1 to 3 letters A to Z or digits, upper case.');
  if (name.trim() !== name || [...name].length < 1 || [...name].length > 30)
    throw new OperatorError(`"${name}" is no activity name.`, 'Use 1 to 30 characters without blanks at the ends.');
}

/**
 * Per activity the later of two certain instants counts: the one after its last write (dates strictly increase), and
 * now less twice the longest time that a write may take, once for its work and once for its commit (what has not
 * committed by then never will). The earliest over the activities is the answer.
 */
export async function coveredUntil(engine: Engine, activityCodes: readonly string[]): Promise<number> {
  const settled = (await engine.now()) - 2 * longestWrite - 1;
  const activities = await engine.read(selectRows(activityTable, { code: activityCodes }));
  return Math.min(
    ...activities.map(({ lastWriteAt }) => Math.max(lastWriteAt + 1, settled)),
    ...(activities.length === 0 ? [settled] : []),
  );
}

async function addActivity(engine: Engine, code: string, name: string): Promise<void> {
  checkActivity(code, name);
  await engine.write(async (transaction) => {
    const { quoted, column } = activityTable;
    // Two that are added at once must not take the same number. The embedded database has one writer at a time anyway.
    await transaction.query(onPostgres(() => sql`lock table ${quoted} in share row exclusive mode`));
    const [existing] = await transaction.query(selectRows(activityTable, { code }));
    if (existing !== undefined) {
      if (existing.name !== name)
        throw new OperatorError(`Activity ${code} exists already and is called "${existing.name}".`);
      return;
    }
    const highest = rowsAs(sql`select max(${column.number}) from ${quoted}`, ([number]) => Number(number ?? 0));
    const [last = 0] = await transaction.query(highest);
    const counters = { number: last + 1, lastChange: 0, lastId: 0, lastWriteAt: 0 };
    await transaction.query(insert(activityTable, { code, name, ...counters, createdAt: Date.now() }));
  });
}

function toActivity({
  code,
  name,
  createdAt,
  lastWriteAt,
}: Pick<Activity, 'code' | 'name' | 'createdAt'> & { readonly lastWriteAt: number }): Activity {
  return { code, name, createdAt, lastWriteAt: lastWriteAt === 0 ? null : lastWriteAt };
}
