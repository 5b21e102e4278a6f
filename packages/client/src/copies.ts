// What a copy of records has to handle besides the order of changes: withdrawn records, and stock, which is replaced as
// a whole.
import { nextOf } from './lists.ts';
import { ProblemError } from './problem.ts';
import type { Transport, CallOptions } from './transport.ts';
import type { ArticleStock } from './types.ts';

/** The stock of one activity as it was in one image. */
export interface StockImage {
  readonly rows: readonly ArticleStock[];
  /** For the next call. */
  readonly etag: string | null;
}

/** How often reading starts again when the image is replaced meanwhile. */
const maxStarts = 5;

/** What is left of a withdrawn record, in any list: ids, activity, dates, and the properties that identify it. */
const left: ReadonlySet<string> = new Set([
  ...['id', 'internalId', 'activityCode', 'activityName'],
  ...['dateCreation', 'dateCreated', 'dateLastUpdate', 'dateLastUpdated'],
  ...['articleReference', 'orderUniqueID', 'firstPackageCreationDate', 'uniqueProcurementID'],
  ...['receptionUniqueID', 'receptionProcessingNumber', 'svcReceptionUniqueID'],
]);

/**
 * Whether a record was sent by mistake and withdrawn: it is delivered once more, emptied, to be removed from copies.
 */
export function isWithdrawn(record: object): boolean {
  return Object.entries(record).every(
    ([name, value]) =>
      left.has(name) || value === null || ((typeof value === 'string' || Array.isArray(value)) && value.length === 0),
  );
}

/**
 * The complete newest stock image of an activity, which replaces any previous copy of its stock.
 * @param etag of the image that is known; null: none
 * @returns null when there is no other image
 * @throws ProblemError 410 when images are replaced faster than they can be read
 */
export async function readStockImage(
  transport: Transport,
  ownerActivity: string,
  etag: string | null,
  options: CallOptions = {},
): Promise<StockImage | null> {
  for (let starts = 1; ; starts += 1) {
    try {
      return await readOnce(transport, ownerActivity, etag, options);
    } catch (error) {
      if (!(error instanceof ProblemError && error.status === 410) || starts >= maxStarts) throw error;
    }
  }
}

async function readOnce(
  transport: Transport,
  ownerActivity: string,
  etag: string | null,
  options: CallOptions,
): Promise<StockImage | null> {
  const asked = { method: 'GET', repeatability: 'read', ...options } as const;
  const headers: Record<string, string> = etag === null ? {} : { 'if-none-match': etag };
  const first = await transport.ask({ ...asked, path: '/articles/stock', query: { ownerActivity }, headers });
  if (first.status === 304) return null;
  const rows: ArticleStock[] = [];
  for (let page = first; ; ) {
    rows.push(...(JSON.parse(page.text) as ArticleStock[]));
    const next = nextOf(page.headers);
    if (next === null) return { rows, etag: first.headers.get('etag') };
    page = await transport.ask({ ...asked, path: next });
  }
}
