// The record that the path of a list names: a list of an unknown one is 404 (decision D18).
import type { Call } from '../http/route.ts';
import { readText } from '../model/filter-values.ts';
import { Problem } from '../model/problem.ts';
import { characters } from '../model/text.ts';
import type { Store } from '../store/store.ts';
import type { ListEndpoint, Parent } from './list-endpoints.ts';

/**
 * The value by which a path names the parent; '' when the list has none.
 * @throws Problem when the text cannot name any record: too long, or with characters that no record contains
 */
export function parentValueOf({ parent }: ListEndpoint, call: Call): string {
  if (parent === null) return '';
  const value = readText(call.params[parent.parameter] ?? '');
  if (value === null || characters(value) > parent.max) throw unknownParent(parent);
  return value;
}

/**
 * Does nothing for a list without a parent.
 * @param where the activities in which the parent is looked up; `isNarrowed`: the request named one of the token's
 * @throws Problem when it is not known there
 */
export async function requireParent(
  store: Store,
  parent: Parent | null,
  value: string,
  where: { readonly activities: readonly string[]; readonly isNarrowed: boolean },
): Promise<void> {
  if (parent === null) return;
  const { activities, isNarrowed } = where;
  for (const { resource, field } of parent.knownBy) {
    if (await store.lists.exists(resource, activities, field, value)) return;
  }
  throw unknownParent(parent, isNarrowed ? `in activity ${activities.join()}` : undefined);
}

/** The answer is the same for a record that does not exist and for another client's (decision D18). */
function unknownParent({ noun, parameter }: Parent, where = 'among the activities of this token'): Problem {
  return new Problem('resource-not-found', `There is no ${noun} with this ${parameter} ${where}.`);
}
