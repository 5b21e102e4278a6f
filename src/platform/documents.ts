// Documents over HTTP for the warehouse side: their metadata, and their bytes as uploaded.
import type { Readable } from 'node:stream';
import { documentAnswer } from '../http/document-answer.ts';
import type { Answer, Call } from '../http/route.ts';
import { singleParameters } from '../model/parameters.ts';
import { Problem } from '../model/problem.ts';
import { documentBody } from '../store/order-documents.ts';
import type { OrderDocument, Store } from '../store/store.ts';
import { isUuid } from './identifiers.ts';

/** Where the bytes are stored; see `documents/storage.ts`. */
export interface DocumentSource {
  readonly open: (name: string) => Promise<{ readonly stream: Readable; readonly size: number }>;
}

export interface DocumentDependencies {
  readonly store: Store;
  readonly source: DocumentSource;
}

/**
 * `GET /platform/documents/{documentId}`.
 * @throws Problem `resource-not-found`, also for a document of an activity that the key has no access to
 */
export function readDocument({ store }: DocumentDependencies): (call: Call) => Promise<Answer> {
  return async (call) => {
    singleParameters(call.query, []);
    const document = await found(store, call);
    return { status: 200, headers: { 'cache-control': 'no-store' }, body: documentBody(document), type: null };
  };
}

/**
 * `GET /platform/documents/{documentId}/content`: headers prevent it from being displayed inside a page, whatever the
 * bytes are.
 * @throws Problem `resource-not-found`
 */
export function readDocumentContent({ store, source }: DocumentDependencies): (call: Call) => Promise<Answer> {
  return async (call) => {
    singleParameters(call.query, []);
    const document = await found(store, call);
    return documentAnswer(document, await source.open(document.storedAs));
  };
}

async function found(store: Store, call: Call): Promise<OrderDocument> {
  const id = call.params.documentId ?? '';
  const document = isUuid(id) ? await store.documents.find(call.principal.activityCodes, id) : null;
  if (document === null)
    throw new Problem('resource-not-found', 'There is no document with this id among the activities of this key.');
  return document;
}
