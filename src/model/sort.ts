// The order that a client asks for: text like `-movementTimestamp,articleReference` to sort keys.
import { derived } from './derived.ts';
import type { FilterFields } from './filter.ts';
import type { SortKey } from './plan.ts';
import { Problem } from './problem.ts';
import { columnFields } from './resource.ts';
import { closestName } from './spelling.ts';
import { characters, excerpt } from './text.ts';

/** The most keys that a sort may have (decision D13). */
export const maxSortKeys = 3;

/** The published fields that a sort may name. */
export const sortFields = derived((resource): FilterFields => {
  const fields = [...columnFields(resource)];
  return new Map(fields.filter(([name, field]) => field.sortable && !Object.hasOwn(resource.unpublished, name)));
});

/**
 * Parses a sort (decision D13): one to three fields, `-` before a field for descending, an optional `+` for ascending.
 * @param text the decoded parameter, not empty
 * @throws Problem `invalid-sort` with `position` (0-based, in characters), `code` and, for an unknown field,
 * `allowedFields`
 */
export function parseSort(text: string, fields: FilterFields): readonly SortKey[] {
  const parts = text.split(',', maxSortKeys + 1);
  const keys: SortKey[] = [];
  let at = 0;
  for (const part of parts) {
    if (keys.length === maxSortKeys) fail(text, at, 'too-complex', `A sort has at most ${maxSortKeys} fields`);
    // A '+' that was not encoded arrives as a space.
    const field = part.replace(/^[-+ ]/, '');
    const fieldAt = at + part.length - field.length;
    if (field === '') fail(text, fieldAt, 'syntax', 'Expected a field');
    if (!fields.has(field)) unknownField(text, fieldAt, field, fields);
    if (keys.some((key) => key.field === field)) fail(text, fieldAt, 'syntax', `Field '${field}' occurs twice`);
    keys.push({ field, descending: part.startsWith('-') });
    at += part.length + 1;
  }
  return keys;
}

function unknownField(text: string, at: number, field: string, fields: FilterFields): never {
  const near = closestName(field, fields.keys());
  const hint = near === null ? 'allowedFields lists the fields that can be sorted by' : `did you mean '${near}'?`;
  fail(text, at, 'unknown-field', `Field '${excerpt(field)}' cannot be sorted by`, hint, {
    allowedFields: [...fields.keys()],
  });
}

function fail(
  text: string,
  at: number,
  code: 'syntax' | 'unknown-field' | 'too-complex',
  what: string,
  hint = '',
  more: Readonly<Record<string, unknown>> = {},
): never {
  const position = characters(text.slice(0, at));
  const detail = `${what} at position ${position}${hint === '' ? '' : `: ${hint}`}${hint.endsWith('?') ? '' : '.'}`;
  throw new Problem('invalid-sort', detail, { parameter: 'sort', position, code, ...more, errors: { sort: [detail] } });
}
