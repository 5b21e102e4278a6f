// The clock of carriers in France, whatever zone this machine is in.

/** What the clock shows: `2026-11-21` and `09:05:00`. @param now milliseconds since 1970 */
export function parisTime(now: number): { readonly date: string; readonly time: string } {
  const [date = '', time = ''] = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Paris', dateStyle: 'short', timeStyle: 'medium' }).format(now).split(' ');
  return { date, time };
}
