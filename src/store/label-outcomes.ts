// In charge of what operators see of labels, and of ending the doubt whether a carrier has made one.
import type { ExpressionBuilder, Kysely } from 'kysely';
import { emptyRequest, type StoredLabel, toLabel } from './labels.ts';
import type { Tables } from './tables.ts';

/** Which labels are listed. */
export interface LabelQuery {
  /** Null: of all contexts. */
  readonly context: string | null;
  /** Only those of which nobody knows whether the carrier made them. */
  readonly unknown: boolean;
  readonly limit: number;
  /** Milliseconds. */
  readonly now: number;
}

/**
 * After this time nobody waits for the answer of a carrier any more, milliseconds: far more than the longest
 * conversation.
 */
const longestQuestion = 600_000;

/** Labels, newest first. */
export async function listLabels(
  db: Kysely<Tables>,
  { context, unknown, limit, now }: LabelQuery,
): Promise<readonly StoredLabel[]> {
  const rows = await db
    .selectFrom('shipping_label')
    .selectAll()
    .$if(context !== null, (query) => query.where('context', '=', context ?? ''))
    .$if(unknown, (query) => query.where(isUnknown(now)))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  return rows.map(toLabel);
}

/** How many labels there are of which nobody knows whether the carrier made them. */
export async function countUnknownLabels(db: Kysely<Tables>, now: number): Promise<number> {
  const { count } = await db
    .selectFrom('shipping_label')
    .select((select) => select.fn.countAll().as('count'))
    .where(isUnknown(now))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** The label with this id; null: there is none. */
export async function labelById(db: Kysely<Tables>, id: string): Promise<StoredLabel | null> {
  const row = await db.selectFrom('shipping_label').selectAll().where('id', '=', id).executeTakeFirst();
  return row === undefined ? null : toLabel(row);
}

/**
 * `no-doubt`: somebody was faster, or there never was a doubt. `number-taken`: the number is that of another parcel of
 * the carrier.
 */
export type Settled = 'settled' | 'no-doubt' | 'number-taken';

/**
 * Ends the doubt about a label. One that was made gets its number: the request that comes again under its key is
 * answered with it. One that was never made frees the key, so that the request can be sent again.
 * @param expeditionNumber null: there is no parcel
 */
export async function settleLabel(
  db: Kysely<Tables>,
  label: StoredLabel,
  expeditionNumber: string | null,
  now: number,
): Promise<Settled> {
  if (expeditionNumber !== null && (await isTaken(db, label, expeditionNumber))) return 'number-taken';
  const { numUpdatedRows } = await db
    .updateTable('shipping_label')
    .set(
      expeditionNumber === null
        ? { state: 'refused', expedition_number: null, request_key: null, request: emptyRequest, fingerprint: '' }
        : { state: 'made', expedition_number: expeditionNumber },
    )
    .where('owner', '=', label.owner)
    .where('id', '=', label.id)
    .where(isUnknown(now))
    .executeTakeFirst();
  return numUpdatedRows > 0n ? 'settled' : 'no-doubt';
}

async function isTaken(db: Kysely<Tables>, { id, carrier }: StoredLabel, expeditionNumber: string): Promise<boolean> {
  const row = await db
    .selectFrom('shipping_label')
    .select('id')
    .where('expedition_number', '=', expeditionNumber)
    .where('carrier', '=', carrier)
    .where('id', '!=', id)
    .where('state', 'in', ['made', 'past', 'unknown'])
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** A question that was never answered counts too, once nobody can be waiting for it. */
function isUnknown(now: number) {
  return (where: ExpressionBuilder<Tables, 'shipping_label'>) =>
    where.or([
      where('state', '=', 'unknown'),
      where.and([where('state', '=', 'asked'), where('created_at', '<', now - longestQuestion)]),
    ]);
}
