// Documents the query parameters of the lists: meaning, schema and a working example.
import { textBlock } from '../../model/text-block.ts';
import { filterCosts, slowFilters, sortCosts } from './list-costs.ts';
import type { Parameter } from '../../http/route.ts';
import { type FilterFields, filterFields, filterLimits } from '../../model/filter.ts';
import { equalityFields, maxPageSize } from '../../model/list-parameters.ts';
import type { Resource, ScalarField } from '../../model/resource.ts';
import { integerRange } from '../../model/scalar.ts';
import { maxSortKeys, sortFields } from '../../model/sort.ts';
import { explained, standardVocabulary, type Vocabulary } from '../../model/vocabulary.ts';

type Schema = Parameter['schema'];

/**
 * The documented query parameters of the lists of a resource, exactly those that `listParameters` of the model accepts
 * (decisions D10, D11, D13, D19, D43, D44).
 */
export function listParametersOf(
  resource: Resource,
  vocabulary: Vocabulary = standardVocabulary,
): readonly Parameter[] {
  return [
    {
      name: 'filter',
      in: 'query',
      meaning: filterMeaning(resource),
      schema: { type: 'string', maxLength: filterLimits.length },
      example: exampleFilter(resource),
    },
    {
      name: 'sort',
      in: 'query',
      meaning: sortMeaning(resource),
      schema: { type: 'string', maxLength: 256 },
      example: exampleSort(resource),
    },
    limit,
    cursor,
    updatedSince,
    ownerActivity,
    ...(resource.storage === 'images' ? [imageDate] : []),
    ...[...equalityFields(resource)].map(([name, field]) => equality(resource, name, field, vocabulary)),
  ];
}

/** The operators of each kind of field, in every spelling. */
export function operatorsOf(kind: ScalarField['kind']): readonly string[] {
  return kind === 'boolean'
    ? ['==', '!=', '=null=']
    : ['==', '!=', '=in=', '=out=', '=lt=', '<', '=le=', '<=', '=gt=', '>', '=ge=', '>=', '=null='];
}

/** The rules of the filter language in words (decision D13). */
export const filterRules: readonly string[] = [
  'A comparison is a field, an operator and a value, without spaces between them: `gradeCode==STD`.',
  '`==` is equal, `!=` not equal, `=in=(A,B)` any of, `=out=(A,B)` none of, `=lt=` or `<`, `=le=` or `<=`, `=gt=` ' +
    'or `>`, `=ge=` or `>=` compare by order. `=null=true` asks for records without a value and `=null=false` for ' +
    'those with one; no other comparison is true of a field without a value.',
  '`;` or ` and ` between comparisons asks for both, `,` or ` or ` for at least one. *And* binds tighter than *or*;' +
    ' parentheses group.',
  textBlock`
    A value with spaces or any of \`" ' ( ) ; , = ! ~ < >\` is put in single or double quotes; a backslash in the quotes
    takes the next character as it is.
  `,
  'Text is compared letter by letter: upper and lower case differ, and the order is that of the Unicode code ' +
    'points. After `==` and `!=` one `*` at the end of the value stands for any ending; a star that is meant as such ' +
    'is written `"\\*"`.',
  'Numbers are written as in JSON, truth values `true` and `false`.',
  'Date-times follow ISO 8601, in its extended or basic form, with `Z` or an offset (`+` is written `%2B` in a ' +
    'URL); none means UTC. A day such ' +
    'as `2026-01-31` stands for the whole UTC day: `==` means on it, `=lt=` and `=ge=` look at its start, `=le=` and ' +
    '`=gt=` at its end.',
  'A dotted field reaches into nested records and is true when any of them fits; each comparison looks for its ' +
    'own. Days are not possible in `=out=` there.',
  textBlock`
    At most ${filterLimits.length} characters, ${filterLimits.comparisons} comparisons, parentheses
    ${filterLimits.depth} deep, ${filterLimits.listValues} values in a list, ${filterLimits.valueLength} characters in a
    value.
  `,
  'What cannot be understood is refused with 400 `invalid-filter`, which gives the position; nothing is passed over.',
];

const typeNames = {
  text: 'text',
  integer: 'whole number',
  decimal: 'number',
  boolean: 'truth value',
  'date-time': 'date-time',
} as const;

/** The documentation's name for the type of a field. */
export function typeName(kind: ScalarField['kind']): string {
  return typeNames[kind];
}

function filterMeaning(resource: Resource): string {
  const byKind = Map.groupBy(filterFields(resource), ([, field]) => field.kind);
  const rows = [...byKind].map(
    ([kind, fields]) =>
      `| ${typeName(kind)} | ${fields.map(([selector]) => `\`${selector}\``).join(', ')} | ${operatorsOf(kind)
        .map((operator) => `\`${operator}\``)
        .join(' ')} |`,
  );
  return [
    `Which records to list, for example \`${exampleFilter(resource)}\`.`,
    '',
    ...filterRules.map((rule) => `- ${rule}`),
    '',
    '| type | fields | operators |',
    '| --- | --- | --- |',
    ...rows,
    '',
    filterCosts(resource),
  ].join('\n');
}

function sortMeaning(resource: Resource): string {
  const fields = [...sortFields(resource).keys()].map((name) => `\`${name}\``).join(', ');
  return [
    textBlock`
      Order of the list: up to ${maxSortKeys} fields, separated by commas, each with an optional \`-\` for descending
      order, for example \`${exampleSort(resource)}\`. Records without a value come last either way; text is in
      code-point order; records with the same values are ordered by activity, then by id.
    `,
    'Without it the list is in change order, oldest change first, with several activities one activity after the ' +
      'other, which is the order to follow a list in: a sorted ' +
      'list has no `Sync-Cursor`, and a record whose sort value changes while you page may come twice or not at all. ' +
      'One whose sort values stay comes exactly once.',
    `Fields: ${fields}.`,
    sortCosts(resource),
  ].join('\n\n');
}

const limit: Parameter = {
  name: 'limit',
  in: 'query',
  meaning: textBlock`
    Largest number of records in the answer. More than ${maxPageSize} is taken as ${maxPageSize}; zero, negative numbers
    and text are refused. An answer may hold fewer records though more follow, since those of one answer have 16 MiB
    together at most: go on by \`Link\` until there is none.
  `,
  schema: { type: 'integer', format: 'int32', minimum: 1, maximum: maxPageSize, default: maxPageSize },
  example: 50,
};

const cursor: Parameter = {
  name: 'cursor',
  in: 'query',
  meaning: [
    'Where to go on: the text that a `Link` with `rel="next"` or a `Sync-Cursor` header of the same endpoint gave, ' +
      'unchanged.',
    textBlock`
      It carries the query that it came from, so leave the other parameters out or repeat them as they were; only
      \`limit\` may change. A query with which it would have more than 3000 characters is not carried: \`Link\` then
      repeats the parameters, and so do you beside a \`Sync-Cursor\`. A cursor that was not issued here is refused with
      400 \`invalid-cursor\`, one of another request with 400 \`cursor-mismatch\`, and one that can no longer be served
      with 410 \`cursor-expired\`.
    `,
  ].join('\n\n'),
  schema: { type: 'string', minLength: 1, maxLength: 8192, pattern: '^[A-Za-z0-9_-]+$' },
};

const seconds = '\\d{2}([.,]\\d+)?';
const zone = '([Zz]|[+-]\\d{2}(:?\\d{2})?)?';

/** A day or a date-time, which no single `format` covers. */
const moment: Schema = {
  type: 'string',
  maxLength: 64,
  pattern: `^(\\d{4}-\\d{2}-\\d{2}([Tt]\\d{2}:\\d{2}(:${seconds})?${zone})?|\\d{8}([Tt]\\d{4}(${seconds})?${zone})?)$`,
};

const updatedSince: Parameter = {
  name: 'updatedSince',
  in: 'query',
  meaning:
    'Only records that the service stored at or after this instant; a day means its start in UTC. The answer ' +
    'carries `Sync-Covered-Until`: use that, not your own clock, as the next `updatedSince`. `Sync-Cursor` is the ' +
    'better way to follow a list, since it gives each change once.',
  schema: moment,
  example: '2026-03-01T00:00:00Z',
};

const ownerActivity: Parameter = {
  name: 'ownerActivity',
  in: 'query',
  meaning: textBlock`
    Only records that belong to this activity, one of those that the token covers; any other is refused, and the error
    names those of the token. It means the same on every list, also where a field \`activityCode\` means something else.
    Two activities may use one reference for different things: with this parameter a path that names one of them,
    such as an article, is about the one of this activity alone.
  `,
  schema: { type: 'string', minLength: 1, maxLength: 3 },
};

const imageDate: Parameter = {
  name: 'date',
  in: 'query',
  meaning: textBlock`
      Stock as it was: of each activity, the newest image that is not later than this instant; a day means its end in
      UTC. Where there is none the list is empty. An instant in the future is refused. Without it the list shows the
      latest image.
    `,
  schema: moment,
  example: '2026-03-01',
};

function equality(resource: Resource, name: string, field: ScalarField, vocabulary: Vocabulary): Parameter {
  const value = resource.example[name];
  const slow = slowFilters(resource).includes(name) ? ' Slow: no index has it.' : '';
  const comma = field.kind === 'text' ? ', and without a comma, for which there is `filter`' : '';
  return {
    name,
    in: 'query',
    meaning: textBlock`
      ${explained(field, vocabulary)} Only records with exactly this value; given more than once, with any of the
      values. Not empty${comma}.${slow}
    `,
    schema: { type: 'array', items: valueSchema(field), minItems: 1, maxItems: filterLimits.listValues },
    ...(value === null || value === undefined ? {} : { example: [value] }),
  };
}

/** What a query may contain for a field: more than the field itself, because a date stands for a whole day. */
function valueSchema(field: ScalarField): Schema {
  switch (field.kind) {
    case 'text':
      return { type: 'string', minLength: 1, maxLength: filterLimits.valueLength, pattern: '^[^,]*$' };
    case 'integer':
      return {
        type: 'integer',
        format: field.bits === 32 ? 'int32' : 'int64',
        minimum: integerRange[field.bits].least,
        maximum: integerRange[field.bits].most,
      };
    case 'decimal':
      return { type: 'number', format: 'double' };
    case 'boolean':
      return { type: 'boolean' };
    case 'date-time':
      return moment;
  }
}

/** An example with a nested field, if there is one, and a date to look back to. */
function exampleFilter(resource: Resource): string {
  const [found] = tellingTexts(resource, filterFields(resource))
    .map((selector) => ({ selector, value: exampleValue(resource.example, selector.split('.')) }))
    .filter(({ value }) => typeof value === 'string')
    .toSorted((left, right) => Number(right.selector.includes('.')) - Number(left.selector.includes('.')));
  const changed = changeDate(resource);
  const since = changed === null ? [] : [`${changed}=ge=${String(resource.example[changed]).slice(0, 10)}`];
  return [...since, ...(found === undefined ? [] : [`${found.selector}==${String(found.value)}`])].join(';');
}

function exampleSort(resource: Resource): string {
  const [text] = tellingTexts(resource, sortFields(resource));
  const changed = changeDate(resource);
  return [...(changed === null ? [] : [`-${changed}`]), ...(text === undefined ? [] : [text])].join(',');
}

/** The text fields that distinguish records of one activity; those that every record has come first. */
function tellingTexts(resource: Resource, fields: FilterFields): readonly string[] {
  return [...fields]
    .filter(
      ([selector, field]) =>
        field.kind === 'text' && field.assigned === undefined && selector !== resource.activityField,
    )
    .toSorted(([, left], [, right]) => Number(right.required ?? false) - Number(left.required ?? false))
    .map(([selector]) => selector);
}

/** The field that says when the service last stored a change. */
function changeDate(resource: Resource): string | null {
  return [...sortFields(resource)].find(([, field]) => field.assigned === 'updated')?.[0] ?? null;
}

/** The value at the end of the path, in the first element of each list along it. */
function exampleValue(at: unknown, path: readonly string[]): unknown {
  const here: unknown = Array.isArray(at) ? at[0] : at;
  const [name, ...rest] = path;
  if (name === undefined) return here;
  return typeof here === 'object' && here !== null ? exampleValue(Reflect.get(here, name), rest) : undefined;
}
