// The platform interface on one screen: what the WMS side may ask, with a platform key.
import { textBlock } from '../model/text-block.ts';
import { maxFileNameLength } from '../http/file-name.ts';
import type { Parameter, Route } from '../http/route.ts';
import { auditParameters, maxAuditEntries, readAudit } from './audit.ts';
import { documentTypes } from '../documents/kinds.ts';
import { consumerForm, consumerPattern, maxConsumerLength } from './consumers.ts';
import { type FeedLineDependencies, feedLineRoutes } from './feed-line-routes.ts';
import { type FeedDependencies, feedRoutes } from './feed-routes.ts';
import { type DocumentDependencies, readDocument, readDocumentContent } from './documents.ts';
import {
  acknowledgeAction,
  acknowledgeOutbox,
  maxWaitSeconds,
  maxConsumers,
  maxEntries,
  type OutboxDependencies,
  readOutbox,
} from './outbox.ts';
import { maxPositionLength } from './positions.ts';
import { reconciliationRoute } from './reconciliation.ts';
import { acknowledgedExample, auditExample, documentExample, outboxExample } from './schemas.ts';

type PlatformDependencies = OutboxDependencies & DocumentDependencies & FeedDependencies & FeedLineDependencies;

/** The routes of the platform interface; paths are relative to its base URL. */
export function platformRoutes(dependencies: PlatformDependencies): readonly Route[] {
  const common = {
    access: 'platform-key',
    role: 'outbox',
    rate: 'platform',
    listOf: null,
    produces: ['application/json'],
  } as const;
  return [
    {
      ...common,
      method: 'GET',
      path: '/outbox',
      operationId: 'readOutbox',
      summary: 'Take what clients wrote',
      parameters: outboxParameters,
      description:
        'Entries after a position, in the order in which they were written in each activity: articles that clients ' +
        'created or replaced, and documents that they attached to orders. With `wait` the answer comes as soon as ' +
        'there is an entry. What a consumer was given it gets again until it acknowledges it.',
      answers: { schema: 'OutboxPage', example: outboxExample },
      refusals: { 400: ['invalid-position'], 409: ['not-delivered', 'too-many-consumers'], 410: ['position-gone'] },
      handle: readOutbox(dependencies),
    },
    {
      ...common,
      method: 'POST',
      path: '/outbox/ack',
      operationId: 'acknowledgeOutbox',
      summary: 'Acknowledge what was taken in',
      parameters: [],
      action: acknowledgeAction,
      description: textBlock`
          Notes that a consumer has taken in all entries up to a position: that of an entry, or of a page. The same
          again changes nothing.
        `,
      body: {
        types: ['application/json'],
        limit: 65_536,
        encodings: [],
        schema: acknowledgement,
        example: { consumer: 'wms', position: 'ACM:1042' },
      },
      answers: { schema: 'OutboxAcknowledged', example: acknowledgedExample },
      refusals: { 400: ['invalid-position'], 409: ['not-delivered'] },
      handle: acknowledgeOutbox(dependencies),
    },
    {
      ...common,
      method: 'GET',
      path: '/documents/{documentId}',
      operationId: 'getDocument',
      summary: 'What is known of a document',
      parameters: [documentId],
      description: 'The metadata of a document, as its entry in the outbox has it.',
      answers: { schema: 'OrderDocument', example: documentExample },
      handle: readDocument(dependencies),
    },
    {
      ...common,
      method: 'GET',
      path: '/documents/{documentId}/content',
      operationId: 'getDocumentContent',
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
      handle: readDocumentContent(dependencies),
    },
    {
      ...common,
      role: 'audit',
      method: 'GET',
      path: '/audit',
      operationId: 'readAudit',
      summary: 'Who wrote what',
      parameters: auditQuery,
      description:
        'Writes that concern activities of this key and no others: who, what, when, from where, and with what ' +
        'outcome. A key of every activity also gets what concerns none, such as administration, and requests that ' +
        'were refused as a whole. The order is that in which the writes took effect: whoever goes on with `after` ' +
        'misses none, whatever is written meanwhile. An `operationId` of an answer finds that write with its whole ' +
        'result.',
      answers: { schema: 'AuditPage', example: auditExample },
      refusals: { 410: ['position-gone'] },
      handle: readAudit(dependencies),
    },
    ...feedRoutes(dependencies),
    ...feedLineRoutes(dependencies),
    reconciliationRoute(dependencies),
  ];
}

const consumer: Parameter = {
  name: 'consumer',
  in: 'query',
  meaning: textBlock`
    Name under which the position is kept: ${consumerForm}. Consumers of different names each get everything; keys that
    give the same name share its position. A key may use ${maxConsumers} names. Default: the id of the key.
  `,
  schema: { type: 'string', minLength: 1, maxLength: maxConsumerLength, pattern: consumerPattern },
  example: 'wms',
};

const outboxParameters: readonly Parameter[] = [
  {
    name: 'after',
    in: 'query',
    meaning:
      'Position to go on after: `position` of an answer or of an entry. Without it, what the consumer has not ' +
      'acknowledged. An activity that it does not name goes on after what was acknowledged there.',
    schema: { type: 'string', maxLength: maxPositionLength },
    example: 'ACM:1042',
  },
  consumer,
  {
    name: 'limit',
    in: 'query',
    meaning: 'Most entries of the answer.',
    schema: { type: 'integer', format: 'int32', minimum: 1, maximum: maxEntries, default: maxEntries },
  },
  {
    name: 'wait',
    in: 'query',
    meaning: 'Seconds to wait for an entry where there is none.',
    schema: { type: 'integer', format: 'int32', minimum: 0, maximum: maxWaitSeconds, default: 0 },
  },
];

const acknowledgement = {
  type: 'object',
  properties: {
    consumer: {
      type: 'string',
      minLength: 1,
      maxLength: maxConsumerLength,
      pattern: consumerPattern,
      description: 'Name that the entries were read under. Default: the id of the key.',
    },
    position: {
      type: 'string',
      minLength: 1,
      maxLength: maxPositionLength,
      description: 'Position of the last entry that was taken in.',
    },
  },
  required: ['position'],
  additionalProperties: false,
} as const;

const documentId: Parameter = {
  name: 'documentId',
  in: 'path',
  required: true,
  meaning: 'Id of the document.',
  schema: { type: 'string', format: 'uuid', maxLength: 36 },
  example: documentExample.id,
};

const auditMeanings: Readonly<Record<(typeof auditParameters)[number], Omit<Parameter, 'name' | 'in'>>> = {
  activityCode: {
    meaning: 'Only what concerns this activity.',
    schema: { type: 'string', minLength: 1, maxLength: 3 },
  },
  operationId: {
    meaning: 'Only the write with this operation id.',
    schema: { type: 'string', format: 'uuid', maxLength: 36 },
  },
  action: {
    meaning: 'Only this kind of write.',
    schema: { type: 'string', maxLength: 64 },
    example: 'articles.submit',
  },
  actor: { meaning: 'Only what this client or key did: its id.', schema: { type: 'string', maxLength: 255 } },
  since: {
    meaning: 'Only what was written at or after this day or date-time.',
    schema: { type: 'string', maxLength: 35 },
    example: '2026-03-02',
  },
  until: { meaning: 'Only what was written before this day or date-time.', schema: { type: 'string', maxLength: 35 } },
  after: {
    meaning: 'Goes on after this entry: `after` of the answer before, or the `id` of an entry.',
    schema: { type: 'string', format: 'uuid', maxLength: 36 },
  },
  limit: {
    meaning: 'Most entries of the answer.',
    schema: { type: 'integer', format: 'int32', minimum: 1, maximum: maxAuditEntries, default: maxAuditEntries },
  },
};

const auditQuery: readonly Parameter[] = auditParameters.map((name) => ({ name, in: 'query', ...auditMeanings[name] }));
