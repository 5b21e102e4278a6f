// In charge of removing an activity: its access at once, then whatever is stored of it, batch by batch.
import type { Resource } from '../model/resource.ts';
import { type SomeRows, removeInBatches } from './batches.ts';
import type { Cell, Engine, WriteTransaction } from './engine.ts';
import { forUpdate, limitTo } from './engine-words.ts';
import { recordTables, type TableShape } from './record-tables.ts';
import { readFirst, writeOnce } from './single-statements.ts';
import { rowsAs, sql } from './statement.ts';
import { insert, remove, selectRows, update } from './table-statements.ts';
import { oauthClientTable, platformKeyTable, userAccountTable } from './tables/access.ts';
import { activityTable, removedActivityTable } from './tables/activities.ts';
import { administrationTables } from './tables/index.ts';
import { carrierAccountTable, parcelTrackingTable } from './tables/shipping.ts';

/** What there is of an activity. */
export interface ActivityContents {
  readonly name: string;
  /** It was removed before: access is closed, and what is counted was left behind. */
  readonly isRemoved: boolean;
  /** Rows by table, of tables that have any; counted up to `maxCountedRows`, and one more where there are more. */
  readonly rows: Readonly<Record<string, number>>;
  /** How many may act in it. */
  readonly users: number;
  readonly clients: number;
  readonly platformKeys: number;
}

export interface ActivityRemoval {
  /** What a removal would take away; null where there is and was no such activity. */
  contents(code: string): Promise<ActivityContents | null>;
  /**
   * Removes an activity. First, in one transaction, it is gone: nobody may act in it, nothing can be written to it, its
   * code is kept from being used anew. Then its rows go in batches; what was interrupted is completed by the same call
   * again. The audit trail stays; files without a row are swept away later.
   * @param now milliseconds since 1970
   * @param onProgress is told of each table that was emptied
   * @returns how many rows were removed; null where there is and was no such activity
   */
  remove(code: string, now: number, onProgress?: (table: string, rows: number) => void): Promise<number | null>;
  /**
   * Empties an activity, which stays, with whoever may act in it: its rows go in batches; what was interrupted is
   * completed by the same call again. Change numbers go on.
   * @returns how many rows were removed
   */
  empty(code: string, onProgress?: (table: string, rows: number) => void): Promise<number>;
}

/** Further rows are not counted. */
export const maxCountedRows = 100_000;

export function createActivityRemoval(engine: Engine, resources: readonly Resource[]): ActivityRemoval {
  const tables = ownedTables(resources);
  const empty: ActivityRemoval['empty'] = async (code, onProgress) => {
    let removed = 0;
    for (const { name, by } of tables) {
      const rows = await removeInBatches(engine, { table: name, where: sql`owner = ${code}`, by });
      if (rows > 0) onProgress?.(name, rows);
      removed += rows;
    }
    return removed + (await removeCarrierAccounts(engine, code));
  };
  return {
    empty,
    contents: (code) => contentsOf(engine, tables, code),
    remove: async (code, now, onProgress) => {
      if (!(await engine.write((transaction) => close(transaction, code, now)))) return null;
      const removed = await empty(code, onProgress);
      await writeOnce(engine, update(removedActivityTable, { emptiedAt: now }, { code }));
      return removed;
    },
  };
}

/** A table whose rows belong to activities, and the column that follows the owner in an index of it. */
type OwnedTable = Pick<TableShape, 'name'> & Pick<SomeRows, 'by'>;

/** Every table that a removal empties by its owner: whatever has an index that begins with it. */
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

/** Takes the activity away from everybody. Returns whether there is or was such an activity. */
async function close({ query }: WriteTransaction, code: string, now: number): Promise<boolean> {
  const one = sql`${selectRows(activityTable, { code })}${forUpdate}`;
  const [activity] = await query(rowsAs(one, activityTable.toRow));
  if (activity === undefined) {
    // What was left behind, or was being written while it was removed, is removed now.
    return (await query(update(removedActivityTable, { emptiedAt: null }, { code }))).length > 0;
  }
  const { name, number, lastChange, lastId, lastWriteAt } = activity;
  const counters = { number, lastChange, lastId, lastWriteAt };
  await query(insert(removedActivityTable, { code, name, ...counters, removedAt: now, emptiedAt: null }));
  await query(remove(activityTable, { code }));
  // Whoever changes one of these meanwhile waits, or is waited for: each row is read and locked in one statement.
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

/** With the last answers about their parcels. */
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
