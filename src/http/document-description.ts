// The description of an order's document in both interfaces: its record, an example, and the headers of its bytes.
import type { Json } from './openapi.ts';
import { maxFileNameLength } from './file-name.ts';
import type { RouteDescription } from './route.ts';

const text = (description: string, maxLength = 255): Json => ({ type: 'string', description, maxLength });
const orNull = (description: string): Json => ({ type: ['string', 'null'], description, maxLength: 255 });
const whole = (description: string): Json => ({
  type: 'integer',
  format: 'int64',
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  description,
});

const properties: Readonly<Record<string, Json>> = {
  id: { ...text('Identifier of the document.', 36), format: 'uuid' },
  activityCode: text('Activity of the order.', 3),
  orderId: text('`id` of the order.', 36),
  orderUniqueID: orNull('`orderUniqueID` of the order.'),
  docSlug: text('Kind of document.', 32),
  version: whole('1, 2, 3, … per order and kind.'),
  fileName: orNull('Name that the client gave the file.'),
  mediaType: text('What it is.'),
  size: whole('Bytes.'),
  sha256: text('SHA-256 in hexadecimal.', 64),
  createdAt: { ...text('When it was uploaded.', 24), format: 'date-time' },
};

export const documentRecord: Json = {
  type: 'object',
  description: 'A document of an order.',
  properties,
  required: Object.keys(properties),
};

export const documentExample = {
  id: '019c8ef1-1b2c-7a10-9c44-0d5e7f8a9b10',
  activityCode: 'AUR',
  orderId: '019cad9f-22c8-7f03-9a64-2e5d10c7b800',
  orderUniqueID: 'WEB-2026-004711',
  docSlug: 'invoice',
  version: 1,
  fileName: 'invoice-4711.pdf',
  mediaType: 'application/pdf',
  size: 48_213,
  sha256: '44aff4ab2d7c3250525675a08f0cfa9591168cffe51791c5f5bbc417c15a6c38',
  createdAt: '2026-03-02T14:05:09.120Z',
} as const;

export const documentHeaders: NonNullable<RouteDescription['answerHeaders']> = {
  'Content-Disposition': {
    meaning: 'The name that the client gave the file (RFC 6266), percent-encoded.',
    example: "attachment; filename*=UTF-8''invoice.pdf",
    schema: { maxLength: "attachment; filename*=UTF-8''".length + maxFileNameLength * '%E2%82%AC'.length },
  },
  'Repr-Digest': {
    meaning: 'SHA-256 of the file (RFC 9530).',
    example: 'sha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=:',
  },
};
