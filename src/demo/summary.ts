// What the demonstration shows of itself without being played again: whoever runs it writes this beside its clock.
import { isObject } from '../model/scalar.ts';
import { type DemoFault, isDemoFault } from './faults.ts';
import { parseInput } from './outside-inputs.ts';
import { type DemoNote, isTellingCode } from './telling.ts';
import type { World } from './world.ts';

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
    next: world.upcoming(maxShown),
  };
}

/** @param text what was stored; null: nothing was so far. What another version wrote otherwise is left out. */
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

function noteOf({ at, activityCode, code, fields }: Readonly<Record<string, unknown>>): readonly DemoNote[] {
  if (typeof at !== 'number' || typeof activityCode !== 'string' || !isObject(fields)) return [];
  if (typeof code !== 'string' || !isTellingCode(code)) return [];
  const values = Object.entries(fields).flatMap(([name, value]): readonly (readonly [string, string | number])[] =>
    typeof value === 'string' || typeof value === 'number' ? [[name, value]] : [],
  );
  return [{ at, activityCode, code, fields: Object.fromEntries(values) }];
}

/** The fault that an input asks for; null: it is something else. @param body as it is stored */
export function faultIn(body: string): PendingFault | null {
  const input = parseInput(body);
  return input.kind === 'fault' ? { activity: input.activity, fault: input.fault } : null;
}
