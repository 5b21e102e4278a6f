// Values that the warehouse may send but clients may not: unlisted values, numbers out of bounds, codes that look like
// others, blanks.
import { textBlock } from './text-block.ts';
import type { ScalarField } from './resource.ts';
import { type ValueReason, valueReason, type Scalar, type ScalarReader, scalarReader } from './scalar.ts';

/** Makes the reader of a field that a client submits; accepted values have the canonical form of `scalarReader`. */
export function submittedReader(field: ScalarField): ScalarReader {
  const read = scalarReader(field);
  const fault = faultFinder(field);
  if (fault === null) return read;
  return (given) => {
    const value = read(given);
    return typeof value === 'object' ? value : (fault(value) ?? value);
  };
}

/**
 * The same rules as JSON Schema keywords. They omit invisible characters other than blanks, which have no notation that
 * every validator reads.
 */
export function submittedKeywords(field: ScalarField): Readonly<Record<string, unknown>> {
  switch (field.kind) {
    case 'text': {
      const pattern =
        field.values !== undefined
          ? listed(field.values)
          : field.format === 'code'
            ? '^(\\S+( \\S+)*)?$'
            : field.required
              ? '\\S'
              : null;
      return pattern === null ? {} : { pattern };
    }
    case 'integer':
      return field.values === undefined ? bounded(field.least, field.above) : between(field.values);
    case 'decimal':
      return bounded(field.least, field.above);
    case 'boolean':
    case 'date-time':
      return {};
  }
}

/** Pattern for the listed texts; none of them contains a character with a special meaning in patterns. */
function listed(values: readonly string[]): string {
  return `^(${values.join('|')})$`;
}

/** Bounds of the listed numbers, which are consecutive. */
function between(values: readonly number[]): { readonly minimum: number; readonly maximum: number } {
  return { minimum: Math.min(...values), maximum: Math.max(...values) };
}

function bounded(
  least: number | undefined,
  above: number | undefined,
): { readonly minimum?: number; readonly exclusiveMinimum?: number } {
  return {
    ...(least === undefined ? {} : { minimum: least }),
    ...(above === undefined ? {} : { exclusiveMinimum: above }),
  };
}

type FaultFinder = (value: Scalar) => ValueReason | null;

function faultFinder(field: ScalarField): FaultFinder | null {
  switch (field.kind) {
    case 'text': {
      if (field.values !== undefined) return listFault(field.values);
      if (field.format === 'code') return codeFault;
      return field.required ? blankFault : null;
    }
    case 'integer':
      return field.values === undefined ? boundFault(field.least, field.above) : listFault(field.values);
    case 'decimal':
      return boundFault(field.least, field.above);
    case 'boolean':
    case 'date-time':
      return null;
  }
}

/**
 * Words of visible characters with single blanks between them. Most codes are a single ASCII word, which the first
 * expression recognizes.
 */
const word = /^[!-~]*$/;
const words = /^[^\s\p{Cc}\p{Cf}]+(?: [^\s\p{Cc}\p{Cf}]+)*$/u;

function codeFault(value: Scalar): ValueReason | null {
  if (typeof value !== 'string' || word.test(value) || words.test(value)) return null;
  return valueReason(
    'bad-text',
    textBlock`
      must not begin or end with a blank, nor have two in a row, blanks of other widths or invisible characters: they
      make two codes of what looks like one
    `,
  );
}

function blankFault(value: Scalar): ValueReason | null {
  return typeof value === 'string' && !/\S/.test(value) ? valueReason('too-short', 'must not be blank') : null;
}

function listFault(values: readonly Scalar[]): FaultFinder {
  const detail = `must be one of ${values.join(', ')}`;
  return (value) => (values.includes(value) ? null : valueReason('not-allowed', detail));
}

function boundFault(least = Number.NEGATIVE_INFINITY, above = Number.NEGATIVE_INFINITY): FaultFinder | null {
  if (least === Number.NEGATIVE_INFINITY && above === Number.NEGATIVE_INFINITY) return null;
  const detail =
    least > above ? (least === 0 ? 'must not be negative' : `must be at least ${least}`) : `must be more than ${above}`;
  return (value) =>
    typeof value === 'number' && (value < least || value <= above) ? valueReason('out-of-range', detail) : null;
}
