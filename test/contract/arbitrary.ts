// Random filters, sorts and values for property tests: what a client could send to a list of a resource.
import fc from './properties.ts';
import { compareList, compareOne } from '../../src/model/filter-values.ts';
import type { Operand } from '../../src/model/filter-values.ts';
import { filterFields, filterLimits } from '../../src/model/filter.ts';
import type { FilterFields } from '../../src/model/filter.ts';
import { formatInstant } from '../../src/model/instant.ts';
import type { Condition, SortKey, StoredValue } from '../../src/model/plan.ts';
import type { Resource, ScalarField } from '../../src/model/resource.ts';
import { sortFields } from '../../src/model/sort.ts';

/** A filter as a client writes it, and what it means. */
interface WrittenFilter {
  readonly text: string;
  readonly condition: Condition;
}

/** A sort as a client writes it (empty: none), and what it means. */
interface WrittenSort {
  readonly text: string;
  readonly keys: readonly SortKey[];
}

/**
 * Values that a column of this field may hold: from a small stock, so that records share values and filters hit them,
 * and with what engines are known to order or compare differently.
 */
export function storedValue(field: ScalarField): fc.Arbitrary<StoredValue> {
  switch (field.kind) {
    case 'text':
      return fc.constantFrom(...awkwardTexts.map((text) => [...text].slice(0, field.max).join('')));
    case 'integer':
      return fc.constantFrom(
        -1,
        0,
        1,
        2,
        10,
        2_147_483_647,
        ...(field.bits === 53 ? [2_147_483_648, Number.MAX_SAFE_INTEGER] : []),
      );
    case 'decimal':
      return fc.constantFrom(-1.5, 0, 0.1, 0.30000000000000004, 1, 2.5, 10, 1e-7, 1e21);
    case 'boolean':
      return fc.constantFrom(0, 1);
    case 'date-time':
      return fc.constantFrom(-1, 0, firstDay, firstDay + 1, firstDay + day - 1, firstDay + day, firstDay + 40 * day);
  }
}

/** A well-formed filter within all limits. `fields` narrows the selectors that occur. */
export function writtenFilter(
  resource: Resource,
  fields: FilterFields = filterFields(resource),
): fc.Arbitrary<WrittenFilter> {
  const comparison = fc.constantFrom(...fields).chain(([selector, field]) => writtenComparison(selector, field));
  const { tree } = fc.letrec<{ tree: Part; comparison: Part; group: Part }>((tie) => ({
    tree: fc.oneof({ maxDepth: filterLimits.depth - 1, depthSize: 'small' }, tie('comparison'), tie('group')),
    comparison: comparison.map(({ text, condition }) => ({ text, condition, binds: 'tight' as const })),
    group: fc
      .tuple(
        fc.constantFrom('and', 'or'),
        fc.array(tie('tree'), { minLength: 2, maxLength: 3 }),
        fc.boolean(),
        fc.boolean(),
      )
      .map(joined),
  }));
  return tree
    .filter(
      ({ text, condition }) =>
        [...text].length <= filterLimits.length && comparisons(condition) <= filterLimits.comparisons,
    )
    .map(({ text, condition }) => ({ text, condition }));
}

/** None to three sort keys. */
export function writtenSort(
  resource: Resource,
  fields: FilterFields = sortFields(resource),
): fc.Arbitrary<WrittenSort> {
  const key = fc.tuple(fc.constantFrom(...fields.keys()), fc.constantFrom('', '+', ' ', '-'));
  return fc.uniqueArray(key, { maxLength: Math.min(3, fields.size), selector: ([field]) => field }).map((keys) => ({
    text: keys.map(([field, sign]) => `${sign}${field}`).join(','),
    keys: keys.map(([field, sign]) => ({ field, descending: sign === '-' })),
  }));
}

const day = 86_400_000;
const firstDay = Date.UTC(2026, 0, 31);

/**
 * Case, digits, spaces, signs of the filter language and of SQL patterns, accents, and both sides of the surrogates.
 */
const awkwardTexts = [
  '',
  ' ',
  'a',
  'A',
  'b',
  'B',
  'ab',
  'aB',
  'Ab',
  'a b',
  'a%',
  'a_',
  'a\\',
  '10',
  '9',
  '0',
  'null',
  'true',
  '*',
  'a*',
  "'",
  '"',
  'a,b',
  'a;b',
  '(a)',
  'é',
  'x\u0301',
  'ß',
  'ss',
  'z',
  'Z',
  'ä',
  '\ue000',
  '\uffff',
  '😀',
  '😀a',
  '\n',
  '+',
  '-a',
] as const;

type Part = WrittenFilter & { readonly binds: 'tight' | 'and' | 'or' };

function joined([op, parts, words, wrapped]: [
  op: 'and' | 'or',
  parts: readonly Part[],
  words: boolean,
  wrapped: boolean,
]): Part {
  const written = parts.map((part) =>
    part.binds === 'tight' || (op === 'or' && part.binds === 'and') ? part.text : `(${part.text})`,
  );
  const text = written.join(words ? ` ${op} ` : op === 'and' ? ';' : ',');
  const condition: Condition = { op, of: parts.map((part) => part.condition) };
  return wrapped ? { text: `(${text})`, condition, binds: 'tight' } : { text, condition, binds: op };
}

function writtenComparison(selector: string, field: ScalarField): fc.Arbitrary<WrittenFilter> {
  const choices: fc.Arbitrary<WrittenFilter>[] = [
    fc.boolean().map((is) => ({ text: `${selector}=null=${is}`, condition: { op: 'null', selector, is } })),
    fc.tuple(fc.constantFrom('==', '!='), operandOf(field)).map(([operator, [text, operand]]) => ({
      text: `${selector}${operator}${text}`,
      condition: compareOne(selector, operator, operand),
    })),
  ];
  if (field.kind !== 'boolean') {
    choices.push(
      fc.tuple(fc.constantFrom(...ordering), operandOf(field)).map(([[spelling, operator], [text, operand]]) => ({
        text: `${selector}${spelling}${text}`,
        condition: compareOne(selector, operator, operand),
      })),
    );
    const operands = fc.array(operandOf(field), { minLength: 1, maxLength: 4 });
    choices.push(
      fc
        .tuple(fc.constantFrom('in', 'out'), operands)
        .filter(
          ([operator, some]) =>
            operator === 'in' || !selector.includes('.') || some.every(([, operand]) => operand.kind === 'value'),
        )
        .map(([operator, some]) => ({
          text: `${selector}=${operator}=(${some.map(([text]) => text).join(',')})`,
          condition: compareList(
            selector,
            operator,
            some.map(([, operand]) => operand),
          ),
        })),
    );
  }
  if (field.kind === 'text') {
    const start = storedValue(field)
      .map(String)
      .filter((text) => text !== '');
    choices.push(
      fc
        .tuple(fc.constantFrom(['==', 'prefix'] as const, ['!=', 'not-prefix'] as const), start)
        .map(([[spelling, op], value]) => ({
          text: `${selector}${spelling}${quoted(value).slice(0, -1)}*"`,
          condition: { op, selector, value },
        })),
    );
  }
  return fc.oneof(...choices);
}

const ordering = [
  ['<', '<'],
  ['=lt=', '<'],
  ['<=', '<='],
  ['=le=', '<='],
  ['>', '>'],
  ['=gt=', '>'],
  ['>=', '>='],
  ['=ge=', '>='],
] as const;

function operandOf(field: ScalarField): fc.Arbitrary<readonly [text: string, operand: Operand]> {
  const value = fc
    .tuple(storedValue(field), fc.boolean())
    .map(([stored, quotes]) => [writtenValue(field, stored, quotes), { kind: 'value', value: stored }] as const);
  if (field.kind !== 'date-time') return value;
  const wholeDay = storedValue(field)
    .map(Number)
    .map((instant) => Math.floor(instant / day) * day)
    .map((from) => [formatInstant(from).slice(0, 10), { kind: 'day', from, to: from + day }] as const);
  return fc.oneof(value, wholeDay);
}

function writtenValue(field: ScalarField, stored: StoredValue, quotes: boolean): string {
  if (field.kind === 'boolean') return String(stored === 1);
  if (field.kind === 'date-time') return formatInstant(Number(stored));
  const text = String(stored);
  return quotes || /[\s"'();,=!~<>*]/.test(text) || text === '' ? quoted(text) : text;
}

function quoted(text: string): string {
  return `"${text.replace(/["\\*]/g, '\\$&')}"`;
}

function comparisons(condition: Condition): number {
  return condition.op === 'and' || condition.op === 'or'
    ? condition.of.reduce((sum, part) => sum + comparisons(part), 0)
    : 1;
}
