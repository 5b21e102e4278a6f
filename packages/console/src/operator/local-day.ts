// Days as the reader's calendar has them: times beside them are shown in the same time zone.

/** The day of an instant where the reader is, such as `2026-11-28`. @param days how many days later */
export function localDay(at: Date, days = 0): string {
  const day = new Date(at.getFullYear(), at.getMonth(), at.getDate() + days);
  const padded = (value: number, length: number): string => String(value).padStart(length, '0');
  return `${padded(day.getFullYear(), 4)}-${padded(day.getMonth() + 1, 2)}-${padded(day.getDate(), 2)}`;
}

/** The instant at which a day begins where the reader is; what is no day is returned as it is. */
export function startOfDay(day: string): string {
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day) ?? [];
  if (year === undefined) return day;
  const start = new Date(Number(year), Number(month) - 1, Number(date));
  return localDay(start) === day ? start.toISOString() : day;
}
