// The lists of the interface by their name in the console.
import type { Client } from '../../../client/src/index.ts';
import type { ListName } from './list-names.ts';

/** A record whose fields are described in `packages/console/src/generated/resources.ts`. */
export type AnyRecord = Readonly<Record<string, unknown>>;

export interface ListPage {
  readonly records: readonly AnyRecord[];
  readonly next: string | null;
}

/** The parameters of a displayed list. */
export interface ListRequest {
  readonly filter: string;
  readonly sort: string;
  /** Empty: all. */
  readonly activity: string;
}

/** A list with any kind of records. */
export interface ListSource {
  /** Relative to the base URL. */
  readonly path: string;
  readonly page: (request: ListRequest, signal?: AbortSignal, limit?: number) => Promise<ListPage>;
  readonly pageAt: (next: string, signal?: AbortSignal) => Promise<ListPage>;
  readonly pages: (request: ListRequest, signal?: AbortSignal) => AsyncIterable<ListPage>;
}

export function listSource(client: Client, name: ListName): ListSource {
  switch (name) {
    case 'articles':
      return sourceOf('/articles', client.articles);
    case 'stock':
      return sourceOf('/articles/stock', client.stock);
    case 'movements':
      return sourceOf('/articles/movements', client.movements);
    case 'orders':
      return sourceOf('/orders', client.orders);
    case 'order-reports':
      return sourceOf('/orders/reports', client.orderReports);
    case 'procurements':
      return sourceOf('/procurements', client.procurements);
  }
}

/** Parameters of a request, without empty ones. */
export function listParameters({ filter, sort, activity }: ListRequest): Readonly<Record<string, string>> {
  return {
    ...(filter !== '' && { filter }),
    ...(sort !== '' && { sort }),
    ...(activity !== '' && { ownerActivity: activity }),
  };
}

interface AnyPage {
  readonly records: readonly object[];
  readonly next: string | null;
}

interface AnyList {
  readonly page: (
    query?: {
      readonly filter?: string;
      readonly sort?: string;
      readonly ownerActivity?: string;
      readonly limit?: number;
    },
    options?: { readonly signal?: AbortSignal | undefined },
  ) => Promise<AnyPage>;
  readonly pageAt: (next: string, options?: { readonly signal?: AbortSignal | undefined }) => Promise<AnyPage>;
}

function sourceOf(path: string, list: AnyList): ListSource {
  const source: ListSource = {
    path,
    page: async (request, signal, limit) =>
      pageOf(await list.page({ ...listParameters(request), ...(limit !== undefined && { limit }) }, { signal })),
    pageAt: async (next, signal) => pageOf(await list.pageAt(next, { signal })),
    pages: async function* (request, signal) {
      let page = await source.page(request, signal);
      yield page;
      while (page.next !== null) {
        page = await source.pageAt(page.next, signal);
        yield page;
      }
    },
  };
  return source;
}

function pageOf({ records, next }: AnyPage): ListPage {
  return { records: records as readonly AnyRecord[], next };
}
