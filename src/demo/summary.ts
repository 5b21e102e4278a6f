// A summary of the demonstration that can be shown without playing it again: the process that runs it stores this
// beside its clock.
import { isObject } from '../model/scalar.ts';
import { type DemoFault, isDemoFault } from './faults.ts';
import { parseInput } from './outside-inputs.ts';
import { type DemoNote, isNoteCode } from './notes.ts';
import type { Warehouse } from './warehouse.ts';

interface PendingFault {
  readonly activity: string;
  readonly fault: DemoFault;
}

interface DemoSummary {
  /** Faults that the warehouse has received and that have not happened yet. */
  readonly faults: readonly PendingFault[];
  /** The last notes: what happened on request. */
  readonly happened: readonly DemoNote[];
  readonly next: readonly DemoNote[];
}

/** Notes shown of past and of coming events. */
const maxShown = 10;

/**
 * The text that is stored.
 * @param warehouses of different activities, which have been played to the same instant
 */
export function warehouseSummary(...warehouses: readonly Warehouse[]): string {
  const byTime = (one: DemoNote, other: DemoNote): number => one.at - other.at;
  const summary: DemoSummary = {
    faults: warehouses.flatMap((warehouse) => warehouse.pendingFaults()),
    happened: warehouses
      .flatMap((warehouse) => warehouse.notes())
      .toSorted(byTime)
      .slice(-maxShown),
    next: warehouses
      .flatMap((warehouse) => warehouse.upcoming(maxShown))
      .toSorted(byTime)
      .slice(0, maxShown),
  };
  return JSON.stringify(summary);
}

/** @param text as stored; null: nothing so far. Parts that another version wrote differently are left out. */
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
  if (typeof code !== 'string' || !isNoteCode(code)) return [];
  const values = Object.entries(fields).flatMap(([name, value]): readonly (readonly [string, string | number])[] =>
    typeof value === 'string' || typeof value === 'number' ? [[name, value]] : [],
  );
  return [{ at, activityCode, code, fields: Object.fromEntries(values) }];
}

/** The fault that an input requests; null: it requests something else. @param body as stored */
export function faultIn(body: string): PendingFault | null {
  const input = parseInput(body);
  return input.kind === 'fault' ? { activity: input.activity, fault: input.fault } : null;
}
