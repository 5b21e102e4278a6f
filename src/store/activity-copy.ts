// Copies what belongs to one activity out of a database, and into another one under the same ids.
import { formatInstant } from '../model/instant.ts';
import { OperatorError } from '../model/operator-error.ts';
import type { Resource } from '../model/resource.ts';
import { lockActivities } from './activities.ts';
import { appendAudit } from './audit.ts';
import type { NewAuditEntry } from './audit-contract.ts';
import type { Cell, Row, RunStatement, WriteTransaction } from './engine.ts';
import { greatest } from './sql-dialects.ts';
import { rowsAs, sql, type Statement } from './statement.ts';
import type { StoredTable, TableSelection } from './table-copy.ts';
import type { RowOf } from './table.ts';
import { insert, remove, selectRows, upsert } from './table-statements.ts';
import { activityTable, removedActivityTable } from './tables/activities.ts';
import { carrierAccountTable, numberSeriesTable } from './tables/shipping.ts';

/** Tables with a column `owner` whose rows concern the whole database. */
const ofTheDatabase: readonly string[] = ['text_form'];

/** Columns whose values are meaningful only in their own installation, or are confidential. */
const leftOut: Readonly<Record<string, readonly string[]>> = {
  carrier_account: ['secrets'],
  outbox_consumer: ['key_id'],
};

/** The tables with rows of the activity, and which columns of them are copied. */
export function activityTables(
  stored: readonly StoredTable[],
  activity: string,
): readonly { readonly table: StoredTable; readonly selection: TableSelection }[] {
  return stored
    .filter(({ name, columns }) => !ofTheDatabase.includes(name) && columns.some((column) => column.name === 'owner'))
    .map((table) => ({
      table,
      selection: {
        activity,
        emptied: leftOut[table.name] ?? [],
        // Notes on the order of messages come along with the messages.
        ...(table.name === 'stock_image' && { where: sql`state <> 'draft'` }),
      },
    }));
}

/** The published records of a resource in change order, each as a feed sends it, unpublished fields included. */
export function publishedRecords(resource: Resource, activity: string): Statement<string> {
  const unpublished = Object.keys(resource.unpublished);
  const columns = ['body', ...unpublished].map(sql.quoted);
  const rows = sql`
    select ${sql.join(columns)} from ${sql.quoted(resource.table)} where ${copiedOf(resource, activity)}
  `;
  return rowsAs(sql`${isImages(resource) ? rows : sql`${rows} and withdrawn_at is null`}${orderOf(resource)}`, (row) =>
    withUnpublished(resource, row),
  );
}

/** All rows of a resource in the same order; without the body if `publishedRecords` provides it. */
export function recordRows(table: StoredTable, resource: Resource, activity: string): Statement {
  const body = isImages(resource) ? sql`null` : sql`case when withdrawn_at is null then null else body end`;
  const cells = table.columns.map(({ name }) => (name === 'body' ? body : sql.quoted(name)));
  return sql`
    select ${sql.join(cells)} from ${sql.quoted(table.name)} where ${copiedOf(resource, activity)}${orderOf(resource)}
  `;
}

/** The body of a record given as a feed sends it. */
export function bodyOfRecord(resource: Resource, line: string): string {
  const unpublished = Object.keys(resource.unpublished);
  if (unpublished.length === 0) return line;
  const record: unknown = JSON.parse(line);
  if (typeof record !== 'object' || record === null) throw new Error('a record is an object');
  return JSON.stringify(Object.fromEntries(Object.entries(record).filter(([name]) => !unpublished.includes(name))));
}

function withUnpublished({ unpublished }: Resource, [body, ...cells]: Row): string {
  const names = Object.keys(unpublished);
  const text = String(body);
  if (names.length === 0) return text;
  const more = names.map((name, index) => {
    const cell: Cell = cells[index] ?? null;
    const kind = unpublished[name]?.kind;
    const value =
      cell === null
        ? null
        : kind === 'date-time'
          ? formatInstant(Number(cell))
          : kind === 'boolean'
            ? cell === 1
            : cell;
    return `,${JSON.stringify(name)}:${JSON.stringify(value)}`;
  });
  return `${text.slice(0, -1)}${more.join('')}}`;
}

function isImages({ storage }: Resource): boolean {
  return storage === 'images';
}

/** Only published images: a draft belongs to its writer. */
function copiedOf(resource: Resource, activity: string): Statement {
  if (!isImages(resource)) return sql`owner = ${activity}`;
  return sql`
    owner = ${activity} and image_id in (select image_id from stock_image where owner = ${activity} and state =
    'published')
  `;
}

function orderOf(resource: Resource): Statement {
  return isImages(resource) ? sql` order by owner, image_id, position` : sql` order by owner, change_number`;
}

/** The counters of an activity, from which all numbers of its records are taken. */
export type ActivityCounters = RowOf<typeof activityTable>;

export async function countersOf(query: RunStatement, code: string): Promise<ActivityCounters | null> {
  const [row] = await query(selectRows(activityTable, { code }));
  return row ?? null;
}

/** Contexts and carriers of other activities' accounts: within a context, a carrier has only one account. */
export async function takenAccounts(query: RunStatement, activity: string): Promise<ReadonlySet<string>> {
  const accounts = await query(selectRows(carrierAccountTable));
  return new Set(
    accounts.filter((account) => account.activity !== activity).map(({ context, carrier }) => `${context}/${carrier}`),
  );
}

/** The number series used by the carriers of an activity's accounts. */
export type NumberSeries = RowOf<typeof numberSeriesTable>;

export async function seriesOf(query: RunStatement, activity: string): Promise<readonly NumberSeries[]> {
  const carriers = (await query(selectRows(carrierAccountTable, { activity }))).map(({ carrier }) => carrier);
  return query(selectRows(numberSeriesTable, { carrier: [...new Set(carriers)] }));
}

/**
 * Reserves the code and the number for an activity about to be copied in: until `openActivity` nobody sees it or can
 * add it, as if it had been removed but not yet emptied.
 * @throws OperatorError if the activity was ever written to, or another one has its number
 */
export async function reserveActivity({ query }: WriteTransaction, counters: ActivityCounters): Promise<void> {
  const { code, name, number } = counters;
  await lockActivities({ query });
  const [known] = await query(selectRows(activityTable, { code }));
  if (known !== undefined && known.lastChange > 0) throw hasData(code);
  const [other] = [
    ...(await query(selectRows(activityTable, { number }))),
    ...(await query(selectRows(removedActivityTable, { number }))),
  ].filter((each) => each.code !== code);
  if (other !== undefined) throw numberTaken(code, other.code);
  const [removed] = await query(selectRows(removedActivityTable, { code }));
  await query(remove(activityTable, { code }));
  const { lastChange, lastId, lastWriteAt } = counters;
  await query(
    upsert(removedActivityTable, {
      ...{ code, name, number, emptiedAt: null, removedAt: removed?.removedAt ?? lastWriteAt },
      lastChange: Math.max(lastChange, removed?.lastChange ?? 0),
      lastId: Math.max(lastId, removed?.lastId ?? 0),
      lastWriteAt: Math.max(lastWriteAt, removed?.lastWriteAt ?? 0),
    }),
  );
}

/** Makes an activity that was copied in visible, with everything that belongs to it, and says so in the audit trail. */
export async function openActivity(
  transaction: WriteTransaction,
  { code, name, createdAt }: ActivityCounters,
  { series, audit }: { readonly series: readonly NumberSeries[]; readonly audit: NewAuditEntry },
): Promise<void> {
  const { query } = transaction;
  const [reserved] = await query(selectRows(removedActivityTable, { code, emptiedAt: null }));
  if (reserved === undefined)
    throw new OperatorError(`Somebody has removed ${code} while it was imported.`, 'Import it again.');
  const { number, lastChange, lastId, lastWriteAt } = reserved;
  await query(remove(removedActivityTable, { code }));
  await query(insert(activityTable, { code, name, number, lastChange, lastId, lastWriteAt, createdAt }));
  const { quoted, column } = numberSeriesTable;
  for (const each of series) {
    const higher = greatest([sql`${quoted}.${column.lastNumber}`, sql`excluded.${column.lastNumber}`]);
    await query(
      sql`
        ${insert(numberSeriesTable, each)} on conflict (${column.carrier}, ${column.series}) do update set
        ${column.lastNumber} = ${higher}
      `,
    );
  }
  await appendAudit(transaction, audit);
}

export function hasData(code: string): OperatorError {
  return new OperatorError(
    `The activity ${code} is there and has data, and an export is never mixed with what is there.`,
    `Remove it first (activity remove ${code}), or import the files of the export one by one, as a feed would.`,
  );
}

function numberTaken(code: string, other: string): OperatorError {
  return new OperatorError(
    `The ids of ${code} in the export are those that ${other} gives out here, so it cannot keep them.`,
    `Import the files of the export one by one, as a feed would: the records get new ids.`,
  );
}
