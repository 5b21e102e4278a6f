// Derives JSON Schema 2020-12 from definitions: what a client reads and what it may send.
import { maxElements } from './record-reader.ts';
import { type Field, type Fields, isScalar, type Resource, type ScalarField } from './resource.ts';
import { integerRange } from './scalar.ts';
import { submittedKeywords } from './submitted-values.ts';
import { isKeptWhenWithdrawn } from './withdrawal.ts';
import { explained, standardVocabulary, type Vocabulary } from './vocabulary.ts';

export type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * Schema of one record as it appears in responses: every property is present (decision D2), null when unknown. A text
 * that is never null is empty in a withdrawn record (decision 49). Nested records are references into
 * `#/components/schemas`.
 */
export function responseSchema(resource: Resource, vocabulary: Vocabulary = standardVocabulary): JsonSchema {
  const fields = Object.entries(resource.fields).map(([name, field]) =>
    field.kind === 'text' && field.required && !isKeptWhenWithdrawn(resource, name, field)
      ? [name, { ...field, required: undefined, min: 0 }]
      : [name, field],
  );
  return recordSchema({ ...resource, fields: Object.fromEntries(fields) }, vocabulary);
}

/**
 * Schemas of all records, nested ones included, by record name.
 * @throws Error when two different nested records have the same name: a mistake in a definition
 */
export function componentSchemas(
  resources: readonly Resource[],
  vocabulary: Vocabulary = standardVocabulary,
): Readonly<Record<string, JsonSchema>> {
  const found = new Map<string, { readonly fields: Fields; readonly schema: JsonSchema }>();
  const add = (record: string, fields: Fields, schema: JsonSchema): void => {
    const known = found.get(record);
    if (known?.fields === fields) return;
    if (known !== undefined) throw new Error(`Two definitions of the record ${record}: give one of them another name.`);
    found.set(record, { fields, schema });
    for (const field of Object.values(fields))
      if (!isScalar(field)) add(field.record, field.fields, recordSchema({ ...field, closed: false }, vocabulary));
  };
  for (const resource of resources) add(resource.record, resource.fields, responseSchema(resource, vocabulary));
  return Object.fromEntries([...found].map(([record, { schema }]) => [record, schema]));
}

/** Name of the schema for submitting a record. */
export function inputName(record: string): string {
  return `${record}Input`;
}

/**
 * Schemas of one record in a create request (interface 4.4) and of its nested records, by name (`ArticleInput`),
 * without unknown properties. The service's own dates may be sent and are ignored. Read-only fields may come back as
 * they were read, or null (decision D3). A client can send any field in the type in which it reads it: further
 * restrictions are expressed by bounds and patterns instead of enumerations, from which code generators would make
 * types.
 */
export function inputSchemas(
  { record, fields, activityField }: Pick<Resource, 'record' | 'fields' | 'activityField'>,
  vocabulary: Vocabulary = standardVocabulary,
): Readonly<Record<string, JsonSchema>> {
  const nested = sentFields(fields).flatMap(([, field]) =>
    isScalar(field) ? [] : Object.entries(inputSchemas({ ...field, activityField: null }, vocabulary)),
  );
  return { [inputName(record)]: inputSchema(fields, activityField, vocabulary), ...Object.fromEntries(nested) };
}

function recordSchema({ fields, closed }: Pick<Resource, 'fields' | 'closed'>, vocabulary: Vocabulary): JsonSchema {
  return {
    type: 'object',
    properties: Object.fromEntries(
      Object.entries(fields).map(([name, field]) => [name, responseField(field, vocabulary)]),
    ),
    required: Object.keys(fields),
    ...(closed ? { additionalProperties: false } : {}),
  };
}

function responseField(field: Field, vocabulary: Vocabulary): JsonSchema {
  const nested = isScalar(field) ? {} : { $ref: `#/components/schemas/${field.record}` };
  // Not `readOnly`: input has schemas of its own, and generators would derive a third kind of record from the keyword.
  return fieldSchema(field, explained(field, vocabulary), nested, field.notNull === true);
}

function inputSchema(fields: Fields, activityField: string | null, vocabulary: Vocabulary): JsonSchema {
  const sent = sentFields(fields);
  return {
    type: 'object',
    properties: Object.fromEntries(
      sent.map(([name, field]) => [name, inputField(field, name === activityField, vocabulary)]),
    ),
    required: sent.filter(([name, field]) => field.required || name === activityField).map(([name]) => name),
    additionalProperties: false,
  };
}

function sentFields(fields: Fields): readonly (readonly [name: string, field: Field])[] {
  return Object.entries(fields).filter(
    ([, field]) => field.readOnly || field.assigned === undefined || isOwnDate(field),
  );
}

function inputField(field: Field, activity: boolean, vocabulary: Vocabulary): JsonSchema {
  const nested = isScalar(field) ? {} : { $ref: `#/components/schemas/${inputName(field.record)}` };
  if (field.readOnly) {
    const meaning = `Read-only: leave it out, or send it back as it was read. ${field.meaning}`;
    return fieldSchema(field, explained({ ...field, meaning }, vocabulary), nested, false);
  }
  if (!isScalar(field)) return fieldSchema(field, explained(field, vocabulary), nested, false);
  const { description, ...facts } = fieldSchema(
    field,
    explained(field, vocabulary),
    {},
    field.required === true || activity,
  );
  return { ...facts, ...submittedKeywords(field), description };
}

function isOwnDate(field: Field): boolean {
  return field.assigned === 'created' || field.assigned === 'updated';
}

function fieldSchema(field: Field, description: string, nested: JsonSchema, notNull: boolean): JsonSchema {
  if (field.kind === 'list')
    return { type: notNull ? 'array' : ['array', 'null'], items: nested, maxItems: maxElements, description };
  if (field.kind === 'object')
    return notNull ? { ...nested, description } : { anyOf: [nested, { type: 'null' }], description };
  const { type, ...facts } = scalarSchema(field);
  return { type: notNull ? type : [type, 'null'], ...facts, description };
}

function scalarSchema(field: ScalarField): { readonly type: string; readonly [keyword: string]: unknown } {
  switch (field.kind) {
    case 'text': {
      const min = field.min ?? (field.required ? 1 : 0);
      return {
        type: 'string',
        ...(field.assigned === 'uuid' ? { format: 'uuid' } : {}),
        ...(field.format === 'country' ? { pattern: '^[A-Z]{2}$' } : {}),
        ...(min > 0 ? { minLength: min } : {}),
        maxLength: field.max,
      };
    }
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
      return { type: 'string', format: 'date-time' };
  }
}
