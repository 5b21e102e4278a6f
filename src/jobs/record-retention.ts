// Removes records, and the details of feed messages, whose retention has ended, or reports what would be removed.
import { dayMs } from '../model/instant.ts';
import type { Store } from '../store/store.ts';
import { agingResources, type RetentionPolicy, type RetentionSubject } from './retention-policy.ts';

/** What was, or would be, removed of one subject of one activity. */
export interface RetentionResult {
  readonly activity: string;
  readonly subject: RetentionSubject;
  /** The limit: what was last written before this instant, milliseconds since 1970. */
  readonly before: number;
  /** Number of records, or of feed messages of which only the counts remain. */
  readonly removed: number;
  /** Dependent data: records by resource, `documents`, and for messages their `lines`. */
  readonly along: Readonly<Record<string, number>>;
  /** Number of records that are old enough but kept because of data that belongs to them. */
  readonly heldBack: number;
}

interface RetentionRound {
  readonly policy: RetentionPolicy;
  /** Codes. */
  readonly activities: readonly string[];
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Removes nothing, only counts. */
  readonly dryRun: boolean;
  /** Ends the round after the current step. */
  readonly stop?: AbortSignal;
  /** Called after each subject. */
  readonly onResult: (result: RetentionResult) => void;
}

/**
 * One round over all activities. Reports are removed before their orders, each according to its own rule. Several
 * processes may do this at once.
 */
export async function retainRecords(
  store: Pick<Store, 'recordRemoval' | 'feedRemoval'>,
  { policy, activities, now, dryRun, stop, onResult }: RetentionRound,
): Promise<void> {
  for (const activity of activities) {
    // Children first, so that those whose own time has ended do not hold a parent back.
    for (const resource of agingResources.toSorted(
      (a, b) => Number(b.parent !== undefined) - Number(a.parent !== undefined),
    )) {
      const { days } = policy(activity, resource.name);
      if (days === null || stop?.aborted === true) continue;
      const before = now - days * dayMs;
      const request = { resource, activity, before };
      const { records, children, documents, heldBack } = await (dryRun
        ? store.recordRemoval.countOld(request)
        : store.recordRemoval.removeOld(request, stop));
      const along = { ...children, ...(documents > 0 && { documents }) };
      onResult({ activity, subject: resource.name, before, removed: records, along, heldBack });
    }
    const { days } = policy(activity, 'feeds');
    if (days === null || stop?.aborted === true) continue;
    const before = now - days * dayMs;
    const { messages, lines } = await (dryRun
      ? store.feedRemoval.countOld(activity, before)
      : store.feedRemoval.removeOld(activity, before));
    const along: Readonly<Record<string, number>> = lines > 0 ? { lines } : {};
    onResult({ activity, subject: 'feeds', before, removed: messages, along, heldBack: 0 });
  }
}
