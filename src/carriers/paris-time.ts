// French local time, whatever this machine's time zone.
import { instantsOf, wallTime } from '../model/zone-clock.ts';

const zone = 'Europe/Paris';

/** Local time at an instant, to the second. @param instant milliseconds since 1970 */
export function wallClock(instant: number): number {
  return wallTime(Math.floor(instant / 1000) * 1000, zone);
}

/** The instant of a local time; the first of two in October; an hour later if it does not exist, in March. */
export function instantOf(wall: number): number {
  const { instants, beside } = instantsOf(wall, zone);
  return instants[0] ?? beside.later;
}

/** Day and hour in local time: `2026-11-21` and `14:05`. */
export function dayAndHour(instant: number): { readonly date: string; readonly hour: string } {
  const text = new Date(wallClock(instant)).toISOString();
  return { date: text.slice(0, 10), hour: text.slice(11, 16) };
}

/** The day as French services write it: `21/11/2026`. @param instant milliseconds since 1970 */
export function frenchDay(instant: number): string {
  return parisTime(instant).date.split('-').toReversed().join('/');
}

/** Day and time to the second: `2026-11-21` and `09:05:00`. @param instant milliseconds since 1970 */
export function parisTime(instant: number): { readonly date: string; readonly time: string } {
  const text = new Date(wallClock(instant)).toISOString();
  return { date: text.slice(0, 10), time: text.slice(11, 19) };
}
