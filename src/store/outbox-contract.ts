// The outbox as the rest of the program sees it; both engines behave alike.
import type { EntryOf } from './audit-contract.ts';
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
export interface ConsumerPosition {
  readonly consumer: string;
  readonly activity: string;
  readonly delivered: number;
  readonly acknowledged: number;
  /** When it was last given something new, or acknowledged something; milliseconds. 0: it is not known yet. */
  readonly updatedAt: number;
  readonly export: { readonly file: string; readonly to: number } | null;
}

/** The same, with what it has not acknowledged. */
export interface ConsumerProgress extends ConsumerPosition {
  /** Number of entries; 10,000 stands for that many or more. */
  readonly waiting: number;
  /** When the oldest of them was written, milliseconds; null if nothing waits. */
  readonly waitingSince: number | null;
}

/** The platform key that reads as a consumer, and how many consumers it may make known. */
export interface ConsumerCreator {
  readonly keyId: string;
  readonly max: number;
}

/** What clients wrote for the warehouse, in change order per activity; each consumer reads at its own pace. */
export interface Outbox {
  /** Last change number of an entry per activity; 0 if there was none. A single cheap look-up. */
  ends(activities: readonly string[]): Promise<ChangePosition>;
  /** Change number up to which entries have been removed, per activity; 0: none. */
  removedTo(activities: readonly string[]): Promise<ChangePosition>;
  /**
   * Entries after a position, activity after activity, each in change order: up to `limit`, or as many as fit into 8
   * MiB of bodies, but at least one. `next` names every activity.
   */
  read(
    activities: readonly string[],
    after: ChangePosition,
    limit: number,
  ): Promise<{ readonly entries: readonly OutboxEntry[]; readonly next: ChangePosition; readonly more: boolean }>;
  /**
   * The positions of one consumer in these activities; an unknown consumer starts where entries have been removed to.
   */
  positions(consumer: string, activities: readonly string[]): Promise<readonly ConsumerPosition[]>;
  /** The same, and what waits for it. */
  progress(consumer: string, activities: readonly string[]): Promise<readonly ConsumerProgress[]>;
  /**
   * Records what a consumer was given; its position never moves backwards. Makes the consumer known; without `by` it is
   * a command, for which there is no limit.
   * @returns false, with nothing written, if the key may make no further consumer known
   */
  noteDelivered(consumer: string, position: ChangePosition, by?: ConsumerCreator | null): Promise<boolean>;
  /**
   * The consumers that a key has made known, if this one would exceed its limit; null: it would not. Forgotten ones no
   * longer count.
   */
  consumersInTheWay(consumer: string, by: ConsumerCreator): Promise<readonly string[] | null>;
  /**
   * Records what a consumer has acknowledged; its position never moves backwards, and repeating it changes nothing.
   * @param audit is left in the trail by an acknowledgement that changes something
   * @returns the activities, with the delivered position, in which the position lies beyond that; then nothing was
   *   written
   */
  acknowledge(consumer: string, position: ChangePosition, audit?: NewAuditEntry | null): Promise<ChangePosition | null>;
  /** Records the complete file of an export; null: it has been handed over. */
  noteExport(
    consumer: string,
    activity: string,
    file: { readonly file: string; readonly to: number } | null,
  ): Promise<void>;
  /** Progress of all consumers, by name; gives way to other work meanwhile. */
  consumers(): Promise<readonly ConsumerProgress[]>;
  /**
   * Forgets a consumer: entries that it has not acknowledged are no longer kept for it. Returns whether it was known.
   */
  forget(consumer: string, entryOf?: EntryOf<readonly string[]>): Promise<boolean>;
  /**
   * Removes entries older than an instant (milliseconds) that every known consumer has acknowledged; none if there is
   * no consumer. Returns how many.
   */
  removeAcknowledged(before: number): Promise<number>;
}
