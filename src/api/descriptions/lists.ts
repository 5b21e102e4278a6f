// The reference documentation of the lists.
import { textBlock } from '../../model/text-block.ts';
import type { Vocabulary } from '../../model/vocabulary.ts';
import { vocabularyOf } from '../../resources/dictionary.ts';
import type { Parameter, RouteDescription } from '../../http/route.ts';
import { type ListEndpoint, listEndpoints, type ListOperation } from '../list-endpoints.ts';
import { listParametersOf } from './list-parameters.ts';

/** The description of a list. */
export function listDescription(
  operation: ListOperation,
  vocabulary: Vocabulary = vocabularyOf(null),
): RouteDescription {
  const endpoint: ListEndpoint = listEndpoints[operation];
  return {
    ...texts[operation],
    parameters: [...parentParameter(endpoint), ...listParametersOf(endpoint.resource, vocabulary)],
    listOf: endpoint.resource.record,
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

const stockNote =
  'The latest image of each activity, or with `date` the newest image that is not later. An image is replaced as a ' +
  'whole, and a walk by `Link` shows one image of each activity from its first row to its last; poll with the ' +
  '`Sync-Cursor` of the last page to get the next.';

const texts: Readonly<Record<ListOperation, Pick<RouteDescription, 'summary' | 'description'>>> = {
  listArticles: {
    summary: 'List articles',
    description: 'Article master data with barcodes and logistical variants.',
  },
  listStock: {
    summary: 'List stock',
    description: `Stock per article, stock unit, lot and grade. ${stockNote}`,
  },
  listMovements: {
    summary: 'List stock movements',
    description: 'Movements of all articles.',
  },
  listArticleMovements: {
    summary: 'List the movements of one article',
    description: 'Movements of one article. 404 when neither an article nor a movement of this reference is known.',
  },
  listOrders: {
    summary: 'List orders',
    description: 'Customer orders with lines and sub-orders.',
  },
  listOrderReports: {
    summary: 'List order reports',
    description: 'Outcomes of preparation: lines, parcels and their contents.',
  },
  listReportsOfOrder: {
    summary: 'List the reports of one order',
    description: 'All order reports of one order. 404 when neither the order nor a report of it is known.',
  },
  listProcurements: {
    summary: 'List procurements',
    description: 'Expected receipts with their lines.',
  },
  listReportsOfProcurement: {
    summary: 'List the reports of one procurement',
    description: textBlock`
        Outcomes of reception of one procurement. 404 when neither the procurement nor a report of it is
        known.
      `,
  },
};
