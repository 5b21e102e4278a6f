// The documents of an order on the client interface: their list, and the bytes of each.
import { documentAnswer } from '../http/document-answer.ts';
import type { Answer, Call, Handling } from '../http/route.ts';
import { singleParameters } from '../model/parameters.ts';
import { Problem } from '../model/problem.ts';
import { documentBody } from '../store/order-documents.ts';
import { namedOrder } from './order-path.ts';
import type { UploadDependencies } from './upload-document.ts';

type Dependencies = Pick<UploadDependencies, 'store' | 'documents'>;

/** The most documents of one answer. */
export const maxListedDocuments = 100;

/**
 * `GET /orders/{orderId}/docs`: the newest documents of an order, newest first.
 * @returns handler that throws Problem `resource-not-found`, `ambiguous-reference`, `unknown-parameter`
 */
export function listOrderDocuments({ store }: Dependencies): Handling {
  const handle = async (call: Call): Promise<Answer> => {
    const activity = singleParameters(call.query, ['activityCode']).get('activityCode');
    const order = await namedOrder(store, call, activity);
    const documents = await store.documents.ofOrder(order.activity, order.id, maxListedDocuments);
    const body = `[${documents.map(documentBody).join(',')}]`;
    return { status: 200, headers: { 'cache-control': 'no-store' }, body, type: null };
  };
  return { handle };
}

/**
 * `GET /orders/{orderId}/docs/{docSlug}/{documentId}`: the bytes of a document, as uploaded.
 * @returns handler that throws Problem `resource-not-found`, `ambiguous-reference`, `unknown-parameter`
 */
export function readOrderDocument({ store, documents }: Dependencies): Handling {
  const handle = async (call: Call): Promise<Answer> => {
    const activity = singleParameters(call.query, ['activityCode']).get('activityCode');
    const order = await namedOrder(store, call, activity);
    const { docSlug, documentId = '' } = call.params;
    const found = /^[0-9a-f-]{36}$/.test(documentId) ? await store.documents.find([order.activity], documentId) : null;
    if (found === null || found.orderId !== order.id || found.slug !== docSlug)
      throw new Problem('resource-not-found', 'This order has no document of this kind with this id.');
    return documentAnswer(found, await documents.open(found.storedAs));
  };
  return { handle };
}
