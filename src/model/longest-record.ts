// How long a record can be as it is published, whatever it says.
import { derived } from './derived.ts';
import type { Field, Fields, Resource } from './resource.ts';

/** Bytes that no record of the resource is longer than; infinite where it has lists of records. */
export const longestRecord = derived((resource: Resource): number => longestOf(resource.fields));

/** What the service assigns, in bytes of JSON; a number has 16 digits at most. */
const assignedLength = { number: 16, uuid: 38, 'parent-id': 16, created: 26, updated: 26 } as const;

function longestOf(fields: Fields): number {
  return Object.entries(fields).reduce(
    (sum, [name, field]) => sum + Buffer.byteLength(JSON.stringify(name)) + 2 + longestValue(field),
    1,
  );
}

function longestValue(field: Field): number {
  if (field.assigned !== undefined) return assignedLength[field.assigned];
  switch (field.kind) {
    case 'list':
      return Infinity;
    case 'object':
      return longestOf(field.fields);
    // A character is four bytes of UTF-8 at most, or six where it is escaped.
    case 'text':
      return 6 * field.max + 2;
    default:
      return 40;
  }
}
