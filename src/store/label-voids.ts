// In charge of the wish to have a label void: noted before the carrier is asked, ended with what it said, so that no
// two ask at once and a killed process leaves a doubt that is known.
import { appendAudit } from './audit.ts';
import type { NewAuditEntry } from './audit-contract.ts';
import type { Engine, WriteTransaction } from './engine.ts';
import { beingHandedUntil } from './handovers.ts';
import type { StoredLabel } from './labels.ts';
import { readFirst } from './single-statements.ts';
import { rowsAs, sql } from './statement.ts';
import type { RowOf } from './table.ts';
import { selectRows, update, upsert } from './table-statements.ts';
import { labelParcelTable, labelVoidTable, shippingLabelTable } from './tables/shipping.ts';

export type LabelVoid = RowOf<typeof labelVoidTable>;

/** What may become of the wish to have a label void. */
export const labelVoidStates = labelVoidTable.columns.state.values;

/** An attempt to have a label void. */
interface VoidAttempt {
  /** UUIDv7. */
  readonly id: string;
  /** Milliseconds. */
  readonly at: number;
}

/** What became of an attempt. */
export interface VoidOutcome {
  readonly state: 'voided' | 'refused' | 'unknown';
  /** A sentence. */
  readonly detail: string;
  /** Numbers of parcels that are void, where not all are. */
  readonly voidedParcels: readonly string[];
  readonly audit: NewAuditEntry;
}

/** Whether the carrier may be asked. */
type VoidBegun =
  /** It may; `before` is what is known of the last attempt, whose outcome nobody knows where it is `asked` still. */
  | { readonly state: 'begun'; readonly before: LabelVoid | null }
  /** It is void. */
  | { readonly state: 'voided'; readonly before: LabelVoid | null }
  /**
   * Another attempt has the right to ask, until this instant (milliseconds); or a list is being made with the label.
   */
  | { readonly state: 'running'; readonly until: number }
  /** There is no label that could be void: it was not made, or not here. */
  | { readonly state: 'not-made' };

export interface LabelVoids {
  find(label: Pick<StoredLabel, 'activity' | 'id'>): Promise<LabelVoid | null>;
  /** Numbers of the parcels of a label with several ones; empty where it has one. */
  parcelNumbers(label: Pick<StoredLabel, 'activity' | 'id' | 'carrier'>): Promise<readonly string[]>;
  /** Notes that a carrier is about to be asked to take a label back. */
  begin(label: Pick<StoredLabel, 'activity' | 'id'>, attempt: VoidAttempt): Promise<VoidBegun>;
  /**
   * Ends an attempt. That a label is void is kept whichever attempt says so; anything else only of the last one.
   * @returns what is known now
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
      const rows = await engine.read(
        sql`
          select ${column.parcelNumber} from ${labelParcelTable.quoted}
          where ${column.activity} = ${activity} and ${column.carrier} = ${carrier} and ${column.labelId} = ${id}
          order by ${column.parcelNumber}
        `,
      );
      return rows.map(([number]) => String(number));
    },
    begin: (label, attempt) => engine.write((transaction) => begin(transaction, label, attempt)),
    end: (label, attempt, outcome) => engine.write((transaction) => end(transaction, label, attempt, outcome)),
  };
}

/** After this time nobody waits for the answer of a carrier any more: more than the longest conversation. */
export const maxVoidMs = 120_000;

/** States of a label that can be void. One of which nobody knows has a number where the carrier has named it. */
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
  await lockLabel(transaction, label);
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
  await transaction.query(upsert(labelVoidTable, ended));
  if (state === 'voided')
    await transaction.query(
      update(shippingLabelTable, { state: 'voided' }, { activity: label.activity, id: label.id }),
    );
  await appendAudit(transaction, audit);
  return ended;
}

/** The label, which nobody else changes until the transaction ends. */
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
