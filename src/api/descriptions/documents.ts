// What the reference says of attaching documents.
import type { RouteDescription } from '../../http/route.ts';
import type { JsonSchema } from '../../model/schema.ts';
import { textBlock } from '../../model/text-block.ts';
import { maxNameCharacters } from '../upload-document.ts';

/** The form with the file, by name. */
export const documentSchemas: Readonly<Record<string, JsonSchema>> = {
  DocumentUpload: {
    type: 'object',
    description: 'A form with one file.',
    properties: { file: { type: 'string', format: 'binary', description: 'The document.' } },
    required: ['file'],
    additionalProperties: false,
  },
};

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
    parameters: [
      {
        name: 'orderId',
        in: 'path',
        required: true,
        meaning: 'The `id` of the order, or its `orderUniqueID`.',
        schema: { type: 'string', minLength: 1, maxLength: maxNameCharacters },
      },
      {
        name: 'docSlug',
        in: 'path',
        required: true,
        meaning: 'Kind of document.',
        schema: { type: 'string', enum: [...documentSlugs] },
        example: documentSlugs[0],
      },
      {
        name: 'activityCode',
        in: 'query',
        meaning: 'Activity of the order, where several of yours have an order with this `orderUniqueID`.',
        schema: { type: 'string', minLength: 1, maxLength: 3 },
      },
    ],
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
