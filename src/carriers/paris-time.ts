// The time of France, whatever zone this machine is in: what the clock on the wall shows, and when.
import { LRUCache } from 'lru-cache';

/** What the clock shows at an instant, to the second. @param instant milliseconds since 1970 */
export function wallClock(instant: number): number {
  const second = Math.floor(instant / 1000) * 1000;
  return second + aheadAt(second);
}

/**
 * The instant at which the clock shows a time; of two such, in October, the first; of none, in March, an hour later.
 */
export function instantOf(wall: number): number {
  const winter = wall - 3_600_000;
  const summer = wall - 7_200_000;
  return wallClock(summer) === wall ? summer : winter;
}

/** Day and hour as the clock shows them: `2026-11-21` and `14:05`. */
export function dayAndHour(instant: number): { readonly date: string; readonly hour: string } {
  const text = new Date(wallClock(instant)).toISOString();
  return { date: text.slice(0, 10), hour: text.slice(11, 16) };
}

/** Day and time to the second: `2026-11-21` and `09:05:00`. @param instant milliseconds since 1970 */
export function parisTime(instant: number): { readonly date: string; readonly time: string } {
  const text = new Date(wallClock(instant)).toISOString();
  return { date: text.slice(0, 10), time: text.slice(11, 19) };
}

/**
 * How far the clock is ahead of UTC. It is set at full hours of UTC, so that one answer serves an hour.
 * @param second an instant without its milliseconds
 */
function aheadAt(second: number): number {
  const hour = Math.floor(second / 3_600_000);
  const known = ahead.get(hour);
  if (known !== undefined) return known;
  clock ??= new Intl.DateTimeFormat('en-GB', {
    timeZone: 'Europe/Paris',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  });
  const parts = Object.fromEntries(clock.formatToParts(second).map(({ type, value }) => [type, Number(value)]));
  const { year = 1970, month = 1, day = 1, hour: shown = 0, minute = 0, second: seconds = 0 } = parts;
  const found = Date.UTC(year, month - 1, day, shown, minute, seconds) - second;
  ahead.set(hour, found);
  return found;
}

/** Asking the calendar takes as long as a fifth of a label. */
const ahead = new LRUCache<number, number>({ max: 1000 });

/** Made at first use: it takes memory that a server without labels does not need. */
let clock: Intl.DateTimeFormat | undefined;
