// Schemas and examples of the responses of the platform interface, for its description.
import { accessSchemas } from './access-schemas.ts';
import { auditSchemas } from './audit-schemas.ts';
import { documentExample, documentRecord } from '../http/document-description.ts';
import type { Json } from '../http/openapi.ts';
import type { Resource } from '../model/resource.ts';
import { maxCountedEntries } from '../store/outbox-progress.ts';
import { maxConsumerLength } from './consumers.ts';
import { demonstrationSchemas } from './demonstration-schemas.ts';
import { feedLineSchemas } from './feed-line-schemas.ts';
import { feedSchemas } from './feed-schemas.ts';
import { deskLabelSchemas } from './desk-label-schemas.ts';
import { healthSchemas } from './health-schemas.ts';
import { pointSchemas } from './point-schemas.ts';
import { handoverSchemas } from './handover-schemas.ts';
import { maxPositionLength } from './positions.ts';
import { text, uuid, instant, whole, record } from './schema-parts.ts';
import { carrierAccountSchemas } from './carrier-account-schemas.ts';
import { requestSchemas } from './request-schemas.ts';
import { reconciliationSchemas } from './reconciliation-schema.ts';

const position = (description: string): Json => text(description, maxPositionLength);

const operationSchemas = { ...healthSchemas, ...requestSchemas, ...carrierAccountSchemas };
/** Responses to the shipping desk. */
const ofDesk = { ...deskLabelSchemas, ...handoverSchemas } as const;

/** Schemas of the platform interface by name; those of articles are added. */
export function platformSchemas(article: Resource): Readonly<Record<string, Json>> {
  return {
    ...accessSchemas,
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
    OrderDocument: documentRecord,
    OutboxAcknowledged: record('How far a consumer has come.', {
      consumer: text('Name of the consumer.', maxConsumerLength),
      acknowledged: position('Up to where it has acknowledged.'),
      waiting: {
        ...whole('Entries that it has not acknowledged; 10000 stand for that many and more.'),
        maximum: maxCountedEntries,
      },
    }),
    ...auditSchemas,
    ...feedSchemas,
    ...feedLineSchemas,
    ...reconciliationSchemas,
    ...ofDesk,
    ...pointSchemas,
    ...operationSchemas,
    ...demonstrationSchemas,
  };
}

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
