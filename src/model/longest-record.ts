// The maximum length of a record as published, whatever its content.
import { derived } from './derived.ts';
import type { Field, Fields, Resource } from './resource.ts';

/** Upper bound in bytes for every record of the resource; infinite when it has lists of records. */
export const longestRecord = derived((resource: Resource): number => longestOf(resource.fields));

/** Values that the service assigns, in bytes of JSON; a number has at most 16 digits. */
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
    // A character takes at most four bytes of UTF-8, or six when it is escaped.
    case 'text':
      return 6 * field.max + 2;
    default:
      return 40;
  }
}
