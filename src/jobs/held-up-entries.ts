// Finds entries of the outbox that nobody takes: they cannot be removed, however old they are.
import type { Outbox } from '../store/outbox-contract.ts';
import { dayMs } from '../model/instant.ts';

/** What has waited longer does so for a reason that somebody should know. */
const usualWaitMs = 7 * dayMs;

/** Entries that have waited for more than a week. */
export interface HeldUp {
  /** Null: nobody takes what is written for this activity. */
  readonly consumer: string | null;
  readonly activityCode: string;
  /** Entries; 10,000 stand for any more. */
  readonly waiting: number;
  /** When the oldest was written, milliseconds. */
  readonly since: number;
}

/**
 * Finds consumers that do not take what waits for them, and activities that have no consumer: the outbox keeps it for
 * ever.
 * @param activityCodes all that there are
 */
export async function heldUpEntries(
  outbox: Pick<Outbox, 'consumers' | 'progress'>,
  activityCodes: readonly string[],
  now: number,
): Promise<readonly HeldUp[]> {
  const consumers = await outbox.consumers();
  const taken = new Set(consumers.map(({ activity }) => activity));
  // Nobody is called so: it stands where entries have been removed to.
  const nobody = await outbox.progress(
    '',
    activityCodes.filter((code) => !taken.has(code)),
  );
  return [...consumers, ...nobody].flatMap(({ consumer, activity, waiting, waitingSince }) =>
    waitingSince === null || waitingSince > now - usualWaitMs
      ? []
      : [{ consumer: consumer === '' ? null : consumer, activityCode: activity, waiting, since: waitingSince }],
  );
}
