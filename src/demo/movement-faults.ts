// The faults of movements that may be asked for: what becomes of one of those that are sent together.
import type { PlainRecord } from './catalogue.ts';
import type { DemoFault, PendingFaults } from './faults.ts';
import { CAUSES } from './ledger.ts';
import type { Gathered } from './messages.ts';

interface MovementFault {
  /** Whether it may happen to this movement. */
  readonly fits: (movement: PlainRecord) => boolean;
  /** What is sent instead; null: nothing. */
  readonly sent: (movement: PlainRecord) => PlainRecord | null;
  readonly told: (activity: string) => string;
}

/** Goods change their grade and stay where they are: one movement out of the old grade, one into the new one. */
const changesGrade = (movement: PlainRecord): boolean =>
  blocks(movement) || movement.movementCode === CAUSES.release.code;

const blocks = ({ movementCode }: PlainRecord): boolean => movementCode === CAUSES.quarantine.code;

const faultsOfMovements: Partial<Record<DemoFault, MovementFault>> = {
  'lost-movement': {
    fits: (movement) => !changesGrade(movement),
    sent: () => null,
    told: (activity) => `a movement of ${activity} is lost`,
  },
  'lost-grade-change': {
    fits: blocks,
    sent: () => null,
    told: (activity) => `one half of a change of grade of ${activity} is lost`,
  },
  'movement-without-direction': {
    fits: (movement) => !changesGrade(movement),
    sent: (movement) => ({ ...movement, movementDirection: null }),
    told: (activity) => `a movement of ${activity} has no direction`,
  },
};

export function isFaultOfMovements(fault: DemoFault): boolean {
  return faultsOfMovements[fault] !== undefined;
}

/**
 * Lets the faults happen that wait, each to the first movement that it fits; a message is never left empty.
 * @param latest only those that were asked for no later, milliseconds
 * @returns what happened, for people
 */
export function spoilMovement(
  activity: string,
  records: Gathered,
  faults: PendingFaults,
  latest: number,
): readonly string[] {
  const happened: string[] = [];
  for (const fault of faults.list()) {
    const how = faultsOfMovements[fault];
    if (how === undefined || records.size < 2 || !faults.waits(fault, latest)) continue;
    const [key, movement] = [...records].find(([, record]) => record !== null && how.fits(record)) ?? ['', null];
    if (movement === null || !faults.take(fault, latest)) continue;
    const sent = how.sent(movement);
    if (sent === null) records.delete(key);
    else records.set(key, sent);
    happened.push(`${how.told(activity)}: ${String(movement.movementCode)} of ${String(movement.articleReference)}`);
  }
  return happened;
}
