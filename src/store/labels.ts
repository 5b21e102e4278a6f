// Reads labels and their files.
import { createHash } from 'node:crypto';
import { appendEntryOf } from './audit.ts';
import type { EntryOf } from './audit-contract.ts';
import type { Engine } from './engine.ts';
import { anyOf } from './sql-dialects.ts';
import { forgetLabelFiles, forgetLabels } from './label-retention.ts';
import { isNumberOf } from './label-numbers.ts';
import { doubtful, isDoubtful, type Settlement, settleAsLost, settleAsMade } from './label-settlement.ts';
import { nothingMade } from './label-writes.ts';
import { type LabelInForce, labelsInForce, labelsOfOrder } from './order-labels.ts';
import { readFirst, writeOnce } from './single-statements.ts';
import { rowsAs, type Sql, sql } from './statement.ts';
import type { NewRowOf, RowOf } from './table.ts';
import { countRows, selectRows, update } from './table-statements.ts';
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
   * @param expeditionNumber null: there is no parcel. Another spelling of a number that the carrier had given is that
   *   of no further parcel, and the carrier's own stays.
   * @param others other spellings of it at the carrier
   * @param entryOf makes the entry of the audit trail from the label as it is then
   */
  settle(
    label: StoredLabel,
    expeditionNumber: string | null,
    others?: readonly string[],
    entryOf?: EntryOf<StoredLabel>,
  ): Promise<Settlement>;
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
    settle: (label, expeditionNumber, others = [], entryOf) =>
      engine.write(async (transaction) => {
        const settlement =
          expeditionNumber === null
            ? await settleAsLost(transaction, label)
            : await settleAsMade(transaction, label, [expeditionNumber, ...others]);
        const { activity, id } = label;
        const [settled] =
          settlement === 'settled' ? await transaction.query(selectRows(shippingLabelTable, { activity, id })) : [];
        if (settled !== undefined) await appendEntryOf(transaction, settled, entryOf);
        return settlement;
      }),
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

/** A request that was never answered counts too, once nobody can be waiting for it. */
function isUnknown(now: number): Sql {
  const isForgotten = sql`(${column.state} = ${'unknown'} or ${column.createdAt} < ${now - maxQuestionMs})`;
  // Without the list of states SQLite goes through all labels, where its statistics say that most have one state.
  return sql`${column.state} in (${sql.join(['unknown', 'asked'])}) and ${isForgotten}`;
}
