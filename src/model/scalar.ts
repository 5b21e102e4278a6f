// Turns a single incoming value into canonical form, or says why it is refused: one reader per kind of scalar field.
import type { ReasonCode } from './reason-codes.ts';
import { textBlock } from './text-block.ts';
import { dayMeant, formatInstant, parseInstant } from './instant.ts';
import type { ScalarField, TextField } from './resource.ts';
import { characters, composed, isBeyond, tooManyMarks } from './text.ts';

export type Scalar = string | number | boolean;

/** Why a value is refused. `detail` continues a sentence that starts with the field's name. */
export interface ValueReason {
  readonly code: ReasonCode;
  readonly detail: string;
}

/** Reads a value that is neither undefined nor null: returns its canonical form or the reason for refusing it. */
export type ScalarReader = (given: unknown) => Scalar | ValueReason;

/** The least and the greatest whole number of a field, by its `bits` (decision D1). */
export const integerRange = {
  32: { least: -2_147_483_648, most: 2_147_483_647 },
  53: { least: Number.MIN_SAFE_INTEGER, most: Number.MAX_SAFE_INTEGER },
} as const;

type IntegerRange = (typeof integerRange)[keyof typeof integerRange];

/** Makes the reader of a field, which checks types, lengths, ranges and notations as defined (decisions D1, D5, D8). */
export function scalarReader(field: ScalarField): ScalarReader {
  switch (field.kind) {
    case 'text':
      return textReader(field);
    case 'integer':
      return integerReader(integerRange[field.bits]);
    case 'decimal':
      return readDecimal;
    case 'boolean':
      return readBoolean;
    case 'date-time':
      return readInstant;
  }
}

/** Names the kind of a JSON value, for use in sentences. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  switch (typeof value) {
    case 'string':
      return 'text';
    case 'number':
      return 'a number';
    case 'boolean':
      return 'true or false';
    default:
      return 'an object';
  }
}

/** True for a JSON object. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The reason for refusing a value. */
export function valueReason(code: ReasonCode, detail: string): ValueReason {
  return { code, detail };
}

function textReader(field: TextField): ScalarReader {
  const { max, min = field.required ? 1 : 0, format } = field;
  return (given) => {
    if (typeof given !== 'string') return wrongType('text', given);
    let value = given;
    let length = given.length;
    if (length > max || !isPrintableAscii(given)) {
      // Checked by length alone, before anything whose cost grows with it.
      if (isBeyond(given, max)) return textTooLong(characters(given), max);
      if (!given.isWellFormed() || forbidden.test(given))
        return valueReason(
          'bad-text',
          textBlock`
            has characters that text must not have: remove control characters other than tabs and line breaks, and
            unpaired surrogates
          `,
        );
      // Composed form, so that equal text has equal bytes, whoever sends it.
      const canonical = composed(given);
      if (canonical === null) return valueReason('bad-text', tooManyMarks);
      value = canonical;
      if (format === 'code' && spacing.test(value)) return valueReason('bad-text', 'must not have tabs or line breaks');
      length = value.length > max ? characters(value) : value.length;
    }
    if (length > max) return textTooLong(length, max);
    if (length < min)
      return valueReason(
        'too-short',
        field.required ? 'must not be empty' : 'must not be empty: leave it out or send null',
      );
    if (format === 'country' && value !== '' && !country.test(value))
      return valueReason(
        'bad-country',
        'must be a country code of two capital letters (ISO 3166-1 alpha-2), such as FR',
      );
    return value;
  };
}

const country = /^[A-Z]{2}$/;
// Control characters (Unicode category Cc) except tab, line feed and carriage return.
const forbidden = /[^\P{Cc}\t\n\r]/u;
const spacing = /[\t\n\r]/;

/** True for text that certainly is its own canonical form: most of what a warehouse sends. */
function isPrintableAscii(text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code < 32 || code > 126) return false;
  }
  return true;
}

function textTooLong(length: number, max: number): ValueReason {
  return valueReason('too-long', `has ${length} characters; at most ${max} are allowed`);
}

function integerReader({ least, most }: IntegerRange): ScalarReader {
  return (given) => {
    if (typeof given !== 'number') return wrongType('a whole number', given);
    if (Number.isFinite(given) && !Number.isInteger(given))
      return valueReason('wrong-type', 'must be a whole number, without a fraction');
    if (!(given >= least && given <= most)) return valueReason('out-of-range', `must be between ${least} and ${most}`);
    return positiveZero(given);
  };
}

function readDecimal(given: unknown): Scalar | ValueReason {
  if (typeof given !== 'number') return wrongType('a number', given);
  if (!Number.isFinite(given))
    return valueReason('out-of-range', 'must be a number that a 64-bit floating-point number can hold');
  return positiveZero(given);
}

function readBoolean(given: unknown): Scalar | ValueReason {
  return typeof given === 'boolean' ? given : wrongType('true or false', given);
}

function readInstant(given: unknown): Scalar | ValueReason {
  if (typeof given !== 'string') return wrongType('a date-time in text', given);
  const instant = parseInstant(given);
  const meant = instant === null ? dayMeant(given) : null;
  if (meant !== null) return valueReason('bad-date', `has a day that no calendar has; the last one is ${meant}`);
  if (instant === null)
    return valueReason(
      'bad-date',
      textBlock`
        must be a date-time such as 2026-01-31T08:00:00Z or 2026-01-31T09:00:00+01:00, of a day that exists, in the
        years 1 to 9999
      `,
    );
  // Of the accepted texts that end in Z, those of 24 characters have a fraction of three digits, and those of 20 have
  // none.
  if (given.charCodeAt(10) === 84 && given.charCodeAt(given.length - 1) === 90) {
    if (given.length === 24 && given.charCodeAt(19) === 46) return given;
    if (given.length === 20) return `${given.slice(0, 19)}.000Z`;
  }
  return formatInstant(instant);
}

/** JSON writes both zeros alike, so they must be the same value. */
function positiveZero(value: number): number {
  return value === 0 ? 0 : value;
}

function wrongType(expected: string, given: unknown): ValueReason {
  return valueReason('wrong-type', `must be ${expected}, not ${kindOf(given)}`);
}
