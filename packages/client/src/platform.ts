// The platform interface, for the warehouse side: feeds and what was refused of them, reconciliation, outbox, audit.
import { path } from './client.ts';
import { type CallOptions, type ConnectionOptions, createTransport, type Query } from './transport.ts';
import type {
  AuditPage,
  FeedLine,
  FeedLinePage,
  FeedLinesDropped,
  FeedList,
  FeedMessage,
  FeedMessagePage,
  Lineage,
  OutboxAcknowledged,
  OutboxPage,
  PlatformQueryOf,
  Reconciliation,
  Replay,
} from './types.ts';

/** The platform interface. What changes something is sent once, unless the service says that nothing was done. */
export interface PlatformClient {
  readonly feeds: (query?: PlatformQueryOf<'listFeeds'>, options?: CallOptions) => Promise<FeedList>;
  readonly messages: (query?: PlatformQueryOf<'listFeedMessages'>, options?: CallOptions) => Promise<FeedMessagePage>;
  readonly message: (id: string, options?: CallOptions) => Promise<FeedMessage>;
  readonly endMessage: (id: string, options?: CallOptions) => Promise<FeedMessage>;
  readonly refusedLines: (query?: PlatformQueryOf<'listRefusedLines'>, options?: CallOptions) => Promise<FeedLinePage>;
  readonly refusedLine: (id: string, options?: CallOptions) => Promise<FeedLine>;
  readonly editLine: (id: string, record: object, options?: CallOptions) => Promise<FeedLine>;
  readonly dropLine: (id: string, options?: CallOptions) => Promise<FeedLinesDropped>;
  readonly dropLines: (message: string, options?: CallOptions) => Promise<FeedLinesDropped>;
  readonly replayLine: (
    id: string,
    query?: PlatformQueryOf<'replayRefusedLine'>,
    options?: CallOptions,
  ) => Promise<Replay>;
  readonly replayLines: (
    message: string,
    query?: PlatformQueryOf<'replayRefusedLines'>,
    options?: CallOptions,
  ) => Promise<Replay>;
  readonly reconcile: (query: PlatformQueryOf<'reconcileStock'>, options?: CallOptions) => Promise<Reconciliation>;
  readonly lineage: (query: PlatformQueryOf<'readLineage'>, options?: CallOptions) => Promise<Lineage>;
  readonly audit: (query?: PlatformQueryOf<'readAudit'>, options?: CallOptions) => Promise<AuditPage>;
  readonly outbox: (query?: PlatformQueryOf<'readOutbox'>, options?: CallOptions) => Promise<OutboxPage>;
  /** Says that a consumer has taken in what it read up to a position. */
  readonly acknowledge: (
    body: { readonly position: string; readonly consumer?: string },
    options?: CallOptions,
  ) => Promise<OutboxAcknowledged>;
}

/** @param options.platformUrl such as `https://logistics.example/platform` */
export function createPlatformClient({
  platformUrl,
  ...connection
}: ConnectionOptions & { readonly platformUrl: string }): PlatformClient {
  const transport = createTransport(platformUrl, connection);
  const get = async <T>(path: string, query?: Query, options?: CallOptions): Promise<T> =>
    JSON.parse((await transport.ask({ method: 'GET', path, query, repeatability: 'read', ...options })).text) as T;
  const post = async <T>(path: string, given: { query?: Query | undefined; body?: object }, options?: CallOptions) => {
    const body = given.body && { body: { type: 'application/json', content: JSON.stringify(given.body) } };
    const asked = { method: 'POST', path, query: given.query, repeatability: 'once', ...body, ...options } as const;
    return JSON.parse((await transport.ask(asked)).text) as T;
  };
  return {
    feeds: (query, options) => get('/feeds', query, options),
    messages: (query, options) => get('/feeds/messages', query, options),
    message: (id, options) => get(path`/feeds/messages/${id}`, {}, options),
    endMessage: (id, options) => post(path`/feeds/messages/${id}/end`, {}, options),
    refusedLines: (query, options) => get('/feeds/lines', query, options),
    refusedLine: (id, options) => get(path`/feeds/lines/${id}`, {}, options),
    editLine: (id, record, options) => post(path`/feeds/lines/${id}/edit`, { body: record }, options),
    dropLine: (id, options) => post(path`/feeds/lines/${id}/drop`, {}, options),
    dropLines: (message, options) => post(path`/feeds/messages/${message}/drop`, {}, options),
    replayLine: (id, query, options) => post(path`/feeds/lines/${id}/replay`, { query }, options),
    replayLines: (message, query, options) => post(path`/feeds/messages/${message}/replay`, { query }, options),
    reconcile: (query, options) => get('/reconciliation', query, options),
    lineage: (query, options) => get('/lineage', query, options),
    audit: (query, options) => get('/audit', query, options),
    outbox: (query, options) => get('/outbox', query, options),
    acknowledge: (body, options) => post('/outbox/ack', { body }, options),
  };
}
