// The filter language: parses the RSQL subset into a Condition, or into a problem with the position of the fault.
import { derived } from './derived.ts';
import { compareList, compareOne, expectedText, lostPlus, plusHint, readText, readValue } from './filter-values.ts';
import type { Operand, Operator } from './filter-values.ts';
import type { Condition } from './plan.ts';
import { Problem } from './problem.ts';
import { columnFields, nestedSelectors } from './resource.ts';
import type { ScalarField } from './resource.ts';
import { closestName } from './closest-name.ts';
import { characters, excerpt } from './text.ts';

/** The selectors that a filter may use, each with its field. */
export type FilterFields = ReadonlyMap<string, ScalarField>;

/** Bounds on the cost of a filter (decision D13); lengths in characters (code points). */
export const filterLimits = { length: 2000, comparisons: 30, depth: 5, listValues: 100, valueLength: 256 } as const;

/** Every spelling of every operator. */
const operators: ReadonlyMap<string, Operator> = new Map([
  ['==', '=='],
  ['!=', '!='],
  ['=lt=', '<'],
  ['<', '<'],
  ['=le=', '<='],
  ['<=', '<='],
  ['=gt=', '>'],
  ['>', '>'],
  ['=ge=', '>='],
  ['>=', '>='],
  ['=in=', 'in'],
  ['=out=', 'out'],
  ['=null=', 'null'],
]);

/** The published fields that a filter may use: filterable columns, then filterable nested fields. */
export const filterFields = derived((resource): FilterFields => {
  const fields = new Map<string, ScalarField>();
  for (const [name, field] of columnFields(resource)) {
    if (!Object.hasOwn(resource.unpublished, name)) fields.set(name, field);
  }
  for (const { selector, field } of nestedSelectors(resource)) fields.set(selector, field);
  return fields;
});

/**
 * Parses a filter (decision D13; grammar in the guide on filters).
 * @param text the decoded parameter, not empty
 * @throws Problem `invalid-filter` with `position` (0-based, in characters), `code` and `allowedFields`
 */
export function parseFilter(text: string, fields: FilterFields): Condition {
  const scan: Scan = { text, fields, at: 0, comparisons: 0 };
  const { length } = filterLimits;
  const beginning = [...text.slice(0, 2 * length + 1)];
  // Checked first, so that the rest need not be safe against long text.
  if (beginning.length > length)
    fail(
      scan,
      'too-complex',
      beginning.slice(0, length).join('').length,
      `The filter is too long: its ${length} characters end`,
    );
  const condition = disjunction(scan, 0);
  if (scan.at < text.length) unexpectedAfterValue(scan, "';', ',', ' and ', ' or ' or the end");
  return condition;
}

type Code = 'syntax' | 'unknown-field' | 'operator-not-allowed' | 'bad-value' | 'too-complex';

/** The position of the parser, its only mutable state. `at` counts UTF-16 units. */
interface Scan {
  readonly text: string;
  readonly fields: FilterFields;
  at: number;
  comparisons: number;
}

function disjunction(scan: Scan, depth: number): Condition {
  const first = conjunction(scan, depth);
  const of = [first];
  while (take(scan, /,| +or +/y) !== null) of.push(conjunction(scan, depth));
  return of.length === 1 ? first : { op: 'or', of };
}

function conjunction(scan: Scan, depth: number): Condition {
  const first = term(scan, depth);
  const of = [first];
  while (take(scan, /;| +and +/y) !== null) of.push(term(scan, depth));
  return of.length === 1 ? first : { op: 'and', of };
}

function term(scan: Scan, depth: number): Condition {
  const start = scan.at;
  if (take(scan, /\(/y) === null) return comparison(scan);
  if (depth === filterLimits.depth)
    fail(scan, 'too-complex', start, `Parentheses are nested more than ${filterLimits.depth} deep`);
  const inner = disjunction(scan, depth + 1);
  if (take(scan, /\)/y) === null)
    unexpectedAfterValue(scan, `';', ',' or the ')' for the '(' at position ${position(scan, start)}`);
  return inner;
}

function comparison(scan: Scan): Condition {
  const start = scan.at;
  const selector = take(scan, /[^\s"'();,=!~<>]+/y);
  if (selector === null) return unexpected(scan, "a field or '('");
  const field = scan.fields.get(selector) ?? unknownField(scan, start, selector);
  if (scan.comparisons === filterLimits.comparisons) {
    fail(scan, 'too-complex', start, `The filter has more than ${filterLimits.comparisons} comparisons`);
  }
  scan.comparisons += 1;
  const operatorAt = scan.at;
  const spelling = take(scan, /==|!=|=[A-Za-z]+=|<=|>=|<|>/y);
  if (spelling === null)
    return unexpected(scan, 'an operator directly after the field, such as == (a single = is none)');
  const operator = operators.get(spelling);
  if (operator === undefined || !isAllowed(field, operator)) {
    const allowed = [...operators].filter(([, known]) => isAllowed(field, known)).map(([known]) => known);
    return fail(
      scan,
      'operator-not-allowed',
      operatorAt,
      `Field '${selector}' takes ${allowed.join(' ')}, not '${shown(spelling)}'`,
    );
  }
  if (operator === 'in' || operator === 'out') return list(scan, selector, field, operator);
  if (scan.text[scan.at] === '(') fail(scan, 'syntax', scan.at, 'Only =in= and =out= take a list in parentheses');
  return single(scan, selector, field, operator);
}

/** Booleans have no order, and a list of them has no use. */
function isAllowed(field: ScalarField, operator: Operator): boolean {
  return field.kind !== 'boolean' || operator === '==' || operator === '!=' || operator === 'null';
}

function single(
  scan: Scan,
  selector: string,
  field: ScalarField,
  operator: Exclude<Operator, 'in' | 'out'>,
): Condition {
  const value = readArgument(scan);
  if (operator === 'null') {
    if (value.text === 'true' || value.text === 'false') return { op: 'null', selector, is: value.text === 'true' };
    return badValue(scan, value, 'true or false');
  }
  const wildcard = field.kind === 'text' && value.stars.length > 0 && (operator === '==' || operator === '!=');
  if (!wildcard) return compareOne(selector, operator, operandOf(scan, field, value));
  return { op: operator === '==' ? 'prefix' : 'not-prefix', selector, value: prefixOf(scan, value) };
}

function prefixOf(scan: Scan, value: Argument): string {
  const prefix = value.text.slice(0, -1);
  if (value.stars.length > 1 || value.stars[0] !== prefix.length || prefix === '') {
    badValue(
      scan,
      value,
      'a single * at the end of some text (a literal one is written "\\*"; =null=false asks for any value)',
    );
  }
  return readText(prefix) ?? badValue(scan, value, expectedText);
}

function list(scan: Scan, selector: string, field: ScalarField, operator: 'in' | 'out'): Condition {
  if (take(scan, /\(/y) === null) return compareList(selector, operator, [operandOf(scan, field, readArgument(scan))]);
  const operands: Operand[] = [];
  do {
    const start = scan.at;
    if (operands.length === filterLimits.listValues) {
      fail(scan, 'too-complex', start, `The list has more than ${filterLimits.listValues} values`);
    }
    const value = readArgument(scan);
    const operand = operandOf(scan, field, value);
    // Each comparison on a nested field examines the elements separately, so several of them cannot together express
    // "one element is none of these".
    if (operand.kind === 'day' && operator === 'out' && selector.includes('.'))
      badValue(scan, value, 'a date-time: =out= takes no days here');
    operands.push(operand);
  } while (take(scan, /,/y) !== null);
  if (take(scan, /\)/y) === null) unexpectedAfterValue(scan, "',' or ')'");
  return compareList(selector, operator, operands);
}

/** One value of the text, without quotes and escapes, with the positions of the unescaped stars. */
interface Argument {
  readonly text: string;
  readonly stars: readonly number[];
  readonly start: number;
}

function readArgument(scan: Scan): Argument {
  const start = scan.at;
  const unquoted = take(scan, /[^\s"'();,=!~<>]+/y);
  const raw = unquoted ?? take(scan, /"(?:[^"\\]|\\[\s\S])*"|'(?:[^'\\]|\\[\s\S])*'/y);
  if (raw === null && /["']/.test(scan.text[start] ?? '')) fail(scan, 'syntax', start, 'The quote is not closed');
  if (raw === null) return unexpected(scan, 'a value (empty text is written "")');
  const value = unquoted === null ? unquote(raw.slice(1, -1)) : { text: raw, stars: starsOf(raw) };
  if (characters(value.text) > filterLimits.valueLength) {
    fail(scan, 'too-complex', start, `The value is longer than ${filterLimits.valueLength} characters`);
  }
  return { ...value, start };
}

function unquote(quoted: string): { readonly text: string; readonly stars: readonly number[] } {
  // An escaped star is replaced by a placeholder of the same length, so that the other stars keep their positions.
  const text = quoted.replace(/\\([\s\S])/g, '$1');
  return { text, stars: starsOf(quoted.replace(/\\[\s\S]/g, ' ')) };
}

function starsOf(text: string): readonly number[] {
  return [...text.matchAll(/\*/g)].map((match) => match.index);
}

function operandOf(scan: Scan, field: ScalarField, value: Argument): Operand {
  if (field.kind === 'text' && value.stars.length > 0) {
    return badValue(
      scan,
      value,
      'text without *: it stands for any ending after == and != alone (a literal one is written "\\*")',
    );
  }
  const meaning = readValue(field, value.text);
  return meaning.kind === 'wrong' ? badValue(scan, value, meaning.expected) : meaning;
}

/** Consumes what the sticky expression matches here, or nothing. */
function take(scan: Scan, sticky: RegExp): string | null {
  sticky.lastIndex = scan.at;
  const found = sticky.exec(scan.text)?.[0] ?? null;
  if (found !== null) scan.at += found.length;
  return found;
}

function unknownField(scan: Scan, start: number, selector: string): never {
  const near = closestName(selector, scan.fields.keys());
  const hint = near === null ? 'allowedFields lists the fields that can be filtered by' : `did you mean '${near}'?`;
  fail(scan, 'unknown-field', start, `Unknown field '${shown(selector)}'`, hint);
}

function badValue(scan: Scan, value: Argument, expected: string): never {
  fail(scan, 'bad-value', value.start, `Value '${shown(value.text)}' cannot be used`, `expected ${expected}`);
}

function unexpected(scan: Scan, expected: string): never {
  const character = scan.text.codePointAt(scan.at);
  const found = character === undefined ? 'end' : `'${shown(String.fromCodePoint(character))}'`;
  fail(scan, 'syntax', scan.at, `Unexpected ${found}`, `expected ${expected}`);
}

/** Like `unexpected`, with the usual cause in this place: a value that ended sooner than its author intended. */
function unexpectedAfterValue(scan: Scan, expected: string): never {
  const valueAndSpace = scan.text.slice(0, scan.at + 3).replace(/^[\s\S]*["'();,=!~<>]/, '');
  if (lostPlus(valueAndSpace)) fail(scan, 'syntax', scan.at, "Unexpected ' ' in a date-time", plusHint);
  if (!/[\s=!~<>"'(]/.test(scan.text[scan.at] ?? '')) unexpected(scan, expected);
  unexpected(scan, `${expected} (a value with spaces or any of " ' ( ) ; , = ! ~ < > has to be quoted)`);
}

function fail(scan: Scan, code: Code, at: number, what: string, hint = ''): never {
  const place = position(scan, at);
  const detail = `${what} at position ${place}${hint === '' ? '' : `: ${hint}`}${hint.endsWith('?') ? '' : '.'}`;
  throw new Problem('invalid-filter', detail, {
    parameter: 'filter',
    position: place,
    code,
    allowedFields: [...scan.fields.keys()],
    errors: { filter: [detail] },
  });
}

/** Converts an index in UTF-16 units into a position in characters. */
function position(scan: Scan, at: number): number {
  return characters(scan.text.slice(0, at));
}

/** A piece of the text as a message can show it: short and without control characters. */
function shown(text: string): string {
  return excerpt(
    text
      .slice(0, 41)
      .replace(/\p{Cc}/gu, (control) => `U+${control.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`),
  );
}
