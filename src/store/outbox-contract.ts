// What the rest of the program asks of the outbox; both engines answer alike.
import type { ChangePosition } from '../model/plan.ts';
import type { NewAuditEntry } from './audit-contract.ts';

/** One entry of the outbox. */
export interface OutboxEntry {
  readonly activity: string;
  readonly changeNumber: number;
  readonly kind: 'article' | 'document';
  /** JSON text of the article, or of the document's metadata. */
  readonly body: string;
  readonly operationId: string;
  /** Milliseconds. */
  readonly createdAt: number;
}

/** How far a consumer has come in one activity: change numbers of outbox entries. */
export interface ConsumerStanding {
  readonly consumer: string;
  readonly activity: string;
  readonly delivered: number;
  readonly acknowledged: number;
  /** When it was last given something new, or acknowledged something; milliseconds. 0: it is not known yet. */
  readonly updatedAt: number;
  readonly export: { readonly file: string; readonly to: number } | null;
}

/** The same with what it has not acknowledged. */
export interface ConsumerProgress extends ConsumerStanding {
  /** Entries; 10,000 stand for any more. */
  readonly waiting: number;
  /** When the oldest of them was written, milliseconds; null where nothing waits. */
  readonly waitingSince: number | null;
}

/** The platform key that reads as a consumer, and how many consumers it may make known. */
export interface MadeKnownBy {
  readonly keyId: string;
  readonly max: number;
}

/** What clients wrote and the warehouse takes, in change order per activity; each consumer at its own pace. */
export interface Outbox {
  /** Last change number of an entry per activity; 0 where there was none. One tiny look-up. */
  ends(activities: readonly string[]): Promise<ChangePosition>;
  /** Change number up to which entries have been removed, per activity; 0: none. */
  removedTo(activities: readonly string[]): Promise<ChangePosition>;
  /**
   * Entries after a position, activity after activity, each in change order: so many, or as many as 8 MiB of bodies
   * hold, but one at least. `next` names every activity.
   */
  read(
    activities: readonly string[],
    after: ChangePosition,
    limit: number,
  ): Promise<{ readonly entries: readonly OutboxEntry[]; readonly next: ChangePosition; readonly more: boolean }>;
  /**
   * Where one consumer stands in these activities; one that is not known yet stands where entries have been removed to.
   */
  standing(consumer: string, activities: readonly string[]): Promise<readonly ConsumerStanding[]>;
  /** The same, and what waits for it. */
  progress(consumer: string, activities: readonly string[]): Promise<readonly ConsumerProgress[]>;
  /**
   * Notes what a consumer was given; never backwards. Makes the consumer known; without `by` a command does, which may
   * always.
   * @returns false, and nothing is noted, where the key may make no further consumer known
   */
  noteDelivered(consumer: string, position: ChangePosition, by?: MadeKnownBy | null): Promise<boolean>;
  /**
   * The consumers that a key has made known, where this would be one more than it may; null: it may. Forgotten ones
   * count no more.
   */
  consumersInTheWay(consumer: string, by: MadeKnownBy): Promise<readonly string[] | null>;
  /**
   * Notes what a consumer has taken in; never backwards, and the same again changes nothing.
   * @param audit is left in the trail by an acknowledgement that changes something
   * @returns the activities, with what was delivered, in which the position lies beyond that; then nothing was noted
   */
  acknowledge(consumer: string, position: ChangePosition, audit?: NewAuditEntry | null): Promise<ChangePosition | null>;
  /** Notes the complete file of an export, or with null that it has been handed over. */
  noteExport(
    consumer: string,
    activity: string,
    file: { readonly file: string; readonly to: number } | null,
  ): Promise<void>;
  /** Progress of all consumers, by their names; gives way to others meanwhile. */
  consumers(): Promise<readonly ConsumerProgress[]>;
  /** Forgets a consumer: what it did not take no longer keeps entries. Returns whether it was known. */
  forget(consumer: string): Promise<boolean>;
  /**
   * Removes entries older than an instant (milliseconds) that every known consumer has acknowledged; none where there
   * is no consumer. Returns how many.
   */
  removeAcknowledged(before: number): Promise<number>;
}
