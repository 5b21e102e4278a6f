// Instants as text and as milliseconds since 1970: reads ISO 8601, writes UTC with milliseconds (decision D8).

const earliest = -62_135_596_800_000; // 0001-01-01T00:00:00.000Z
const latestMs = 253_402_300_799_999; // 9999-12-31T23:59:59.999Z
export const dayMs = 86_400_000;
const hyphen = 45;
const colon = 58;
const smallT = 116;
const smallZ = 122;
const plus = 43;
const comma = 44;
const point = 46;

/**
 * Reads a day (midnight UTC) or a date-time in the ISO 8601 spellings that standard libraries print:
 * `2026-01-31T08:00:00Z` and `20260131T080000Z`; with or without seconds; with a fraction of a second after a point or
 * a comma, truncated to milliseconds; with `Z`, an offset such as `+02:00`, `+0200`, `+02`, or none, which means UTC.
 * @returns milliseconds since 1970, or null for anything else: other notations, days that do not exist, hour 24, second
 *   60, years outside 1 to 9999 in UTC
 */
export function parseInstant(text: string): number | null {
  const extended = text.charCodeAt(4) === hyphen;
  const dateLength = extended ? 10 : 8;
  if (text.length < dateLength || (extended && text.charCodeAt(7) !== hyphen)) return null;
  const month = digits(text, extended ? 5 : 4, 2);
  const midnight = dayNumber(digits(text, 0, 4), month, digits(text, dateLength - 2, 2)) * dayMs;
  if (text.length === dateLength) return inRange(midnight);
  if ((text.charCodeAt(dateLength) | 32) !== smallT) return null;
  return inRange(midnight + timeOfDay(text, dateLength + 1, extended));
}

/** Whether a text is spelled like a day, `2026-01-31` or `20260131`, whether or not that day exists. */
export function isDayText(text: string): boolean {
  return /^(?:\d{4}-\d{2}-\d{2}|\d{8})$/.test(text);
}

/** For a text that names a day that does not exist, the last day of its month: `2026-02-28`; null for other texts. */
export function dayMeant(text: string): string | null {
  const [, year = '', month = ''] = /^(\d{4})-?(\d{2})-?\d{2}/.exec(text) ?? [];
  const days = daysInMonth(Number(year), Number(month));
  const last = `${year}-${month}-${days}`;
  return isDayText(last) &&
    parseInstant(last) !== null &&
    parseInstant(text.slice(0, text[4] === '-' ? 10 : 8)) === null
    ? last
    : null;
}

/** Writes milliseconds since 1970 as `2026-01-31T08:00:00.000Z`. */
export function formatInstant(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

/** Days since 1970 of a calendar day; NaN when there is no such day. */
function dayNumber(year: number, month: number, dayOfMonth: number): number {
  if (!(month >= 1 && month <= 12 && dayOfMonth >= 1 && dayOfMonth <= daysInMonth(year, month))) return Number.NaN;
  // Years are counted from March, so that the leap day comes last.
  const y = month > 2 ? year : year - 1;
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + dayOfMonth - 1;
  return (
    era * 146_097 + yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear - 719_468
  );
}

function daysInMonth(year: number, month: number): number {
  if (month !== 2) return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
}

/** Milliseconds since midnight UTC for the time and zone from `at` to the end; NaN when they are malformed. */
function timeOfDay(text: string, at: number, extended: boolean): number {
  const separator = extended ? 1 : 0;
  const hour = digits(text, at, 2);
  const minute = digits(text, at + 2 + separator, 2);
  if (!(hour < 24 && minute < 60) || (extended && text.charCodeAt(at + 2) !== colon)) return Number.NaN;
  const minutes = (hour * 60 + minute) * 60_000;
  const end = at + 4 + separator;
  const secondsFollow = extended ? text.charCodeAt(end) === colon : digits(text, end, 1) >= 0;
  if (!secondsFollow) return minutes - offset(text, end);
  const second = digits(text, end + separator, 2);
  if (!(second < 60)) return Number.NaN;
  const afterSecond = end + separator + 2;
  const { milliseconds, next } = fraction(text, afterSecond);
  return minutes + second * 1000 + milliseconds - offset(text, next);
}

/** The optional fraction of a second at `at`, truncated to milliseconds, and where the text continues. */
function fraction(text: string, at: number): { readonly milliseconds: number; readonly next: number } {
  const mark = text.charCodeAt(at);
  if (mark !== point && mark !== comma) return { milliseconds: 0, next: at };
  let next = at + 1;
  let milliseconds = 0;
  let weight = 100;
  for (let digit = digits(text, next, 1); digit >= 0; digit = digits(text, ++next, 1)) {
    milliseconds += digit * weight;
    weight = weight === 100 ? 10 : weight === 10 ? 1 : 0;
  }
  return { milliseconds: next === at + 1 ? Number.NaN : milliseconds, next };
}

/** Milliseconds by which the zone at the end of the text is ahead of UTC; NaN when it is malformed. */
function offset(text: string, at: number): number {
  const length = text.length - at;
  if (length === 0) return 0;
  const sign = text.charCodeAt(at);
  if ((sign | 32) === smallZ) return length === 1 ? 0 : Number.NaN;
  if (sign !== plus && sign !== hyphen) return Number.NaN;
  const hours = digits(text, at + 1, 2);
  const withColon = length === 6 && text.charCodeAt(at + 3) === colon;
  const minutes = length === 3 ? 0 : withColon || length === 5 ? digits(text, text.length - 2, 2) : Number.NaN;
  if (!(hours < 24 && minutes < 60)) return Number.NaN;
  return (sign === plus ? 1 : -1) * (hours * 3_600_000 + minutes * 60_000);
}

/** The number that `count` digits from `at` spell; NaN when one of them is no digit. */
function digits(text: string, at: number, count: number): number {
  let value = 0;
  for (let index = at; index < at + count; index++) {
    const digit = text.charCodeAt(index) - 48;
    if (!(digit >= 0 && digit <= 9)) return Number.NaN;
    value = value * 10 + digit;
  }
  return value;
}

function inRange(milliseconds: number): number | null {
  return milliseconds >= earliest && milliseconds <= latestMs ? milliseconds : null;
}
