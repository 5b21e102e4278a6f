// What the platform interface answers, as schemas and examples for its description.
import type { Json } from '../http/openapi.ts';
import type { Resource } from '../model/resource.ts';
import { maxCountedEntries } from '../store/outbox-progress.ts';
import { maxConsumerLength } from './consumers.ts';
import { feedLineSchemas } from './feed-line-schemas.ts';
import { feedSchemas } from './feed-schemas.ts';
import { deskLabelSchemas } from './desk-label-schemas.ts';
import { maxPositionLength } from './positions.ts';
import { text, orNull, uuid, instant, whole, record } from './schema-parts.ts';
import { reconciliationSchemas } from './reconciliation-schema.ts';

const position = (description: string): Json => text(description, maxPositionLength);

/** Schemas of the platform interface by name; those of articles stand beside them. */
export function platformSchemas(article: Resource): Readonly<Record<string, Json>> {
  return {
    OutboxPage: record('Entries of the outbox.', {
      entries: {
        type: 'array',
        maxItems: 100,
        description: 'In the order in which they are to be taken in.',
        items: { $ref: '#/components/schemas/OutboxEntry' },
      },
      position: position('Where the answer ends: acknowledge it, or send it as `after`.'),
      more: { type: 'boolean', description: 'There are more entries now.' },
    }),
    OutboxEntry: record(
      'One write of a client.',
      {
        position: position('Position of this entry.'),
        kind: text('What was written.', 20, { enum: ['article', 'document'] }),
        activityCode: text('Activity that it belongs to.', 3),
        operationId: uuid('The write that it was part of.'),
        at: instant('When it was written.'),
        article: { $ref: `#/components/schemas/${article.record}` },
        document: { $ref: '#/components/schemas/OrderDocument' },
        content: text('Address of the bytes of the document.', 2048, { format: 'uri' }),
      },
      ['article', 'document', 'content'],
    ),
    OrderDocument: record('A document of an order.', {
      id: uuid('Identifier of the document.'),
      activityCode: text('Activity of the order.', 3),
      orderId: text('`id` of the order.', 36),
      orderUniqueID: orNull('`orderUniqueID` of the order.'),
      docSlug: text('Kind of document.', 32),
      version: whole('1, 2, 3, … per order and kind.'),
      fileName: orNull('Name that the client gave the file.'),
      mediaType: text('What it is.'),
      size: whole('Bytes.'),
      sha256: text('SHA-256 in hexadecimal.', 64),
      createdAt: instant('When it was uploaded.'),
    }),
    OutboxAcknowledged: record('How far a consumer has come.', {
      consumer: text('Name of the consumer.', maxConsumerLength),
      acknowledged: position('Up to where it has acknowledged.'),
      waiting: {
        ...whole('Entries that it has not acknowledged; 10000 stand for that many and more.'),
        maximum: maxCountedEntries,
      },
    }),
    AuditPage: record('Entries of the audit trail.', {
      entries: { type: 'array', maxItems: 100, items: { $ref: '#/components/schemas/AuditEntry' } },
      after: orNull('Where the answer ends, for `after`; null where there is nothing.', 36),
    }),
    AuditEntry: record('One write.', {
      id: uuid('Identifier of the entry.'),
      at: instant('When.'),
      actorKind: text('Who.', 20, { enum: ['client', 'platform-key', 'command', 'user'] }),
      actor: text('Id of the client or key, or of a user who changed something about their own sign-in.'),
      subject: orNull('User on whose behalf the client acted, null where it acted for itself; name of the key.'),
      action: text('What.', 64),
      activityCodes: { type: 'array', items: { type: 'string', maxLength: 3 } },
      target: orNull('What it was done to.'),
      operationId: orNull('Operation id of the answer.', 36),
      outcome: text('What became of it.', 20, { enum: ['accepted', 'partly', 'refused', 'failed'] }),
      address: orNull('Network address that it came from.', 45),
      details: { type: ['object', 'null'], description: 'More about it, such as the whole answer.' },
    }),
    ...feedSchemas,
    ...feedLineSchemas,
    ...reconciliationSchemas,
    ...deskLabelSchemas,
  };
}

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

export const outboxExample = {
  entries: [
    {
      position: 'AUR:1042',
      kind: 'document',
      activityCode: 'AUR',
      operationId: '019c8ef1-1a00-7c52-b3d8-90af41e6d200',
      at: '2026-03-02T14:05:09.120Z',
      document: documentExample,
      content: 'https://logistics.example/platform/documents/019c8ef1-1b2c-7a10-9c44-0d5e7f8a9b10/content',
    },
  ],
  position: 'AUR:1042,NOR:77',
  more: false,
} as const;

export const acknowledgedExample = { consumer: 'wms', acknowledged: 'AUR:1042,NOR:77', waiting: 0 } as const;

export const auditExample = {
  entries: [
    {
      id: '019c8ef1-1a01-7d00-8000-5b7d9c0e1f20',
      at: '2026-03-02T14:05:09.120Z',
      actorKind: 'client',
      actor: 'shop-7x0k2m9qpe',
      subject: '019b9c3e-5c00-7a41-8d2f-6b1e0f3a9c01',
      action: 'articles.submit',
      activityCodes: ['AUR'],
      target: null,
      operationId: '019c8ef1-1a00-7c52-b3d8-90af41e6d200',
      outcome: 'accepted',
      address: '192.0.2.10',
      details: { items: 1, passed: 1 },
    },
  ],
  after: '019c8ef1-1a01-7d00-8000-5b7d9c0e1f20',
} as const;
