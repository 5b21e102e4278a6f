// The client interface: its endpoints as functions.
import { type StockImage, readStockImage } from './copies.ts';
import { type List, listAt } from './lists.ts';
import { type CallOptions, type ConnectionOptions, createTransport, type Query, type Transport } from './transport.ts';
import type {
  Article,
  ArticleInput,
  ArticleStock,
  ArticleStockMovement,
  DocumentSlug,
  LabelRequest,
  LabelResult,
  ListQuery,
  OperationResult,
  Order,
  OrderDocument,
  OrderLabel,
  OrderReport,
  Procurement,
  ProcurementReport,
  QueryOf,
  ShippingAccount,
  Tracking,
} from './types.ts';
import { formWithFile, type Progress } from './upload.ts';

/** Options of a write. */
export interface WriteOptions extends CallOptions {
  /**
   * 1 to 255 ASCII characters: the same request with the same key is carried out once. Default: a new one, which covers
   * only the retries of this call.
   */
  readonly idempotencyKey?: string | undefined;
}

/** The answer to a write. */
export type Written<R> = R & {
  /** This is the stored answer of an earlier request with the same key. */
  readonly isReplayed: boolean;
};

/** The client interface. */
export interface Client {
  readonly articles: List<Article, ListQuery<'listArticles'>> & {
    /** Decides about each article individually: check `status` of the result, which is 200, 207 or 422. */
    readonly create: (
      articles: readonly ArticleInput[],
      query?: QueryOf<'createArticles'>,
      options?: WriteOptions,
    ) => Promise<Written<OperationResult>>;
  };
  readonly stock: Omit<List<ArticleStock, ListQuery<'listStock'>>, 'changes'> & {
    /** The complete newest image of an activity; null when `etag` already names it. */
    readonly image: (activity: string, etag: string | null, options?: CallOptions) => Promise<StockImage | null>;
  };
  readonly movements: List<ArticleStockMovement, ListQuery<'listMovements'>> & {
    readonly ofArticle: (reference: string) => List<ArticleStockMovement, ListQuery<'listArticleMovements'>>;
  };
  readonly orders: List<Order, ListQuery<'listOrders'>> & {
    /**
     * Attaches a file to an order. It is sent in pieces: in Node, `await fs.openAsBlob(path)` turns a file of any
     * length into one that is never entirely in memory.
     * @param orderId `id` or `orderUniqueID`
     */
    readonly attach: (
      orderId: string,
      slug: DocumentSlug,
      file: Blob,
      options?: WriteOptions & {
        readonly name?: string;
        readonly activityCode?: string;
        readonly onProgress?: Progress;
      },
    ) => Promise<Written<OperationResult>>;
    /**
     * The newest documents of an order, newest first.
     * @param orderId `id` or `orderUniqueID`
     */
    readonly documents: (
      orderId: string,
      query?: { readonly activityCode?: string },
      options?: CallOptions,
    ) => Promise<readonly OrderDocument[]>;
    /** The bytes of a document. */
    readonly documentFile: (document: OrderDocument, options?: CallOptions) => Promise<Blob>;
    /** The newest labels of an order, newest first. */
    readonly labels: (
      orderId: string,
      query?: { readonly activityCode?: string },
      options?: CallOptions,
    ) => Promise<readonly OrderLabel[]>;
  };
  readonly orderReports: List<OrderReport, ListQuery<'listOrderReports'>> & {
    /** @param order `id` or `orderUniqueID` */
    readonly ofOrder: (order: string) => List<OrderReport, ListQuery<'listReportsOfOrder'>>;
  };
  readonly procurements: List<Procurement, ListQuery<'listProcurements'>>;
  readonly procurementReports: {
    /** @param procurement `id` or `uniqueProcurementID` */
    readonly ofProcurement: (procurement: string) => List<ProcurementReport, ListQuery<'listReportsOfProcurement'>>;
  };
  readonly shipping: {
    /**
     * The carrier accounts that the token's activities can ship with, and what a form for their labels needs to know.
     */
    readonly accounts: (options?: CallOptions) => Promise<readonly ShippingAccount[]>;
    /** Makes a label; repeating the call with the same key returns the same label. */
    readonly createLabel: (
      context: string,
      carrier: string,
      request: LabelRequest,
      query?: QueryOf<'createLabel'>,
      options?: WriteOptions,
    ) => Promise<Written<LabelResult>>;
    readonly label: (context: string, carrier: string, id: string, options?: CallOptions) => Promise<LabelResult>;
    readonly tracking: (context: string, carrier: string, id: string, options?: CallOptions) => Promise<Tracking>;
    /** The file at the address in a label's output. */
    readonly file: (address: string, options?: CallOptions) => Promise<Blob>;
  };
}

/** @param options.baseUrl of the interface, such as `https://logistics.example/v1` */
export function createClient({ baseUrl, ...options }: ConnectionOptions & { readonly baseUrl: string }): Client {
  const transport = createTransport(baseUrl, options);
  return {
    articles: {
      ...listAt(transport, '/articles'),
      create: (articles, query, given) => write(transport, '/articles', query, { ...given, body: json(articles) }),
    },
    stock: {
      ...listAt<ArticleStock, ListQuery<'listStock'>>(transport, '/articles/stock'),
      image: (activity, etag, given) => readStockImage(transport, activity, etag, given),
    },
    movements: {
      ...listAt(transport, '/articles/movements'),
      ofArticle: (reference) => listAt(transport, path`/articles/${reference}/movements`),
    },
    orders: ordersOf(transport),
    orderReports: {
      ...listAt(transport, '/orders/reports'),
      ofOrder: (order) => listAt(transport, path`/orders/${order}/reports`),
    },
    procurements: listAt(transport, '/procurements'),
    procurementReports: {
      ofProcurement: (procurement) => listAt(transport, path`/procurements/${procurement}/reports`),
    },
    shipping: shippingOf(transport),
  };
}

function ordersOf(transport: Transport): Client['orders'] {
  return {
    ...listAt(transport, '/orders'),
    attach: (order, slug, file, { name, activityCode, ...given } = {}) => {
      const body = formWithFile(file, name ?? (file instanceof File ? file.name : slug));
      return write(transport, path`/orders/${order}/docs/${slug}`, { activityCode }, { ...given, body });
    },
    documents: (order, query, options) => readJson(transport, path`/orders/${order}/docs`, options, query),
    documentFile: ({ orderId, docSlug, id, activityCode }, options) =>
      readFile(transport, path`/orders/${orderId}/docs/${docSlug}/${id}`, options, { activityCode }),
    labels: (order, query, options) => readJson(transport, path`/orders/${order}/labels`, options, query),
  };
}

async function readJson<T>(transport: Transport, path: string, options?: CallOptions, query?: Query): Promise<T> {
  const { text } = await transport.ask({ method: 'GET', path, query, repeatability: 'read', ...options });
  return JSON.parse(text) as T;
}

/** The bytes of a file. @param path of it, or its address under the interface */
export async function readFile(
  transport: Transport,
  path: string,
  options?: CallOptions,
  query?: Query,
): Promise<Blob> {
  const headers = { accept: '*/*' };
  return (await transport.open({ method: 'GET', path, query, headers, repeatability: 'read', ...options })).blob();
}

function shippingOf(transport: Transport): Client['shipping'] {
  return {
    accounts: (options) => readJson(transport, '/shippings/accounts', options),
    createLabel: (context, carrier, request, query, options) =>
      write(transport, path`/shippings/labels/${context}/${carrier}`, query, { ...options, body: json(request) }),
    label: (context, carrier, id, options) =>
      readJson(transport, path`/shippings/labels/${context}/${carrier}/${id}`, options),
    tracking: (context, carrier, id, options) =>
      readJson(transport, path`/shippings/tracking/${context}/${carrier}/${id}`, options),
    file: (address, options) => readFile(transport, address, options),
  };
}

type Body = { readonly type: string; readonly content: string | Blob };

/** A POST that is retried with its key. */
export async function write<R extends object>(
  transport: Transport,
  path: string,
  query: Query | undefined,
  { idempotencyKey, ...options }: WriteOptions & { readonly body: Body; readonly onProgress?: Progress },
): Promise<Written<R>> {
  const key = (idempotencyKey ?? crypto.randomUUID()).replaceAll(/["\\]/g, '\\$&');
  const { text, headers } = await transport.ask({
    ...{ method: 'POST', path, query, headers: { 'idempotency-key': `"${key}"` }, repeatability: 'keyed' },
    ...options,
  });
  return { ...(JSON.parse(text) as R), isReplayed: headers.get('idempotency-replayed') === 'true' };
}

export function json(value: unknown): Body {
  return { type: 'application/json', content: JSON.stringify(value) };
}

/** A path with encoded values; a slash within one becomes `%2F`. The transport refuses the values `.` and `..`. */
export function path(parts: TemplateStringsArray, ...values: readonly string[]): string {
  return String.raw({ raw: parts }, ...values.map((value) => encodeURIComponent(value)));
}
