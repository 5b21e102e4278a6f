// A list of the client interface: one page, all pages, all records, or the changes since the last time.
import { ProblemError } from './problem.ts';
import type { Answered, CallOptions, Query, Transport } from './transport.ts';

/** One page of a list. */
export interface Page<R> {
  readonly records: readonly R[];
  /** Complete address of the next page; null: this is the last one. */
  readonly next: string | null;
  /** Where this page ends, for `changes`; null in a list with `sort`. */
  readonly syncCursor: string | null;
  /** With `updatedSince`: everything stored before this instant has been shown. */
  readonly coveredUntil: string | null;
  /** For `pageIfChanged`. */
  readonly etag: string | null;
  readonly requestId: string | null;
}

/** Changes, to be stored in one transaction with their cursor. */
export interface ChangedRecords<R> {
  /** Each in its newest state; `isWithdrawn` says which of them have to be removed. */
  readonly records: readonly R[];
  /** To be passed to the next call of `changes`. */
  readonly cursor: string;
  /** The given cursor can no longer be served: delete the existing copy before storing these records. */
  readonly startsAnew: boolean;
}

/** A list, with its parameters `Q`. */
export interface List<R, Q> {
  /** The first page. */
  readonly page: (query?: Q, options?: CallOptions) => Promise<Page<R>>;
  /** The first page, or null when the list has not changed since it returned this `etag`. */
  readonly pageIfChanged: (etag: string, query?: Q, options?: CallOptions) => Promise<Page<R> | null>;
  /** The page at the address in another page's `next`. */
  readonly pageAt: (next: string, options?: CallOptions) => Promise<Page<R>>;
  /** All pages, one after the other. */
  readonly pages: (query?: Q, options?: CallOptions) => AsyncGenerator<Page<R>, void, undefined>;
  /** All records, one after the other. */
  readonly records: (query?: Q, options?: CallOptions) => AsyncGenerator<R, void, undefined>;
  /**
   * Everything written since `cursor`, up to the current end of the list; empty when there is nothing.
   * @param cursor of the last batch that was stored; null: the list from its start
   */
  readonly changes: (
    cursor: string | null,
    query?: Omit<Q, 'sort' | 'updatedSince'>,
    options?: CallOptions,
  ) => AsyncGenerator<ChangedRecords<R>, void, undefined>;
}

/** @param path of the list, below the base URL */
export function listAt<R, Q>(transport: Transport, path: string): List<R, Q> {
  const list: List<R, Q> = {
    page: async (query, options) => pageOf(await read(transport, path, queryOf(query), options)),
    pageIfChanged: async (etag, query, options) => {
      const answer = await read(transport, path, queryOf(query), options, { 'if-none-match': etag });
      return answer.status === 304 ? null : pageOf(answer);
    },
    pageAt: async (next, options) => pageOf(await read(transport, next, {}, options)),
    pages: (query, options) => walk(list, query, options),
    records: async function* (query, options) {
      for await (const page of list.pages(query, options)) yield* page.records;
    },
    changes: (cursor, query, options) => changes(transport, path, cursor, queryOf(query), options),
  };
  return list;
}

/** `next` of a `Link` header (RFC 8288) in the form used by this service. */
export function nextOf(headers: Headers): string | null {
  return /<([^>]*)>\s*;[^,]*\brel="?next"?/i.exec(headers.get('link') ?? '')?.[1] ?? null;
}

async function* walk<R, Q>(
  list: List<R, Q>,
  query: Q | undefined,
  options: CallOptions | undefined,
): AsyncGenerator<Page<R>, void, undefined> {
  let page = await list.page(query, options);
  yield page;
  while (page.next !== null) {
    page = await list.pageAt(page.next, options);
    yield page;
  }
}

async function* changes<R>(
  transport: Transport,
  path: string,
  cursor: string | null,
  query: Query,
  options: CallOptions | undefined,
): AsyncGenerator<ChangedRecords<R>, void, undefined> {
  let startsAnew = false;
  let next: string | null = null;
  let from = cursor;
  do {
    let page: Page<R>;
    try {
      const answer: Answered =
        next === null
          ? await read(transport, path, from === null ? query : { ...query, cursor: from }, options)
          : await read(transport, next, {}, options);
      page = pageOf(answer);
    } catch (error) {
      // A list that is read from its start has no cursor to be refused: the error would only recur.
      if (!isGone(error) || (from === null && next === null)) throw error;
      [from, next, startsAnew] = [null, null, true];
      page = pageOf(await read(transport, path, query, options));
    }
    if (page.syncCursor === null) throw new TypeError(`${path} gave no Sync-Cursor: it cannot be followed.`);
    if (page.records.length > 0 || startsAnew || from === null)
      yield { records: page.records, cursor: page.syncCursor, startsAnew };
    startsAnew = false;
    from = page.syncCursor;
    next = page.next;
  } while (next !== null);
}

function isGone(error: unknown): boolean {
  return error instanceof ProblemError && error.status === 410;
}

function read(
  transport: Transport,
  path: string,
  query: Query,
  options: CallOptions | undefined,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answered> {
  return transport.ask({ method: 'GET', path, query, headers, repeatability: 'read', ...options });
}

function queryOf(query: unknown): Query {
  return (query ?? {}) as Query;
}

function pageOf<R>({ text, headers }: Answered): Page<R> {
  return {
    records: JSON.parse(text) as readonly R[],
    next: nextOf(headers),
    syncCursor: headers.get('sync-cursor'),
    coveredUntil: headers.get('sync-covered-until'),
    etag: headers.get('etag'),
    requestId: headers.get('x-request-id'),
  };
}
