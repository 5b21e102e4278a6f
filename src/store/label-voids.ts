// Voiding labels: an attempt is recorded before the carrier is asked and ended with its answer, so that no two ask at
// once and a killed process leaves a doubt that is known.
import { appendAudit } from './audit.ts';
import type { NewAuditEntry } from './audit-contract.ts';
import type { Engine, WriteTransaction } from './engine.ts';
import { beingHandedUntil } from './handovers.ts';
import type { StoredLabel } from './labels.ts';
import { readFirst } from './single-statements.ts';
import { notByIndex } from './sql-dialects.ts';
import { rowsAs, sql } from './statement.ts';
import type { RowOf } from './table.ts';
import { selectRows, update, upsert } from './table-statements.ts';
import { labelParcelTable, labelVoidTable, shippingLabelTable } from './tables/shipping.ts';

export type LabelVoid = RowOf<typeof labelVoidTable>;

/** The states of a void. */
export const labelVoidStates = labelVoidTable.columns.state.values;

/** An attempt to void a label. */
interface VoidAttempt {
  /** UUIDv7. */
  readonly id: string;
  /** Milliseconds. */
  readonly at: number;
}

/** The outcome of an attempt. */
export interface VoidOutcome {
  readonly state: 'voided' | 'refused' | 'unknown';
  /** A sentence. */
  readonly detail: string;
  /** Numbers of the voided parcels, if not all of them are void. */
  readonly voidedParcels: readonly string[];
  readonly audit: NewAuditEntry;
}

/** Whether the carrier may be asked. */
type VoidBegun =
  /** It may; `before` is the last attempt as far as known; if that is still `asked`, its outcome is unknown. */
  | { readonly state: 'begun'; readonly before: LabelVoid | null }
  /** The label is void. */
  | { readonly state: 'voided'; readonly before: LabelVoid | null }
  /** Another attempt may ask until this instant (milliseconds); or a list is being made with the label. */
  | { readonly state: 'running'; readonly until: number }
  /** There is no label to void: it was not made, or not here. */
  | { readonly state: 'not-made' };

export interface LabelVoids {
  find(label: Pick<StoredLabel, 'activity' | 'id'>): Promise<LabelVoid | null>;
  /** Parcel numbers of a label with several parcels; empty if it has one. */
  parcelNumbers(label: Pick<StoredLabel, 'activity' | 'id' | 'carrier'>): Promise<readonly string[]>;
  /** Records that a carrier is about to be asked to void a label. */
  begin(label: Pick<StoredLabel, 'activity' | 'id'>, attempt: VoidAttempt): Promise<VoidBegun>;
  /**
   * Ends an attempt. A void is stored whichever attempt reports it; any other outcome only for the last attempt.
   * @returns the current state
   */
  end(
    label: Pick<StoredLabel, 'activity' | 'id'>,
    attempt: VoidAttempt & { readonly endedAt: number },
    outcome: VoidOutcome,
  ): Promise<LabelVoid>;
}

/** The voids of a database. */
export function createLabelVoids(engine: Engine): LabelVoids {
  return {
    find: ({ activity, id }) => readFirst(engine, selectRows(labelVoidTable, { activity, labelId: id })),
    parcelNumbers: async ({ activity, id, carrier }) => {
      const { column } = labelParcelTable;
      // In the order of the index on carrier and number, SQLite would go through all parcels of the activity.
      const isAtCarrier = sql`${notByIndex(column.carrier)} = ${carrier}`;
      const rows = await engine.read(
        sql`
          select ${column.parcelNumber} from ${labelParcelTable.quoted}
          where ${column.activity} = ${activity} and ${column.labelId} = ${id} and ${isAtCarrier}
          order by ${column.parcelNumber}
        `,
      );
      return rows.map(([number]) => String(number));
    },
    begin: (label, attempt) => engine.write((transaction) => begin(transaction, label, attempt)),
    end: (label, attempt, outcome) => engine.write((transaction) => end(transaction, label, attempt, outcome)),
  };
}

/** After this time nobody waits for the carrier's answer any more: longer than the longest exchange. */
export const maxVoidMs = 120_000;

/** States of a label that can be voided. One in state `unknown` has a number if the carrier gave one. */
const voidable: readonly StoredLabel['state'][] = ['made', 'past', 'unknown'];

async function begin(
  transaction: WriteTransaction,
  label: Pick<StoredLabel, 'activity' | 'id'>,
  { id: attempt, at }: VoidAttempt,
): Promise<VoidBegun> {
  const stored = await lockLabel(transaction, label);
  const before = await voidOf(transaction, label);
  if (stored?.state === 'voided') return { state: 'voided', before };
  if (stored === null || stored.expeditionNumber === null || !voidable.includes(stored.state))
    return { state: 'not-made' };
  if (before?.state === 'asked' && before.askedAt + maxVoidMs > at && before.askedAt <= at)
    return { state: 'running', until: before.askedAt + maxVoidMs };
  const handedUntil = await beingHandedUntil(transaction, label, at);
  if (handedUntil !== null) return { state: 'running', until: handedUntil };
  const noted: LabelVoid = {
    activity: label.activity,
    labelId: label.id,
    state: 'asked',
    attempt,
    askedAt: at,
    endedAt: null,
    detail: '',
    voidedParcels: before?.voidedParcels ?? [],
  };
  await transaction.query(upsert(labelVoidTable, noted));
  return { state: 'begun', before };
}

async function end(
  transaction: WriteTransaction,
  label: Pick<StoredLabel, 'activity' | 'id'>,
  { id: attempt, at, endedAt }: VoidAttempt & { readonly endedAt: number },
  { state, detail, voidedParcels, audit }: VoidOutcome,
): Promise<LabelVoid> {
  const stored = await lockLabel(transaction, label);
  const before = await voidOf(transaction, label);
  const ended: LabelVoid = {
    activity: label.activity,
    labelId: label.id,
    state,
    attempt,
    askedAt: at,
    endedAt,
    detail,
    voidedParcels: state === 'voided' ? [] : [...new Set([...(before?.voidedParcels ?? []), ...voidedParcels])],
  };
  if (before?.state === 'voided') return before;
  if (state !== 'voided' && before !== null && before.attempt !== attempt) return before;
  // A label that was removed with its activity meanwhile leaves no void behind.
  if (stored !== null) await transaction.query(upsert(labelVoidTable, ended));
  if (state === 'voided')
    await transaction.query(
      update(shippingLabelTable, { state: 'voided' }, { activity: label.activity, id: label.id }),
    );
  await appendAudit(transaction, audit);
  return ended;
}

/** The label, locked until the transaction ends. */
async function lockLabel(
  transaction: WriteTransaction,
  { activity, id }: Pick<StoredLabel, 'activity' | 'id'>,
): Promise<StoredLabel | null> {
  const { quoted, column, allColumns, toRow } = shippingLabelTable;
  const locked = rowsAs(
    sql`
      update ${quoted} set ${column.state} = ${column.state}
      where ${column.activity} = ${activity} and ${column.id} = ${id} returning ${allColumns}
    `,
    toRow,
  );
  return (await transaction.query(locked))[0] ?? null;
}

async function voidOf(
  transaction: WriteTransaction,
  { activity, id }: Pick<StoredLabel, 'activity' | 'id'>,
): Promise<LabelVoid | null> {
  return (await transaction.query(selectRows(labelVoidTable, { activity, labelId: id })))[0] ?? null;
}
