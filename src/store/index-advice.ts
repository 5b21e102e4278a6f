// Advice for a client whose query took too long: which parts of it have no index, and what to ask instead.
import type { Condition, ListPlan } from '../model/plan.ts';
import type { Resource } from '../model/resource.ts';
import { fieldAccess } from './field-access.ts';

/** Sentences about a plan that no index serves. They name fields, never values. */
export function indexAdvice({ resource, where, sort }: Pick<ListPlan, 'resource' | 'where' | 'sort'>): string {
  const found = fieldsOf(resource, resource.indexes);
  const ordered = [...fieldAccess(resource)].filter(([, { sort }]) => sort === 'index').map(([field]) => field);
  const without = (fields: readonly string[], indexed: readonly string[]): readonly string[] =>
    [...new Set(fields)].filter((field) => !indexed.includes(field));
  const filtered = without(where.flatMap(selectorsOf), found);
  const sorted = without(
    sort.map(({ field }) => field),
    ordered,
  );
  const causes = [
    ...(filtered.length > 0 ? [`the filter by ${listed(filtered)}`] : []),
    ...(sorted.length > 0 ? [`the sort by ${listed(sorted)}`] : []),
  ];
  const cause =
    causes.length > 0 ? causes.join(' or ') : `these conditions${sort.length > 0 ? ' and this order' : ''} together`;
  return (
    `No index serves ${cause}. One serves a filter by a value, or by several, of one of ${listed(found)}, ` +
    `or a sort by one of ${listed(ordered)} without a filter or with one by the same field alone. ` +
    'Otherwise read the list without them, page by page, and choose from the records on your side.'
  );
}

/** Filterable fields that one of the indexes begins with. */
function fieldsOf({ fields }: Resource, indexes: Resource['indexes']): readonly string[] {
  return indexes.flatMap(([first]) => {
    const field = first === undefined ? undefined : fields[first];
    return first !== undefined && field !== undefined && 'filterable' in field && field.filterable ? [first] : [];
  });
}

function selectorsOf(condition: Condition): readonly string[] {
  return 'of' in condition ? condition.of.flatMap(selectorsOf) : [condition.selector];
}

function listed(fields: readonly string[]): string {
  return fields.map((field) => `'${field}'`).join(', ');
}
