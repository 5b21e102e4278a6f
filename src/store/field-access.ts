// What each field is to an index, for the documentation: derived from the code that decides about requests.
import { derived } from '../model/derived.ts';
import { filterFields } from '../model/filter.ts';
import type { Condition, ListPlan, SortKey } from '../model/plan.ts';
import type { Resource, ScalarField } from '../model/resource.ts';
import { sortFields } from '../model/sort.ts';
import { type Access, accessOf } from './access-path.ts';

/** How records are found for a list whose query contains only this. */
export interface FieldAccess {
  /** One or several values, in change order. */
  readonly value: Access;
  /** A span of values (`<`, `>`, a day, a prefix), in change order; for booleans, the same as for a value. */
  readonly span: Access;
  /** Sorting by the field alone; null: not sortable. */
  readonly sort: Access | null;
  /** A span in the order of the field alone; null as for `sort`. */
  readonly sortedSpan: Access | null;
}

/** By selector, for all fields that a filter may use. */
export const fieldAccess = derived(
  (resource): ReadonlyMap<string, FieldAccess> =>
    new Map(
      [...filterFields(resource)].map(([selector, field]) => [selector, accessOfField(resource, selector, field)]),
    ),
);

function accessOfField(resource: Resource, selector: string, field: ScalarField): FieldAccess {
  const value: Condition = { op: '==', selector, value: field.kind === 'text' ? 'A' : 1 };
  const span: Condition =
    field.kind === 'text' ? { op: 'prefix', selector, value: 'A' } : { op: 'range', selector, from: 1, to: 2 };
  const isSortable = sortFields(resource).has(selector);
  const sort: readonly SortKey[] = [{ field: selector, descending: false }];
  return {
    // It determines which activities are read, not which of their records.
    value: selector === resource.activityField ? 'index' : accessOf(planOf(resource, [value], [])),
    span: accessOf(planOf(resource, [field.kind === 'boolean' ? value : span], [])),
    sort: isSortable ? accessOf(planOf(resource, [], sort)) : null,
    sortedSpan: isSortable ? accessOf(planOf(resource, [span], sort)) : null,
  };
}

function planOf(resource: Resource, where: readonly Condition[], sort: readonly SortKey[]): ListPlan {
  return {
    ...{ resource, where, sort, activities: [], after: null, updatedSince: null, limit: 1 },
    ...{ imageAt: null, walkStarts: null },
  };
}
