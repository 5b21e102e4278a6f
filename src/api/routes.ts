// The client interface on one screen: every route below the base URL, in the interface's order.
import type { BodyLimits, Handling, Route } from '../http/route.ts';
import { describeOperation, type OperationName } from './descriptions/index.ts';
import { type ListDependencies, listHandling } from './lists.ts';
import { listOrderDocuments, readOrderDocument } from './order-documents.ts';
import { createLabel, type LabelDependencies, labelBody } from './shipping/create-label.ts';
import { listShippingAccounts } from './shipping/list-accounts.ts';
import { listOrderLabels } from './shipping/list-order-labels.ts';
import { readLabelFile } from './shipping/label-files.ts';
import { readLabel } from './shipping/read-label.ts';
import { readTracking } from './shipping/read-tracking.ts';
import { articlesBody, type SubmitDependencies, submitArticles } from './submit-articles.ts';
import { documentBodyLimits, type UploadDependencies, uploadDocument } from './upload-document.ts';

/** What the client interface depends on. */
type ClientDependencies = ListDependencies & SubmitDependencies & UploadDependencies & LabelDependencies;

type Handler = (dependencies: ClientDependencies, path: string, operation: OperationName) => Handling;
type Row = readonly [
  Route['method'],
  string,
  OperationName,
  Route['access'],
  Route['rate'],
  BodyLimits | null,
  Handler,
];

/** Method, path, operation, access, rate, body, handler. The documentation of each route is in `descriptions/`. */
const table: readonly Row[] = [
  ['GET', '/articles', 'listArticles', 'token', 'read', null, listHandling],
  ['POST', '/articles', 'createArticles', 'token', 'write', articlesBody, submitArticles],
  ['GET', '/articles/stock', 'listStock', 'token', 'read', null, listHandling],
  ['GET', '/articles/movements', 'listMovements', 'token', 'read', null, listHandling],
  ['GET', '/articles/{articleReference}/movements', 'listArticleMovements', 'token', 'read', null, listHandling],
  ['GET', '/orders', 'listOrders', 'token', 'read', null, listHandling],
  ['GET', '/orders/reports', 'listOrderReports', 'token', 'read', null, listHandling],
  ['GET', '/orders/{uniqueOrderID}/reports', 'listReportsOfOrder', 'token', 'read', null, listHandling],
  ['GET', '/orders/{orderId}/docs', 'listOrderDocuments', 'token', 'read', null, listOrderDocuments],
  [
    'GET',
    '/orders/{orderId}/docs/{docSlug}/{documentId}',
    'getOrderDocument',
    'token',
    'read',
    null,
    readOrderDocument,
  ],
  ['GET', '/orders/{orderId}/labels', 'listOrderLabels', 'token', 'read', null, listOrderLabels],
  ['POST', '/orders/{orderId}/docs/{docSlug}', 'attachDocument', 'token', 'label', documentBodyLimits, uploadDocument],
  ['GET', '/procurements', 'listProcurements', 'token', 'read', null, listHandling],
  [
    'GET',
    '/procurements/{uniqueProcurementID}/reports',
    'listReportsOfProcurement',
    'token',
    'read',
    null,
    listHandling,
  ],
  ['GET', '/shippings/accounts', 'listShippingAccounts', 'token', 'read', null, listShippingAccounts],
  ['POST', '/shippings/labels/{context}/{carrier}', 'createLabel', 'token', 'label', labelBody, createLabel],
  ['GET', '/shippings/labels/{context}/{carrier}/{id}', 'getLabel', 'token', 'read', null, readLabel],
  ['GET', '/shippings/tracking/{context}/{carrier}/{id}', 'getTracking', 'token', 'read', null, readTracking],
  ['GET', '/shippings/files/{token}', 'getLabelFile', 'public', 'read', null, readLabelFile],
];

/** The routes of the client interface; paths are relative to the base URL. */
export function clientRoutes(dependencies: ClientDependencies): readonly Route[] {
  return table.map(([method, path, operation, access, rate, body, handler]) => {
    const { body: described, ...description } = describeOperation(operation, dependencies);
    return {
      method,
      path,
      operationId: operation,
      access,
      rate,
      ...description,
      ...(body !== null && described !== undefined && { body: { ...body, ...described } }),
      ...handler(dependencies, path, operation),
    };
  });
}

/** Paths of the lists, in the order of the table, with their operations. */
export const listPaths = table.flatMap(([, path, operation, , , , handler]) =>
  handler === listHandling ? [{ path, operation }] : [],
);
