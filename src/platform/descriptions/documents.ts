// The reference documentation of documents on the warehouse side.
import { documentTypes } from '../../documents/kinds.ts';
import { documentExample, documentHeaders } from '../../http/document-description.ts';
import type { Parameter, RouteDescription } from '../../http/route.ts';

const documentId: Parameter = {
  name: 'documentId',
  in: 'path',
  required: true,
  meaning: 'Id of the document.',
  schema: { type: 'string', format: 'uuid', maxLength: 36 },
  example: documentExample.id,
};

/** A document, and its bytes. */
export const documentDescriptions = {
  getDocument: {
    summary: 'What is known of a document',
    parameters: [documentId],
    description: 'The metadata of a document, as its entry in the outbox has it.',
    answers: { schema: 'OrderDocument', example: documentExample },
  },
  getDocumentContent: {
    summary: 'The bytes of a document',
    parameters: [documentId],
    description: 'The file as it was uploaded; `Repr-Digest` has its SHA-256 (RFC 9530).',
    produces: documentTypes,
    answerHeaders: documentHeaders,
  },
} as const satisfies Readonly<Record<string, RouteDescription>>;
