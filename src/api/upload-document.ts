// Attaches a document to an order: finds the order, streams the file into storage, and makes it visible together with
// its outbox entry.
import { textBlock } from '../model/text-block.ts';
import { v7 as uuidv7 } from 'uuid';
import { recognizeDocument, type DocumentKind } from '../documents/kinds.ts';
import { documentName } from '../documents/names.ts';
import type { DocumentStorage, Received } from '../documents/storage.ts';
import { readSingleFile, type SingleFile } from '../http/multipart.ts';
import type { Answer, Call, Route } from '../http/route.ts';
import { isObject } from '../model/check.ts';
import { readText } from '../model/filter-values.ts';
import { operationResult } from '../model/operation.ts';
import { singleParameters } from '../model/parameters.ts';
import { Problem } from '../model/problem.ts';
import type { Reason } from '../model/record.ts';
import { characters } from '../model/text.ts';
import { order } from '../resources/index.ts';
import type { Store, WriteUnit } from '../store/store.ts';
import { type StoreAnswer, repeatable } from './idempotency.ts';
import { operationAnswer, operationAudit } from './operation-result.ts';

export interface UploadDependencies {
  readonly store: Store;
  readonly documents: DocumentStorage;
  /** What a document can be, as the path names it. */
  readonly documentSlugs: readonly string[];
  /** Milliseconds. */
  readonly now: () => number;
}

/** Longest file in bytes (decision D42). */
export const longestDocument = 20 * 1_048_576;
/** What a form may have around the file: its boundaries and headers. */
const envelope = 65_536;
/** Most characters of an `id` or `orderUniqueID`. */
const longestName = 36;
/** What the audit trail calls it. */
const action = 'document.upload';

/** `POST /orders/{orderId}/docs/{docSlug}` (interface 4.9; decisions D19 to D21). */
export function uploadDocumentRoute(dependencies: UploadDependencies): Route {
  return {
    method: 'POST',
    path: '/orders/{orderId}/docs/{docSlug}',
    operationId: 'attachDocument',
    summary: 'Attach a document to an order',
    description:
      'Attaches one file to an order (clause 4.9): PDF, PNG, JPEG or TIFF, for `label` also ZPL; at most 20 MiB. ' +
      'What the file is, its content says, not its name. The same content again is the same document; other ' +
      'content under the same kind is its next version. `passed` holds the id of the document; what is wrong with ' +
      'the file stands in `errors` under `file`.',
    access: 'token',
    rate: 'label',
    action,
    produces: ['application/json', 'text/json', 'text/plain'],
    parameters: [
      {
        name: 'orderId',
        in: 'path',
        required: true,
        meaning: 'The `id` of the order, or its `orderUniqueID`.',
        schema: { type: 'string', minLength: 1, maxLength: longestName },
      },
      {
        name: 'docSlug',
        in: 'path',
        required: true,
        meaning: 'Kind of document.',
        schema: { type: 'string', enum: [...dependencies.documentSlugs] },
        example: dependencies.documentSlugs[0],
      },
      {
        name: 'activityCode',
        in: 'query',
        meaning: 'Activity of the order, where several of yours have an order with this `orderUniqueID`.',
        schema: { type: 'string', minLength: 1, maxLength: 3 },
      },
    ],
    listOf: null,
    body: {
      types: ['multipart/form-data'],
      limit: longestDocument + envelope,
      encodings: [],
      schema: {
        type: 'object',
        properties: { file: { type: 'string', format: 'binary', description: 'The document.' } },
        required: ['file'],
        additionalProperties: false,
      },
      example: undefined,
    },
    turn: 'own',
    repeatable: true,
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
    handle: uploadDocument(dependencies),
  };
}

/**
 * Makes the handler. The order is looked up before a byte of the file is read.
 * @returns handler that throws Problem `resource-not-found`, `ambiguous-reference`, `unknown-parameter`,
 * `invalid-parameter`, those of `readSingleFile`, of `DocumentStorage.receive` and of `repeatable`
 */
function uploadDocument(dependencies: UploadDependencies): (call: Call) => Promise<Answer> {
  return async (call) => {
    const slug = call.params.docSlug ?? '';
    if (!dependencies.documentSlugs.includes(slug))
      throw new Problem(
        'resource-not-found',
        `There is no such kind of document. Known are ${dependencies.documentSlugs.join(', ')}.`,
      );
    const activity = singleParameters(call.query, ['activityCode']).get('activityCode');
    const target = await orderOf(dependencies.store, call, activity);
    await call.turn();
    const file = await readSingleFile(call, longestDocument);
    const received = await dependencies.documents.receive(file.content, { size: longestDocument });
    try {
      const fingerprint = (): string => JSON.stringify([received.sha256, file.name, file.type]);
      return await repeatable(dependencies, call, fingerprint, (storeAnswer) =>
        attach(dependencies, { call, slug, target, file, received, storeAnswer }),
      );
    } finally {
      await received.discard();
    }
  };
}

interface TargetOrder {
  readonly owner: string;
  readonly id: string;
  readonly uniqueId: string | null;
}

/** The order that the path names, among the caller's activities: by `id`, else by `orderUniqueID` (decision D19). */
async function orderOf(store: Store, call: Call, activity: string | undefined): Promise<TargetOrder> {
  const owners = call.caller.activityCodes.filter((code) => activity === undefined || code === activity);
  const name = readText(call.params.orderId ?? '') ?? '';
  for (const field of name === '' || characters(name) > longestName ? [] : ['id', 'orderUniqueID']) {
    const found = await store.find(order, owners, field, name, 1);
    const [first] = found;
    if (first === undefined) continue;
    if (found.length === 1) return { owner: first.owner, ...identityOf(first.body) };
    const detail = textBlock`
      Several of your activities have an order ${name}: ${found.map(({ owner }) => owner).join(', ')}. Say which one
      with the parameter activityCode.
    `;
    throw new Problem('ambiguous-reference', detail, { errors: { orderId: [detail] } });
  }
  throw new Problem(
    'resource-not-found',
    'There is no order with this id or orderUniqueID among the activities of this token.',
  );
}

function identityOf(body: string): { readonly id: string; readonly uniqueId: string | null } {
  const published: unknown = JSON.parse(body);
  if (!isObject(published) || typeof published.id !== 'string') throw new Error('a stored order has no id');
  return { id: published.id, uniqueId: typeof published.orderUniqueID === 'string' ? published.orderUniqueID : null };
}

type Added = Awaited<ReturnType<WriteUnit['addDocument']>>;

interface Upload {
  readonly call: Call;
  readonly slug: string;
  readonly target: TargetOrder;
  readonly file: SingleFile;
  readonly received: Received;
  readonly storeAnswer: StoreAnswer;
}

async function attach(dependencies: UploadDependencies, upload: Upload): Promise<Answer> {
  const recognized = await recognizeDocument(upload.received, { slug: upload.slug, mediaType: upload.file.type });
  return 'reason' in recognized
    ? refused(dependencies, upload, { ...recognized.reason, pointer: '/file' })
    : accepted(dependencies, upload, recognized.kind);
}

/**
 * One transaction, though it locks no activity: a request that comes again after a crash leaves one entry in the audit
 * trail, not two.
 */
async function refused({ store }: UploadDependencies, upload: Upload, fault: Reason): Promise<Answer> {
  const result = operationResult(uuidv7(), { errors: new Map([['file', [fault]]]), passed: [] });
  const answer = operationAnswer(result);
  await store.submit([], async (unit) => {
    await unit.audit(operationAudit(upload.call, operationOf(upload, null, false), result));
    await upload.storeAnswer(unit, answer);
  });
  return answer;
}

/**
 * The bytes come first and the row after them: what a process leaves behind that dies in between is a file without a
 * row, which nobody sees and the sweep removes. A transaction that fails may have been committed all the same, so its
 * file stays too. Content that the order has already comes under the name that it has; the file is written again only
 * where it was lost.
 */
async function accepted(
  { store, documents, now }: UploadDependencies,
  upload: Upload,
  kind: DocumentKind,
): Promise<Answer> {
  const { call, slug, target, file, received, storeAnswer } = upload;
  const twin = await store.documents.withContent({
    owner: target.owner,
    orderId: target.id,
    slug,
    sha256: received.sha256,
  });
  const storedAs = twin?.storedAs ?? documentName(target.owner, kind.extension, now());
  const isKept = twin !== null && (await documents.sizeOf(storedAs)) === received.size;
  if (!isKept) await received.keep(storedAs);
  const { answer, outcome } = await store.submit([target.owner], async (unit) => {
    const operationId = uuidv7();
    const added = await unit.addDocument({
      owner: target.owner,
      orderId: target.id,
      orderUniqueId: target.uniqueId,
      slug,
      sha256: received.sha256,
      mediaType: kind.mediaType,
      size: received.size,
      fileName: file.name,
      storedAs,
      operationId,
      clientId: call.caller.clientId,
    });
    const result = operationResult(operationId, { errors: new Map(), passed: [added.document.id] });
    const made = operationAnswer(result);
    await unit.audit(operationAudit(call, operationOf(upload, added, twin !== null && !isKept), result));
    await storeAnswer(unit, made);
    return { answer: made, outcome: added.outcome };
  });
  // What cannot be removed now is left to the sweep.
  if (outcome === 'unchanged' && twin === null) await documents.remove(storedAs).catch(() => undefined);
  return answer;
}

/** The name of the file is left out: it may be that of a person. */
function operationOf(
  { slug, target, received }: Upload,
  added: Added | null,
  restored: boolean,
): Parameters<typeof operationAudit>[1] {
  const became =
    added === null
      ? {}
      : {
          documentId: added.document.id,
          version: added.document.version,
          outcome: added.outcome,
          ...(restored ? { restored } : {}),
        };
  return {
    action,
    activityCodes: [target.owner],
    target: target.id,
    details: { docSlug: slug, size: received.size, sha256: received.sha256, ...became },
  };
}
