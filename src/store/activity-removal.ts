// Removes an activity: access to it at once, then all its stored data, batch by batch.
import { setTimeout as pause } from 'node:timers/promises';
import { OperatorError } from '../model/operator-error.ts';
import type { Resource } from '../model/resource.ts';
import { textBlock } from '../model/text-block.ts';
import { appendAudit } from './audit.ts';
import type { NewAuditEntry } from './audit-contract.ts';
import { inBatches, type SomeRows, removeBatch, removeInBatches } from './batches.ts';
import type { Cell, Engine, WriteTransaction } from './engine.ts';
import { maxWriteMs } from './counters.ts';
import { lockHolders } from './lock-holders.ts';
import { forUpdate, limitTo } from './sql-dialects.ts';
import { recordTables, type TableShape } from './record-tables.ts';
import { readFirst, writeOnce } from './single-statements.ts';
import { planAnew, rowsAs, sql } from './statement.ts';
import { insert, remove, selectRows, update } from './table-statements.ts';
import { oauthClientTable, platformKeyTable, userAccountTable } from './tables/access.ts';
import { activityTable, removedActivityTable } from './tables/activities.ts';
import { administrationTables } from './tables/index.ts';
import { carrierAccountTable, parcelTrackingTable } from './tables/shipping.ts';

/** What the database holds of an activity. */
export interface ActivityContents {
  readonly name: string;
  /** The activity was removed before: access is closed, and the counted rows were left behind. */
  readonly isRemoved: boolean;
  /** Row counts of the tables that have any; counting stops at `maxCountedRows`, plus one if there are more. */
  readonly rows: Readonly<Record<string, number>>;
  /** The number of users, clients and keys that may act in it. */
  readonly users: number;
  readonly clients: number;
  readonly platformKeys: number;
}

export interface ActivityRemoval {
  /** What a removal would take away; null if there is no such activity and never was. */
  contents(code: string): Promise<ActivityContents | null>;
  /**
   * Removes an activity. A first transaction closes it: nobody may act in it, nothing can be written to it, and its
   * code is kept from reuse. Then its rows are deleted in batches; calling again completes an interrupted removal. The
   * audit trail stays; files without a row are swept later.
   * @param now milliseconds since 1970
   * @returns the number of rows removed; null if there is no such activity and never was
   * @throws OperatorError when others hold rows for so long that nothing could be removed any more: it names them, and
   *   calling again continues
   */
  remove(code: string, now: number, options?: RemovalOptions): Promise<number | null>;
  /**
   * Empties an activity, which stays, along with access to it: its rows are deleted in batches; calling again completes
   * an interrupted run. Change numbers continue.
   * @returns the number of rows removed
   */
  empty(code: string, onRows?: OnRemoved): Promise<number>;
}

/** Called for each batch that was removed, with its table and number of rows; if it throws, the removal ends. */
type OnRemoved = (table: string, rows: number) => void;

interface RemovalOptions {
  /** Written in the transaction that closes the activity. */
  readonly audit?: NewAuditEntry;
  readonly onRows?: OnRemoved;
  /** Called again and again while rows are waited for that others hold, with their tables; may throw, too. */
  readonly onHeld?: (tables: readonly string[]) => void;
}

/** Rows beyond this number are not counted. */
export const maxCountedRows = 100_000;

/**
 * @param maxHeldMs the longest wait for rows that others hold, if nothing else can be removed meanwhile: by default
 *   longer than any transaction of this program
 */
export function createActivityRemoval(
  engine: Engine,
  resources: readonly Resource[],
  maxHeldMs = 2 * maxWriteMs,
): ActivityRemoval {
  const tables = ownedTables(resources);
  const empty: ActivityRemoval['empty'] = async (code, onRows) => {
    let removed = 0;
    for (const { name, by } of tables)
      removed += await inBatches(async () => {
        const rows = await removeBatch(engine, { table: name, where: sql`owner = ${code}`, by });
        if (rows > 0) onRows?.(name, rows);
        return rows;
      });
    return removed + (await removeCarrierAccounts(engine, code));
  };
  return {
    empty,
    contents: (code) => contentsOf(engine, tables, code),
    remove: async (code, now, { audit = null, onRows, onHeld } = {}) => {
      if (!(await engine.write((transaction) => close(transaction, code, now, audit)))) return null;
      let removed = 0;
      for (let patientUntil = performance.now() + maxHeldMs; ; await pause(heldRowsMs)) {
        const rows = await empty(code, onRows);
        removed += rows;
        const held = await engine.write((transaction) => noteEmptied(transaction, tables, code, now));
        if (held.length === 0) return removed;
        if (rows > 0) patientUntil = performance.now() + maxHeldMs;
        else if (performance.now() >= patientUntil) throw await stillHeld(engine, code, held);
        onHeld?.(held);
      }
    },
  };
}

/** How soon rows are looked at again that another process is working on: a batch leaves them to it. */
const heldRowsMs = 200;

/** Notes that the code is free. @returns the tables that have a row of the activity; if any has, nothing is noted */
async function noteEmptied(
  { query }: WriteTransaction,
  tables: readonly OwnedTable[],
  code: string,
  now: number,
): Promise<readonly string[]> {
  const left: string[] = [];
  for (const { name } of [...tables, carrierAccountTable]) {
    const some = sql`select 1 from ${sql.quoted(name)} where owner = ${code} ${limitTo(1)}`;
    if ((await query(planAnew(some))).length > 0) left.push(name);
  }
  if (left.length === 0) await query(update(removedActivityTable, { emptiedAt: now }, { code }));
  return left;
}

async function stillHeld(engine: Engine, code: string, tables: readonly string[]): Promise<OperatorError> {
  const holders = await lockHolders(engine, tables);
  const who = holders.map(({ said }) => said).join(', ');
  const ending = holders.map(({ pid }) => `select pg_terminate_backend(${pid})`).join('; ');
  return new OperatorError(
    textBlock`
      Another transaction holds rows of ${code} in the table${tables.length === 1 ? '' : 's'} ${tables.join(', ')}, and
      does not end${who === '' ? '' : `: ${who}`}.
    `,
    textBlock`
      The activity is closed. End that transaction (${ending === '' ? 'pg_stat_activity names it' : ending}), and run
      the command again: it goes on where it was.
    `,
  );
}

/** A table whose rows belong to activities, and the column that follows the owner in one of its indexes. */
type OwnedTable = Pick<TableShape, 'name'> & Pick<SomeRows, 'by'>;

/** Every table that a removal empties by owner: all with an index that begins with the owner. */
export function ownedTables(resources: readonly Resource[]): readonly OwnedTable[] {
  return [...resources.flatMap(recordTables), ...administrationTables].flatMap(({ name, unique, indexes }) => {
    const [, by] = [...unique, ...indexes].find(([first, second]) => first === 'owner' && second !== undefined) ?? [];
    return by === undefined ? [] : [{ name, by }];
  });
}

async function contentsOf(
  engine: Engine,
  tables: readonly OwnedTable[],
  code: string,
): Promise<ActivityContents | null> {
  const activity = await readFirst(engine, selectRows(activityTable, { code }));
  const removed = await readFirst(engine, selectRows(removedActivityTable, { code }));
  if (activity === null && removed === null) return null;
  const rows: Record<string, number> = {};
  for (const name of [...tables.map((table) => table.name), carrierAccountTable.name]) {
    const some = sql`select 1 from ${sql.quoted(name)} where owner = ${code} ${limitTo(maxCountedRows + 1)}`;
    const count = sql`select count(*) from (${some}) as counted`;
    const [number = 0] = await engine.read(rowsAs(count, ([cell]) => Number(cell)));
    if (number > 0) rows[name] = number;
  }
  const has = ({ activityCodes }: { readonly activityCodes: readonly string[] | null }): boolean =>
    activityCodes?.includes(code) === true;
  return {
    name: activity?.name ?? removed?.name ?? '',
    isRemoved: activity === null,
    rows,
    users: (await engine.read(selectRows(userAccountTable))).filter(has).length,
    clients: (await engine.read(selectRows(oauthClientTable))).filter(has).length,
    platformKeys: (await engine.read(selectRows(platformKeyTable))).filter(has).length,
  };
}

/** Takes the activity away from everybody, and says so in the audit trail. Returns whether it exists or existed. */
async function close(
  transaction: WriteTransaction,
  code: string,
  now: number,
  audit: NewAuditEntry | null,
): Promise<boolean> {
  const exists = (await closeOpen(transaction, code, now)) || (await beginAnew(transaction, code));
  if (exists && audit !== null) await appendAudit(transaction, audit);
  return exists;
}

/** Rows of a removed activity that were left behind, or written during the removal, are removed now. */
async function beginAnew({ query }: WriteTransaction, code: string): Promise<boolean> {
  return (await query(update(removedActivityTable, { emptiedAt: null }, { code }))).length > 0;
}

async function closeOpen({ query }: WriteTransaction, code: string, now: number): Promise<boolean> {
  const one = sql`${selectRows(activityTable, { code })}${forUpdate}`;
  const [activity] = await query(rowsAs(one, activityTable.toRow));
  if (activity === undefined) return false;
  const { name, number, lastChange, lastId, lastWriteAt } = activity;
  const counters = { number, lastChange, lastId, lastWriteAt };
  await query(insert(removedActivityTable, { code, name, ...counters, removedAt: now, emptiedAt: null }));
  await query(remove(activityTable, { code }));
  // Reads and locks each row in one statement, so that concurrent changes wait or are waited for.
  for (const table of [userAccountTable, oauthClientTable, platformKeyTable] as const) {
    const mentions = sql`${table.column.activityCodes} like ${`%"${code}"%`} order by ${table.column.id}${forUpdate}`;
    const held = sql`select ${table.column.id}, ${table.column.activityCodes} from ${table.quoted} where ${mentions}`;
    for (const { id, codes } of await query(
      rowsAs(held, ([id, codes]) => ({ id: String(id), codes: textsIn(codes) })),
    )) {
      const left = JSON.stringify(codes.filter((each) => each !== code));
      const change = sql`update ${table.quoted} set ${table.column.activityCodes} = ${left}`;
      await query(sql`${change} where ${table.column.id} = ${id}`);
    }
  }
  return true;
}

/** The texts of a column of kind `texts`. */
function textsIn(cell: Cell | undefined): readonly string[] {
  const value: unknown = JSON.parse(String(cell));
  return Array.isArray(value) ? value.map(String) : [];
}

/** Together with the last answers about their parcels. */
async function removeCarrierAccounts(engine: Engine, code: string): Promise<number> {
  let removed = 0;
  for (const { id } of await engine.read(selectRows(carrierAccountTable, { activity: code }))) {
    removed += await removeInBatches(engine, {
      table: parcelTrackingTable.name,
      where: sql`account_id = ${id}`,
      by: 'expedition_number',
    });
    removed += await writeOnce(engine, remove(carrierAccountTable, { id }));
  }
  return removed;
}
