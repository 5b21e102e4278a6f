// Time zones: what their clocks show, the instants at which they show a given time, and the zones of a country.
import { LRUCache } from 'lru-cache';

const hourMs = 3_600_000;

/** What the clock of a zone shows, as the milliseconds since 1970 at which a UTC clock shows the same. */
export function wallTime(instant: number, zone: string): number {
  return instant + aheadOfUtc(instant, zone);
}

interface Instants {
  /**
   * The instants at which the clock shows the time: usually one, two when it was set back, none when it was set
   * forward.
   */
  readonly instants: readonly number[];
  /** When there is none: the instants as far before and after the change. */
  readonly beside: { readonly earlier: number; readonly later: number };
}

/**
 * When the clock of a zone shows a time. Zones change at most once within two days, and by at most three hours, except
 * for a few days that some islands once skipped.
 * @param wall what the clock shows, as milliseconds since 1970 of a clock that shows UTC
 * @param zone a zone for which `isZone` is true
 */
export function instantsOf(wall: number, zone: string): Instants {
  const before = aheadOfUtc(wall - 24 * hourMs, zone);
  const after = aheadOfUtc(wall + 24 * hourMs, zone);
  const instants = [...new Set([wall - before, wall - after])]
    .filter((instant) => instant + aheadOfUtc(instant, zone) === wall)
    .sort((one, other) => one - other);
  return { instants, beside: { later: wall - before, earlier: wall - after } };
}

interface ClockTime {
  /** YYYY-MM-DD. */
  readonly date: string;
  /** HH:mm. */
  readonly hour: string;
}

/**
 * What the clocks of these zones show.
 * @param instant milliseconds since 1970
 * @param zones names of the IANA time zone database
 * @returns null when there is no zone, or when two of them show different times: it is then unknown which one applies
 */
export function clockTime(instant: number, zones: readonly string[]): ClockTime | null {
  const [only, ...others] = new Set(zones.map((zone) => wallTime(instant, zone)));
  if (only === undefined || others.length > 0) return null;
  const text = new Date(only).toISOString();
  return { date: text.slice(0, 10), hour: text.slice(11, 16) };
}

/**
 * When the clocks of these zones show a time: the first time if it was set back, as much later if it was set forward.
 * @param wall what they show, as milliseconds since 1970 of a clock that shows UTC
 * @returns null when there is no zone, or when two of them show it at different instants
 */
export function instantAt(wall: number, zones: readonly string[]): number | null {
  let only: number | null = null;
  for (const zone of zones) {
    const { instants, beside } = instantsOf(wall, zone);
    const found = instants[0] ?? beside.later;
    if (only !== null && found !== only) return null;
    only = found;
  }
  return only;
}

/** The zones of a country. @param country two letters (ISO 3166-1); other texts have none */
export function zonesOf(country: string): readonly string[] {
  if (!/^[A-Z]{2}$/i.test(country)) return [];
  const locale: object = new Intl.Locale(`und-${country}`);
  // TypeScript's types do not include this yet.
  const zones: unknown =
    'getTimeZones' in locale && typeof locale.getTimeZones === 'function' ? locale.getTimeZones() : [];
  return Array.isArray(zones) ? zones.filter((zone): zone is string => typeof zone === 'string') : [];
}

/** Whether this machine knows a zone by that name. */
export function isZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/** Milliseconds by which the clock of a zone is ahead of UTC. */
function aheadOfUtc(instant: number, zone: string): number {
  // Clocks change at full quarters of an hour, so one answer serves that long.
  const quarter = Math.floor(instant / (hourMs / 4)) * (hourMs / 4);
  const key = `${zone} ${quarter}`;
  const known = ahead.get(key);
  if (known !== undefined) return known;
  const parts = Object.fromEntries(
    clockOf(zone)
      .formatToParts(quarter)
      .map(({ type, value }) => [type, value]),
  );
  const { year, month, day, hour, minute, second } = parts;
  const shown = new Date(0);
  const years = parts.era === 'BC' ? 1 - Number(year) : Number(year);
  shown.setUTCFullYear(years, Number(month) - 1, Number(day));
  shown.setUTCHours(Number(hour), Number(minute), Number(second));
  const found = shown.getTime() - quarter;
  ahead.set(key, found);
  return found;
}

function clockOf(zone: string): Intl.DateTimeFormat {
  const clock =
    clocks.get(zone) ??
    new Intl.DateTimeFormat('en-GB', {
      timeZone: zone,
      era: 'short',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
      hourCycle: 'h23',
    });
  clocks.set(zone, clock);
  return clock;
}

/** Asking the calendar takes as long as all other work on a line together. */
const ahead = new LRUCache<string, number>({ max: 10_000 });
/** Created on first use; a mapping has few zones. */
const clocks = new LRUCache<string, Intl.DateTimeFormat>({ max: 50 });
