// Interprets the text of a value for a field, and builds the condition that an operator makes of it.
import { textBlock } from './text-block.ts';
import { dayMs, isDayText, parseInstant } from './instant.ts';
import type { Condition, StoredValue } from './plan.ts';
import type { ScalarField } from './resource.ts';
import { integerRange } from './scalar.ts';
import { composed, maxMarksInRow } from './text.ts';

/** Comparison operators, with their spellings (`=lt=` and `<`) unified. */
export type Operator = '==' | '!=' | '<' | '<=' | '>' | '>=' | 'in' | 'out' | 'null';

/** A stored value, a whole UTC day (`from` <= instant < `to`, milliseconds), or a description of what was expected. */
type Meaning =
  | { readonly kind: 'value'; readonly value: StoredValue }
  | { readonly kind: 'day'; readonly from: number; readonly to: number }
  | { readonly kind: 'wrong'; readonly expected: string };

/** A meaning that can be compared. */
export type Operand = Exclude<Meaning, { readonly kind: 'wrong' }>;

/**
 * Reads the text of one value according to the type of a field (conventions 1.3); `expected` completes "expected …".
 */
export function readValue(field: ScalarField, text: string): Meaning {
  switch (field.kind) {
    case 'text':
      return readTextValue(text);
    case 'integer':
      return readInteger(text, field.bits);
    case 'decimal':
      return readDecimal(text);
    case 'boolean':
      return text === 'true' || text === 'false' ? stored(text === 'true' ? 1 : 0) : wrong('true or false');
    case 'date-time':
      return readMoment(text);
  }
}

/**
 * Text as columns hold it (composed), or null for text that no column can hold: with NUL, an unpaired surrogate or a
 * long run of combining marks.
 */
export function readText(text: string): string | null {
  return text.includes('\0') || !text.isWellFormed() ? null : composed(text);
}

/** Describes what `readText` accepts. */
export const expectedText = textBlock`
  text without NUL, broken characters and more than ${maxMarksInRow} combining marks in a row
`;

/** Reads a date-time or a whole UTC day (`2026-01-31`, `20260131`). */
export function readMoment(text: string): Meaning {
  if (isDayText(text)) {
    const from = parseInstant(text);
    return from === null ? wrong('a day that exists') : { kind: 'day', from, to: from + dayMs };
  }
  const instant = parseInstant(text);
  if (instant !== null) return stored(instant);
  const form = 'a date-time like 2026-01-31T08:00:00Z or a day like 2026-01-31';
  return wrong(lostPlus(text) ? `${form} (${plusHint})` : form);
}

/** What to do about an offset such as `+02:00` whose sign arrived as a space. */
export const plusHint = 'encode + as %2B or use Z: an unencoded + in a URL arrives as a space';

/** True for a date-time whose `+` arrived as a space. */
export function lostPlus(text: string): boolean {
  return /\dT[\d:.,]+ \d\d(:?\d\d)?$/i.test(text);
}

/** The condition that one operand makes with an operator. */
export function compareOne(
  selector: string,
  operator: '==' | '!=' | '<' | '<=' | '>' | '>=',
  operand: Operand,
): Condition {
  if (operand.kind === 'value') return { op: operator, selector, value: operand.value };
  const { from, to } = operand;
  switch (operator) {
    case '==':
      return { op: 'range', selector, from, to };
    case '!=':
      return { op: 'not-range', selector, from, to };
    case '<':
      return { op: '<', selector, value: from };
    case '>=':
      return { op: '>=', selector, value: from };
    case '<=':
      return { op: '<', selector, value: to };
    case '>':
      return { op: '>=', selector, value: to };
  }
}

/** True for a record whose value is one of the operands (`in`), or is not null and is none of them (`out`). */
export function compareList(selector: string, operator: 'in' | 'out', operands: readonly Operand[]): Condition {
  const values = operands.flatMap((operand) => (operand.kind === 'value' ? [operand.value] : []));
  const parts: Condition[] = values.length > 0 ? [{ op: operator, selector, values }] : [];
  for (const operand of operands) {
    if (operand.kind === 'day') parts.push(compareOne(selector, operator === 'in' ? '==' : '!=', operand));
  }
  const [first] = parts;
  if (parts.length === 1 && first) return first;
  return { op: operator === 'in' ? 'or' : 'and', of: parts };
}

function readTextValue(text: string): Meaning {
  const value = readText(text);
  return value === null ? wrong(expectedText) : stored(value);
}

function readInteger(text: string, bits: keyof typeof integerRange): Meaning {
  const { least, most } = integerRange[bits];
  const value = /^-?(0|[1-9]\d*)$/.test(text) ? Number(text) : Number.NaN;
  // Adding zero turns -0 into 0: columns have no negative zero.
  return value >= least && value <= most ? stored(value + 0) : wrong(`a whole number from ${least} to ${most}`);
}

function readDecimal(text: string): Meaning {
  const value = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(value) ? stored(value + 0) : wrong('a number like 12 or -0.5');
}

function stored(value: StoredValue): Meaning {
  return { kind: 'value', value };
}

function wrong(expected: string): Meaning {
  return { kind: 'wrong', expected };
}
