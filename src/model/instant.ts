// Instants as text and as milliseconds since 1970: reads RFC 3339 and dates, writes UTC with milliseconds (decision
// D8).

const earliest = -62_135_596_800_000; // 0001-01-01T00:00:00.000Z
const latest = 253_402_300_799_999; // 9999-12-31T23:59:59.999Z
const day = 86_400_000;

/**
 * Reads `2026-01-31` (midnight UTC) or `2026-01-31T08:00:00`, the latter with an optional fraction of the second (cut
 * to milliseconds) and an optional `Z` or offset (none means UTC).
 * @returns milliseconds since 1970, or null for anything else: other notations, days that no calendar has,
 * hour 24, second 60, years outside 1 to 9999 in UTC
 */
export function parseInstant(text: string): number | null {
  if (text.length < 10 || text.charCodeAt(4) !== 45 || text.charCodeAt(7) !== 45) return null;
  const month = digits(text, 5, 2);
  const midnight = dayNumber(digits(text, 0, 4), month, digits(text, 8, 2)) * day;
  if (text.length === 10) return inRange(midnight);
  if (
    text.length < 19 ||
    (text.charCodeAt(10) | 32) !== 116 ||
    text.charCodeAt(13) !== 58 ||
    text.charCodeAt(16) !== 58
  )
    return null;
  const hour = digits(text, 11, 2);
  const minute = digits(text, 14, 2);
  const second = digits(text, 17, 2);
  if (!(hour < 24 && minute < 60 && second < 60)) return null;
  let at = 19;
  let milliseconds = 0;
  if (text.charCodeAt(at) === 46) {
    const start = ++at;
    let weight = 100;
    for (let digit = digits(text, at, 1); digit >= 0; digit = digits(text, ++at, 1)) {
      milliseconds += digit * weight;
      weight = weight === 100 ? 10 : weight === 10 ? 1 : 0;
    }
    if (at === start) return null;
  }
  return inRange(midnight + hour * 3_600_000 + minute * 60_000 + second * 1000 + milliseconds - offset(text, at));
}

/** Writes milliseconds since 1970 as `2026-01-31T08:00:00.000Z`. */
export function formatInstant(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

/** Days since 1970 of a calendar day, or NaN where there is no such day. */
function dayNumber(year: number, month: number, dayOfMonth: number): number {
  if (!(month >= 1 && month <= 12 && dayOfMonth >= 1 && dayOfMonth <= daysInMonth(year, month))) return Number.NaN;
  // Counted in years that start in March, so that the leap day is the last one.
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

/** Milliseconds by which the zone at the end of the text is ahead of UTC; NaN where that end is anything else. */
function offset(text: string, at: number): number {
  if (at === text.length) return 0;
  const sign = text.charCodeAt(at);
  if ((sign | 32) === 122) return at + 1 === text.length ? 0 : Number.NaN;
  if ((sign !== 43 && sign !== 45) || at + 6 !== text.length || text.charCodeAt(at + 3) !== 58) return Number.NaN;
  const hours = digits(text, at + 1, 2);
  const minutes = digits(text, at + 4, 2);
  if (!(hours < 24 && minutes < 60)) return Number.NaN;
  return (sign === 43 ? 1 : -1) * (hours * 3_600_000 + minutes * 60_000);
}

/** Number that `count` digits from `at` on spell, or NaN where one is no digit. */
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
  return milliseconds >= earliest && milliseconds <= latest ? milliseconds : null;
}
