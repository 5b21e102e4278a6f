// Steps of a parcel's way, from what carriers write to what the interface has: local day and hour, oldest first.
import type { Tracking, TrackingStep } from '../model/shipping.ts';
import type { ParcelTask } from './carrier.ts';
import { clockTime } from '../model/zone-clock.ts';

/** When something happened. */
export interface StepTime {
  /** YYYY-MM-DD in the place's own time, '' where the carrier says nothing. */
  readonly date: string;
  /** HH:mm in the place's own time, '' where the carrier says nothing. */
  readonly hour: string;
  /** Milliseconds since 1970, of times without an offset as if they were UTC; null where the time is not known. */
  readonly at: number | null;
}

export interface TimedStep {
  readonly step: TrackingStep;
  readonly at: number | null;
}

const isoTime = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)?\s*(Z|[+-]\d{2}(?::?\d{2})?)?)?$/i;
const isUtc = /^(?:Z|[+-]00(?::?00)?)$/i;
const unknownTime: StepTime = { date: '', hour: '', at: null };

/**
 * Reads a time as ISO 8601 has it. Day and hour are those that stand there: whoever writes another offset than that of
 * UTC writes the clock of the place. What is written in UTC is converted where the zone of the place is known.
 * @param zones of the place, by their names in the IANA data base; none: not known
 */
export function stepTime(text: string, zones: readonly string[] = []): StepTime {
  const [, date = '', hour = '', minute = '', second = '00', offset = ''] = isoTime.exec(text.trim()) ?? [];
  const zone = offset === '' ? 'Z' : offset;
  const midnight = Date.parse(`${date}T00:00:00Z`);
  // A 30th of February is read as a day in March.
  if (Number.isNaN(midnight) || new Date(midnight).toISOString().slice(0, 10) !== date) return unknownTime;
  const at = /^([01]\d|2[0-3])$/.test(hour)
    ? Date.parse(`${date}T${hour}:${minute}:${second}${isoZone(zone)}`)
    : Number.NaN;
  if (Number.isNaN(at)) return { date, hour: '', at: midnight };
  const local = isUtc.test(offset) ? clockTime(at, zones) : null;
  return { ...(local ?? { date, hour: `${hour}:${minute}` }), at };
}

/**
 * Sorts by time, oldest first; what happened in the same moment stays in the order of the way. A step without a time
 * stays behind the one that it follows.
 * @param listing how the carrier lists them, where their times do not tell
 */
export function oldestFirst(
  steps: readonly TimedStep[],
  listing: 'newest first' | 'oldest first',
): readonly TrackingStep[] {
  const times = steps.flatMap(({ at }) => (at === null ? [] : [at]));
  const [first = 0, last = first] = [times[0], times.at(-1)];
  const isTurned = first === last ? listing === 'newest first' : first > last;
  let latest = Number.NEGATIVE_INFINITY;
  const timed = (isTurned ? steps.toReversed() : steps).map(({ step, at }) => {
    latest = at ?? latest;
    return { step, at: latest };
  });
  return timed.toSorted((left, right) => (left.at === right.at ? 0 : left.at - right.at)).map(({ step }) => step);
}

/** How long a carrier may know nothing of a parcel that was announced to it: nobody may have handed it in yet. */
const awaited = 14 * 24 * 60 * 60 * 1000;

/** Whether the label was made here and lately: what the carrier does not know of yet is registered all the same. */
export function isAwaited({ label, now }: ParcelTask): boolean {
  return label !== null && now - label.createdAt < awaited;
}

/** Tracking of a parcel that is announced and no more. */
export function registered(wording: string): Tracking {
  return { status: '80', wording1: wording, wording2: '', relayWording: '', relayNumber: '', steps: [] };
}

/** `+0200` and `+02` as `+02:00`. */
function isoZone(zone: string): string {
  const figures = zone.replace(':', '').slice(1);
  return zone.toUpperCase() === 'Z'
    ? 'Z'
    : `${zone.slice(0, 1)}${figures.slice(0, 2)}:${figures.slice(2).padEnd(2, '0')}`;
}
