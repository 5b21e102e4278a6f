// The order that a client asks for: parses text like `-movementTimestamp,articleReference` into sort keys.
import { derived } from './derived.ts';
import type { FilterFields } from './filter.ts';
import type { SortKey } from './plan.ts';
import { Problem } from './problem.ts';
import { columnFields } from './resource.ts';
import { closestName } from './closest-name.ts';
import { characters, excerpt } from './text.ts';

/** The most keys of a sort (decision D13). */
export const maxSortKeys = 3;

/** The published fields that a sort may use. */
export const sortFields = derived((resource): FilterFields => {
  const fields = [...columnFields(resource)];
  return new Map(fields.filter(([name, field]) => field.sortable && !Object.hasOwn(resource.unpublished, name)));
});

/**
 * Parses a sort (decision D13): one to three fields, `-` before a field for descending, an optional `+` for ascending.
 * @param text the decoded parameter, not empty
 * @throws Problem `invalid-sort` with `position` (0-based, in characters), `code` and `allowedFields`
 */
export function parseSort(text: string, fields: FilterFields): readonly SortKey[] {
  const parts = text.split(',', maxSortKeys + 1);
  const keys: SortKey[] = [];
  let at = 0;
  for (const part of parts) {
    if (keys.length === maxSortKeys) fail(fields, text, at, 'too-complex', `A sort has at most ${maxSortKeys} fields`);
    // An unencoded '+' arrives as a space.
    const field = part.replace(/^[-+ ]/, '');
    const fieldAt = at + part.length - field.length;
    if (field === '') fail(fields, text, fieldAt, 'syntax', 'Expected a field');
    if (!fields.has(field)) unknownField(text, fieldAt, field, fields);
    if (keys.some((key) => key.field === field)) fail(fields, text, fieldAt, 'syntax', `Field '${field}' occurs twice`);
    keys.push({ field, descending: part.startsWith('-') });
    at += part.length + 1;
  }
  return keys;
}

function unknownField(text: string, at: number, field: string, fields: FilterFields): never {
  // Other interfaces write `price desc` or `price:desc`.
  const [, named = field, direction = ''] = /^(\w{1,64})[ :](asc|desc)\w*$/i.exec(field) ?? [];
  const near = fields.has(named) ? named : closestName(named, fields.keys());
  const wanted = direction.toLowerCase() === 'desc' ? `-${near}` : near;
  const hint = near === null ? 'allowedFields lists the fields that can be sorted by' : `did you mean '${wanted}'?`;
  fail(fields, text, at, 'unknown-field', `Field '${excerpt(field)}' cannot be sorted by`, hint);
}

function fail(
  fields: FilterFields,
  text: string,
  at: number,
  code: 'syntax' | 'unknown-field' | 'too-complex',
  what: string,
  hint = '',
): never {
  const position = characters(text.slice(0, at));
  const place = `${what} at position ${position}${hint === '' ? '' : `: ${hint}`}${hint.endsWith('?') ? '' : '.'}`;
  const detail = `${place} Write -field for descending order, as in ${exampleSort(fields)}.`;
  throw new Problem('invalid-sort', detail, {
    parameter: 'sort',
    position,
    code,
    allowedFields: [...fields.keys()],
    errors: { sort: [detail] },
  });
}

/** An example that uses two existing fields. */
function exampleSort(fields: FilterFields): string {
  const [first = '', second] = fields.keys();
  return second === undefined ? `sort=-${first}` : `sort=-${first},${second}`;
}
