// ProblemDetails as the description shows it: its schema, and an example for each kind of problem.
import { type ProblemSlug, problems } from '../../model/problem.ts';
import type { Json } from '../openapi.ts';

const text = (description: string, more: Json = {}): Json => ({ type: ['string', 'null'], description, ...more });

/**
 * Schema of every error body (interface 2.12; RFC 9457). Further members are allowed; those that the service uses are
 * described.
 */
export const problemDetails: Json = {
  type: 'object',
  description:
    'What went wrong and what to do about it (RFC 9457). Programs decide by `type`, which never changes for the ' +
    'same kind of problem; `title` and `detail` are for people. Further members may come with later versions.',
  properties: {
    type: text('Kind of the problem: the address of a page that explains cause and remedy.', {
      format: 'uri',
      maxLength: 2048,
    }),
    title: text('The kind of the problem in a few words; always the same for the same `type`.', { maxLength: 255 }),
    status: {
      type: ['integer', 'null'],
      format: 'int32',
      description: 'The HTTP status code.',
      minimum: 400,
      maximum: 599,
    },
    detail: text('What is wrong this time, and what would be right.', { maxLength: 8192 }),
    instance: text('Path of the request, without its query.', { format: 'uri-reference', maxLength: 2048 }),
    traceId: {
      type: 'string',
      description: 'Finds this request in the logs of the service, and in your own traces if you sent `traceparent`.',
      maxLength: 64,
    },
    errors: {
      type: 'object',
      description: 'With 400: what is wrong, by parameter name or by JSON path in the body.',
      additionalProperties: { type: 'array', items: { type: 'string', maxLength: 8192 } },
    },
    parameter: { type: 'string', description: 'The parameter that is wrong.', maxLength: 64 },
    position: {
      type: 'integer',
      format: 'int32',
      description: 'Where in the parameter, in characters from 0.',
      minimum: 0,
      maximum: 8192,
    },
    code: {
      type: 'string',
      description: 'What is wrong with a `filter` or `sort`.',
      enum: ['syntax', 'unknown-field', 'operator-not-allowed', 'bad-value', 'too-complex'],
    },
    allowedFields: {
      type: 'array',
      description: 'The fields that a `filter` or `sort` of this list may name.',
      items: { type: 'string', maxLength: 255 },
    },
    knownParameters: {
      type: 'array',
      description: 'The parameters that the endpoint has.',
      items: { type: 'string', maxLength: 255 },
    },
    'violated-policies': {
      type: 'array',
      description: 'With 429: the names of the limits that were reached.',
      items: { type: 'string', maxLength: 64 },
    },
  },
  additionalProperties: true,
};

/**
 * Example bodies, by slug.
 * @param baseUrl under which the problem pages are
 * @param instance a path of the interface
 */
export function problemExamples(
  slugs: readonly ProblemSlug[],
  baseUrl: string,
  instance: string,
): Readonly<Record<string, { readonly summary: string; readonly value: Json }>> {
  return Object.fromEntries(
    slugs.map((slug) => {
      const { title, status, page } = problems[slug];
      const { detail, ...members } = occurrences[slug] ?? { detail: `${page.split('. ')[0]?.replace(/\.$/, '')}.` };
      const errors = status === 400 && members.errors === undefined ? { errors: { request: [detail] } } : {};
      const value = {
        type: `${baseUrl}/problems/${slug}`,
        title,
        status,
        detail,
        instance,
        traceId: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
        ...errors,
        ...members,
      };
      return [slug, { summary: title, value }];
    }),
  );
}

interface Occurrence {
  readonly detail: string;
  readonly errors?: Json;
  readonly [member: string]: unknown;
}

/** The fields by which movements are filtered and sorted. */
const movementFields = [
  'id',
  'dateCreation',
  'dateLastUpdate',
  'activityCode',
  'stockUnitID',
  'movementTimestamp',
  'articleReference',
  'movedQuantity',
  'movementDirection',
  'movementCode',
  'movementReason',
  'gradeCode',
  'dateProcessed',
];

/** Examples of problems whose details go beyond their page. */
const occurrences: { readonly [slug in ProblemSlug]?: Occurrence } = {
  'invalid-parameter': {
    detail: "Parameter 'limit': expected a whole number from 1 to 100.",
    parameter: 'limit',
    errors: { limit: ["Parameter 'limit': expected a whole number from 1 to 100."] },
  },
  'unknown-parameter': {
    detail:
      "Unknown parameter 'limits': did you mean 'limit'? Known parameters: filter, sort, limit, cursor, updatedSince.",
    parameter: 'limits',
    knownParameters: ['filter', 'sort', 'limit', 'cursor', 'updatedSince'],
    errors: { limits: ["Unknown parameter 'limits': did you mean 'limit'?"] },
  },
  'invalid-filter': {
    detail: 'Unexpected end at position 11: expected a value (empty text is written "").',
    parameter: 'filter',
    position: 11,
    code: 'syntax',
    allowedFields: movementFields,
    errors: { filter: ['Unexpected end at position 11: expected a value (empty text is written "").'] },
  },
  'invalid-sort': {
    detail: 'Expected a field at position 0. Write -field for descending order, as in sort=-id,dateCreation.',
    parameter: 'sort',
    position: 0,
    code: 'syntax',
    allowedFields: movementFields,
    errors: {
      sort: ['Expected a field at position 0. Write -field for descending order, as in sort=-id,dateCreation.'],
    },
  },
  'role-missing': {
    detail:
      'This needs a platform key with the role audit; this key has outbox. The operator makes one with `key add ' +
      'NAME --role audit`.',
    role: 'audit',
  },
  'malformed-json': { detail: 'The body is not valid JSON at line 3, column 18: a value is missing.' },
  'payload-too-large': { detail: 'The body may have 10485760 bytes here, counted without compression.' },
  'unsupported-media-type': { detail: 'The Content-Type is another one. This endpoint reads application/json.' },
  'idempotency-key-reused': {
    detail:
      'This Idempotency-Key was used here for a request with another body or query. Take a new key for a new request.',
  },
  'quota-exceeded': {
    detail: "600 requests of the kind 'read' a minute are allowed. Wait 31 s.",
    'violated-policies': ['read'],
  },
};
