// The reference page of one resource: all its fields, those of its nested records, and an example.
import { listDescription } from '../../src/api/descriptions/lists.ts';
import { isListOperation, listEndpoint } from '../../src/api/list-endpoints.ts';
import { listPaths } from '../../src/api/routes.ts';
import { filterCosts, slowFilters, slowSorts, sortCosts } from '../../src/api/descriptions/list-costs.ts';
import { filterFields } from '../../src/model/filter.ts';
import { type Field, type Fields, isScalar, type Resource } from '../../src/model/resource.ts';
import { textBlock } from '../../src/model/text-block.ts';
import { explained } from '../../src/model/vocabulary.ts';
import { vocabularyOf } from '../../src/resources/dictionary.ts';
import { code, generatedMark, page, markdownTable } from './markdown.ts';

/**
 * The page as Markdown.
 * @param source file that defines the resource, for the mark in the first line
 */
export function resourcePage(resource: Resource, source: string): string {
  const nested = new Map<string, NestedRecord>();
  collectNested(resource.fields, '', nested);
  const filterable = new Set(filterFields(resource).keys());
  const slowToFilter = new Set(slowFilters(resource));
  const slowToSort = new Set(slowSorts(resource));
  return page(
    generatedMark(source),
    `# ${resource.record}`,
    (resource.clause === null ? '' : `Clause ${resource.clause} of the interface. `) +
      (resource.closed
        ? 'The record is closed: no further fields will ever be added to it.'
        : 'Later versions may add fields.'),
    listsOf(resource),
    identityOf(resource),
    '## Fields',
    fieldTable(
      resource.fields,
      (name) => (slowToFilter.has(name) ? 'slow' : filterable.has(name) ? 'yes' : ''),
      (name) => (slowToSort.has(name) ? 'slow' : 'yes'),
    ),
    textBlock`
      Every field is there in every record. A length is counted in characters; *null* means that the value may be
      unknown; *slow* that no index serves it: it may look at all records, and runs in the queue for long reads.
    `,
    '## Cost of a filter and of a sort',
    filterCosts(resource),
    sortCosts(resource),
    ...[...nested].flatMap(([record, { fields, prefixes }]) => [
      `## ${record}`,
      `In ${prefixes.map(code).join(', ')}.`,
      fieldTable(fields, (name) =>
        prefixes
          .map((prefix) => `${prefix}.${name}`)
          .filter((selector) => filterable.has(selector))
          .map((selector) => `as ${code(selector)}${slowToFilter.has(selector) ? ', slow' : ''}`)
          .join(', '),
      ),
    ]),
    '## Example',
    `\`\`\`json\n${JSON.stringify(resource.example, null, 2)}\n\`\`\``,
  );
}

interface NestedRecord {
  readonly fields: Fields;
  readonly prefixes: string[];
}

function collectNested(fields: Fields, prefix: string, found: Map<string, NestedRecord>): void {
  for (const [name, field] of Object.entries(fields)) {
    if (isScalar(field)) continue;
    const here = `${prefix}${name}`;
    const known = found.get(field.record);
    if (known === undefined) found.set(field.record, { fields: field.fields, prefixes: [here] });
    else known.prefixes.push(here);
    collectNested(field.fields, `${here}.`, found);
  }
}

function listsOf(resource: Resource): string {
  const rows = listPaths.flatMap(({ path, operation }) =>
    isListOperation(operation) && listEndpoint(operation).resource === resource
      ? [`- ${code(`GET ${path}`)}: ${listDescription(operation).description}`]
      : [],
  );
  return rows.join('\n');
}

function identityOf(resource: Resource): string {
  const id =
    resource.key.length === 0
      ? 'A record is identified by the `id` that its source gave it, else by its whole content.'
      : `Within an activity a record is identified by ${resource.key.map(code).join(', ')}.`;
  const names = Object.keys(resource.unpublished);
  const hidden =
    names.length === 0
      ? ''
      : ` ${names.map(code).join(', ')}: given when it is imported, asked for by path, never shown in the record.`;
  return `${id}${hidden}`;
}

function fieldTable(
  fields: Fields,
  filter: (name: string) => string,
  sort: (name: string) => string = () => 'yes',
): string {
  return markdownTable(
    ['field', 'type', 'length', 'null', 'filter', 'sort', 'meaning'],
    Object.entries(fields).map(([name, field]) => [
      code(name),
      typeOf(field),
      lengthOf(field),
      field.notNull ? '' : 'null',
      filter(name),
      field.sortable ? sort(name) : '',
      meaningOf(field),
    ]),
  );
}

function typeOf(field: Field): string {
  switch (field.kind) {
    case 'text':
      return field.assigned === 'uuid' ? 'string (UUID)' : 'string';
    case 'integer':
      return `integer (${field.bits === 32 ? 'int32' : 'int64, below 2^53'})`;
    case 'decimal':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'date-time':
      return 'date-time';
    case 'object':
      return `[${field.record}](#${field.record.toLowerCase()})`;
    case 'list':
      return `array of [${field.record}](#${field.record.toLowerCase()})`;
  }
}

function lengthOf(field: Field): string {
  if (field.kind !== 'text') return '';
  return field.min === undefined ? String(field.max) : `${field.min}-${field.max}`;
}

function meaningOf(field: Field): string {
  const notes = [
    field.required ? 'Needed on import.' : '',
    field.readOnly ? 'Never part of a create request.' : '',
  ].filter((note) => note !== '');
  return [explained(field, vocabularyOf(null)), ...notes].join(' ');
}
