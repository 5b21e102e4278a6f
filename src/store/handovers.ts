// Handover lists, by which parcels are given to a carrier at the end of a day: each label is on at most one, and a list
// that was begun stays known, whatever happens to the process that makes it.
import { randomBytes } from 'node:crypto';
import { appendAudit } from './audit.ts';
import type { NewAuditEntry } from './audit-contract.ts';
import type { Engine, WriteTransaction } from './engine.ts';
import { anyOf, notByIndex } from './sql-dialects.ts';
import {
  type DayOfAccount,
  type DayPortion,
  type FoundLabel,
  type HandedLabel,
  isBeingVoidedOf,
  isHandedOf,
  labelsOf,
  portionsOfDay,
  withParcels,
} from './handover-labels.ts';
import { lockAccount } from './label-writes.ts';
import { hashOfToken, type LabelFile, type StoredLabel } from './labels.ts';
import { readFirst } from './single-statements.ts';
import { rowsAs, type Sql, sql } from './statement.ts';
import type { RowOf } from './table.ts';
import { insert, remove, selectRows, update } from './table-statements.ts';
import { handoverLabelTable, handoverTable, labelFileTable, shippingLabelTable } from './tables/shipping.ts';

/** A list; its members are described at the table. */
export type Handover = RowOf<typeof handoverTable>;

/** The states of a list. */
export const handoverStates = handoverTable.columns.state.values;

/** The outcome of an attempt to make a list. */
export interface HandoverOutcome extends Pick<Handover, 'detail' | 'number' | 'labels' | 'parcels'> {
  readonly state: 'made' | 'refused' | 'unknown';
  /** Its document in the document storage; null: there is none. */
  readonly file: Omit<LabelFile, 'token'> | null;
  readonly audit: NewAuditEntry;
}

export interface Handovers {
  /** All labels of a day, oldest first, in portions, so that other work gets its turn in between. */
  portionsOfDay(day: DayOfAccount): AsyncIterable<DayPortion>;
  /** Adds the numbers of the parcels that are not void; leaves out labels without any. */
  withParcels(activity: string, labels: readonly FoundLabel[]): Promise<readonly HandedLabel[]>;
  /** The lists of a day, oldest first. */
  ofDay(of: Pick<Handover, 'activity' | 'accountId' | 'day'>): Promise<readonly Handover[]>;
  find(of: Pick<Handover, 'activity' | 'id'>): Promise<Handover | null>;
  /** The labels of a list, oldest first. */
  labelsOf(handover: Pick<Handover, 'activity' | 'id' | 'carrier'>): Promise<readonly HandedLabel[]>;
  /** Its document, while it is kept. */
  fileOf(handover: Pick<Handover, 'activity' | 'id'>, now: number): Promise<Omit<LabelFile, 'token'> | null>;
  /**
   * Begins a list with those of these labels that may still be put on one.
   * @returns false, with nothing written, if there are none
   */
  begin(handover: Omit<Handover, 'labels' | 'parcels'>, labels: readonly HandedLabel[]): Promise<boolean>;
  /**
   * Takes over a list whose outcome is unknown, without the labels that are void or being voided by now.
   * @returns false: another process did
   */
  beginAgain(handover: Handover, attempt: Pick<Handover, 'attempt' | 'askedAt'>): Promise<boolean>;
  /** Ends an attempt; ending an earlier one changes nothing. @returns the current state of the list */
  end(
    handover: Handover,
    attempt: Pick<Handover, 'attempt'> & { readonly endedAt: number },
    outcome: HandoverOutcome,
  ): Promise<Handover>;
}

/** The lists of a database. */
export function createHandovers(engine: Engine): Handovers {
  return {
    portionsOfDay: (day) => portionsOfDay(engine, day),
    withParcels: (activity, labels) => withParcels(engine, activity, labels),
    ofDay: (of) => engine.read(selectRows(handoverTable, of, { by: ['createdAt', 'id'] })),
    find: ({ activity, id }) => readFirst(engine, selectRows(handoverTable, { activity, id })),
    labelsOf: async ({ activity, id }) => withParcels(engine, activity, await engine.read(labelsOf(activity, id))),
    fileOf: async ({ activity, id }, now) => {
      const file = await readFirst(engine, selectRows(labelFileTable, { activity, labelId: id }));
      return file === null || file.expiresAt <= now ? null : file;
    },
    begin: (handover, labels) => engine.write((transaction) => begin(transaction, handover, labels)),
    beginAgain: (handover, attempt) => engine.write((transaction) => beginAgain(transaction, handover, attempt)),
    end: (handover, attempt, outcome) => engine.write((transaction) => end(transaction, handover, attempt, outcome)),
  };
}

/** After this time nobody waits for the carrier's answer any more: longer than the longest exchange. */
export const maxHandoverMs = 120_000;

const label = shippingLabelTable.column;
const handed = handoverLabelTable.column;

async function begin(
  transaction: WriteTransaction,
  handover: Omit<Handover, 'labels' | 'parcels'>,
  labels: readonly HandedLabel[],
): Promise<boolean> {
  const { activity, id: handoverId } = handover;
  // Lists of an account are begun one after another, so that two that lock the same labels do not deadlock.
  await lockAccount(transaction, handover.accountId);
  const ids = labels.map(({ id }) => id);
  // By an index on the state SQLite would go through all labels.
  const isMade = sql`${notByIndex(sql`label.${label.state}`)} = 'made'`;
  const free = await lockThose(transaction, activity, ids, sql`${isMade} and not ${isHandedOf(activity)}`);
  const taken = labels.filter(({ id }) => free.has(id));
  if (taken.length === 0) return false;
  const parcels = taken.reduce((sum, { parcelNumbers }) => sum + parcelNumbers.length, 0);
  await transaction.query(insert(handoverTable, { ...handover, labels: taken.length, parcels }));
  await transaction.putRows(
    handoverLabelTable.target,
    taken.map(({ id: labelId }) => handoverLabelTable.toCells({ activity, labelId, handoverId })),
  );
  return true;
}

/**
 * Locks labels, as a void does, and returns those that are not being voided and meet a condition: of two transactions
 * that want the same label, one sees what the other wrote.
 */
async function lockThose(
  transaction: WriteTransaction,
  activity: string,
  ids: readonly string[],
  condition: Sql,
): Promise<ReadonlySet<string>> {
  await transaction.query(sql`
    update ${shippingLabelTable.quoted} set ${label.state} = ${label.state}
    where ${label.activity} = ${activity} and ${anyOf(label.id, ids)}
  `);
  const rows = await transaction.query(
    rowsAs(
      sql`
        select label.${label.id} from ${shippingLabelTable.quoted} as label
        where label.${label.activity} = ${activity} and ${anyOf(sql`label.${label.id}`, ids)}
        and ${condition} and not ${isBeingVoidedOf(activity)}
      `,
      ([id]) => String(id),
    ),
  );
  return new Set(rows);
}

async function beginAgain(
  transaction: WriteTransaction,
  { activity, id, accountId, attempt: before }: Handover,
  attempt: Pick<Handover, 'attempt' | 'askedAt'>,
): Promise<boolean> {
  await lockAccount(transaction, accountId);
  const taken = await transaction.query(
    update(
      handoverTable,
      { ...attempt, state: 'asked', endedAt: null },
      { activity, id, attempt: before, state: ['asked', 'unknown'] },
    ),
  );
  if (taken.length === 0) return false;
  const rows = await transaction.query(selectRows(handoverLabelTable, { activity, handoverId: id }));
  const ids = rows.map(({ labelId }) => labelId);
  const kept = await lockThose(transaction, activity, ids, sql`label.${label.state} <> 'voided'`);
  const gone = ids.filter((labelId) => !kept.has(labelId));
  if (gone.length > 0) await transaction.query(remove(handoverLabelTable, { activity, labelId: gone }));
  return true;
}

async function end(
  transaction: WriteTransaction,
  { activity, id, carrier }: Handover,
  { attempt, endedAt }: Pick<Handover, 'attempt'> & { readonly endedAt: number },
  { file, audit, ...outcome }: HandoverOutcome,
): Promise<Handover> {
  const changed = await transaction.query(
    update(handoverTable, { ...outcome, endedAt }, { activity, id, attempt, state: 'asked' }),
  );
  if (changed.length > 0) {
    if (outcome.state === 'refused') await transaction.query(remove(handoverLabelTable, { activity, handoverId: id }));
    if (file !== null)
      await transaction.putRows(labelFileTable.target, [
        // Nobody gets the token: the document is found by the id of its list.
        labelFileTable.toCells({ ...file, tokenHash: hashOfToken(randomToken()), activity, labelId: id }),
      ]);
    await appendAudit(transaction, audit);
  }
  const [known] = await transaction.query(selectRows(handoverTable, { activity, id }));
  if (known === undefined) throw new Error(`the list ${id} at ${carrier} is gone`);
  return known;
}

function randomToken(): string {
  return randomBytes(32).toString('base64url');
}

/**
 * The instant until which a list with this label is being made, milliseconds; null: none is. The caller holds the row
 * of the label.
 */
export async function beingHandedUntil(
  transaction: WriteTransaction,
  { activity, id }: Pick<StoredLabel, 'activity' | 'id'>,
  now: number,
): Promise<number | null> {
  const { column, quoted } = handoverTable;
  const [until] = await transaction.query(
    rowsAs(
      sql`
        select list.${column.askedAt} from ${quoted} as list, ${handoverLabelTable.quoted} as handed
        where handed.${handed.activity} = ${activity} and handed.${handed.labelId} = ${id}
        and list.${column.activity} = handed.${handed.activity} and list.${column.id} = handed.${handed.handoverId}
        and list.${column.state} = 'asked'
      `,
      ([askedAt]) => Number(askedAt) + maxHandoverMs,
    ),
  );
  return until === undefined || until <= now ? null : until;
}
