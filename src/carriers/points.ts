// Pick-up points near an address: the question, the point, and how carriers' values are converted.
import type { LabelRequest } from '../model/shipping.ts';
import type { CarrierAccount } from './carrier.ts';

/** The address to search near, in the fields of the label request that they are for; '' if not given. */
export type PointQuery = Pick<
  LabelRequest,
  'destAddr2' | 'destZip' | 'destCity' | 'destCountry' | 'weight' | 'modeLiv'
>;

/** A question for points. */
export interface PointTask {
  readonly account: CarrierAccount;
  readonly query: PointQuery;
  /** Maximum number of points. */
  readonly limit: number;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Fields with which a label request sends its parcel to a point. */
type PointFields = Pick<LabelRequest, 'modeLiv' | 'shippingPickupPoint' | 'shippingPickupPointCountry'>;

/** A point where a recipient can collect a parcel. */
export interface PickupPoint {
  readonly labelRequest: PointFields;
  readonly name: string;
  readonly street: string;
  /** A further part of the address, '' if there is none. */
  readonly supplement: string;
  readonly zip: string;
  readonly city: string;
  readonly country: string;
  readonly latitude: number | null;
  readonly longitude: number | null;
  /** From the requested address; null if the carrier does not say. */
  readonly distanceMeters: number | null;
  /** Heaviest parcel that the point accepts; null if the carrier does not say. */
  readonly maxGrams: number | null;
  /** In the order of days and times; empty if the carrier gives none. */
  readonly openingHours: readonly OpeningHours[];
}

export const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;

/** A span of a day in which a point is open, in local time. */
interface OpeningHours {
  readonly day: (typeof weekdays)[number];
  /** HH:mm. */
  readonly from: string;
  readonly to: string;
}

/**
 * The opening hours of one day. Invalid times are left out, and so are spans of length zero, which stand for closed.
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

/** A number written with a point or a comma; null for anything else. */
export function decimal(text: string): number | null {
  return /^-?\d{1,12}([.,]\d{1,20})?$/.test(text) ? Number(text.replace(',', '.')) : null;
}

/** A distance or a weight in whole meters or grams; null if it is none. @param factor of the written unit */
export function wholeOf(text: string, factor = 1): number | null {
  const value = decimal(text);
  return value === null || value < 0 ? null : Math.round(value * factor);
}

function clockOf(text: string): string | null {
  const [, hours = '', minutes = ''] = /^(\d{1,2}):?(\d{2})(?::\d{2})?$/.exec(text.trim()) ?? [];
  return hours === '' || Number(hours) > 24 || Number(minutes) > 59 ? null : `${hours.padStart(2, '0')}:${minutes}`;
}

const maxText = 255;
/** A week has 7 days, and no shop closes more often than that on one of them. */
const maxOpeningHours = 70;

/**
 * Tidies a carrier's points to be passed on: the nearest first, each number once, no more than requested; without those
 * whose number no label request can hold, or that do not accept a parcel of this weight. Texts are short and on one
 * line.
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

/**
 * Without control characters and those that change the direction of writing: the text is shown in lists with others.
 */
function oneLine(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Cf}\p{Cs}\s]+/gu, ' ').trim();
  return Array.from(line).slice(0, maxText).join('').trimEnd();
}

function within(value: number | null, max: number): number | null {
  return value === null || Math.abs(value) > max ? null : value;
}
