// When things happen in the demonstration warehouse: working days, preparation waves, departures. All times are UTC, in
// milliseconds since 1970.
import { dayMs } from '../model/instant.ts';

export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;

/** Days of history in the demonstration. */
export const historyDays = 60;
/** Hours at which waves are launched: the second one is the cut-off, at noon or one o'clock in France. */
const waveHours = [7, 11];
/** Hour at which the trucks leave, loaded with parcels: before the sandbox carrier reports the collection. */
const departureHour = 15;

/** Hour at which the nightly stock image is taken. */
export const imageHour = 4;
/** From taking an image until it is ready to be sent. */
export const imageWorkMs = 12 * minuteMs;

/** Start of the day. */
export function midnight(at: number): number {
  return at - (at % dayMs);
}

/** The first wave at or after an instant; none on Sundays. */
export function nextWave(at: number): { readonly at: number; readonly rank: number } {
  for (let day = midnight(at); ; day += dayMs) {
    if (new Date(day).getUTCDay() === 0) continue;
    for (const [index, hour] of waveHours.entries())
      if (day + hour * hourMs >= at) return { at: day + hour * hourMs, rank: index + 1 };
  }
}

/** Departure of the goods packed at an instant. */
export function departure(packedAt: number): number {
  return midnight(packedAt) + departureHour * hourMs;
}

/** The same time on the next working day, if the day is a Sunday. */
export function onWorkingDay(at: number): number {
  return new Date(at).getUTCDay() === 0 ? at + dayMs : at;
}

/** The first nightly stock image after an instant. */
export function nextImage(at: number): number {
  const ofDay = midnight(at) + imageHour * hourMs;
  return ofDay > at ? ofDay : ofDay + dayMs;
}

export function iso(at: number): string {
  return new Date(at).toISOString();
}

/** Day as six digits, `260302`: part of many numbers in a warehouse. */
export function dayCode(at: number): string {
  return iso(at).slice(2, 10).replaceAll('-', '');
}
