// The nine lists of the client interface as data: path, resource, and the parent that a path names.
import { textBlock } from '../model/text-block.ts';
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
  readonly operationId: string;
  /** Relative to the base URL, parameters in braces. */
  readonly path: string;
  readonly resource: Resource;
  readonly summary: string;
  readonly description: string;
  readonly parent: Parent | null;
}

/**
 * The record that a path parameter names. It is known when one of the places holds its value; else the answer is 404
 * (decision D18).
 */
export interface Parent {
  readonly parameter: string;
  readonly meaning: string;
  /** Longest text that can name one. */
  readonly max: number;
  readonly noun: string;
  /** Field of the listed resource that holds the value. */
  readonly field: string;
  readonly knownBy: readonly { readonly resource: Resource; readonly field: string }[];
}

const stockNote =
  'The latest image of each activity, or with `date` the newest image that is not later. An image is replaced as a ' +
  'whole, and a walk by `Link` shows one image of each activity from its first row to its last; poll with the ' +
  '`Sync-Cursor` of the last page to get the next.';

export const listEndpoints: readonly ListEndpoint[] = [
  {
    operationId: 'listArticles',
    path: '/articles',
    resource: article,
    summary: 'List articles',
    description: 'Article master data with barcodes and logistical variants (clause 4.1).',
    parent: null,
  },
  {
    operationId: 'listStock',
    path: '/articles/stock',
    resource: articleStock,
    summary: 'List stock',
    description: `Stock per article, stock unit, lot and grade (clause 4.2). ${stockNote}`,
    parent: null,
  },
  {
    operationId: 'listMovements',
    path: '/articles/movements',
    resource: articleStockMovement,
    summary: 'List stock movements',
    description: 'Movements of all articles (clause 4.3).',
    parent: null,
  },
  {
    operationId: 'listArticleMovements',
    path: '/articles/{articleReference}/movements',
    resource: articleStockMovement,
    summary: 'List the movements of one article',
    description:
      'Movements of one article (clause 4.5). 404 when neither an article nor a movement of this reference is known.',
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
  },
  {
    operationId: 'listOrders',
    path: '/orders',
    resource: order,
    summary: 'List orders',
    description: 'Customer orders with lines and sub-orders (clause 4.6).',
    parent: null,
  },
  {
    operationId: 'listOrderReports',
    path: '/orders/reports',
    resource: orderReport,
    summary: 'List order reports',
    description: 'Outcomes of preparation: lines, parcels and their contents (clause 4.7).',
    parent: null,
  },
  {
    operationId: 'listReportsOfOrder',
    path: '/orders/{uniqueOrderID}/reports',
    resource: orderReport,
    summary: 'List the reports of one order',
    description: 'All order reports of one order (clause 4.8). 404 when neither the order nor a report of it is known.',
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
  {
    operationId: 'listProcurements',
    path: '/procurements',
    resource: procurement,
    summary: 'List procurements',
    description: 'Expected receipts with their lines (clause 4.10).',
    parent: null,
  },
  {
    operationId: 'listReportsOfProcurement',
    path: '/procurements/{uniqueProcurementID}/reports',
    resource: procurementReport,
    summary: 'List the reports of one procurement',
    description: textBlock`
        Outcomes of reception of one procurement (clause 4.11). 404 when neither the procurement nor a report of it is
        known.
      `,
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
];
