// In charge of what is read of labels and their files, and of ending the doubt whether a carrier has made one.
import { createHash } from 'node:crypto';
import type { Engine, WriteTransaction } from './engine.ts';
import { anyOf } from './engine-words.ts';
import { forgetLabelFiles, forgetLabels } from './label-retention.ts';
import { nothingMade } from './label-writes.ts';
import { type LabelInForce, labelsInForce, labelsOfOrder } from './order-labels.ts';
import { readFirst, writeOnce } from './single-statements.ts';
import { type Sql, sql } from './statement.ts';
import type { RowOf } from './table.ts';
import { countRows, selectRows, update } from './table-statements.ts';
import { labelFileTable, labelParcelTable, shippingLabelTable } from './tables/shipping.ts';

/** A label; see the table for what its members say. */
export type StoredLabel = RowOf<typeof shippingLabelTable>;

/** What may become of a label. */
export const labelStates = shippingLabelTable.columns.state.values;

/** A file of a label whose bytes are in the document storage. */
export interface LabelFile extends Omit<RowOf<typeof labelFileTable>, 'tokenHash' | 'activity' | 'labelId'> {
  /** Last part of its address; only its hash is stored. */
  readonly token: string;
}

/** Which labels an operator sees. */
interface LabelQuery {
  /** Null: of all activities. */
  readonly activity: string | null;
  /** Null: of all contexts. */
  readonly context: string | null;
  /**
   * Only those of which nobody knows whether the carrier made them, and those that it is being asked for, or was when
   * the process was killed.
   */
  readonly unknown: boolean;
  readonly limit: number;
}

/**
 * `no-doubt`: somebody was faster, or there never was a doubt. `number-taken`: the number is that of another parcel of
 * the carrier.
 */
type Settled = 'settled' | 'no-doubt' | 'number-taken';

/** Labels, as they are read; they are written in transactions (`WriteUnit`). */
export interface Labels {
  /**
   * The newest label of an activity at a carrier with this number, that of the context before those of others; else the
   * one of which a parcel has it. One of which nobody knows is left out, even where it has a number.
   */
  find(
    of: Pick<StoredLabel, 'activity' | 'context' | 'carrier'>,
    expeditionNumber: string,
  ): Promise<StoredLabel | null>;
  byId(id: string): Promise<StoredLabel | null>;
  /**
   * Whether another activity made a label or a parcel with this number at this carrier: two accounts here may be one to
   * the carrier.
   */
  isMadeByOthers(of: Pick<StoredLabel, 'activity' | 'carrier'>, expeditionNumber: string): Promise<boolean>;
  /** The file behind the last part of an address; null where it has expired or never was. */
  file(token: string, now: number): Promise<Omit<LabelFile, 'token'> | null>;
  /** The names in the document storage that label files refer to, of those that are given. */
  knownFiles(storedAs: readonly string[]): Promise<ReadonlySet<string>>;
  /** The newest labels of an order that were made, those that are void too; newest first. */
  ofOrder(activity: string, orderId: string, limit: number): Promise<readonly StoredLabel[]>;
  /** Those that were made for an order or may have been, and are not void; oldest first. */
  inForce(activity: string, orderId: string): Promise<readonly LabelInForce[]>;
  /** Labels, newest first. */
  list(query: LabelQuery): Promise<readonly StoredLabel[]>;
  /**
   * How many labels there are of which nobody knows whether the carrier made them; not those that it is being asked
   * for.
   */
  countUnknown(now: number): Promise<number>;
  /** How many that query of `unknown` finds. */
  countDoubtful(): Promise<number>;
  /**
   * Ends the doubt about a label. One that was made gets its number: the request that comes again under its key is
   * answered with it. One that was never made frees the key, so that the request can be sent again. What a carrier
   * answers after all is written over it.
   * @param expeditionNumber null: there is no parcel
   */
  settle(label: StoredLabel, expeditionNumber: string | null): Promise<Settled>;
  /** Takes back that a label was noted, where the carrier has not been asked for it. */
  takeBack(label: Pick<StoredLabel, 'activity' | 'id'>): Promise<void>;
  /** Forgets files that have expired. Returns how many; the sweep of the document storage takes their bytes. */
  forgetFiles(now: number): Promise<number>;
  /** See `forgetLabels`. */
  forget(until: number): Promise<number>;
}

/** The labels of a database. */
export function createLabels(engine: Engine): Labels {
  return {
    find: (of, expeditionNumber) => findLabel(engine, of, expeditionNumber),
    byId: (id) => readFirst(engine, selectRows(shippingLabelTable, { id })),
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

/** The hash under which a file is stored that has this token in its address. */
export function hashOfToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

const { column } = shippingLabelTable;

/** States of which somebody has to find out whether there is a parcel, if the process that asks was killed. */
const doubtful = ['unknown', 'asked'] as const;
const isDoubtful = sql`${column.state} in (${sql.join(doubtful)})`;

/** States in which there is a parcel, or may be one. */
const withParcel = ['made', 'past', 'unknown', 'voided'] as const;

/** States in which a label is found by its number. */
const known = ['asked', 'made', 'refused', 'fetched', 'past', 'voided'] as const;

/** After this time nobody waits for the answer of a carrier any more: far more than the longest conversation. */
const maxQuestionMs = 600_000;

async function findLabel(
  engine: Engine,
  { activity, context, carrier }: Pick<StoredLabel, 'activity' | 'context' | 'carrier'>,
  expeditionNumber: string,
): Promise<StoredLabel | null> {
  const where = { expeditionNumber, activity, carrier, state: known };
  const newest = { by: ['createdAt', 'id'], descending: true, limit: 1 } as const;
  return (
    (await readFirst(engine, selectRows(shippingLabelTable, { ...where, context }, newest))) ??
    (await readFirst(engine, selectRows(shippingLabelTable, where, newest))) ??
    labelOfParcel(engine, { activity, carrier }, expeditionNumber)
  );
}

/** The label of which a parcel has this number. */
async function labelOfParcel(
  engine: Engine,
  { activity, carrier }: Pick<StoredLabel, 'activity' | 'carrier'>,
  parcelNumber: string,
): Promise<StoredLabel | null> {
  const parcel = await readFirst(engine, selectRows(labelParcelTable, { activity, carrier, parcelNumber }));
  return parcel === null
    ? null
    : readFirst(engine, selectRows(shippingLabelTable, { activity, id: parcel.labelId, state: known }));
}

async function isMadeByOthers(
  engine: Engine,
  { activity, carrier }: Pick<StoredLabel, 'activity' | 'carrier'>,
  expeditionNumber: string,
): Promise<boolean> {
  const label = sql`
    select 1 from ${shippingLabelTable.quoted} where ${column.expeditionNumber} = ${expeditionNumber}
    and ${column.carrier} = ${carrier} and ${column.activity} <> ${activity}
    and ${column.state} in (${sql.join(withParcel)}) limit 1
  `;
  if ((await readFirst(engine, label)) !== null) return true;
  const parcels = labelParcelTable.column;
  const parcel = sql`
    select 1 from ${labelParcelTable.quoted} where ${parcels.parcelNumber} = ${expeditionNumber}
    and ${parcels.carrier} = ${carrier} and ${parcels.activity} <> ${activity} limit 1
  `;
  return (await readFirst(engine, parcel)) !== null;
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
): Promise<Settled> {
  if (expeditionNumber !== null && (await isTaken(transaction, label, expeditionNumber))) return 'number-taken';
  const changes = expeditionNumber === null ? nothingMade : { state: 'made' as const, expeditionNumber };
  const where = sql`${column.activity} = ${label.activity} and ${column.id} = ${label.id} and ${isDoubtful}`;
  const settled = await transaction.query(update(shippingLabelTable, changes, where));
  return settled.length > 0 ? 'settled' : 'no-doubt';
}

async function isTaken(
  transaction: WriteTransaction,
  { id, carrier }: StoredLabel,
  expeditionNumber: string,
): Promise<boolean> {
  const others = await transaction.query(sql`
    select 1 from ${shippingLabelTable.quoted} where ${column.expeditionNumber} = ${expeditionNumber}
    and ${column.carrier} = ${carrier} and ${column.id} <> ${id}
    and ${column.state} in (${sql.join(withParcel)}) limit 1
  `);
  return others.length > 0;
}

/** A question that was never answered counts too, once nobody can be waiting for it. */
function isUnknown(now: number): Sql {
  const isForgotten = sql`${column.state} = ${'asked'} and ${column.createdAt} < ${now - maxQuestionMs}`;
  return sql`(${column.state} = ${'unknown'} or ${isForgotten})`;
}
