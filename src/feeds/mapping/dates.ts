// Reads dates in the notations of warehouse systems: a format of letters, and the zone of the clock that wrote them.
import { formatInstant, parseInstant } from '../../model/instant.ts';
import { instantsOf } from '../../model/zone-clock.ts';

export interface DateNotation {
  readonly format: string;
  /** IANA name; null: UTC if the format has neither offset nor zone. */
  readonly zone: string | null;
  /** For an hour that the clock shows twice. */
  readonly ambiguous: 'earlier' | 'later' | 'refuse';
  /** For an hour that it skips. */
  readonly skipped: 'later' | 'earlier' | 'refuse';
}

/** The result for a text: an instant as RFC 3339 text, or why it is none. */
type ReadDate =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly code: 'bad-date' | 'ambiguous-time' | 'skipped-time'; readonly detail: string };

/** The meaning of a format letter, and its notation. */
const tokens: Readonly<Record<string, { readonly part: string; readonly form: string }>> = {
  yyyy: { part: 'year', form: '\\d{4}' },
  yy: { part: 'shortYear', form: '\\d{2}' },
  MM: { part: 'month', form: '\\d{2}' },
  M: { part: 'month', form: '\\d{1,2}' },
  dd: { part: 'day', form: '\\d{2}' },
  d: { part: 'day', form: '\\d{1,2}' },
  HH: { part: 'hour', form: '\\d{2}' },
  H: { part: 'hour', form: '\\d{1,2}' },
  hh: { part: 'halfDayHour', form: '\\d{2}' },
  h: { part: 'halfDayHour', form: '\\d{1,2}' },
  a: { part: 'half', form: '[AaPp]\\.?[Mm]\\.?' },
  mm: { part: 'minute', form: '\\d{2}' },
  m: { part: 'minute', form: '\\d{1,2}' },
  ss: { part: 'second', form: '\\d{2}' },
  s: { part: 'second', form: '\\d{1,2}' },
  SSS: { part: 'fraction', form: '\\d{1,9}' },
  XXX: { part: 'offset', form: '[Zz]|[+-]\\d{2}(?::?\\d{2})?' },
};

/** The fault of a format, as the end of a sentence; null when there is none. */
export function formatFault(format: string): string | null {
  const parsed = parseFormat(format);
  if (typeof parsed === 'string') return parsed;
  const { parts } = parsed;
  const has = (...names: readonly string[]): boolean => names.some((name) => parts.includes(name));
  if (new Set(parts).size < parts.length) return 'has a part twice.';
  if (!has('year', 'shortYear') || !has('month') || !has('day')) return 'must have year, month and day.';
  if (has('halfDayHour') !== has('half')) return 'must have h and a together.';
  return null;
}

/** Whether a format has a time of day; one without stands for days. */
export function hasTime(format: string): boolean {
  const parsed = parseFormat(format);
  return typeof parsed !== 'string' && parsed.parts.some((part) => part === 'hour' || part === 'halfDayHour');
}

/** Whether a format contains the offset from UTC. */
export function hasOffset(format: string): boolean {
  const parsed = parseFormat(format);
  return typeof parsed !== 'string' && parsed.parts.includes('offset');
}

/**
 * Makes the reader of dates. When the clock was set back, the earlier of two instants is meant; when it was set
 * forward, the time as far after the change, unless the mapping says otherwise: the rule of RFC 5545 and of most
 * calendars.
 * @param notation whose format has no fault
 */
export function dateReader({ format, zone, ambiguous, skipped }: DateNotation): (text: string) => ReadDate {
  const parsed = parseFormat(format);
  const form = typeof parsed === 'string' ? null : parsed.form;
  const bad: ReadDate = {
    ok: false,
    code: 'bad-date',
    detail: `which is no date of the form ${format}`,
  };
  return (text) => {
    const parts = text.length > maxLength ? undefined : form?.exec(text)?.groups;
    if (parts === undefined) return bad;
    const wall = parseInstant(wallText(parts));
    if (wall === null) return bad;
    if (zone === null || zone === 'UTC' || parts.offset !== undefined) return { ok: true, text: formatInstant(wall) };
    const { instants, beside } = instantsOf(wall, zone);
    const [first, second] = instants;
    if (first === undefined) {
      if (skipped === 'refuse')
        return { ok: false, code: 'skipped-time', detail: `which the clock of ${zone} never showed` };
      return { ok: true, text: formatInstant(beside[skipped]) };
    }
    if (second !== undefined && ambiguous === 'refuse')
      return { ok: false, code: 'ambiguous-time', detail: `which the clock of ${zone} showed twice` };
    return { ok: true, text: formatInstant(second !== undefined && ambiguous === 'later' ? second : first) };
  };
}

const maxLength = 64;

/** The parts in ISO 8601 notation, whose parser knows which days and hours exist. */
function wallText(parts: Readonly<Record<string, string | undefined>>): string {
  const two = (text = '0'): string => text.padStart(2, '0');
  const year = parts.year ?? `${Number(parts.shortYear) < 70 ? '20' : '19'}${parts.shortYear ?? ''}`;
  const fraction = parts.fraction === undefined ? '' : `.${parts.fraction}`;
  const time = `${hourOf(parts)}:${two(parts.minute)}:${two(parts.second)}${fraction}`;
  return `${year}-${two(parts.month)}-${two(parts.day)}T${time}${parts.offset ?? ''}`;
}

function hourOf({ hour = '00', halfDayHour, half = '' }: Readonly<Record<string, string | undefined>>): string {
  if (halfDayHour === undefined) return hour.padStart(2, '0');
  const shown = Number(halfDayHour);
  // A twelve-hour clock never shows 0 or 13: a nonexistent hour is refused when the whole is parsed.
  if (shown < 1 || shown > 12) return '99';
  return String((shown % 12) + (/^p/i.test(half) ? 12 : 0)).padStart(2, '0');
}

function parseFormat(format: string): { readonly form: RegExp; readonly parts: readonly string[] } | string {
  const parts: string[] = [];
  let form = '';
  for (const [piece] of format.matchAll(/'(?:[^']|'')*'|([A-Za-z])\1*|[^A-Za-z]/g)) {
    const token = Object.hasOwn(tokens, piece) ? tokens[piece] : undefined;
    if (token !== undefined) {
      form += parts.includes(token.part) ? '' : `(?<${token.part}>${token.form})`;
      parts.push(token.part);
    } else if (/^[A-Za-z]/.test(piece))
      return `has "${piece}", which is none of ${Object.keys(tokens).join(' ')}; put letters in single quotes.`;
    else {
      const literal = piece.length > 1 ? piece.slice(1, -1).replaceAll("''", "'") : piece;
      form += literal.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
    }
  }
  return { form: new RegExp(`^${form}$`, 'u'), parts };
}
