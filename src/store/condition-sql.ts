// The SQL of conditions on records, for every list.
import { derived } from '../model/derived.ts';
import type { Condition } from '../model/plan.ts';
import { type NestedSelector, type Resource, nestedSelectors } from '../model/resource.ts';
import { perEngine, type Sql, sql, type Statement } from './statement.ts';

/** SQL that is true for the rows `t` of a resource's table that match a condition; all rows belong to the activity. */
export function conditionSql(condition: Condition, resource: Resource, activity: string): Statement {
  if ('of' in condition) {
    const parts = condition.of.map((part) => conditionSql(part, resource, activity));
    return sql`(${sql.join(parts, ` ${condition.op} `)})`;
  }
  const nested = selectorsOf(resource).get(condition.selector);
  if (nested === undefined) return comparison(condition, sql`t.${sql.quoted(condition.selector)}`);
  const column = nested.field.kind === 'text' ? sql`n.text_value` : sql`n.number_value`;
  const isOfActivity = perEngine({
    sqlite: () => sql`n.owner = t.owner`,
    postgres: () => sql`n.owner = t.owner`,
    // Citus does not infer the activity if the condition is one of several alternatives.
    citus: () => sql`n.owner = ${activity}`,
  });
  return sql`
    exists (select 1 from ${sql.quoted(`${resource.table}_nested`)} n where ${isOfActivity} and n.natural_key =
    t.natural_key and n.selector = ${condition.selector} and ${comparison(condition, column)})
  `;
}

type Comparison = Exclude<Condition, { readonly op: 'and' | 'or' }>;

function comparison(condition: Comparison, column: Sql): Statement {
  switch (condition.op) {
    case 'null':
      return condition.is ? sql`${column} is null` : sql`${column} is not null`;
    case 'in':
      return condition.values.length === 0 ? sql`false` : sql`${column} in (${sql.join(condition.values)})`;
    case 'out':
      return condition.values.length === 0
        ? sql`${column} is not null`
        : sql`${column} not in (${sql.join(condition.values)})`;
    case 'prefix':
      return beginsWith(column, condition.value);
    case 'not-prefix':
      return sql`not ${beginsWith(column, condition.value)}`;
    case 'range':
      return liesWithin(column, condition);
    case 'not-range':
      return sql`not ${liesWithin(column, condition)}`;
    default:
      return sql`${column} ${operators[condition.op]} ${condition.value}`;
  }
}

const operators = {
  '==': sql`=`,
  '!=': sql`<>`,
  '<': sql`<`,
  '<=': sql`<=`,
  '>': sql`>`,
  '>=': sql`>=`,
};

function liesWithin(column: Sql, { from, to }: { readonly from: number; readonly to: number }): Statement {
  return sql`(${column} >= ${from} and ${column} < ${to})`;
}

/**
 * Text that starts with `prefix` lies between the prefix and the next text of the same length, in code-point order; an
 * index serves that range.
 */
function beginsWith(column: Sql, prefix: string): Statement {
  const next = successor(prefix);
  return next === null ? sql`(${column} >= ${prefix})` : sql`(${column} >= ${prefix} and ${column} < ${next})`;
}

/** The smallest text that is greater than every text with this prefix, or null when there is none. */
export function successor(prefix: string): string | null {
  const points = Array.from(prefix, (character) => character.codePointAt(0) ?? 0);
  while (points.length > 0) {
    const last = points.pop() ?? 0;
    if (last === 0x10ffff) continue;
    // Surrogates are not characters: the code point after U+D7FF is U+E000.
    return String.fromCodePoint(...points, last === 0xd7ff ? 0xe000 : last + 1);
  }
  return null;
}

const selectorsOf = derived(
  (resource: Resource): ReadonlyMap<string, NestedSelector> =>
    new Map(nestedSelectors(resource).map((nested) => [nested.selector, nested])),
);
