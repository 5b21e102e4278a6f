// Reads labels and their files, and resolves the doubt whether a carrier has made a label.
import { createHash } from 'node:crypto';
import type { LabelResult } from '../model/shipping.ts';
import type { Engine, RunStatement, WriteTransaction } from './engine.ts';
import { anyOf, forUpdate } from './sql-dialects.ts';
import { forgetLabelFiles, forgetLabels } from './label-retention.ts';
import { nothingMade, putNumbers, spellingsOf } from './label-writes.ts';
import { type LabelInForce, labelsInForce, labelsOfOrder } from './order-labels.ts';
import { readFirst, writeOnce } from './single-statements.ts';
import { rowsAs, type Sql, sql } from './statement.ts';
import type { NewRowOf, RowOf } from './table.ts';
import { countRows, remove, selectRows, update } from './table-statements.ts';
import { labelAliasTable, labelFileTable, labelParcelTable, shippingLabelTable } from './tables/shipping.ts';

/** A label; its members are described at the table. */
export type StoredLabel = RowOf<typeof shippingLabelTable>;
/** A label as it is written: what it does not say is null, or stays as it is stored. */
export type NewLabel = NewRowOf<typeof shippingLabelTable>;

/** The states of a label. */
export const labelStates = shippingLabelTable.columns.state.values;

/** A file of a label whose bytes are in the document storage. */
export interface LabelFile extends Omit<RowOf<typeof labelFileTable>, 'tokenHash' | 'activity' | 'labelId'> {
  /** Last part of its address; only the hash of this token is stored. */
  readonly token: string;
}

/** The labels that an operator lists. */
interface LabelQuery {
  /** Null: all activities. */
  readonly activity: string | null;
  /** Null: all contexts. */
  readonly context: string | null;
  /**
   * Only labels of which it is unknown whether the carrier made them, and those being requested, or being requested
   * when the process was killed.
   */
  readonly unknown: boolean;
  readonly limit: number;
}

/**
 * `no-doubt`: somebody was faster, or there never was a doubt. `number-taken`: another parcel of the carrier has the
 * number.
 */
type Settlement = 'settled' | 'no-doubt' | 'number-taken';

/** Reads labels; they are written in transactions (`WriteUnit`). */
export interface Labels {
  /**
   * The newest label of an activity at a carrier with this number, preferring the given context; otherwise the label
   * with a parcel of this number or alias; otherwise what was fetched: it may have been fetched of a label that was in
   * doubt and has been settled since. Labels in doubt are left out, even those that have a number.
   */
  find(
    of: Pick<StoredLabel, 'activity' | 'context' | 'carrier'>,
    expeditionNumber: string,
  ): Promise<StoredLabel | null>;
  byId(id: string): Promise<StoredLabel | null>;
  /** The label that a request under a key has begun. @param requestKey hash of client and key */
  ofRequest(activity: string, requestKey: string): Promise<StoredLabel | null>;
  /**
   * Whether another activity made a label or a parcel with this number or alias at this carrier, also in another
   * spelling: two accounts here may be the same account at the carrier.
   */
  isMadeByOthers(of: Pick<StoredLabel, 'activity' | 'carrier'>, expeditionNumber: string): Promise<boolean>;
  /** The file behind the last part of an address; null if it has expired or never existed. */
  file(token: string, now: number): Promise<Omit<LabelFile, 'token'> | null>;
  /** Those of the given names in the document storage that label files refer to. */
  knownFiles(storedAs: readonly string[]): Promise<ReadonlySet<string>>;
  /** The newest labels made for an order, voided ones included; newest first. */
  ofOrder(activity: string, orderId: string, limit: number): Promise<readonly StoredLabel[]>;
  /** Labels that were or may have been made for an order and are not void; oldest first. */
  inForce(activity: string, orderId: string): Promise<readonly LabelInForce[]>;
  /** Labels, newest first. */
  list(query: LabelQuery): Promise<readonly StoredLabel[]>;
  /** The number of labels of which it is unknown whether the carrier made them, without those being requested. */
  countUnknown(now: number): Promise<number>;
  /** The number of labels that a query with `unknown` finds. */
  countDoubtful(): Promise<number>;
  /**
   * Resolves the doubt about a label. One that was made gets its number: a repeated request under its key is answered
   * with it. Numbers that the carrier had given remain those of its parcels. One that was never made frees the key, so
   * that the request can be sent again. If the carrier answers after all, its answer overwrites this.
   * @param expeditionNumber null: there is no parcel
   */
  settle(label: StoredLabel, expeditionNumber: string | null): Promise<Settlement>;
  /** Undoes the record of a label that the carrier has not been asked for. */
  takeBack(label: Pick<StoredLabel, 'activity' | 'id'>): Promise<void>;
  /** Forgets files that have expired. Returns how many; the sweep of the document storage deletes their bytes. */
  forgetFiles(now: number): Promise<number>;
  /** See `forgetLabels`. */
  forget(until: number): Promise<number>;
}

/** The labels of a database. */
export function createLabels(engine: Engine): Labels {
  return {
    find: (of, expeditionNumber) => findLabel(engine, of, expeditionNumber),
    byId: (id) => readFirst(engine, selectRows(shippingLabelTable, { id })),
    ofRequest: (activity, requestKey) => readFirst(engine, selectRows(shippingLabelTable, { activity, requestKey })),
    isMadeByOthers: (of, expeditionNumber) => isMadeByOthers(engine, of, expeditionNumber),
    file: (token, now) => findFile(engine, token, now),
    knownFiles: (storedAs) => knownFiles(engine, storedAs),
    ofOrder: (activity, orderId, limit) => engine.read(labelsOfOrder({ activity, orderId }, limit)),
    inForce: (activity, orderId) => engine.read(labelsInForce({ activity, orderId })),
    list: (query) => listLabels(engine, query),
    countUnknown: async (now) => (await readFirst(engine, countRows(shippingLabelTable, isUnknown(now)))) ?? 0,
    countDoubtful: async () => (await readFirst(engine, countRows(shippingLabelTable, { state: doubtful }))) ?? 0,
    settle: (label, expeditionNumber) => engine.write((transaction) => settle(transaction, label, expeditionNumber)),
    takeBack: async ({ activity, id }) =>
      void (await writeOnce(engine, update(shippingLabelTable, nothingMade, { activity, id, state: 'asked' }))),
    forgetFiles: (now) => forgetLabelFiles(engine, now),
    forget: (until) => forgetLabels(engine, until),
  };
}

/** The hash under which the file with this token in its address is stored. */
export function hashOfToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

const { column } = shippingLabelTable;

/** States in which somebody has to find out whether there is a parcel, if the requesting process was killed. */
const doubtful = ['unknown', 'asked'] as const;
const isDoubtful = sql`${column.state} in (${sql.join(doubtful)})`;

/** States in which there is a parcel, or may be one. */
const withParcel = ['made', 'past', 'unknown', 'voided'] as const;

/** States in which a label is found by its number. */
const known = ['asked', 'made', 'refused', 'fetched', 'past', 'voided'] as const;

/** After this time nobody waits for the carrier's answer any more: far longer than the longest exchange. */
const maxQuestionMs = 600_000;

async function findLabel(
  engine: Engine,
  { activity, context, carrier }: Pick<StoredLabel, 'activity' | 'context' | 'carrier'>,
  expeditionNumber: string,
): Promise<StoredLabel | null> {
  const isFetched = sql`${column.state} = 'fetched'`;
  const ofContext = sql`${column.context} = ${context}`;
  const ranked = sql`
    ${selectRows(shippingLabelTable, { expeditionNumber, activity, carrier, state: known })}
    order by case when ${isFetched} then 1 else 0 end, case when ${ofContext} then 0 else 1 end,
    ${column.createdAt} desc, ${column.id} desc limit 1
  `;
  const found = await readFirst(engine, rowsAs(ranked, shippingLabelTable.toRow));
  if (found !== null && found.state !== 'fetched') return found;
  return (await labelOfParcel(engine, { activity, carrier }, expeditionNumber)) ?? found;
}

/** The label that has a parcel with this number or alias. */
async function labelOfParcel(
  engine: Engine,
  { activity, carrier }: Pick<StoredLabel, 'activity' | 'carrier'>,
  parcelNumber: string,
): Promise<StoredLabel | null> {
  const parcel =
    (await readFirst(engine, selectRows(labelParcelTable, { activity, carrier, parcelNumber }))) ??
    (await readFirst(engine, selectRows(labelAliasTable, { activity, carrier, alias: parcelNumber })));
  return parcel === null
    ? null
    : readFirst(engine, selectRows(shippingLabelTable, { activity, id: parcel.labelId, state: known }));
}

async function isMadeByOthers(
  engine: Engine,
  { activity, carrier }: Pick<StoredLabel, 'activity' | 'carrier'>,
  expeditionNumber: string,
): Promise<boolean> {
  return isNumberOf(
    engine.read,
    { carrier, number: expeditionNumber },
    (label) => sql`${label.activity} <> ${activity}`,
  );
}

/** The columns that name a label, in a table of labels or of their numbers. */
interface LabelColumns {
  readonly activity: Sql;
  readonly id: Sql;
}

/** Whether a label that meets a condition has this number or a parcel or alias with it, in this or another spelling. */
async function isNumberOf(
  query: RunStatement,
  { carrier, number }: { readonly carrier: string; readonly number: string },
  condition: (label: LabelColumns) => Sql,
): Promise<boolean> {
  const spellings = spellingsOf(number);
  const [parcels, aliases] = [labelParcelTable.column, labelAliasTable.column];
  const statements = [
    sql`
      select 1 from ${shippingLabelTable.quoted} where ${anyOf(column.expeditionNumber, spellings)}
      and ${column.carrier} = ${carrier} and ${condition(column)}
      and ${column.state} in (${sql.join(withParcel)}) limit 1
    `,
    sql`
      select 1 from ${labelParcelTable.quoted} where ${anyOf(parcels.parcelNumber, spellings)}
      and ${parcels.carrier} = ${carrier} and ${condition({ activity: parcels.activity, id: parcels.labelId })} limit 1
    `,
    sql`
      select 1 from ${labelAliasTable.quoted} where ${anyOf(aliases.alias, spellings)}
      and ${aliases.carrier} = ${carrier} and ${condition({ activity: aliases.activity, id: aliases.labelId })} limit 1
    `,
  ];
  for (const statement of statements) if ((await query(statement)).length > 0) return true;
  return false;
}

async function findFile(engine: Engine, token: string, now: number): Promise<Omit<LabelFile, 'token'> | null> {
  const row = await readFirst(engine, selectRows(labelFileTable, { tokenHash: hashOfToken(token) }));
  if (row === null || row.expiresAt <= now) return null;
  const { mediaType, fileName, storedAs, size, expiresAt } = row;
  return { mediaType, fileName, storedAs, size, expiresAt };
}

async function knownFiles(engine: Engine, storedAs: readonly string[]): Promise<ReadonlySet<string>> {
  if (storedAs.length === 0) return new Set();
  const name = labelFileTable.column.storedAs;
  const rows = await engine.read(sql`select ${name} from ${labelFileTable.quoted} where ${anyOf(name, storedAs)}`);
  return new Set(rows.map(([known]) => String(known)));
}

function listLabels(
  engine: Engine,
  { activity, context, unknown, limit }: LabelQuery,
): Promise<readonly StoredLabel[]> {
  const where = sql.all([
    ...(activity === null ? [] : [sql`${column.activity} = ${activity}`]),
    ...(context === null ? [] : [sql`${column.context} = ${context}`]),
    ...(unknown ? [isDoubtful] : []),
  ]);
  return engine.read(selectRows(shippingLabelTable, where, { by: ['createdAt', 'id'], descending: true, limit }));
}

async function settle(
  transaction: WriteTransaction,
  label: StoredLabel,
  expeditionNumber: string | null,
): Promise<Settlement> {
  if (expeditionNumber !== null && (await isTaken(transaction, label, expeditionNumber))) return 'number-taken';
  const { activity, id: labelId } = label;
  const where = sql`${column.activity} = ${activity} and ${column.id} = ${labelId} and ${isDoubtful}`;
  const locked = sql`${selectRows(shippingLabelTable, where)}${forUpdate}`;
  const [doubtful] = await transaction.query(rowsAs(locked, shippingLabelTable.toRow));
  if (doubtful === undefined) return 'no-doubt';
  if (expeditionNumber === null) {
    await transaction.query(update(shippingLabelTable, nothingMade, where));
    await transaction.query(remove(labelParcelTable, { activity, labelId }));
    await transaction.query(remove(labelAliasTable, { activity, labelId }));
    await transaction.query(remove(labelFileTable, { activity, labelId }));
    return 'settled';
  }
  const known = await transaction.query(selectRows(labelParcelTable, { activity, labelId }));
  const parcels = new Set(known.map(({ parcelNumber }) => parcelNumber));
  if (doubtful.expeditionNumber !== null) parcels.add(doubtful.expeditionNumber);
  if (parcels.size > 0) parcels.add(expeditionNumber);
  await putNumbers(transaction, { ...label, expeditionNumber }, { parcels: parcels.size > 1 ? [...parcels] : [] });
  await transaction.query(
    update(
      shippingLabelTable,
      { state: 'made', expeditionNumber, result: underNumber(doubtful.result, expeditionNumber) },
      where,
    ),
  );
  return 'settled';
}

/** What the carrier had given of a label, under the number that stands for its parcels now. */
function underNumber(result: string | null, expeditionNumber: string): string | null {
  if (result === null) return null;
  const given: LabelResult = JSON.parse(result);
  return JSON.stringify({ ...given, expeditionNumber });
}

function isTaken(
  { query }: WriteTransaction,
  { activity, id, carrier }: StoredLabel,
  number: string,
): Promise<boolean> {
  return isNumberOf(
    query,
    { carrier, number },
    (label) => sql`not (${label.activity} = ${activity} and ${label.id} = ${id})`,
  );
}

/** A request that was never answered counts too, once nobody can be waiting for it. */
function isUnknown(now: number): Sql {
  const isForgotten = sql`${column.state} = ${'asked'} and ${column.createdAt} < ${now - maxQuestionMs}`;
  return sql`(${column.state} = ${'unknown'} or ${isForgotten})`;
}
