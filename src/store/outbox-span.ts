// Where the outbox of each activity begins and ends: two rows of table `revision`, read at every poll.
import type { ChangePosition } from '../model/plan.ts';
import { saveRevision } from './counters.ts';
import type { Engine, RunStatement, WriteTransaction } from './engine.ts';
import { perActivity } from './per-activity.ts';
import { sql } from './statement.ts';

/** Change number of the last entry ever appended, or of the last one removed; 0 if there was none. */
type SpanEnd = 'outbox' | 'outbox-removed';

/** One end of the span, for each activity. */
export async function spanEnds(
  engine: Pick<Engine, 'isDistributed'>,
  query: RunStatement,
  end: SpanEnd,
  activities: readonly string[],
): Promise<ChangePosition> {
  const ends: Record<string, number> = Object.fromEntries(activities.map((activity) => [activity, 0]));
  const known = await perActivity(
    engine,
    query,
    activities,
    (some) => sql`select owner, last_change from revision where resource = ${end} and owner in (${sql.join(some)})`,
  );
  for (const [activity, number] of known) ends[String(activity)] = Number(number);
  return ends;
}

/** Records one end of the span of an activity. */
export async function saveSpanEnd(
  transaction: WriteTransaction,
  activity: string,
  end: SpanEnd,
  changeNumber: number,
): Promise<void> {
  await saveRevision(transaction, activity, end, changeNumber);
}

/**
 * Locks the beginning of the span until the transaction ends, so that a consumer appears before or after a removal and
 * never in the middle of it.
 * @returns change number up to which entries have been removed
 */
export async function holdRemoval(transaction: WriteTransaction, activity: string): Promise<number> {
  const end: SpanEnd = 'outbox-removed';
  const [row] = await transaction.query(
    sql`
      insert into revision (owner, resource, last_change) values (${activity}, ${end}, 0) on conflict (owner, resource)
      do update set last_change = revision.last_change returning last_change
    `,
  );
  return Number(row?.[0]);
}
