// What the reference says of documents on the warehouse side.
import { documentTypes } from '../../documents/kinds.ts';
import { maxFileNameLength } from '../../http/file-name.ts';
import type { Parameter, RouteDescription } from '../../http/route.ts';
import { documentExample } from '../schemas.ts';

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
    answerHeaders: {
      'Content-Disposition': {
        meaning: 'The name that the client gave the file (RFC 6266), percent-encoded.',
        example: "attachment; filename*=UTF-8''invoice.pdf",
        schema: { maxLength: "attachment; filename*=UTF-8''".length + maxFileNameLength * '%E2%82%AC'.length },
      },
      'Repr-Digest': {
        meaning: 'SHA-256 of the file (RFC 9530).',
        example: 'sha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=:',
      },
    },
  },
} as const satisfies Readonly<Record<string, RouteDescription>>;
