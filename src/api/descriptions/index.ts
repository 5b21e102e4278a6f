// The reference documentation of every operation of the client interface.
import type { Route, RouteDescription } from '../../http/route.ts';
import { jsonTypes } from '../../http/negotiate.ts';
import { isListOperation, type ListOperation } from '../list-endpoints.ts';
import { createArticles } from './articles.ts';
import { attachDocument, getOrderDocument, listOrderDocuments } from './documents.ts';
import { listDescription } from './lists.ts';
import { createLabel, getLabel, getLabelFile, getTracking, listOrderLabels, listShippingAccounts } from './shipping.ts';

export type OperationName = ListOperation | keyof typeof others;

/** What a description depends on. */
interface DescriptionDependencies {
  readonly documentSlugs: readonly string[];
}

/** The description of an operation, including what nearly all of them have in common. */
export function describeOperation(
  operation: OperationName,
  { documentSlugs }: DescriptionDependencies,
): RouteDescription & Pick<Route, 'produces' | 'listOf'> {
  const description = isListOperation(operation) ? listDescription(operation) : others[operation](documentSlugs);
  return { produces: jsonTypes, listOf: null, ...description };
}

const others = {
  createArticles: () => createArticles,
  attachDocument,
  listOrderDocuments: () => listOrderDocuments,
  getOrderDocument,
  listOrderLabels: () => listOrderLabels,
  listShippingAccounts: () => listShippingAccounts,
  createLabel: () => createLabel,
  getLabel: () => getLabel,
  getTracking: () => getTracking,
  getLabelFile: () => getLabelFile,
} as const satisfies Readonly<Record<string, (documentSlugs: readonly string[]) => RouteDescription>>;
