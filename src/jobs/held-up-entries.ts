// Finds entries of the outbox that nobody collects: they cannot be removed, however old they are.
import type { Outbox } from '../store/outbox-contract.ts';
import { dayMs } from '../model/instant.ts';

/** Entries that have waited longer do so for a reason that somebody should know about. */
const usualWaitMs = 7 * dayMs;

/** Entries that have waited for more than a week. */
export interface HeldUp {
  /** Null: no consumer collects what is written for this activity. */
  readonly consumer: string | null;
  readonly activityCode: string;
  /** Number of entries; 10,000 stands for that many or more. */
  readonly waiting: number;
  /** When the oldest was written, milliseconds. */
  readonly since: number;
}

/**
 * Finds consumers that do not collect what waits for them, and activities that have no consumer, whose entries the
 * outbox keeps for ever.
 * @param activityCodes all existing ones
 */
export async function heldUpEntries(
  outbox: Pick<Outbox, 'consumers' | 'progress'>,
  activityCodes: readonly string[],
  now: number,
): Promise<readonly HeldUp[]> {
  const consumers = await outbox.consumers();
  const taken = new Set(consumers.map(({ activity }) => activity));
  // No consumer has this name: it stands at the position up to which entries have been removed.
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
