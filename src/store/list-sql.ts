// In charge of the SQL of lists: a list plan, one activity at a time, to one statement.
import { derived } from '../model/derived.ts';
import { type Condition, type ListPlan, type SortKey, type StoredValue, type ValuePosition, isValuePosition } from '../model/plan.ts';
import { type NestedSelector, type Resource, nestedSelectors } from '../model/resource.ts';
import { type Dialect, type Placeholders, type Statement, placeholders, quoted } from './engine.ts';

/** The rows of one activity that a list reads: for images those of one image. */
export interface Scope { readonly owner: string; readonly imageId: string | null }

/** Column that orders the rows of a scope: the change number, or the row's place in its image. */
export function orderColumn(resource: Resource): 'change_number' | 'position' {
  return resource.storage === 'images' ? 'position' : 'change_number';
}

/**
 * A page in change order: one row of (bytes of the JSON array, count, order column of the last record).
 * @param after order column of the last record delivered
 */
export function changePage(dialect: Dialect, plan: ListPlan, scope: Scope, after: number, limit: number): Statement {
  const { values, add } = placeholders(dialect);
  const order = orderColumn(plan.resource);
  const where = scopeText(scope, add) + ` and t.${order} > ${add(after)}` + conditionsText(plan, add);
  const rows = `select t.body, t.${order} as position from ${quoted(plan.resource.table)} t where ${where} order by t.${order} ${limitText(dialect, limit, add)}`;
  const joined = dialect === 'sqlite'
    ? `cast('[' || group_concat(body, ',') || ']' as blob)`
    : `'[' || string_agg(body, ',') || ']'`;
  return { text: `select ${joined} as bytes, count(*) as count, max(position) as last from (${rows}) page`, values };
}

/**
 * At most one row: the change number of the last record of an activity that was written before an instant. Write times
 * increase with change numbers, so everything after it was written at or after the instant.
 * @param before milliseconds
 */
export function lastChangeBefore(dialect: Dialect, resource: Resource, owner: string, before: number): Statement {
  const { values, add } = placeholders(dialect);
  const updated = `t.${quoted(updatedField(resource))}`;
  const where = `t.owner = ${add(owner)} and ${updated} < ${add(before)}`;
  return { text: `select t.change_number from ${quoted(resource.table)} t where ${where} order by ${updated} desc, t.change_number desc limit 1`, values };
}

/** One row when a record that fits the plan comes after this place in change order, else none. */
export function existsAfter(dialect: Dialect, plan: ListPlan, scope: Scope, after: number): Statement {
  const { values, add } = placeholders(dialect);
  const order = orderColumn(plan.resource);
  const where = scopeText(scope, add) + ` and t.${order} > ${add(after)}` + conditionsText(plan, add);
  return { text: `select 1 from ${quoted(plan.resource.table)} t where ${where} order by t.${order} limit 1`, values };
}

/**
 * True when an index leads straight to the rows of a page: change order without conditions or with one indexed field given,
 * value order by one indexed field without conditions. Anything else may look at many rows that do not fit.
 */
export function isServedByIndex(plan: ListPlan): boolean {
  const indexed = (field: string): boolean => plan.resource.indexes.some(([first]) => first === field);
  const [key, ...others] = plan.sort;
  if (key !== undefined) return plan.where.length === 0 && plan.updatedSince === null && others.length === 0 && indexed(key.field);
  return plan.where.every((condition) => condition.op === '==' && indexed(condition.selector)) && plan.where.length <= 1;
}

/** Which of the two runs of a value order is read: records with a value in the first sort field come first. */
export type ValueRun = 'present' | 'missing';

/**
 * A page in value order: rows of (bytes of the record, order column, sort values …), nulls last in both directions,
 * ties in the direction of the last sort field. Split in two runs so that an index serves the first sort field.
 */
export function valuePage(dialect: Dialect, plan: ListPlan, scope: Scope, run: ValueRun, limit: number): Statement {
  const { values, add } = placeholders(dialect);
  const order = orderColumn(plan.resource);
  const [first] = plan.sort;
  if (first === undefined) throw new Error('a value page needs a sort field');
  const keys = run === 'present' ? plan.sort : plan.sort.slice(1);
  const tieDirection = direction(plan.sort.at(-1) ?? first);
  let where = scopeText(scope, add) + conditionsText(plan, add);
  if (plan.updatedSince !== null && plan.resource.storage === 'records') where += ` and t.${quoted(updatedField(plan.resource))} >= ${add(plan.updatedSince)}`;
  where += run === 'present' ? ` and t.${quoted(first.field)} is not null` : ` and t.${quoted(first.field)} is null`;
  if (plan.after !== null && isValuePosition(plan.after)) where += ` and ${afterText(plan, scope, plan.after, run, add)}`;
  const orderBy = [
    ...keys.map((key, index) => (run === 'present' && index === 0
      ? `t.${quoted(key.field)} ${direction(key)}`
      : `t.${quoted(key.field)} is null, t.${quoted(key.field)} ${direction(key)}`)),
    `t.${order} ${tieDirection}`,
  ].join(', ');
  const body = dialect === 'sqlite' ? 'cast(t.body as blob)' : 't.body';
  const sortColumns = plan.sort.map((key) => `, t.${quoted(key.field)}`).join('');
  return {
    text: `select ${body} as bytes, t.${order} as position${sortColumns} from ${quoted(plan.resource.table)} t where ${where} order by ${orderBy} ${limitText(dialect, limit, add)}`,
    values,
  };
}

/** One row when a record of the owner has this value. */
export function existsWith(dialect: Dialect, resource: Resource, owner: string, condition: Condition): Statement {
  const { values, add } = placeholders(dialect);
  const where = `t.owner = ${add(owner)} and ` + conditionText(condition, resource, selectorsOf(resource), add);
  return { text: `select 1 from ${quoted(resource.table)} t where ${where} limit 1`, values };
}

type Add = Placeholders['add'];

/** SQLite looks at a bare parameter of LIMIT when it plans, and therefore plans the statement anew each time it is run. */
function limitText(dialect: Dialect, limit: number, add: Add): string {
  return `limit ${dialect === 'sqlite' ? '+' : ''}${add(limit)}`;
}

function scopeText(scope: Scope, add: Add): string {
  const owner = `t.owner = ${add(scope.owner)}`;
  return scope.imageId === null ? owner : `${owner} and t.image_id = ${add(scope.imageId)}`;
}

function conditionsText(plan: ListPlan, add: Add): string {
  const selectors = selectorsOf(plan.resource);
  return plan.where.map((condition) => ` and ${conditionText(condition, plan.resource, selectors, add)}`).join('');
}

function updatedField(resource: Resource): string {
  const found = Object.entries(resource.fields).find(([, field]) => field.assigned === 'updated');
  if (found === undefined) throw new Error(`${resource.name} has no field that dates its last update`);
  return found[0];
}

const selectorsOf = derived((resource: Resource): ReadonlyMap<string, NestedSelector> => new Map(nestedSelectors(resource).map((nested) => [nested.selector, nested])));

function conditionText(condition: Condition, resource: Resource, selectors: ReadonlyMap<string, NestedSelector>, add: Add): string {
  if ('of' in condition) {
    const parts = condition.of.map((part) => conditionText(part, resource, selectors, add));
    return `(${parts.join(` ${condition.op} `)})`;
  }
  const nested = selectors.get(condition.selector);
  if (nested === undefined) return comparisonText(condition, `t.${quoted(condition.selector)}`, add);
  const column = nested.field.kind === 'text' ? 'n.text_value' : 'n.number_value';
  const table = quoted(`${resource.table}_nested`);
  return `exists (select 1 from ${table} n where n.owner = t.owner and n.natural_key = t.natural_key`
    + ` and n.selector = ${add(condition.selector)} and ${comparisonText(condition, column, add)})`;
}

type Comparison = Exclude<Condition, { readonly op: 'and' | 'or' }>;

function comparisonText(condition: Comparison, column: string, add: Add): string {
  switch (condition.op) {
    case 'null': return `${column} is ${condition.is ? '' : 'not '}null`;
    case 'in': return condition.values.length === 0 ? 'false' : `${column} in (${condition.values.map(add).join(', ')})`;
    case 'out': return condition.values.length === 0 ? `${column} is not null` : `${column} not in (${condition.values.map(add).join(', ')})`;
    case 'prefix': return prefixText(column, condition.value, add);
    case 'not-prefix': return `not ${prefixText(column, condition.value, add)}`;
    case 'range': return `(${column} >= ${add(condition.from)} and ${column} < ${add(condition.to)})`;
    case 'not-range': return `not (${column} >= ${add(condition.from)} and ${column} < ${add(condition.to)})`;
    case '==': return `${column} = ${add(condition.value)}`;
    case '!=': return `${column} <> ${add(condition.value)}`;
    default: return `${column} ${condition.op} ${add(condition.value)}`;
  }
}

/** Text that starts with `prefix` lies between it and the next text of the same length, in code-point order: an index serves that. */
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

function direction(key: SortKey): 'asc' | 'desc' {
  return key.descending ? 'desc' : 'asc';
}

/**
 * Rows after a position in one run: greater in the first key, or equal there and greater in the next, …; among equals
 * the owner decides (activities are merged in code order), then the order column.
 */
function afterText(plan: ListPlan, scope: Scope, after: ValuePosition, run: ValueRun, add: Add): string {
  const firstValue = after.values[0] ?? null;
  if (run === 'missing' && firstValue !== null) return 'true';
  const start = run === 'missing' ? 1 : 0;
  const keys = plan.sort.slice(start).map((key, index) => ({ key, value: after.values[index + start] ?? null }));
  const order = `t.${orderColumn(plan.resource)}`;
  const tieSign = plan.sort.at(-1)?.descending ? '<' : '>';
  const [first] = keys;
  if (first === undefined) return tieText(scope, after, order, tieSign, add);
  if (run === 'present' && keys.length === 1 && scope.owner === after.owner) {
    return `(${column(first.key)}, ${order}) ${tieSign} (${add(first.value)}, ${add(after.changeNumber)})`;
  }
  // The bound on the first key is implied by the rest; it is what lets an index start at the right place.
  const bound = run === 'present' ? `${column(first.key)} ${first.key.descending ? '<=' : '>='} ${add(first.value)} and ` : '';
  const branches = [...keys.keys(), keys.length].map((depth) => {
    const equal = keys.slice(0, depth).map(({ key, value }) => (value === null ? `${column(key)} is null` : `${column(key)} = ${add(value)}`));
    const current = keys[depth];
    const beyond = current === undefined ? tieText(scope, after, order, tieSign, add) : beyondText(current.key, current.value, add);
    return `(${[...equal, beyond].join(' and ')})`;
  });
  return `${bound}(${branches.join(' or ')})`;
}

function column(key: SortKey): string {
  return `t.${quoted(key.field)}`;
}

/** Nulls are last in both directions: nothing comes after null, null comes after every value. */
function beyondText(key: SortKey, value: StoredValue | null, add: Add): string {
  return value === null ? 'false' : `(${column(key)} ${key.descending ? '<' : '>'} ${add(value)} or ${column(key)} is null)`;
}

function tieText(scope: Scope, after: ValuePosition, order: string, sign: string, add: Add): string {
  if (scope.owner === after.owner) return `${order} ${sign} ${add(after.changeNumber)}`;
  return scope.owner > after.owner ? 'true' : 'false';
}
