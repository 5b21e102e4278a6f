// Attaches a document to an order: finds the order, streams the file into storage, and makes it visible together with
// its outbox entry.
import { v7 as uuidv7 } from 'uuid';
import { recognizeDocument, type DocumentKind } from '../documents/kinds.ts';
import { documentName } from '../documents/names.ts';
import type { DocumentStorage, ReceivedDocument } from '../documents/storage.ts';
import { FormFault, readSingleFile, type SingleFile } from '../http/multipart.ts';
import type { Answer, AuditedFailure, BodyLimits, Call, Handling } from '../http/route.ts';
import { operationResult } from '../model/operation.ts';
import { singleParameters } from '../model/parameters.ts';
import { Problem } from '../model/problem.ts';
import type { Reason } from '../model/record.ts';
import type { Store, WriteUnit } from '../store/store.ts';
import { repeatable, type RepeatableRequest } from '../idempotency.ts';
import { operationAnswer, operationAudit } from './operation-result.ts';
import { namedOrder, type TargetOrder } from './order-path.ts';

export interface UploadDependencies {
  readonly store: Store;
  readonly documents: DocumentStorage;
  /** The kinds of document, as the path names them. */
  readonly documentSlugs: readonly string[];
  /** Milliseconds. */
  readonly now: () => number;
}

/** Limit for the file (decision D42). */
export const maxDocumentBytes = 20 * 1_048_576;
/** The most bytes of a form around the file: its boundaries and headers. */
const maxEnvelopeBytes = 65_536;
/** Its name in the audit trail. */
const action = 'document.upload';

/** The body limits of `POST /orders/{orderId}/docs/{docSlug}`. */
export const documentBodyLimits: BodyLimits = {
  types: ['multipart/form-data'],
  limit: maxDocumentBytes + maxEnvelopeBytes,
  encodings: [],
};

/**
 * Makes the handler. The order is looked up before a byte of the file is read.
 * @returns handler that throws Problem `resource-not-found`, `ambiguous-reference`, `unknown-parameter`,
 * `invalid-parameter`, those of `readSingleFile`, of `DocumentStorage.receive` and of `repeatable`
 */
export function uploadDocument(dependencies: UploadDependencies): Handling {
  const handle = async (call: Call): Promise<Answer | AuditedFailure> => {
    const slug = call.params.docSlug ?? '';
    if (!dependencies.documentSlugs.includes(slug))
      throw new Problem(
        'resource-not-found',
        `There is no such kind of document. Known are ${dependencies.documentSlugs.join(', ')}.`,
      );
    const activity = singleParameters(call.query, ['activityCode']).get('activityCode');
    const target = await namedOrder(dependencies.store, call, activity);
    await call.turn();
    const form = await receiveForm(dependencies, call);
    if (form instanceof FormFault) {
      await call.confirmAccess(target.activity);
      const fingerprint = (): string => JSON.stringify([form.reason]);
      return repeatable(dependencies, call, { fingerprint }, (request) =>
        refused({ call, slug, target, received: null, request }, form.reason),
      );
    }
    const { file, received } = form;
    try {
      await call.confirmAccess(target.activity);
      const fingerprint = (): string => JSON.stringify([received.sha256, file.name, file.type]);
      return await repeatable(dependencies, call, { fingerprint }, (request) =>
        attach(dependencies, { call, slug, target, file, received, request }),
      );
    } finally {
      await received.discard();
    }
  };
  return { action, repeatable: true, turn: 'own', handle };
}

interface ReceivedForm {
  readonly file: SingleFile;
  readonly received: ReceivedDocument;
}

/** The form's file, or the fault of the form: there may also be an extra part after the file. */
async function receiveForm({ documents }: UploadDependencies, call: Call): Promise<ReceivedForm | FormFault> {
  try {
    const file = await readSingleFile(call, maxDocumentBytes);
    return { file, received: await documents.receive(file.content, { size: maxDocumentBytes, leavesReserve: true }) };
  } catch (error) {
    if (error instanceof FormFault) return error;
    throw error;
  }
}

type Added = Awaited<ReturnType<WriteUnit['addDocument']>>;

/** An upload; null where no file was received. */
interface Attempt {
  readonly call: Call;
  readonly slug: string;
  readonly target: TargetOrder;
  readonly received: ReceivedDocument | null;
  readonly request: RepeatableRequest;
}

interface Upload extends Attempt {
  readonly file: SingleFile;
  readonly received: ReceivedDocument;
}

async function attach(dependencies: UploadDependencies, upload: Upload): Promise<Answer | AuditedFailure> {
  const recognized = await recognizeDocument(upload.received, { slug: upload.slug, mediaType: upload.file.type });
  return 'reason' in recognized
    ? refused(upload, { ...recognized.reason, pointer: '/file' })
    : accepted(dependencies, upload, recognized.kind);
}

/**
 * One transaction, though it locks no activity: a request repeated after a crash leaves one entry in the audit trail,
 * not two.
 */
function refused(upload: Attempt, fault: Reason): Promise<Answer | AuditedFailure> {
  const result = operationResult(uuidv7(), { errors: new Map([['file', [fault]]]), passed: [] });
  return upload.request.write([], async (unit) => {
    await unit.audit(operationAudit(upload.call, operationOf(upload, null, false), result));
    return operationAnswer(result);
  });
}

/**
 * The bytes are stored before the row: a process that dies in between leaves a file without a row, which nobody sees
 * and the sweep removes. A transaction that fails may have been committed nevertheless, so its file stays too. Content
 * that the order already has keeps its existing name; the file is written again only if it was lost.
 */
async function accepted(
  { store, documents, now }: UploadDependencies,
  upload: Upload,
  kind: DocumentKind,
): Promise<Answer | AuditedFailure> {
  const { call, slug, target, file, received, request } = upload;
  const twin = await store.documents.withContent({
    activity: target.activity,
    orderId: target.id,
    slug,
    sha256: received.sha256,
  });
  const storedAs = twin?.storedAs ?? documentName(target.activity, kind.extension, now());
  const isKept = twin !== null && (await documents.sizeOf(storedAs)) === received.size;
  if (!isKept) await received.keep(storedAs);
  let isKnown = false;
  const answer = await request.write([target.activity], async (unit) => {
    const operationId = uuidv7();
    const added = await unit.addDocument({
      activity: target.activity,
      orderId: target.id,
      orderUniqueId: target.uniqueId,
      slug,
      sha256: received.sha256,
      mediaType: kind.mediaType,
      size: received.size,
      fileName: file.name,
      storedAs,
      operationId,
      clientId: call.principal.clientId,
    });
    const result = operationResult(operationId, { errors: new Map(), passed: [added.document.id] });
    await unit.audit(operationAudit(call, operationOf(upload, added, twin !== null && !isKept), result));
    isKnown = added.outcome === 'unchanged';
    return operationAnswer(result);
  });
  // A file that cannot be removed now is left to the sweep.
  if (isKnown && twin === null) await documents.remove(storedAs).catch(() => undefined);
  return answer;
}

/** The name of the file is omitted: it may be that of a person. */
function operationOf(
  { slug, target, received }: Attempt,
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
    activityCodes: [target.activity],
    target: target.id,
    details: {
      docSlug: slug,
      ...(received === null ? {} : { size: received.size, sha256: received.sha256 }),
      ...became,
    },
  };
}
