// Pick-up points near an address: what is asked, what a point is, and how what carriers write becomes that.
import type { LabelRequest } from '../model/shipping.ts';
import type { CarrierAccount } from './carrier.ts';

/** Where points are looked for, in the fields of the label request that they are for; '' where nothing is said. */
export type PointQuery = Pick<
  LabelRequest,
  'destAddr2' | 'destZip' | 'destCity' | 'destCountry' | 'weight' | 'modeLiv'
>;

/** A question for points. */
export interface PointTask {
  readonly account: CarrierAccount;
  readonly query: PointQuery;
  /** Most points that are wanted. */
  readonly limit: number;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Fields of a label request by which its parcel goes to a point. */
type PointFields = Pick<LabelRequest, 'modeLiv' | 'shippingPickupPoint' | 'shippingPickupPointCountry'>;

/** A point where a recipient can collect a parcel. */
export interface PickupPoint {
  readonly labelRequest: PointFields;
  readonly name: string;
  readonly street: string;
  /** More of the address, '' where there is none. */
  readonly supplement: string;
  readonly zip: string;
  readonly city: string;
  readonly country: string;
  readonly latitude: number | null;
  readonly longitude: number | null;
  /** From the address that was asked about; null where the carrier does not say. */
  readonly distanceMeters: number | null;
  /** Heaviest parcel that the point takes; null where the carrier does not say. */
  readonly maxGrams: number | null;
  /** In the order of days and times; empty where the carrier says none. */
  readonly openingHours: readonly OpeningHours[];
}

export const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;

/** A time of a day in which a point is open, on the clock of the place. */
interface OpeningHours {
  readonly day: (typeof weekdays)[number];
  /** HH:mm. */
  readonly from: string;
  readonly to: string;
}

/**
 * The times of one day. Times that are none, and those of length zero, which stand for closed, are left out.
 * @param dayNumber 1 for Monday to 7 for Sunday
 * @param spans beginnings and ends, as `9:00`, `09:00:00` or `0900`
 */
export function openingHoursOf(
  dayNumber: number,
  spans: readonly (readonly [from: string, to: string])[],
): readonly OpeningHours[] {
  const day = weekdays[dayNumber - 1];
  if (day === undefined) return [];
  return spans.flatMap(([first, last]) => {
    const [from, to] = [clockOf(first), clockOf(last)];
    return from === null || to === null || from >= to ? [] : [{ day, from, to }];
  });
}

/** Spans in a text like `09:00-12:00 14:00-19:00`. */
export function spansIn(text: string): readonly (readonly [from: string, to: string])[] {
  return [...text.matchAll(/(\d{1,2}:\d{2})\s*-\s*(\d{1,2}:\d{2})/g)].map(([, from = '', to = '']) => [from, to]);
}

/** A number that a carrier writes with a point or a comma; null for anything else. */
export function decimal(text: string): number | null {
  return /^-?\d{1,12}([.,]\d{1,20})?$/.test(text) ? Number(text.replace(',', '.')) : null;
}

/** A distance or a weight in whole meters or grams; null where it is none. @param factor of the unit that is written */
export function wholeOf(text: string, factor = 1): number | null {
  const value = decimal(text);
  return value === null || value < 0 ? null : Math.round(value * factor);
}

function clockOf(text: string): string | null {
  const [, hours = '', minutes = ''] = /^(\d{1,2}):?(\d{2})(?::\d{2})?$/.exec(text.trim()) ?? [];
  return hours === '' || Number(hours) > 24 || Number(minutes) > 59 ? null : `${hours.padStart(2, '0')}:${minutes}`;
}

const maxText = 255;
/** Weeks have 7 days, and no shop closes more often than that on one of them. */
const maxOpeningHours = 70;

/**
 * What carriers give, made fit to be handed on: the nearest first, each number once, no more than are wanted; without
 * those whose number no label request can hold, or that take no parcel of this weight. Texts are short and on one line.
 */
export function tidyPoints(points: readonly PickupPoint[], { query, limit }: PointTask): readonly PickupPoint[] {
  const grams = wholeOf(query.weight);
  const usable = new Map<string, PickupPoint>();
  for (const point of points) {
    const { shippingPickupPoint: number } = point.labelRequest;
    const isTooHeavy = grams !== null && point.maxGrams !== null && grams > point.maxGrams;
    if (/^[\x21-\x7e]{1,30}$/.test(number) && !isTooHeavy && !usable.has(number)) usable.set(number, point);
  }
  return [...usable.values()]
    .toSorted((left, right) => (left.distanceMeters ?? Infinity) - (right.distanceMeters ?? Infinity) || 0)
    .slice(0, limit)
    .map(tidied);
}

function tidied(point: PickupPoint): PickupPoint {
  return {
    ...point,
    name: oneLine(point.name),
    street: oneLine(point.street),
    supplement: oneLine(point.supplement),
    zip: oneLine(point.zip),
    city: oneLine(point.city),
    country: /^[A-Z]{2}$/.test(point.country) ? point.country : '',
    latitude: within(point.latitude, 90),
    longitude: within(point.longitude, 180),
    openingHours: point.openingHours.slice(0, maxOpeningHours),
  };
}

/** Without control characters and those that change the direction of writing: it is shown in lists of others. */
function oneLine(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Cf}\p{Cs}\s]+/gu, ' ').trim();
  return Array.from(line).slice(0, maxText).join('').trimEnd();
}

function within(value: number | null, max: number): number | null {
  return value === null || Math.abs(value) > max ? null : value;
}
