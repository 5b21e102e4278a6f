// The faults of movements that may be requested: each changes one of the movements that are sent together.
import type { PlainRecord } from './catalogue.ts';
import type { DemoFault, PendingFaults } from './faults.ts';
import { CAUSES } from './ledger.ts';
import type { Gathered } from './messages.ts';
import { type NoteText, noteText } from './notes.ts';

interface MovementFault {
  /** Whether the fault may happen to this movement. */
  readonly fits: (movement: PlainRecord) => boolean;
  /** What is sent instead; null: nothing. */
  readonly sent: (movement: PlainRecord) => PlainRecord | null;
  readonly told: 'movement-lost' | 'grade-change-lost' | 'movement-undirected';
}

/** Goods change their grade in place: one movement out of the old grade, one into the new one. */
const changesGrade = (movement: PlainRecord): boolean =>
  blocks(movement) || movement.movementCode === CAUSES.release.code;

const blocks = ({ movementCode }: PlainRecord): boolean => movementCode === CAUSES.quarantine.code;

const faultsOfMovements: Partial<Record<DemoFault, MovementFault>> = {
  'lost-movement': {
    fits: (movement) => !changesGrade(movement),
    sent: () => null,
    told: 'movement-lost',
  },
  'lost-grade-change': {
    fits: blocks,
    sent: () => null,
    told: 'grade-change-lost',
  },
  'movement-without-direction': {
    fits: (movement) => !changesGrade(movement),
    sent: (movement) => ({ ...movement, movementDirection: null }),
    told: 'movement-undirected',
  },
};

export function isFaultOfMovements(fault: DemoFault): boolean {
  return faultsOfMovements[fault] !== undefined;
}

/**
 * Makes the waiting faults happen, each to the first movement that it fits; a message is never left empty.
 * @param latest only faults requested no later than this, milliseconds
 * @returns what happened
 */
export function spoilMovement(records: Gathered, faults: PendingFaults, latest: number): readonly NoteText[] {
  const happened: NoteText[] = [];
  for (const fault of faults.list()) {
    const how = faultsOfMovements[fault];
    if (how === undefined || records.size < 2 || !faults.waits(fault, latest)) continue;
    const [key, movement] = [...records].find(([, record]) => record !== null && how.fits(record)) ?? ['', null];
    if (movement === null || !faults.take(fault, latest)) continue;
    const sent = how.sent(movement);
    if (sent === null) records.delete(key);
    else records.set(key, sent);
    const { movementCode, articleReference } = movement;
    happened.push(
      noteText(how.told, { movementCode: String(movementCode), articleReference: String(articleReference) }),
    );
  }
  return happened;
}
