// In charge of what each field is to an index, as the documentation tells it: asked of what decides about requests.
import { derived } from '../model/derived.ts';
import { filterFields } from '../model/filter.ts';
import type { Condition, ListPlan, SortKey } from '../model/plan.ts';
import type { Resource, ScalarField } from '../model/resource.ts';
import { sortFields } from '../model/sort.ts';
import { type Access, accessOf } from './access-path.ts';

/** How the records of a list are found that asks for nothing but this. */
export interface FieldAccess {
  /** A value, or several, in change order. */
  readonly value: Access;
  /** A span of values (`<`, `>`, a day, a beginning), in change order; of truth values as of a value. */
  readonly span: Access;
  /** The order of the field alone; null: nobody may sort by it. */
  readonly sort: Access | null;
  /** A span in the order of the field alone; null as for `sort`. */
  readonly sortedSpan: Access | null;
}

/** By selector, of all fields that a filter may name. */
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
    // It says which activities are read, and nothing of their records.
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
