// Converts the steps of a parcel's way from carriers' notation to the interface's: local day and hour, oldest first.
import { type Tracking, trackingLimits, type TrackingStep } from '../model/shipping.ts';
import type { ParcelTask } from './carrier.ts';
import { shortened } from './carrier-messages.ts';
import { clockTime, instantAt } from '../model/zone-clock.ts';

/** When something happened. */
export interface StepTime {
  /** YYYY-MM-DD in local time, '' if the carrier gives none. */
  readonly date: string;
  /** HH:mm in local time, '' if the carrier gives none. */
  readonly hour: string;
  /** Milliseconds since 1970, for times without an offset as if they were UTC; null if the time is unknown. */
  readonly at: number | null;
}

export interface TimedStep {
  readonly step: TrackingStep;
  readonly at: number | null;
  /** `at` is what the clock of the place shows, and other steps may have other clocks. */
  readonly isLocal?: boolean;
}

/**
 * When a step without an offset happened: an instant, if all clocks of its country show the same time.
 * @param at as if its time were in UTC
 * @param zones of the place; none: not known
 */
export function localMoment(at: number | null, zones: readonly string[]): Pick<TimedStep, 'at' | 'isLocal'> {
  const instant = at === null ? null : instantAt(at, zones);
  return instant === null ? { at, isLocal: true } : { at: instant, isLocal: false };
}

type Listing = 'newest first' | 'oldest first';

const isoTime = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)?\s*(Z|[+-]\d{2}(?::?\d{2})?)?)?$/i;
const isUtc = /^(?:Z|[+-]00(?::?00)?)$/i;
const unknownTime: StepTime = { date: '', hour: '', at: null };

/**
 * Reads an ISO 8601 time. Day and hour are taken as written: a carrier that writes an offset other than UTC writes
 * local time. A time in UTC is converted if the zone of the place is known.
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

/** Whether a time says how far its clock is from UTC. */
export function hasUtcOffset(text: string): boolean {
  const [, , , , , offset = ''] = isoTime.exec(text.trim()) ?? [];
  return offset !== '';
}

/**
 * Sorts by time, oldest first; steps of the same moment stay in the order of the way. A step without a time stays
 * behind the one that it follows.
 * @param listing how the carrier lists them, used if their times do not tell
 */
export function oldestFirst(steps: readonly TimedStep[], listing: Listing): readonly TrackingStep[] {
  return inOrder(steps, listing).map(({ step }) => step);
}

/**
 * The same, with what else is known of the steps. Clocks of several places do not tell the order: the carrier's listing
 * does then, unless no clocks in the world could show these times in this order.
 */
export function inOrder<T extends TimedStep>(steps: readonly T[], listing: Listing): readonly T[] {
  const listed = listing === 'newest first' ? [steps.toReversed(), steps] : [steps, steps.toReversed()];
  return (steps.some(({ isLocal }) => isLocal) ? listed.find(isPossible) : undefined) ?? byTime(steps, listing);
}

function byTime<T extends TimedStep>(steps: readonly T[], listing: Listing): readonly T[] {
  const times = steps.flatMap(({ at }) => (at === null ? [] : [at]));
  const [first = 0, last = first] = [times[0], times.at(-1)];
  const isTurned = first === last ? listing === 'newest first' : first > last;
  let latest = Number.NEGATIVE_INFINITY;
  const timed = (isTurned ? steps.toReversed() : steps).map((step) => {
    latest = step.at ?? latest;
    return { step, at: latest };
  });
  return timed.toSorted((left, right) => (left.at === right.at ? 0 : left.at - right.at)).map(({ step }) => step);
}

/** Clocks of two places differ by at most this: UTC+14 and UTC-12. */
const maxClockGapMs = 26 * 60 * 60 * 1000;

/** Whether the steps can have come in this order: no clock goes back at a place, or by more than clocks differ. */
function isPossible(way: readonly TimedStep[]): boolean {
  const timed = way.flatMap(({ step: { location }, at }) => (at === null ? [] : [{ location, at }]));
  let latest = Number.NEGATIVE_INFINITY;
  return timed.every(({ location, at }, index) => {
    const before = timed[index - 1];
    latest = Math.max(latest, at);
    return at >= latest - maxClockGapMs && (before?.location !== location || at >= before.at);
  });
}

/** How long a carrier may not know an announced parcel: it may not have been handed in yet. */
const awaitedMs = 14 * 24 * 60 * 60 * 1000;

/**
 * Whether the label was made here recently: the parcel counts as registered even if the carrier does not know it yet.
 */
export function isAwaited({ label, now }: ParcelTask): boolean {
  return label !== null && now - label.createdAt < awaitedMs;
}

/** Tracking of a parcel that is only announced. */
export function registered(wording: string): Tracking {
  return { status: '80', wording1: wording, wording2: '', relayWording: '', relayNumber: '', steps: [] };
}

/**
 * Tracking as it may be answered, whatever the carrier wrote: texts on one line and no longer than the interface says,
 * the newest steps. Codes that are too long are none.
 */
export function tidyTracking({ status, wording1, wording2, relayWording, relayNumber, steps }: Tracking): Tracking {
  const { wording, place, number, country } = trackingLimits;
  return {
    status,
    wording1: shortened(wording1, wording),
    wording2: shortened(wording2, wording),
    relayWording: shortened(relayWording, place),
    relayNumber: codeOf(relayNumber, number),
    steps: steps.slice(-trackingLimits.steps).map((step) => ({
      wording: shortened(step.wording, wording),
      date: step.date,
      hour: step.hour,
      location: shortened(step.location, place),
      relayId: codeOf(step.relayId, number),
      relayCountry: codeOf(step.relayCountry, country),
    })),
  };
}

function codeOf(text: string, maxLength: number): string {
  return text.length > maxLength ? '' : text;
}

/** `+0200` and `+02` as `+02:00`. */
function isoZone(zone: string): string {
  const figures = zone.replace(':', '').slice(1);
  return zone.toUpperCase() === 'Z'
    ? 'Z'
    : `${zone.slice(0, 1)}${figures.slice(0, 2)}:${figures.slice(2).padEnd(2, '0')}`;
}
