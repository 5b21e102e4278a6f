// In charge of the SQL of conditions on records, whatever list asks for them.
import { derived } from '../model/derived.ts';
import type { Condition } from '../model/plan.ts';
import { type NestedSelector, type Resource, nestedSelectors } from '../model/resource.ts';
import { type Placeholders, quoted } from './engine.ts';

type Add = Placeholders['add'];

/**
 * SQL that is true of the rows `t` of a resource's table that fit a condition.
 * @param add takes a value and gives its placeholder; called in the order of the text
 */
export function conditionText(condition: Condition, resource: Resource, add: Add): string {
  if ('of' in condition) {
    const parts = condition.of.map((part) => conditionText(part, resource, add));
    return `(${parts.join(` ${condition.op} `)})`;
  }
  const nested = selectorsOf(resource).get(condition.selector);
  if (nested === undefined) return comparisonText(condition, `t.${quoted(condition.selector)}`, add);
  const column = nested.field.kind === 'text' ? 'n.text_value' : 'n.number_value';
  const table = quoted(`${resource.table}_nested`);
  return (
    `exists (select 1 from ${table} n where n.owner = t.owner and n.natural_key = t.natural_key` +
    ` and n.selector = ${add(condition.selector)} and ${comparisonText(condition, column, add)})`
  );
}

type Comparison = Exclude<Condition, { readonly op: 'and' | 'or' }>;

function comparisonText(condition: Comparison, column: string, add: Add): string {
  switch (condition.op) {
    case 'null':
      return `${column} is ${condition.is ? '' : 'not '}null`;
    case 'in':
      return condition.values.length === 0 ? 'false' : `${column} in (${condition.values.map(add).join(', ')})`;
    case 'out':
      return condition.values.length === 0
        ? `${column} is not null`
        : `${column} not in (${condition.values.map(add).join(', ')})`;
    case 'prefix':
      return prefixText(column, condition.value, add);
    case 'not-prefix':
      return `not ${prefixText(column, condition.value, add)}`;
    case 'range':
      return `(${column} >= ${add(condition.from)} and ${column} < ${add(condition.to)})`;
    case 'not-range':
      return `not (${column} >= ${add(condition.from)} and ${column} < ${add(condition.to)})`;
    case '==':
      return `${column} = ${add(condition.value)}`;
    case '!=':
      return `${column} <> ${add(condition.value)}`;
    default:
      return `${column} ${condition.op} ${add(condition.value)}`;
  }
}

/**
 * Text that starts with `prefix` lies between it and the next text of the same length, in code-point order: an index
 * serves that.
 */
function prefixText(column: string, prefix: string, add: Add): string {
  const next = successor(prefix);
  const from = `${column} >= ${add(prefix)}`;
  return next === null ? `(${from})` : `(${from} and ${column} < ${add(next)})`;
}

/** The smallest text that is greater than every text with this prefix, or null when there is none. */
function successor(prefix: string): string | null {
  const points = Array.from(prefix, (character) => character.codePointAt(0) ?? 0);
  while (points.length > 0) {
    const last = points.pop() ?? 0;
    if (last === 0x10ffff) continue;
    // Surrogates are no characters: the code point after U+D7FF is U+E000.
    return String.fromCodePoint(...points, last === 0xd7ff ? 0xe000 : last + 1);
  }
  return null;
}

const selectorsOf = derived(
  (resource: Resource): ReadonlyMap<string, NestedSelector> =>
    new Map(nestedSelectors(resource).map((nested) => [nested.selector, nested])),
);
