// Tables that follow from a resource definition: made once per definition, since definitions never change.
import type { Resource } from './resource.ts';

/** Makes a function of a definition remember its answers; they must be readonly. */
export function derived<Table>(make: (resource: Resource) => Table): (resource: Resource) => Table {
  const made = new WeakMap<Resource, { readonly table: Table }>();
  return (resource) => {
    const known = made.get(resource) ?? { table: make(resource) };
    made.set(resource, known);
    return known.table;
  };
}
