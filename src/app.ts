// Settings to a running application: the one place that knows every part.
import { createSecretKey, randomBytes } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import pino, { type Logger } from 'pino';
import { openApiRoutes, frontDoor } from './api/openapi-routes.ts';
import { createPageCache } from './api/lists.ts';
import { createRefusalRecorder } from './api/refused-writes.ts';
import { demoClientId, demoMark } from './demo/demo-client.ts';
import { demoDictionary } from './demo/dictionary.ts';
import { clientRoutes } from './api/routes.ts';
import { createAccountCipher } from './auth/account-cipher.ts';
import { createAuthorizationServer } from './auth/authorization-server.ts';
import { type KeyRing, createKeyRing, encryptStoredKeys } from './auth/keys.ts';
import { createPlatformAccess } from './auth/platform-access.ts';
import { resourceMetadataRoutes } from './auth/resource-metadata.ts';
import { createCipher, type Cipher } from './auth/cipher.ts';
import { encryptStoredSecrets } from './auth/sign-in-secrets.ts';
import { createPrincipalCache } from './auth/principal-cache.ts';
import { createTokenIssuer } from './auth/tokens.ts';
import { createVerifier } from './auth/verify.ts';
import { createHost, defaultHostLimits } from './carriers/host.ts';
import { loadCarrier } from './carriers/index.ts';
import { addressesAt, carrierTimes, type Config, type PublicAddresses } from './config.ts';
import { openDocumentStorage } from './documents/open.ts';
import type { DocumentStorage } from './documents/storage.ts';
import { healthRoutes } from './http/health.ts';
import { createLogger } from './http/log.ts';
import { createMetrics, type Metrics, metricsRoute } from './http/metrics.ts';
import { freePort } from './http/port.ts';
import { createServer, defaultLimits, type Limits } from './http/server.ts';
import { backgroundTasks } from './jobs/background-tasks.ts';
import { createCarrierMetrics, createLongReadMetrics, createTaskMetrics } from './jobs/metrics.ts';
import { startScheduler } from './jobs/scheduler.ts';
import { platformOpenApiRoutes } from './platform/openapi-routes.ts';
import { platformRoutes } from './platform/routes.ts';
import { vocabularyOf } from './resources/dictionary.ts';
import { definitions } from './resources/index.ts';
import { openStore } from './store/open.ts';
import type { Store } from './store/store.ts';

/** What may be replaced in tests. */
export interface AppOptions {
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** Where log lines go; default: standard error. */
  readonly log?: pino.DestinationStream;
  /** Storage that is open already; the application closes it. */
  readonly store?: Store;
  /** Process metrics are collected once per process. */
  readonly processMetrics?: boolean;
}

/** A running application, or one about to listen. */
export interface App {
  readonly store: Store;
  readonly addresses: PublicAddresses;
  readonly keys: KeyRing;
  readonly issueToken: ReturnType<typeof createTokenIssuer>;
  readonly server: FastifyInstance;
  readonly logger: Logger;
  listen(): Promise<PublicAddresses>;
  /** Lets running requests end, stops background work, closes storage. */
  close(): Promise<void>;
}

/**
 * Opens storage and builds the application; `listen` starts it.
 * @throws OperatorError when storage cannot be used or the keys cannot be decrypted
 */
export async function createApp(config: Config, options: AppOptions = {}): Promise<App> {
  const now = options.now ?? Date.now;
  // The public addresses must be known before the server is built.
  const port = config.port === 0 ? await freePort(config.host, 0) : config.port;
  const addresses = addressesAt(config, port);
  const logger = createLogger(
    config.logLevel,
    options.log ?? pino.destination({ dest: 2, sync: false, minLength: 16_000, periodicFlush: 100 }),
  );
  const onRewrite = (resource: string, count: number): void =>
    logger.info({ resource, count }, 'stored texts are brought to the form of this version');
  const store = options.store ?? (await openStore(config, { ...definitions, onRewrite }, now));
  try {
    const cipher = createCipher(config.secretKey);
    await encryptStoredKeys(store, cipher);
    await encryptStoredSecrets(store, cipher);
    const keys = createKeyRing({ store, cipher, now });
    await keys.publicKeys();
    const documents = await openDocumentStorage(config, {
      database: store.epoch,
      failed: (error) => logger.error({ err: error }, 'the document storage does not work'),
    });
    const stopping = new AbortController();
    const metrics = createMetrics({ process: options.processMetrics ?? false });
    createLongReadMetrics(metrics.registry, () => store.longReads());
    const countFailure = createTaskMetrics(metrics.registry);
    const server = await buildServer(config, {
      ...addresses,
      store,
      cipher,
      keys,
      logger,
      documents,
      stopping: stopping.signal,
      now,
      metrics,
    });
    const stopScheduler = startScheduler(
      backgroundTasks(config, { store, documents, logger, now, registry: metrics.registry }),
      store.jobLeases(),
      (failure, error) => {
        countFailure(failure);
        logger.error({ err: error }, failure);
      },
    );
    return {
      store,
      addresses,
      keys,
      server,
      logger,
      issueToken: createTokenIssuer({ store, keys, issuer: addresses.authUrl, audience: addresses.baseUrl }),
      listen: async () => {
        await server.listen({ host: config.host, port });
        return addresses;
      },
      close: async () => {
        stopping.abort();
        await stopScheduler();
        await server.close();
        await store.close();
      },
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}

interface Parts extends PublicAddresses {
  readonly store: Store;
  readonly documents: DocumentStorage;
  /** Aborted when the application is being closed. */
  readonly stopping: AbortSignal;
  readonly cipher: Cipher;
  readonly keys: KeyRing;
  readonly logger: Logger;
  readonly now: () => number;
  readonly metrics: Metrics;
}

async function buildServer(config: Config, parts: Parts): Promise<FastifyInstance> {
  const { store, keys, logger, now, baseUrl, authUrl, platformUrl, documents, stopping, metrics } = parts;
  const principals = createPrincipalCache(store, now);
  const refusals = createRefusalRecorder({
    store,
    now,
    onLost: (error) => logger.error({ err: error }, 'refused writes could not be recorded'),
  });
  const countCall = createCarrierMetrics(metrics.registry);
  const cursorSecret = createSecretKey(
    await store.secrets.obtain('cursor', () => randomBytes(32).toString('base64url')),
    'utf8',
  );
  const issuers = [...(config.builtInIssuer ? [authUrl] : []), ...config.trustedIssuers.map(({ issuer }) => issuer)];
  const onStorageError = (error: unknown): void => logger.error({ err: error }, 'storage cannot be asked');
  const converse = createHost({
    limits: { ...defaultHostLimits, ...carrierTimes(config) },
    onCall: (call) => {
      countCall(call);
      logger.info(call, 'carrier asked');
    },
  });
  const client = clientRoutes({
    store,
    cursorSecret,
    baseUrl,
    pages: createPageCache(config.pageCacheMegabytes),
    now,
    documents,
    documentSlugs: config.documentSlugs,
    loadCarrier,
    converse,
    cipher: createAccountCipher(config),
    onFault: (fault) => logger.warn(fault, 'an account at a carrier does not work'),
    labelRetentionDays: config.labelRetentionDays,
  });
  const openApi = openApiRoutes(
    client,
    { baseUrl, authUrl },
    {
      signInClient: () => demoClientOf(store),
      vocabulary: async () =>
        vocabularyOf(config.dictionary ?? ((await isDemonstration(store)) ? demoDictionary : null)),
    },
  );
  const platform = platformRoutes({ store, platformUrl, stopping, source: documents });
  const server = createServer({
    mounts: [
      { prefix: pathOf(baseUrl), routes: [...client, ...openApi] },
      {
        prefix: pathOf(platformUrl),
        routes: [...platform, ...platformOpenApiRoutes(platform, { platformUrl, baseUrl })],
      },
      {
        prefix: '',
        routes: [
          frontDoor({ baseUrl, authUrl }),
          ...healthRoutes(() => store.ping(), logger),
          metricsRoute(metrics),
          ...resourceMetadataRoutes({ baseUrl, issuers }),
        ],
      },
    ],
    authenticate: createVerifier({
      store,
      keys,
      authUrl,
      baseUrl,
      now,
      onStorageError,
      principals,
      trustedIssuers: config.trustedIssuers,
      ownTokens: config.builtInIssuer,
      onIssuerAway: (error) => logger.error({ err: error }, 'the keys of another issuer cannot be read'),
    }),
    authenticatePlatform: createPlatformAccess({ store, now, onStorageError }),
    baseUrl,
    limits: limitsOf(config),
    quotas: store.quotas,
    rates: {
      read: config.readRate,
      write: config.writeRate,
      label: config.labelRate,
      platform: config.platformRate,
      anonymous: config.anonymousRate,
    },
    corsOrigins: config.corsOrigins,
    logger,
    metrics,
    onRefusedWrite: refusals.record,
    trustProxy: config.trustProxy.length === 0 ? false : config.trustProxy,
  });
  if (config.builtInIssuer)
    await server.register(
      await createAuthorizationServer({
        store,
        quotas: store.quotas,
        cipher: parts.cipher,
        keys,
        logger,
        authUrl,
        baseUrl,
        signInRate: config.signInRate,
        metadataRate: config.readRate,
        requiredForAll: config.secondFactor === 'required',
        onGrantChanged: (id) => principals.grants.forget(id),
        now,
      }),
    );
  server.addHook('onClose', () => refusals.close());
  await server.ready();
  return server;
}

function limitsOf(config: Config): Limits {
  return {
    ...defaultLimits,
    connections: {
      maxConnections: config.maxConnections,
      maxAddressConnections: config.maxAddressConnections,
    },
    inFlight: {
      client: config.maxClientMegabytesInFlight * 1_048_576,
      process: config.maxMegabytesInFlight * 1_048_576,
    },
    admission: {
      running: config.maxRunningRequests,
      clientRunning: config.maxClientRunningRequests,
      open: config.maxOpenRequests,
      clientOpen: config.maxClientOpenRequests,
      maxWaitMs: config.maxWaitSeconds * 1000,
    },
  };
}

function pathOf(url: string): string {
  return new URL(url).pathname.replace(/\/$/, '');
}

/** Whether the database was filled with the demonstration warehouse. */
async function isDemonstration({ secrets }: Store): Promise<boolean> {
  return (await secrets.read(demoMark)) !== null;
}

/** The demonstration's client, where it may be used; storage that is away keeps nobody from reading the reference. */
async function demoClientOf({ clients }: Store): Promise<string | null> {
  const found = await clients.active(demoClientId).catch(() => null);
  return found === null ? null : demoClientId;
}
