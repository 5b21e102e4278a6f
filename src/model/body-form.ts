// What a record's body depends on besides its content: the form of its definition, which changes when fields are added.
import { hash } from 'node:crypto';
import { derived } from './derived.ts';
import { type Field, type Fields, isScalar, type Resource } from './resource.ts';
import { isObject } from './scalar.ts';

/**
 * The form of a resource: 0 for the first one, otherwise the latest form in which a field, nested ones included, was
 * added or became filterable.
 */
export const formOf = derived((resource: Resource): number =>
  Math.max(resource.form ?? 0, latestForm({ ...resource.fields, ...resource.unpublished })),
);

/**
 * The fields whose values come from outside, each with its place in what is hashed. A field added later is placed
 * behind all earlier ones, wherever it stands in the definition, so a record without it keeps its hash.
 */
export function sourceFields(
  fields: Fields,
): readonly { readonly name: string; readonly field: Field; readonly place: number }[] {
  const own = Object.entries(fields).filter(([, field]) => field.assigned === undefined);
  const inOrder = own.toSorted(([, left], [, right]) => (left.since ?? 0) - (right.since ?? 0));
  const places = new Map(inOrder.map(([name], place) => [name, place]));
  return own.map(([name, field]) => ({ name, field, place: places.get(name) ?? 0 }));
}

/**
 * The content of a record in canonical form, without names and nulls: pairs of place and value.
 * @param value the canonical form; the published form with the unpublished fields works too, because values that the
 *   service assigns are left out
 */
export function compactOf(fields: Fields, value: Readonly<Record<string, unknown>>): readonly unknown[] {
  return sourceFields(fields).flatMap(({ name, field, place }) => {
    const compact = compactField(field, value[name] ?? null);
    return compact === null ? [] : [place, compact];
  });
}

/**
 * Identifies the content of a record whose source gave it no key (22 characters). It is the same in every form as long
 * as the content is the same.
 */
export function identityHash(compact: readonly unknown[]): string {
  return hash('sha512', JSON.stringify(compact), 'base64url').slice(0, 22);
}

/** The hash that is compared when a record is sent again: its content and the form of its body (22 characters). */
export function contentHash(resource: Resource, compact: readonly unknown[]): string {
  const form = formOf(resource);
  return identityHash(form === 0 ? compact : [{ form }, ...compact]);
}

function latestForm(fields: Fields): number {
  return Math.max(
    0,
    ...Object.values(fields).map((field) => Math.max(field.since ?? 0, isScalar(field) ? 0 : latestForm(field.fields))),
  );
}

function compactField(field: Field, value: unknown): unknown {
  if (isScalar(field)) return value;
  if (field.kind === 'object') return isObject(value) ? compactOf(field.fields, value) : null;
  const elements = Array.isArray(value) ? value.filter(isObject) : [];
  return elements.length === 0 ? null : elements.map((element) => compactOf(field.fields, element));
}
