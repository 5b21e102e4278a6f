// What the demonstration shows of itself without being played again: whoever runs it writes this beside its clock.
import { isObject } from '../model/scalar.ts';
import { type DemoFault, isDemoFault } from './faults.ts';
import { parseInput } from './outside-inputs.ts';
import type { DemoNote, World } from './world.ts';

interface PendingFault {
  readonly activity: string;
  readonly fault: DemoFault;
}

interface DemoSummary {
  /** Faults that the warehouse knows of and that have not happened yet. */
  readonly faults: readonly PendingFault[];
  /** What happened that was asked for, the last ones. */
  readonly happened: readonly DemoNote[];
  readonly next: readonly DemoNote[];
}

/** Lines that are shown of what happened and of what happens next. */
const maxShown = 10;

export function summaryOfWorld(world: World): DemoSummary {
  return {
    faults: world.pendingFaults(),
    happened: world.notes().slice(-maxShown),
    next: world.upcoming(maxShown).map(({ at, title }) => ({ at, text: title })),
  };
}

/** @param text what was stored; null: nothing was so far. What a later version wrote otherwise is left out. */
export function parseSummary(text: string | null): DemoSummary {
  const stored: unknown = text === null ? null : JSON.parse(text);
  const { faults, happened, next } = isObject(stored) ? stored : {};
  return {
    faults: listIn(faults).flatMap(({ activity, fault }) =>
      typeof activity === 'string' && typeof fault === 'string' && isDemoFault(fault) ? [{ activity, fault }] : [],
    ),
    happened: listIn(happened).flatMap(noteOf),
    next: listIn(next).flatMap(noteOf),
  };
}

function listIn(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function noteOf({ at, text }: Readonly<Record<string, unknown>>): readonly DemoNote[] {
  return typeof at === 'number' && typeof text === 'string' ? [{ at, text }] : [];
}

/** The fault that an input asks for; null: it is something else. @param body as it is stored */
export function faultIn(body: string): PendingFault | null {
  const input = parseInput(body);
  return input.kind === 'fault' ? { activity: input.activity, fault: input.fault } : null;
}
