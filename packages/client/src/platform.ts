// The platform interface, for the warehouse side: feeds and refused lines, reconciliation, outbox, audit.
import { type AdministrationClient, administrationOf } from './administration.ts';
import { json, path, readFile, write } from './client.ts';
import { type DemonstrationClient, demonstrationOf } from './demonstration.ts';
import { type ShippingDeskClient, shippingDeskOf } from './shipping-desk.ts';
import { type CallOptions, type ConnectionOptions, createTransport, type Query } from './transport.ts';
import type {
  AuditPage,
  CarrierAccountList,
  DeskLabel,
  FeedLine,
  FeedLinePage,
  FeedLinesDropped,
  FeedList,
  FeedMessage,
  FeedMessagePage,
  Health,
  Lineage,
  Me,
  OutboxAcknowledged,
  OutboxConsumers,
  OutboxPage,
  PlatformQueryOf,
  Reconciliation,
  Replay,
  RequestPage,
  WaitingEntries,
} from './types.ts';

/** The platform interface. Changes are sent only once, unless the service says that nothing was done. */
export interface PlatformClient {
  /** Activities, people, clients and keys. */
  readonly administration: AdministrationClient;
  /** Work at a shipping desk other than voiding labels. */
  readonly desk: ShippingDeskClient;
  /** The demonstration warehouse, if the service has one. */
  readonly demonstration: DemonstrationClient;
  /** Whose key or token it is, and with which roles. */
  readonly me: (options?: CallOptions) => Promise<Me>;
  readonly feeds: (query?: PlatformQueryOf<'listFeeds'>, options?: CallOptions) => Promise<FeedList>;
  readonly messages: (query?: PlatformQueryOf<'listFeedMessages'>, options?: CallOptions) => Promise<FeedMessagePage>;
  readonly message: (id: string, options?: CallOptions) => Promise<FeedMessage>;
  readonly endMessage: (id: string, options?: CallOptions) => Promise<FeedMessage>;
  readonly refusedLines: (query?: PlatformQueryOf<'listRefusedLines'>, options?: CallOptions) => Promise<FeedLinePage>;
  readonly refusedLine: (id: string, options?: CallOptions) => Promise<FeedLine>;
  readonly editLine: (
    id: string,
    record: object,
    query?: PlatformQueryOf<'editRefusedLine'>,
    options?: CallOptions,
  ) => Promise<FeedLine>;
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
  /** The health of the service. */
  readonly health: (options?: CallOptions) => Promise<Health>;
  /** The last requests of clients, newest first. */
  readonly requests: (query?: PlatformQueryOf<'listRequests'>, options?: CallOptions) => Promise<RequestPage>;
  readonly consumers: (options?: CallOptions) => Promise<OutboxConsumers>;
  /** What a consumer has not acknowledged; looking moves no position. */
  readonly waitingEntries: (
    query: PlatformQueryOf<'listWaitingEntries'>,
    options?: CallOptions,
  ) => Promise<WaitingEntries>;
  readonly carrierAccounts: (options?: CallOptions) => Promise<CarrierAccountList>;
  /** The state of a label, for the shipping desk. @param id its number, or that of one of its parcels */
  readonly label: (context: string, carrier: string, id: string, options?: CallOptions) => Promise<DeskLabel>;
  /** Voids a label; repeating the call changes nothing. */
  readonly voidLabel: (
    context: string,
    carrier: string,
    id: string,
    query?: PlatformQueryOf<'voidDeskLabel'>,
    options?: CallOptions,
  ) => Promise<DeskLabel>;
  readonly outbox: (query?: PlatformQueryOf<'readOutbox'>, options?: CallOptions) => Promise<OutboxPage>;
  /** Acknowledges what a consumer has read up to a position. */
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
    administration: administrationOf({ get, post }),
    desk: shippingDeskOf({ get, post, file: (address, options) => readFile(transport, address, options) }),
    demonstration: demonstrationOf({
      get,
      write: (address, body, options) => write(transport, address, undefined, { ...options, body: json(body) }),
    }),
    me: (options) => get('/me', {}, options),
    feeds: (query, options) => get('/feeds', query, options),
    messages: (query, options) => get('/feeds/messages', query, options),
    message: (id, options) => get(path`/feeds/messages/${id}`, {}, options),
    endMessage: (id, options) => post(path`/feeds/messages/${id}/end`, {}, options),
    refusedLines: (query, options) => get('/feeds/lines', query, options),
    refusedLine: (id, options) => get(path`/feeds/lines/${id}`, {}, options),
    editLine: (id, record, query, options) => post(path`/feeds/lines/${id}/edit`, { body: record, query }, options),
    dropLine: (id, options) => post(path`/feeds/lines/${id}/drop`, {}, options),
    dropLines: (message, options) => post(path`/feeds/messages/${message}/drop`, {}, options),
    replayLine: (id, query, options) => post(path`/feeds/lines/${id}/replay`, { query }, options),
    replayLines: (message, query, options) => post(path`/feeds/messages/${message}/replay`, { query }, options),
    reconcile: (query, options) => get('/reconciliation', query, options),
    lineage: (query, options) => get('/lineage', query, options),
    audit: (query, options) => get('/audit', query, options),
    health: (options) => get('/health', {}, options),
    requests: (query, options) => get('/requests', query, options),
    consumers: (options) => get('/outbox/consumers', {}, options),
    waitingEntries: (query, options) => get('/outbox/waiting', query, options),
    carrierAccounts: (options) => get('/shippings/accounts', {}, options),
    label: (context, carrier, id, options) => get(path`/shippings/labels/${context}/${carrier}/${id}`, {}, options),
    voidLabel: (context, carrier, id, query, options) =>
      post(path`/shippings/labels/${context}/${carrier}/${id}/void`, { query }, options),
    outbox: (query, options) => get('/outbox', query, options),
    acknowledge: (body, options) => post('/outbox/ack', { body }, options),
  };
}
