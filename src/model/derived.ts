// Tables derived from a resource definition: computed once per definition, since definitions never change.
import type { Resource } from './resource.ts';

/** Memoizes a function of a definition; its results must be readonly. */
export function derived<Table>(make: (resource: Resource) => Table): (resource: Resource) => Table {
  const made = new WeakMap<Resource, { readonly table: Table }>();
  return (resource) => {
    const known = made.get(resource) ?? { table: make(resource) };
    made.set(resource, known);
    return known.table;
  };
}
