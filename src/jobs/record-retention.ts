// Removes records, and what messages of feeds tell beside their counts, that activities keep for a time only, or tells
// what would go.
import { dayMs } from '../model/instant.ts';
import type { Store } from '../store/store.ts';
import { agingResources, type RetentionPolicy, type RetentionSubject } from './retention-policy.ts';

/** What went, or would go, of one subject of one activity. */
export interface RetentionResult {
  readonly activity: string;
  readonly subject: RetentionSubject;
  /** What was last written before this instant, milliseconds since 1970. */
  readonly before: number;
  /** Records, or messages of feeds of which the counts alone are left. */
  readonly removed: number;
  /** What belonged to them: records by resource, `documents`, and of messages their `lines`. */
  readonly along: Readonly<Record<string, number>>;
  /** Records that are old enough, and stay because of what belongs to them. */
  readonly heldBack: number;
}

interface RetentionRound {
  readonly policy: RetentionPolicy;
  /** Codes. */
  readonly activities: readonly string[];
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Nothing is removed: what would go is counted. */
  readonly dryRun: boolean;
  /** Ends the round after the step that runs. */
  readonly stop?: AbortSignal;
  /** Is told of each subject once it is done. */
  readonly onResult: (result: RetentionResult) => void;
}

/**
 * One round over all activities. Reports go before their orders, each in its own time. Another process may do the same
 * at once.
 */
export async function retainRecords(
  store: Pick<Store, 'recordRemoval' | 'feedRemoval'>,
  { policy, activities, now, dryRun, stop, onResult }: RetentionRound,
): Promise<void> {
  for (const activity of activities) {
    // Children first: what has had its time by itself holds no parent back.
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
