// Calls every operation with the types that openapi-typescript makes of the description.
import createClient from 'openapi-fetch';
import type { components, paths } from './generated/openapi-typescript.ts';

type Article = components['schemas']['Article'];
type ArticleInput = components['schemas']['ArticleInput'];
type LabelRequest = components['schemas']['LabelRequest'];

/** Status of each operation, by its name. */
export async function callEveryOperation(
  baseUrl: string,
  token: string,
  label: LabelRequest,
): Promise<Readonly<Record<string, number>>> {
  const client = createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${token}` } });
  const statuses: Record<string, number> = {};
  const noted = <T extends { readonly response: Response; readonly data?: unknown }>(
    operation: string,
    answer: T,
  ): T => {
    statuses[operation] = answer.response.status;
    return answer;
  };

  const articles = noted(
    'listArticles',
    await client.GET('/articles', { params: { query: { limit: 5, disableProduit: [false], articleType: [0] } } }),
  );
  const article = first(articles.data);
  noted('createArticles', await client.POST('/articles', { body: [], params: { query: { dryRun: true } } }));
  const sent = await client.POST('/articles', {
    body: [edited(article)],
    params: { query: { onExisting: 'replace', atomic: true, dryRun: false } },
  });
  noted('createArticles', sent);
  const passed: readonly string[] = given(sent.data).passed;
  if (passed.length !== 1) throw new Error(JSON.stringify(sent.data));
  noted('listStock', await client.GET('/articles/stock', { params: { query: { limit: 1 } } }));
  noted('listMovements', await client.GET('/articles/movements', { params: { query: { limit: 1 } } }));
  noted(
    'listArticleMovements',
    await client.GET('/articles/{articleReference}/movements', {
      params: { path: { articleReference: article.articleReference } },
    }),
  );
  const order = first(noted('listOrders', await client.GET('/orders', { params: { query: { limit: 1 } } })).data);
  const reports = noted('listOrderReports', await client.GET('/orders/reports', { params: { query: { limit: 1 } } }));
  const quantity: number | null | undefined = first(reports.data).parcels[0]?.entries[0]?.shippedQuantityInPackage;
  if (quantity === undefined) throw new Error('no entry');
  noted(
    'listReportsOfOrder',
    await client.GET('/orders/{uniqueOrderID}/reports', {
      params: { path: { uniqueOrderID: String(first(reports.data).orderUniqueID) } },
    }),
  );
  const form = new FormData();
  form.append('file', new Blob(['^XA^FO50,50^FDA^FS^XZ']), 'a.zpl');
  noted(
    'attachDocument',
    await client.POST('/orders/{orderId}/docs/{docSlug}', {
      params: { path: { orderId: String(order.id), docSlug: 'label' } },
      // The generator knows no files: it takes them for text.
      body: { file: '' },
      bodySerializer: () => form,
    }),
  );
  const orderId = String(order.id);
  const documents = noted(
    'listOrderDocuments',
    await client.GET('/orders/{orderId}/docs', { params: { path: { orderId } } }),
  );
  const document: components['schemas']['OrderDocument'] = first(documents.data);
  noted(
    'getOrderDocument',
    await client.GET('/orders/{orderId}/docs/{docSlug}/{documentId}', {
      params: { path: { orderId, docSlug: 'label', documentId: document.id } },
      parseAs: 'arrayBuffer',
    }),
  );
  noted('listOrderLabels', await client.GET('/orders/{orderId}/labels', { params: { path: { orderId } } }));
  noted('listShippingAccounts', await client.GET('/shippings/accounts'));
  const procurement = first(
    noted('listProcurements', await client.GET('/procurements', { params: { query: { limit: 1 } } })).data,
  );
  noted(
    'listReportsOfProcurement',
    await client.GET('/procurements/{uniqueProcurementID}/reports', {
      params: { path: { uniqueProcurementID: String(procurement.uniqueProcurementID) } },
    }),
  );
  const path = { context: 'acm', carrier: 'sandbox' };
  const made = given(
    noted('createLabel', await client.POST('/shippings/labels/{context}/{carrier}', { params: { path }, body: label }))
      .data,
  );
  const parcel = { ...path, id: made.expeditionNumber };
  const fetched = noted(
    'getLabel',
    await client.GET('/shippings/labels/{context}/{carrier}/{id}', { params: { path: parcel } }),
  );
  const tracked = noted(
    'getTracking',
    await client.GET('/shippings/tracking/{context}/{carrier}/{id}', { params: { path: parcel } }),
  );
  const step: components['schemas']['TrackingStep'] = first(given(tracked.data).steps);
  if (step.date === '') throw new Error('no date');
  const output: components['schemas']['LabelOutput'] = first(given(fetched.data).outputs);
  noted(
    'getLabelFile',
    await client.GET('/shippings/files/{token}', {
      params: { path: { token: output.value.split('/').at(-1) ?? '' } },
      parseAs: 'arrayBuffer',
    }),
  );
  noted('getReferencePage', await client.GET('/docs', { parseAs: 'text' }));
  noted(
    'getReferencePart',
    await client.GET('/docs/{file}', { params: { path: { file: 'start.js' } }, parseAs: 'text' }),
  );
  noted('getOpenApi', await client.GET('/openapi.json'));
  noted('getChangelog', await client.GET('/changelog', { parseAs: 'text' }));
  noted('listProblems', await client.GET('/problems', { parseAs: 'text' }));
  noted(
    'getProblem',
    await client.GET('/problems/{slug}', { params: { path: { slug: 'invalid-filter' } }, parseAs: 'text' }),
  );
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
