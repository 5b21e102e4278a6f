// The interfaces of the server, each with its routes and path prefix.
import { programVersion } from '../config/program-version.ts';
import { createSecretKey, randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import { openApiRoutes } from '../api/openapi-routes.ts';
import { consoleClient } from '../auth/console-client.ts';
import { createPageCache } from '../api/lists.ts';
import { demoClientId, demoMark } from '../demo/demo-client.ts';
import { demoDictionary } from '../demo/dictionary.ts';
import { createLongWriteTurns, longWriteLimits } from '../api/long-write-turns.ts';
import { clientRoutes } from '../api/routes.ts';
import { createAccountCipher } from '../auth/account-cipher.ts';
import type { KeyRing } from '../auth/keys.ts';
import { resourceMetadataRoutes } from '../auth/resource-metadata.ts';
import type { Cipher } from '../auth/cipher.ts';
import { createHost, defaultHostLimits } from '../carriers/host.ts';
import { loadCarrier } from '../carriers/index.ts';
import { carrierTimes, type Config, type PublicAddresses } from '../config.ts';
import type { DocumentStorage } from '../documents/storage.ts';
import type { FeedTurns } from '../feeds/feed-turns.ts';
import { consoleRoutes } from '../http/console-page.ts';
import { healthRoutes } from '../http/health.ts';
import { metricReader } from '../http/metric-values.ts';
import { type Metrics, metricsRoute } from '../http/metrics.ts';
import type { Route } from '../http/route.ts';
import type { Tracing } from '../model/tracing.ts';
import type { ServerOptions } from '../http/server.ts';
import { createCarrierMetrics } from '../jobs/metrics.ts';
import { createFeedPlaces, feedPlaceLimits } from '../platform/feed-places.ts';
import { platformOpenApiRoutes } from '../platform/openapi-routes.ts';
import type { LabelDeskDependencies } from '../platform/labels.ts';
import type { DemonstrationDesk } from '../platform/demonstration.ts';
import { platformRoutes } from '../platform/routes.ts';
import { vocabularyOf } from '../resources/dictionary.ts';
import type { WorkerLink } from '../model/worker-link.ts';
import type { Store } from '../store/store.ts';

/** What an application consists of, besides its settings. */
export interface Parts extends PublicAddresses {
  readonly store: Store;
  readonly documents: DocumentStorage;
  /** Aborted when the application is about to be closed. */
  readonly draining: AbortSignal;
  /** Aborted when the application is being closed. */
  readonly stopping: AbortSignal;
  readonly cipher: Cipher;
  readonly keys: KeyRing;
  readonly logger: Logger;
  readonly now: () => number;
  readonly metrics: Metrics;
  /** Null: tracing is off. */
  readonly tracing: Tracing | null;
  /** Turns shared by all feeds of this server. */
  readonly turns: FeedTurns;
  /** Null: this process is the server. */
  readonly link: WorkerLink | null;
}

/** The routes of all interfaces, each under its path. */
export async function mountsOf(config: Config, parts: Parts): Promise<ServerOptions['mounts']> {
  const { store, logger, baseUrl, authUrl, platformUrl, documents, draining, stopping, metrics, now, turns, link } =
    parts;
  // People sign in to the console at the built-in authorization server.
  const hasConsole = config.console && config.builtInIssuer;
  const issuers = [...(config.builtInIssuer ? [authUrl] : []), ...config.trustedIssuers.map(({ issuer }) => issuer)];
  const asking = askingOf(config, parts);
  const client = await clientRoutesOf(config, parts, asking);
  const openApi = openApiRoutes(
    client,
    { baseUrl, authUrl },
    {
      signInClient: () => demoClientOf(store),
      vocabulary: async () =>
        vocabularyOf(config.dictionary ?? ((await isDemonstration(store)) ? demoDictionary : null)),
    },
  );
  const platform = platformRoutes({
    ...{ store, platformUrl, stopping, now, source: documents, documents, turns },
    authUrl: config.builtInIssuer ? authUrl : null,
    labelRetentionDays: config.labelRetentionDays,
    gtinLengths: config.gtinLengths,
    places: createFeedPlaces(config.maxFeeds, link?.queue('feeds', feedPlaceLimits(config.maxFeeds))),
    maxFeedBytes: config.maxFeedMegabytes * 1_048_576,
    readMetrics: metricReader(metrics.registry, link),
    version: programVersion.version,
    demonstration: () => demonstrationDesk(store, now),
    ...asking,
  });
  return [
    { prefix: pathOf(baseUrl), routes: [...client, ...openApi] },
    {
      prefix: pathOf(platformUrl),
      routes: [...platform, ...platformOpenApiRoutes(platform, { platformUrl, baseUrl })],
    },
    {
      prefix: '',
      routes: [
        ...consoleRoutes({
          ...{ baseUrl, authUrl, platformUrl, version: programVersion.version },
          units: vocabularyOf(config.dictionary).units,
          // Unavailable storage must not block the page, which reports it itself.
          hasDemonstration: () => isDemonstration(store).catch(() => false),
          clientId: hasConsole ? () => consoleClient(store, new URL(baseUrl).origin, now()) : null,
        }),
        ...healthRoutes(() => store.ping(), logger, programVersion, draining),
        metricsRoute(metrics, link),
        ...resourceMetadataRoutes({
          baseUrl,
          platformUrl,
          issuers,
          operatorIssuers: config.builtInIssuer ? [authUrl] : [],
        }),
      ],
    },
  ];
}

async function clientRoutesOf(config: Config, parts: Parts, asking: Asking): Promise<readonly Route[]> {
  const { store, baseUrl, documents, now, link } = parts;
  const cursorSecret = createSecretKey(
    await store.secrets.obtain('cursor', () => randomBytes(32).toString('base64url')),
    'utf8',
  );
  return clientRoutes({
    store,
    cursorSecret,
    baseUrl,
    pages: createPageCache(config.pageCacheMegabytes),
    now,
    documents,
    documentSlugs: config.documentSlugs,
    gtinLengths: config.gtinLengths,
    longWrites: createLongWriteTurns(link?.queue('long-writes', longWriteLimits)),
    ...asking,
    labelRetentionDays: config.labelRetentionDays,
  });
}

/** What contacting carriers requires. */
type Asking = Pick<LabelDeskDependencies, 'loadCarrier' | 'callCarrier' | 'cipher' | 'onFault'>;

function askingOf(config: Config, { logger, metrics }: Parts): Asking {
  const countCall = createCarrierMetrics(metrics.registry);
  return {
    loadCarrier,
    callCarrier: createHost({
      limits: { ...defaultHostLimits, ...carrierTimes(config) },
      traceparentHosts: new Set(config.traceparentHosts),
      onCall: (call) => {
        countCall(call);
        logger.info(call, 'carrier asked');
      },
    }),
    cipher: createAccountCipher(config),
    onFault: (fault) => logger.warn(fault, 'an account at a carrier does not work'),
  };
}

function pathOf(url: string): string {
  return new URL(url).pathname.replace(/\/$/, '');
}

/** The demonstration's code is loaded when it is first needed. */
async function demonstrationDesk(store: Store, now: () => number): Promise<DemonstrationDesk> {
  const requested = await import('../demo/platform-requests.ts');
  return {
    activityCodes: requested.demoActivityCodes,
    status: () => requested.demonstrationStatus(store, now()),
    require: () => requested.requireDemonstration(store),
    advance: (unit, request, by, entryOf) => requested.requestAdvance(unit, request, { now: now(), by }, entryOf),
    fault: (unit, request, entryOf) => requested.requestFault(unit, request, now(), entryOf),
  };
}

/** Whether the database was filled with the demonstration warehouse. */
async function isDemonstration({ secrets }: Store): Promise<boolean> {
  return (await secrets.read(demoMark)) !== null;
}

/** The demonstration's client, if it may be used; unavailable storage must not block the reference page. */
async function demoClientOf({ clients }: Store): Promise<string | null> {
  const found = await clients.active(demoClientId).catch(() => null);
  return found === null ? null : demoClientId;
}
