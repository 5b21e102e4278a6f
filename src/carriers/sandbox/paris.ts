// The time of France: the wall clock there, as milliseconds that a date in UTC would have if it showed the same.

/** What the clock shows at an instant. @param instant milliseconds since 1970 */
export function wallClock(instant: number): number {
  clock ??= new Intl.DateTimeFormat('en-GB', { timeZone: 'Europe/Paris', year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' });
  const parts = Object.fromEntries(clock.formatToParts(instant).map(({ type, value }) => [type, Number(value)]));
  const { year = 1970, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

/** Made at first use: it takes memory that a server without labels does not need. */
let clock: Intl.DateTimeFormat | undefined;

/** The instant at which the clock shows a time; of two such, in October, the first; of none, in March, an hour later. */
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
