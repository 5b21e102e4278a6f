// Requests to the demonstration, by a command or over HTTP: to set its clock forward, or to make a fault happen.
import type { NewAuditEntry } from '../store/audit-contract.ts';
import type { DemoAdvance } from '../store/demo-advances.ts';
import type { StoredDemoClock } from '../store/demonstration.ts';
import type { WriteUnit } from '../store/store.ts';
import { demoActivities } from './activities.ts';
import { clockAt, maxAheadMs } from './clock.ts';
import type { DemoFault } from './faults.ts';
import { warehouseVersion } from './warehouse.ts';

/**
 * Why a request is refused: there is no demonstration, it was played by other rules and stands still, the clock would
 * be too far ahead, or too many requests wait.
 */
type DemoRefusal = 'none' | 'other-version' | 'too-far' | 'too-many';

export class DemoRefused extends Error {
  readonly reason: DemoRefusal;
  /** What to do, as a sentence. */
  readonly remedy: string;

  /** @param message what is wrong, for display */
  constructor(reason: DemoRefusal, message: string, remedy: string) {
    super(message);
    this.name = 'DemoRefused';
    this.reason = reason;
    this.remedy = remedy;
  }
}

/** An advance that failed; the message says why. */
export class AdvanceFailed extends Error {}

/** Most advances and most faults that may wait at once. */
const maxWaiting = 20;
const dayMs = 86_400_000;

/** A request to set the clock forward. */
interface NewAdvance {
  readonly durationMs: number;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** For display. */
  readonly by: string;
}

/**
 * Queues an advance: the process that runs the demonstration carries it out.
 * @param ask of storage, or of one of its transactions
 * @param audit entry of the same transaction; null: there is none
 * @throws DemoRefused
 */
export async function askAdvance(
  ask: WriteUnit['askAdvance'],
  { durationMs, now, by }: NewAdvance,
  audit: NewAuditEntry | null,
): Promise<DemoAdvance> {
  return ask(
    { durationMs, askedAt: now, askedBy: by },
    (clock, open) => {
      const reading = clockAt(living(clock), now);
      if (open.length >= maxWaiting) throw tooMany('advances');
      if (endOf(reading, open) + durationMs - now > maxAheadMs) throw tooFar();
    },
    audit,
  );
}

/**
 * Requests a fault in an activity of the demonstration.
 * @param ask of storage, or of one of its transactions
 * @param audit entry of the same transaction; null: there is none
 * @throws DemoRefused
 */
export async function askFault(
  ask: WriteUnit['askInput'],
  { activity, fault, now }: { readonly activity: string; readonly fault: DemoFault; readonly now: number },
  audit: NewAuditEntry | null,
): Promise<void> {
  const body = JSON.stringify({ kind: 'fault', activity, fault });
  const check = (clock: StoredDemoClock | null, waiting: number): void => {
    living(clock);
    if (waiting >= maxWaiting) throw tooMany('faults');
  };
  await ask(body, now, check, audit);
}

/** @throws DemoRefused if there is no clock, or one that this program cannot continue */
export function living(clock: StoredDemoClock | null): StoredDemoClock {
  if (clock === null)
    throw new DemoRefused(
      'none',
      'There is no demonstration here, or it is being made anew.',
      'One is made in an empty database: ./logistics-connect serve --demo',
    );
  if (clock.version !== warehouseVersion)
    throw new DemoRefused(
      'other-version',
      'This demonstration was filled by another version, and stands still.',
      'Make it anew: ./logistics-connect demo reset',
    );
  return clock;
}

/** The clock's time when all open advances have been carried out. */
function endOf(reading: number, open: readonly DemoAdvance[]): number {
  return open.reduce((clock, { toClock, durationMs }) => toClock ?? clock + durationMs, reading);
}

function tooMany(what: 'advances' | 'faults'): DemoRefused {
  return new DemoRefused('too-many', `${maxWaiting} ${what} wait already.`, 'Ask again when one of them is over.');
}

function tooFar(): DemoRefused {
  return new DemoRefused(
    'too-far',
    `The clock of the demonstration would be more than ${maxAheadMs / dayMs} days ahead of the time of day.`,
    'Ask for less, or make it anew: ./logistics-connect demo reset',
  );
}

export function isDemoActivity(code: string): boolean {
  return demoActivities.some((activity) => activity.code === code);
}
