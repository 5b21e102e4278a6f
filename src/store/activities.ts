// In charge of activities (the client companies' accounts) and of what their counters promise to readers.
import { sql } from 'kysely';
import { OperatorError } from '../model/operator-error.ts';
import { longestWrite } from './counters.ts';
import { type Engine, placeholders } from './engine.ts';
import type { Activity } from './store.ts';

/**
 * Adds an activity; the same code with the same name again changes nothing.
 * @param code 1 to 3 letters or digits, upper case
 * @param name 1 to 30 characters
 * @throws OperatorError when code or name is not of this form, or the code has another name already
 */
export async function addActivity(engine: Engine, code: string, name: string): Promise<void> {
  checkActivity(code, name);
  await engine.db.transaction().execute(async (db) => {
    // Two that are added at once must not take the same number. The embedded database has one writer at a time anyway.
    if (engine.dialect === 'postgres') await sql`lock table activity in share row exclusive mode`.execute(db);
    const existing = await db.selectFrom('activity').select('name').where('code', '=', code).executeTakeFirst();
    if (existing !== undefined) {
      if (existing.name !== name)
        throw new OperatorError(`Activity ${code} exists already and is called "${existing.name}".`);
      return;
    }
    const highest = await db
      .selectFrom('activity')
      .select((select) => select.fn.max('number').as('number'))
      .executeTakeFirst();
    await db
      .insertInto('activity')
      .values({
        code,
        name,
        number: Number(highest?.number ?? 0) + 1,
        last_change: 0,
        last_id: 0,
        last_write_at: 0,
        created_at: Date.now(),
      })
      .execute();
  });
}

/** @throws OperatorError when code or name is not of the right form */
export function checkActivity(code: string, name: string): void {
  if (!/^[A-Z0-9]{1,3}$/.test(code))
    throw new OperatorError(`"${code}" is no activity code.`, 'Use 1 to 3 letters A to Z or digits, upper case.');
  if (name.trim() !== name || [...name].length < 1 || [...name].length > 30)
    throw new OperatorError(`"${name}" is no activity name.`, 'Use 1 to 30 characters without blanks at the ends.');
}

export async function listActivities(engine: Engine): Promise<readonly Activity[]> {
  const rows = await engine.read({ text: 'select code, name from activity order by code', values: [] });
  return rows.map(([code, name]) => ({ code: String(code), name: String(name) }));
}

/**
 * Per activity the later of two certain instants counts: the one after its last write (dates strictly increase), and
 * now less twice the longest time that a write may take, once for its work and once for its commit (what has not
 * committed by then never will). The earliest over the activities is the answer.
 */
export async function coveredUntil(engine: Engine, owners: readonly string[]): Promise<number> {
  const settled = (await engine.now()) - 2 * longestWrite - 1;
  const { values, add } = placeholders(engine.dialect);
  const rows = await engine.read({
    text: `select last_write_at from activity where code in (${owners.map(add).join(', ')})`,
    values,
  });
  return Math.min(
    ...rows.map(([lastWriteAt]) => Math.max(Number(lastWriteAt) + 1, settled)),
    ...(rows.length === 0 ? [settled] : []),
  );
}
