// Activities (the client companies' accounts) and what their counters guarantee to readers.
import { OperatorError } from '../model/operator-error.ts';
import { characters, composed, hasInvisible, isBeyond, quoted, tooManyMarks } from '../model/text.ts';
import { appendAudit, appendEntryOf } from './audit.ts';
import type { EntryOf, NewAuditEntry } from './audit-contract.ts';
import { maxWriteMs } from './counters.ts';
import type { Engine, WriteTransaction } from './engine.ts';
import type { PageQuery } from './key-pages.ts';
import { perActivity } from './per-activity.ts';
import { onPostgres, rowsAs, sql } from './statement.ts';
import { insert, remove, selectPage, selectRows, update } from './table-statements.ts';
import { activityTable, removedActivityTable } from './tables/activities.ts';

/** An activity: a client company's account at the provider. */
export interface Activity {
  readonly code: string;
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** Time of the last write in the activity, milliseconds since 1970; null: never. */
  readonly lastWriteAt: number | null;
}

export interface ActivityEdit {
  readonly code: string;
  readonly before: string | null;
  readonly name: string;
}

/** The names of an activity before and after. */
interface RenamedActivity {
  readonly before: string;
  readonly after: string;
}

export interface Activities {
  /**
   * Adds an activity; adding the same code with the same name again changes nothing, also if an earlier version stored
   * a name that is refused now.
   * @param code 1 to 3 letters or digits, upper case
   * @param name 1 to 30 characters
   * @returns the name as it is stored
   * @throws OperatorError when code or name is malformed, or the code already has another name
   */
  add(code: string, name: string, entryOf?: EntryOf<string>): Promise<string>;
  /**
   * Renames an activity; the name that it has changes nothing. Stored records keep the one that they were written with.
   * @returns the previous name; null if there is no such activity
   * @throws OperatorError when the name is malformed
   */
  rename(code: string, name: string, entryOf?: EntryOf<RenamedActivity>): Promise<string | null>;
  /**
   * Adds and renames activities, all or none.
   * @param edits `before`: the current name; null: the activity does not exist yet
   * @param entries of the audit trail, in the same transaction
   * @returns false, with nothing changed, if one of them has changed since the edit was decided
   * @throws OperatorError as `add` and `rename` do
   */
  edit(edits: readonly ActivityEdit[], entries: readonly NewAuditEntry[]): Promise<boolean>;
  /** All activities, by code. */
  list(): Promise<readonly Activity[]>;
  /** One page of activities, by code. */
  page(query: PageQuery): Promise<readonly Activity[]>;
  /** The existing activities among these codes, by code. */
  named(codes: readonly string[]): Promise<readonly Activity[]>;
}

export function createActivities(engine: Engine): Activities {
  return {
    add: (code, name, entryOf) => addActivity(engine, code, name, entryOf),
    rename: (code, name, entryOf) => renameActivity(engine, code, name, entryOf),
    edit: (edits, entries) => editActivities(engine, edits, entries),
    list: async () => (await engine.read(selectRows(activityTable, {}, { by: ['code'] }))).map(toActivity),
    page: async (query) => (await engine.read(selectPage(activityTable, 'code', query))).map(toActivity),
    named: async (codes) =>
      (
        await perActivity(engine, engine.read, codes, (some) =>
          selectRows(activityTable, { code: some }, { by: ['code'] }),
        )
      ).map(toActivity),
  };
}

const maxNameLength = 30;
const howNamed = `Use 1 to ${maxNameLength} characters without blanks at the ends.`;

/**
 * @returns the name as it is stored: composed, so that equal names have equal bytes
 * @throws OperatorError when code or name is malformed
 */
export function checkActivity(code: string, given: string): string {
  checkCode(code);
  const name = isBeyond(given, maxNameLength) ? given : composed(given);
  if (name === null) throw new OperatorError(`The name of an activity ${tooManyMarks}.`);
  if (name.trim() !== name || name === '' || characters(name) > maxNameLength)
    throw new OperatorError(`${quoted(given)} is no activity name.`, howNamed);
  if (hasInvisible(name)) throw new OperatorError('The name of an activity must not have invisible characters.');
  return name;
}

function checkCode(code: string): void {
  if (!/^[A-Z0-9]{1,3}$/.test(code))
    throw new OperatorError(`"${code}" is no activity code.`, 'Use 1 to 3 letters A to Z or digits, upper case.');
}

/**
 * For each activity, the later of two instants that are certain: the one after its last write (dates strictly
 * increase), and now minus twice the longest time that a write may take, once for its work and once for its commit (a
 * write not committed by then never will be). The result is the earliest over the activities.
 */
export async function coveredUntil(engine: Engine, activityCodes: readonly string[]): Promise<number> {
  const [now, activities] = await Promise.all([
    engine.now(),
    perActivity(engine, engine.readShort, activityCodes, (some) => selectRows(activityTable, { code: some })),
  ]);
  const settled = now - 2 * maxWriteMs - 1;
  return Math.min(
    ...activities.map(({ lastWriteAt }) => Math.max(lastWriteAt + 1, settled)),
    ...(activities.length === 0 ? [settled] : []),
  );
}

/** The codes of all activities. */
export function allCodes(engine: Pick<Engine, 'read'>): Promise<readonly string[]> {
  return engine.read(rowsAs(sql`select code from activity order by code`, ([code]) => String(code)));
}

async function addActivity(
  engine: Engine,
  code: string,
  given: string,
  entryOf: EntryOf<string> | undefined,
): Promise<string> {
  checkCode(code);
  return engine.write(async (transaction) => {
    await lockActivities(transaction);
    const [existing] = await transaction.query(selectRows(activityTable, { code }));
    if (existing?.name === given) return given;
    const name = checkActivity(code, given);
    if (existing === undefined) {
      await insertActivity(transaction, code, name);
      await appendEntryOf(transaction, name, entryOf);
    } else if (composed(existing.name) !== name)
      throw new OperatorError(`Activity ${code} exists already and is called "${existing.name}".`);
    return existing?.name ?? name;
  });
}

class Outdated extends Error {}

async function editActivities(
  engine: Engine,
  edits: readonly ActivityEdit[],
  entries: readonly NewAuditEntry[],
): Promise<boolean> {
  const wanted = edits.map(({ code, before, name }) => ({ code, before, name: checkActivity(code, name) }));
  try {
    await engine.write(async (transaction) => {
      await lockActivities(transaction);
      // In the order in which writers lock several activities.
      for (const { code, before, name } of wanted.toSorted(byCode)) {
        const [existing] = await transaction.query(selectRows(activityTable, { code }));
        if ((existing?.name ?? null) !== before) throw new Outdated();
        if (existing === undefined) await insertActivity(transaction, code, name);
        else await transaction.query(update(activityTable, { name }, { code }));
      }
      for (const entry of entries) await appendAudit(transaction, entry);
    });
    return true;
  } catch (error) {
    if (error instanceof Outdated) return false;
    throw error;
  }
}

/**
 * Two activities added at once must not take the same number. The embedded database allows only one writer anyway. The
 * table itself is not locked: a writer that has locked the counters of an activity would wait for that, and an edit of
 * the activity for the writer. The number is the same in all programs.
 */
export async function lockActivities({ query }: Pick<WriteTransaction, 'query'>): Promise<void> {
  await query(onPostgres(() => sql`select pg_advisory_xact_lock(72410032)`));
}

function byCode(left: ActivityEdit, right: ActivityEdit): number {
  return left.code < right.code ? -1 : Number(left.code > right.code);
}

async function insertActivity(transaction: WriteTransaction, code: string, name: string): Promise<void> {
  const counters = await countersFor(transaction, code);
  await transaction.query(insert(activityTable, { code, name, ...counters, createdAt: Date.now() }));
}

/** New counters; for a code that was removed, its former ones, so that no number is given out twice. */
async function countersFor(
  { query }: WriteTransaction,
  code: string,
): Promise<{
  readonly number: number;
  readonly lastChange: number;
  readonly lastId: number;
  readonly lastWriteAt: number;
}> {
  const [removed] = await query(selectRows(removedActivityTable, { code }));
  if (removed !== undefined) {
    if (removed.emptiedAt === null) throw notYetEmpty(code);
    await query(remove(removedActivityTable, { code }));
    const { number, lastChange, lastId, lastWriteAt } = removed;
    return { number, lastChange, lastId, lastWriteAt };
  }
  const highest = await Promise.all(
    [activityTable, removedActivityTable].map(async ({ quoted, column }) => {
      const statement = sql`select max(${column.number}) from ${quoted}`;
      const [last = 0] = await query(rowsAs(statement, ([number]) => Number(number ?? 0)));
      return last;
    }),
  );
  return { number: Math.max(...highest) + 1, lastChange: 0, lastId: 0, lastWriteAt: 0 };
}

function notYetEmpty(code: string): OperatorError {
  return new OperatorError(
    `The activity ${code} was removed, and not all of its records are gone yet.`,
    `Let it be completed first: ./logistics-connect activity remove ${code}`,
  );
}

async function renameActivity(
  engine: Engine,
  code: string,
  given: string,
  entryOf: EntryOf<RenamedActivity> | undefined,
): Promise<string | null> {
  checkCode(code);
  return engine.write(async (transaction) => {
    const [activity] = await transaction.query(selectRows(activityTable, { code }));
    if (activity === undefined) return null;
    const { name: before } = activity;
    const after = before === given ? given : checkActivity(code, given);
    if (after === before) return before;
    await transaction.query(update(activityTable, { name: after }, { code }));
    await appendEntryOf(transaction, { before, after }, entryOf);
    return before;
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
