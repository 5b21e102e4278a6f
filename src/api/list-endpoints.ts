// The lists of the client interface as data: the resource, and the parent that the path names.
import type { Resource } from '../model/resource.ts';
import {
  article,
  articleStock,
  articleStockMovement,
  order,
  orderReport,
  procurement,
  procurementReport,
} from '../resources/index.ts';

/** One list of the interface (part 4). */
export interface ListEndpoint {
  readonly resource: Resource;
  readonly parent: Parent | null;
  /** A 500 has no body (interface 7.2). */
  readonly silent500?: true;
}

/**
 * The record that a path parameter names. It exists if one of these places contains its value; otherwise the answer is
 * 404 (decision D18).
 */
export interface Parent {
  readonly parameter: string;
  readonly meaning: string;
  /** Length of the longest text that can name one. */
  readonly max: number;
  readonly noun: string;
  /** Field of the listed resource that contains the value. */
  readonly field: string;
  readonly knownBy: readonly { readonly resource: Resource; readonly field: string }[];
}

/** @throws Error when the operation is not a list */
export function listEndpoint(operation: string): ListEndpoint {
  if (!isListOperation(operation)) throw new Error(`${operation} is no list`);
  return listEndpoints[operation];
}

export function isListOperation(operation: string): operation is ListOperation {
  return Object.hasOwn(listEndpoints, operation);
}

/** By operation id. */
export const listEndpoints = {
  listArticles: {
    resource: article,
    parent: null,
  },
  listStock: {
    resource: articleStock,
    parent: null,
  },
  listMovements: {
    resource: articleStockMovement,
    parent: null,
  },
  listArticleMovements: {
    resource: articleStockMovement,
    parent: {
      parameter: 'articleReference',
      meaning: 'Reference of the article.',
      max: 17,
      noun: 'article',
      field: 'articleReference',
      knownBy: [
        { resource: article, field: 'articleReference' },
        { resource: articleStockMovement, field: 'articleReference' },
      ],
    },
    silent500: true,
  },
  listOrders: {
    resource: order,
    parent: null,
  },
  listOrderReports: {
    resource: orderReport,
    parent: null,
  },
  listReportsOfOrder: {
    resource: orderReport,
    parent: {
      parameter: 'uniqueOrderID',
      meaning: 'Unique identifier of the order (`orderUniqueID`).',
      max: 32,
      noun: 'order',
      field: 'orderUniqueID',
      knownBy: [
        { resource: order, field: 'orderUniqueID' },
        { resource: orderReport, field: 'orderUniqueID' },
      ],
    },
  },
  listProcurements: {
    resource: procurement,
    parent: null,
  },
  listReportsOfProcurement: {
    resource: procurementReport,
    parent: {
      parameter: 'uniqueProcurementID',
      meaning: 'Unique identifier of the procurement.',
      max: 20,
      noun: 'procurement',
      field: 'uniqueProcurementID',
      knownBy: [
        { resource: procurement, field: 'uniqueProcurementID' },
        { resource: procurementReport, field: 'uniqueProcurementID' },
      ],
    },
  },
} as const satisfies Readonly<Record<string, ListEndpoint>>;

export type ListOperation = keyof typeof listEndpoints;
