// How long a record is as it is published, with every property written out, before it is written.
import { derived } from './derived.ts';
import { type Field, type Fields, isScalar, type Resource } from './resource.ts';
import { isObject } from './scalar.ts';

/**
 * Makes the function that gives the bytes of a record's published body: exactly, but for numbers that the service
 * assigns, which are taken for as long as they can be.
 * @returns function of a record in canonical form
 */
export const publishedLength = derived((resource: Resource) => recordLength(resource.fields));

/** Bytes of the shortest record that a list of the resource can hold. */
export const shortestNested = derived((resource: Resource): number =>
  Math.min(...nestedIn(resource.fields).map((fields) => recordLength(fields)({}))),
);

/** Bytes that no record of the resource is longer than; infinite where it has lists of records. */
export const longestRecord = derived((resource: Resource): number => longestOf(resource.fields));

type Length = (value: Readonly<Record<string, unknown>>) => number;

/** What the service assigns, in bytes of JSON; a number has 16 digits at most. */
const assignedLength = { number: 16, uuid: 38, 'parent-id': 16, created: 26, updated: 26 } as const;

function recordLength(fields: Fields): Length {
  const entries = Object.entries(fields);
  const blank = entries.reduce(
    (sum, [name, field]) => sum + Buffer.byteLength(JSON.stringify(name)) + 2 + blankLength(field),
    1,
  );
  const lengthOf = new Map(
    entries.filter(([, field]) => field.assigned === undefined).map(([name, field]) => [name, fieldLength(field)]),
  );
  return (value) => {
    let length = blank;
    for (const name in value) {
      const given = value[name];
      if (given !== null && given !== undefined) length += lengthOf.get(name)?.(given) ?? 0;
    }
    return length;
  };
}

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

function blankLength(field: Field): number {
  if (field.assigned !== undefined) return assignedLength[field.assigned];
  return field.kind === 'list' ? 2 : 4;
}

/** What a value adds to the length of a field that has none. */
function fieldLength(field: Field): (value: unknown) => number {
  if (isScalar(field)) return (value) => Buffer.byteLength(JSON.stringify(value)) - 4;
  const inside = recordLength(field.fields);
  if (field.kind === 'object') return (value) => (isObject(value) ? inside(value) - 4 : 0);
  return (value) => {
    if (!Array.isArray(value)) return 0;
    const commas = Math.max(value.length - 1, 0);
    return value.reduce((sum: number, element) => sum + (isObject(element) ? inside(element) : 4), commas);
  };
}

function nestedIn(fields: Fields): readonly Fields[] {
  return Object.values(fields).flatMap((field) =>
    field.kind === 'list' ? [field.fields, ...nestedIn(field.fields)] : [],
  );
}
