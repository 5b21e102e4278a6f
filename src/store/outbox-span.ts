// In charge of where the outbox of each activity begins and ends: two rows of table `revision`, read at every poll.
import { textBlock } from '../model/text-block.ts';
import type { ChangePosition } from '../model/plan.ts';
import { saveRevision } from './counters.ts';
import { type Dialect, type Row, type Statement, type WriteTransaction, placeholders } from './engine.ts';

/** Runs a statement: alone, or inside a transaction. */
export type Query = (statement: Statement) => Promise<readonly Row[]>;

/**
 * Change number of the last entry that was ever appended, and of the last one that was removed; 0 where there was none.
 */
export type SpanEnd = 'outbox' | 'outbox-removed';

/** One end of the span of each activity. */
export async function spanEnds(
  dialect: Dialect,
  query: Query,
  end: SpanEnd,
  owners: readonly string[],
): Promise<ChangePosition> {
  if (owners.length === 0) return {};
  const { values, add } = placeholders(dialect);
  const where = `where resource = ${add(end)} and owner in (${owners.map(add).join(', ')})`;
  const ends: Record<string, number> = Object.fromEntries(owners.map((owner) => [owner, 0]));
  for (const [owner, number] of await query({ text: `select owner, last_change from revision ${where}`, values }))
    ends[String(owner)] = Number(number);
  return ends;
}

/** Records one end of the span of an activity. */
export async function saveSpanEnd(
  transaction: WriteTransaction,
  owner: string,
  end: SpanEnd,
  changeNumber: number,
): Promise<void> {
  await saveRevision(transaction, owner, end, changeNumber);
}

/**
 * Locks the beginning of the span until the transaction ends, so that consumers appear before or after a removal and
 * never amid it.
 * @returns change number up to which entries have been removed
 */
export async function holdRemoval(dialect: Dialect, transaction: WriteTransaction, owner: string): Promise<number> {
  const end: SpanEnd = 'outbox-removed';
  const { values, add } = placeholders(dialect);
  const insert = `insert into revision (owner, resource, last_change) values (${add(owner)}, ${add(end)}, 0)`;
  const [row] = await transaction.query({
    text: textBlock`
      ${insert} on conflict (owner, resource) do update set last_change = revision.last_change returning last_change
    `,
    values,
  });
  return Number(row?.[0]);
}
