// Settings to a running application: the one place that knows every part.
import { createSecretKey, randomBytes } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import pino, { type Logger } from 'pino';
import { describedRoutes, frontDoor } from './api/described.ts';
import { createPageCache } from './api/lists.ts';
import { clientRoutes } from './api/routes.ts';
import { createAuthorizationServer } from './auth/authorization-server.ts';
import { type KeyRing, createKeyRing, sealStoredKeys } from './auth/keys.ts';
import { removeExpired } from './auth/remembered.ts';
import { resourceMetadataRoutes } from './auth/resource-metadata.ts';
import { createSeal } from './auth/seal.ts';
import { createTokenIssuer } from './auth/tokens.ts';
import { createVerifier } from './auth/verify.ts';
import { addressesAt, type Config } from './config.ts';
import { healthRoutes } from './http/health.ts';
import { createLogger } from './http/log.ts';
import { createMetrics, metricsRoute } from './http/metrics.ts';
import { freePort } from './http/port.ts';
import { defaultRates } from './http/rates.ts';
import type { Addresses } from './http/route.ts';
import { createServer, defaultLimits } from './http/server.ts';
import { startRounds } from './jobs/rounds.ts';
import { removeOldStockImages } from './jobs/stock-retention.ts';
import { createRenderer } from './model/render.ts';
import { resources } from './resources/index.ts';
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
  readonly addresses: Addresses;
  readonly keys: KeyRing;
  readonly issueToken: ReturnType<typeof createTokenIssuer>;
  readonly server: FastifyInstance;
  readonly logger: Logger;
  listen(): Promise<Addresses>;
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
  const logger = createLogger(config.logLevel, options.log ?? pino.destination({ dest: 2, sync: false, minLength: 16_000, periodicFlush: 100 }));
  const store = options.store ?? await openStore(config, createRenderer, now);
  try {
    const seal = createSeal(config.secretKey);
    await sealStoredKeys(store.db, seal);
    const keys = createKeyRing({ db: store.db, seal, now });
    await keys.publicKeys();
    const server = await buildServer(config, { ...addresses, store, keys, logger, now, processMetrics: options.processMetrics ?? false });
    const images = resources.filter((resource) => resource.storage === 'images');
    const retention = startRounds(() => removeOldStockImages(store, images, config.stockRetentionDays, now()), 60_000, 6 * 3_600_000, (error) => logger.error({ err: error }, 'old stock images could not be removed'));
    const sweeping = startRounds(() => removeExpired(store.db, now()), 60_000, 600_000, (error) => logger.error({ err: error }, 'ended sign-ins could not be removed'));
    return {
      store, addresses, keys, server, logger,
      issueToken: createTokenIssuer({ keys, issuer: addresses.authUrl, audience: addresses.baseUrl }),
      listen: async () => {
        await server.listen({ host: config.host, port });
        return addresses;
      },
      close: async () => {
        await retention.stop();
        await sweeping.stop();
        await server.close();
        await store.close();
      },
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}

interface Parts extends Addresses {
  readonly store: Store;
  readonly keys: KeyRing;
  readonly logger: Logger;
  readonly now: () => number;
  readonly processMetrics: boolean;
}

async function buildServer(config: Config, parts: Parts): Promise<FastifyInstance> {
  const { store, keys, logger, now, baseUrl, authUrl } = parts;
  const cursorSecret = createSecretKey(await store.secret('cursor', () => randomBytes(32).toString('base64url')), 'utf8');
  const metrics = createMetrics({ process: parts.processMetrics });
  const issuers = [...(config.builtInIssuer ? [authUrl] : []), ...config.trustedIssuers.map(({ issuer }) => issuer)];
  const onStorageError = (error: unknown): void => logger.error({ err: error }, 'storage cannot be asked');
  const client = clientRoutes({ store, cursorSecret, baseUrl, pages: createPageCache(config.pageCacheMegabytes), now });
  const described = describedRoutes(client, { baseUrl, authUrl });
  const server = createServer({
    faces: [
      { prefix: new URL(baseUrl).pathname.replace(/\/$/, ''), routes: [...client, ...described] },
      { prefix: '', routes: [frontDoor({ baseUrl, authUrl }), ...healthRoutes(() => store.ping(), logger), metricsRoute(metrics), ...resourceMetadataRoutes({ baseUrl, issuers })] },
    ],
    authenticate: createVerifier({
      db: store.db, keys, authUrl, baseUrl, now, onStorageError, trustedIssuers: config.trustedIssuers, ownTokens: config.builtInIssuer,
      onIssuerAway: (error) => logger.error({ err: error }, 'the keys of another issuer cannot be read'),
    }),
    baseUrl,
    limits: defaultLimits,
    rates: { ...defaultRates, read: config.readRate, write: config.writeRate, label: config.labelRate },
    corsOrigins: config.corsOrigins,
    logger,
    metrics,
    trustProxy: config.trustProxy.length === 0 ? false : config.trustProxy,
  });
  if (config.builtInIssuer) await server.register(await createAuthorizationServer({ store, keys, logger, authUrl, baseUrl, now }));
  await server.ready();
  return server;
}
