// The tables of what clients write: the outbox and its consumers, order documents, stored answers, the audit trail.
import { activity, instant, integer, oneOf, optional, table, text, texts } from '../table.ts';

/** What a client wrote for the warehouse. */
export const outboxEntryTable = table('outbox_entry', {
  columns: {
    activity,
    /** That of the write: it orders the entries of an activity. */
    changeNumber: integer,
    kind: oneOf('article', 'document'),
    /**
     * JSON text of the document's metadata, or of an article that has changed since; null: the body is that of the
     * article with this change number.
     */
    body: optional(text),
    operationId: text,
    createdAt: instant,
  },
  key: ['activity', 'changeNumber'],
});

/** How far a consumer of the outbox has come in one activity. */
export const outboxConsumerTable = table('outbox_consumer', {
  columns: {
    activity,
    consumer: text,
    /** Change number of the last entry that it was given. */
    delivered: integer,
    /** Change number of the last entry that it has acknowledged. */
    acknowledged: integer,
    /** File of an export that is complete under its temporary name, and the last entry in it. */
    exportFile: optional(text),
    exportTo: optional(integer),
    createdAt: instant,
    updatedAt: instant,
    /** Id of the platform key that made it known; null: a command, or unknown. */
    keyId: optional(text),
  },
  key: ['activity', 'consumer'],
  indexes: [['keyId']],
});

/** One version of a document of an order. */
export const orderDocumentTable = table('order_document', {
  columns: {
    activity,
    /** UUIDv7. */
    id: text,
    orderId: text,
    orderUniqueId: optional(text),
    slug: text,
    /** 1, 2, 3, … per order and slug. */
    version: integer,
    /** Hex. */
    sha256: text,
    mediaType: text,
    /** Bytes. */
    size: integer,
    /** Name given by the client. */
    fileName: optional(text),
    /** Name in the document storage. */
    storedAs: text,
    changeNumber: integer,
    operationId: text,
    clientId: text,
    createdAt: instant,
  },
  key: ['activity', 'id'],
  unique: [
    ['activity', 'orderId', 'slug', 'sha256'],
    ['activity', 'orderId', 'slug', 'version'],
  ],
  indexes: [['storedAs']],
});

/** Answer to a request with an `Idempotency-Key`, or the claim of the process working on it. */
export const storedAnswerTable = table('stored_answer', {
  columns: {
    /** Client, method and path. */
    scope: text,
    /** SHA-256 of the key. */
    keyHash: text,
    /** Hash of the request. */
    fingerprint: text,
    /** Random; its holder may store the answer. */
    claim: text,
    /** From then on another request may take the claim over: its holder has died. */
    claimedUntil: instant,
    /** JSON text of the answer, packed if long (`packed-text.ts`); null while it is being worked on. */
    answer: optional(text),
    expiresAt: instant,
  },
  key: ['scope', 'keyHash'],
  indexes: [['expiresAt']],
});

/** Who wrote what, when, from where, and with what outcome. */
export const auditEntryTable = table('audit_entry', {
  columns: {
    /** UUIDv7. */
    id: text,
    /** 1, 2, 3, … over all activities: its order is that of the commits. */
    changeNumber: integer,
    at: instant,
    actorKind: oneOf('client', 'platform-key', 'command', 'user'),
    /** Id of the client, key or user; for a command, the name of the machine's login. */
    actor: text,
    /** User on whose behalf a client acts. */
    subject: optional(text),
    /** `articles.submit`, `document.upload`, `outbox.acknowledge`, `key.add`, …. */
    action: text,
    activityCodes: texts,
    /** The object of the action, such as an order id. */
    target: optional(text),
    operationId: optional(text),
    outcome: oneOf('accepted', 'partly', 'refused', 'failed'),
    address: optional(text),
    /** JSON text. */
    details: optional(text),
  },
  key: ['id'],
  unique: [['changeNumber']],
  indexes: [['at'], ['operationId']],
});
