// The clock of a place at an instant, for carriers that write some of their times in UTC.

interface ClockTime {
  /** YYYY-MM-DD. */
  readonly date: string;
  /** HH:mm. */
  readonly hour: string;
}

/**
 * What the clocks of these zones show.
 * @param instant milliseconds since 1970
 * @param zones names of the IANA data base
 * @returns null where there is no zone, or where two of them show different times: nobody can tell which one counts
 */
export function clockTime(instant: number, zones: readonly string[]): ClockTime | null {
  const [only, ...others] = new Set(zones.map((zone) => shownIn(zone, instant)));
  return only === undefined || others.length > 0 ? null : { date: only.slice(0, 10), hour: only.slice(11) };
}

/** The zones of a country. @param country two letters (ISO 3166-1); of any other text there are none */
export function zonesOf(country: string): readonly string[] {
  if (!/^[A-Z]{2}$/i.test(country)) return [];
  const locale: object = new Intl.Locale(`und-${country}`);
  // The types of the language do not know it yet.
  const zones: unknown =
    'getTimeZones' in locale && typeof locale.getTimeZones === 'function' ? locale.getTimeZones() : [];
  return Array.isArray(zones) ? zones.filter((zone): zone is string => typeof zone === 'string') : [];
}

/** `2026-11-21T14:05` */
function shownIn(zone: string, instant: number): string {
  const parts = new Map(
    clockOf(zone)
      .formatToParts(instant)
      .map(({ type, value }) => [type, value]),
  );
  const part = (name: Intl.DateTimeFormatPartTypes): string => parts.get(name) ?? '';
  return `${part('year')}-${part('month')}-${part('day')}T${part('hour')}:${part('minute')}`;
}

function clockOf(zone: string): Intl.DateTimeFormat {
  const clock =
    clocks.get(zone) ??
    new Intl.DateTimeFormat('en-GB', {
      timeZone: zone,
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    });
  clocks.set(zone, clock);
  return clock;
}

/** Made at first use, one for each zone that there is. */
const clocks = new Map<string, Intl.DateTimeFormat>();
