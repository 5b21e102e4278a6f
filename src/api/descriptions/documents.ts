// The reference documentation of attaching documents.
import { documentTypes } from '../../documents/kinds.ts';
import { documentExample, documentHeaders, documentRecord } from '../../http/document-description.ts';
import type { Parameter, RouteDescription } from '../../http/route.ts';
import type { JsonSchema } from '../../model/schema.ts';
import { textBlock } from '../../model/text-block.ts';
import { maxNameCharacters } from '../order-path.ts';
import { maxListedDocuments } from '../order-documents.ts';

/** The form with the file, by schema name. */
export const documentSchemas: Readonly<Record<string, JsonSchema>> = {
  DocumentUpload: {
    type: 'object',
    description: 'A form with one file.',
    properties: { file: { type: 'string', format: 'binary', description: 'The document.' } },
    required: ['file'],
    additionalProperties: false,
  },
  OrderDocument: documentRecord,
  OrderDocuments: {
    type: 'array',
    description: 'Documents of an order.',
    maxItems: maxListedDocuments,
    items: { $ref: '#/components/schemas/OrderDocument' },
  },
};

const orderParameter: Parameter = {
  name: 'orderId',
  in: 'path',
  required: true,
  meaning: 'The `id` of the order, or its `orderUniqueID`; not its `internalId` or `customerOrderID`.',
  schema: { type: 'string', minLength: 1, maxLength: maxNameCharacters },
};

const activityParameter: Parameter = {
  name: 'activityCode',
  in: 'query',
  meaning: 'Activity of the order, where several of yours have an order with this `orderUniqueID`.',
  schema: { type: 'string', minLength: 1, maxLength: 3 },
};

/** The path parameters that name an order. */
export const orderParameters: readonly Parameter[] = [orderParameter, activityParameter];

function slugParameter(documentSlugs: readonly string[]): Parameter {
  return {
    name: 'docSlug',
    in: 'path',
    required: true,
    meaning: 'Kind of document.',
    schema: { type: 'string', enum: [...documentSlugs] },
    example: documentSlugs[0],
  };
}

/** `GET /orders/{orderId}/docs`. */
export const listOrderDocuments: RouteDescription = {
  summary: 'List the documents of an order',
  description: textBlock`
    The documents that were attached to an order, newest first; the newest ${maxListedDocuments} where there are more.
    Of each kind the one with the highest \`version\` counts.
  `,
  parameters: orderParameters,
  answers: { schema: 'OrderDocuments', example: [documentExample] },
  refusals: { 400: ['ambiguous-reference'] },
};

/** `GET /orders/{orderId}/docs/{docSlug}/{documentId}`. */
export function getOrderDocument(documentSlugs: readonly string[]): RouteDescription {
  return {
    summary: 'The bytes of a document',
    description: 'The file as it was uploaded; `Repr-Digest` has its SHA-256 (RFC 9530).',
    produces: documentTypes,
    parameters: [
      orderParameter,
      slugParameter(documentSlugs),
      {
        name: 'documentId',
        in: 'path',
        required: true,
        meaning: 'Id of the document, as the list has it.',
        schema: { type: 'string', format: 'uuid', maxLength: 36 },
        example: documentExample.id,
      },
      activityParameter,
    ],
    answerHeaders: documentHeaders,
    refusals: { 400: ['ambiguous-reference'] },
  };
}

/** `POST /orders/{orderId}/docs/{docSlug}` (interface 4.9; decisions D19 to D21). */
export function attachDocument(documentSlugs: readonly string[]): RouteDescription {
  return {
    summary: 'Attach a document to an order',
    description: textBlock`
      Attaches one file to an order: PDF, PNG, JPEG or TIFF, for \`label\` also ZPL; at most 20 MiB. What
      the file is, its content says, not its name. The same content again is the same document; other content under the
      same kind is its next version. \`passed\` holds the id of the document; what is wrong with the file or
      with the form stands in \`errors\` under \`file\`.
    `,
    parameters: [orderParameter, slugParameter(documentSlugs), activityParameter],
    body: {
      schema: { $ref: '#/components/schemas/DocumentUpload' },
      example: undefined,
    },
    answers: {
      schema: 'OperationResult',
      example: {
        status: 200,
        operationId: '019c8ef1-1a00-7c52-b3d8-90af41e6d200',
        errors: {},
        passed: ['019c8ef1-1b2c-7a10-9c44-0d5e7f8a9b10'],
      },
    },
    refusals: { 400: ['ambiguous-reference'] },
  };
}
