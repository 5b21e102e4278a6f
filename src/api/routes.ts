// The client interface on one screen: every route below the base URL, in the interface's order.
import type { Parameter, Route } from '../http/route.ts';
import { type ListEndpoint, listEndpoints } from './list-endpoints.ts';
import { type ListDependencies, listHandler } from './lists.ts';
import { listParametersOf } from './list-parameters.ts';
import type { LabelDependencies } from './shipping/create-label.ts';
import { shippingRoutes } from './shipping/routes.ts';
import { submitArticlesRoute } from './submit-articles.ts';
import { type UploadDependencies, uploadDocumentRoute } from './upload-document.ts';

/** What the client interface needs. */
export type ClientDependencies = ListDependencies & UploadDependencies & LabelDependencies;

/** The routes of the client interface; paths are relative to the base URL. */
export function clientRoutes(dependencies: ClientDependencies): readonly Route[] {
  /** The writes, each by the list that the interface names before it. */
  const writes = new Map([
    ['listArticles', submitArticlesRoute(dependencies)],
    ['listReportsOfOrder', uploadDocumentRoute(dependencies)],
  ]);
  const lists = listEndpoints.flatMap((endpoint) => [
    listRoute(dependencies, endpoint),
    ...[writes.get(endpoint.operationId) ?? []].flat(),
  ]);
  return [...lists, ...shippingRoutes(dependencies)];
}

function listRoute(dependencies: ListDependencies, endpoint: ListEndpoint): Route {
  return {
    method: 'GET',
    path: endpoint.path,
    operationId: endpoint.operationId,
    summary: endpoint.summary,
    description: endpoint.description,
    access: 'token',
    rate: 'read',
    turn: 'own',
    produces: ['application/json', 'text/json', 'text/plain'],
    parameters: [...parentParameter(endpoint), ...listParametersOf(endpoint.resource)],
    listOf: endpoint.resource.record,
    ...(endpoint.operationId === 'listArticleMovements' ? { silent500: true as const } : {}),
    handle: listHandler(dependencies, endpoint),
  };
}

function parentParameter({ parent }: ListEndpoint): readonly Parameter[] {
  if (parent === null) return [];
  return [
    {
      name: parent.parameter,
      in: 'path',
      meaning: parent.meaning,
      schema: { type: 'string', minLength: 1, maxLength: parent.max },
      required: true,
    },
  ];
}
