// Calls every operation with the functions that @hey-api/openapi-ts makes of the description.
import { client } from './generated/hey-api/client.gen.ts';
import * as api from './generated/hey-api/sdk.gen.ts';
import type {
  Article,
  ArticleInput,
  LabelOutput,
  LabelRequest,
  OrderDocument,
  TrackingStep,
} from './generated/hey-api/types.gen.ts';

/** Status of each operation, by its name. */
export async function callEveryOperation(
  baseUrl: string,
  token: string,
  label: LabelRequest,
): Promise<Readonly<Record<string, number>>> {
  client.setConfig({ baseUrl, auth: () => token });
  const statuses: Record<string, number> = {};
  const noted = <T extends { readonly response?: Response | undefined }>(operation: string, answer: T): T => {
    statuses[operation] = answer.response?.status ?? 0;
    return answer;
  };

  const articles = noted(
    'listArticles',
    await api.listArticles({ query: { limit: 5, disableProduit: [false], articleType: [0] } }),
  );
  const article = first(articles.data);
  const sent = noted(
    'createArticles',
    await api.createArticles({
      body: [edited(article)],
      query: { onExisting: 'replace', atomic: true, dryRun: false },
    }),
  );
  const passed: readonly string[] = given(sent.data).passed;
  if (passed.length !== 1) throw new Error(JSON.stringify(sent.data));
  noted('listStock', await api.listStock({ query: { limit: 1 } }));
  noted('listMovements', await api.listMovements({ query: { limit: 1 } }));
  noted(
    'listArticleMovements',
    await api.listArticleMovements({ path: { articleReference: article.articleReference } }),
  );
  const order = first(noted('listOrders', await api.listOrders({ query: { limit: 1 } })).data);
  const reports = noted('listOrderReports', await api.listOrderReports({ query: { limit: 1 } }));
  const quantity: number | null | undefined = first(reports.data).parcels[0]?.entries[0]?.shippedQuantityInPackage;
  if (quantity === undefined) throw new Error('no entry');
  noted(
    'listReportsOfOrder',
    await api.listReportsOfOrder({ path: { uniqueOrderID: String(first(reports.data).orderUniqueID) } }),
  );
  noted(
    'attachDocument',
    await api.attachDocument({
      path: { orderId: String(order.id), docSlug: 'label' },
      body: { file: new Blob(['^XA^FO50,50^FDA^FS^XZ']) },
    }),
  );
  const documents = noted('listOrderDocuments', await api.listOrderDocuments({ path: { orderId: String(order.id) } }));
  const document: OrderDocument = first(documents.data);
  const place = { orderId: document.orderId, docSlug: 'label', documentId: document.id } as const;
  noted('getOrderDocument', await api.getOrderDocument({ path: place }));
  noted('listOrderLabels', await api.listOrderLabels({ path: { orderId: document.orderId } }));
  noted('listShippingAccounts', await api.listShippingAccounts());
  const procurement = first(noted('listProcurements', await api.listProcurements({ query: { limit: 1 } })).data);
  noted(
    'listReportsOfProcurement',
    await api.listReportsOfProcurement({ path: { uniqueProcurementID: String(procurement.uniqueProcurementID) } }),
  );
  const path = { context: 'acm', carrier: 'sandbox' };
  const made = given(noted('createLabel', await api.createLabel({ path, body: label })).data);
  const parcel = { ...path, id: made.expeditionNumber };
  const fetched = noted('getLabel', await api.getLabel({ path: parcel }));
  const tracked = noted('getTracking', await api.getTracking({ path: parcel }));
  const step: TrackingStep = first(given(tracked.data).steps);
  if (step.date === '') throw new Error('no date');
  const output: LabelOutput = first(given(fetched.data).outputs);
  noted('getLabelFile', await api.getLabelFile({ path: { token: output.value.split('/').at(-1) ?? '' } }));
  noted('getReferencePage', await api.getReferencePage());
  noted('getReferencePart', await api.getReferencePart({ path: { file: 'start.js' } }));
  noted('getOpenApi', await api.getOpenApi());
  noted('getChangelog', await api.getChangelog());
  noted('listProblems', await api.listProblems());
  noted('getProblem', await api.getProblem({ path: { slug: 'invalid-filter' } }));
  return statuses;
}

/** What was read can be edited and sent: the types fit each other. */
function edited(article: Article): ArticleInput {
  const same: ArticleInput = article;
  return { ...same, articleType: article.articleType, longArticleDescription: 'Sent by a generated client' };
}

function given<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('no answer');
  return value;
}

function first<T>(list: readonly T[] | undefined): T {
  return given(list?.[0]);
}
