// Builds the HTTP server from settings and parts: who may come in, at what rates and limits.
import type { FastifyInstance } from 'fastify';
import { createRefusalRecorder } from '../api/refused-writes.ts';
import { createAuthorizationServer } from '../auth/authorization-server.ts';
import { createPlatformAccess } from '../auth/platform-access.ts';
import { createPrincipalCache } from '../auth/principal-cache.ts';
import { isPasswordEnough } from '../auth/second-factor.ts';
import type { User } from '../auth/users.ts';
import { createVerifier } from '../auth/verify.ts';
import { createRequestRecorder } from '../platform/request-recorder.ts';
import type { Config } from '../config.ts';
import type { RateLimits } from '../http/rates.ts';
import { createServer, defaultLimits, type Limits } from '../http/server.ts';
import { mountsOf, type Parts } from './mounts.ts';

/** The server with all interfaces and the authorization server, ready to listen. */
export async function buildServer(config: Config, parts: Parts): Promise<FastifyInstance> {
  const { store, keys, logger, now, baseUrl, authUrl, platformUrl, metrics, tracing, link } = parts;
  const principals = createPrincipalCache(store, now);
  link?.onGrantChanged((id) => principals.grants.forget(id));
  const refusals = createRefusalRecorder({
    store,
    now,
    onLost: (error) => logger.error({ err: error }, 'refused writes could not be recorded'),
  });
  const requests = requestRecorder(config, parts);
  const onStorageError = (error: unknown): void => logger.error({ err: error }, 'storage cannot be asked');
  const verifier = createVerifier({
    ...{ store, keys, authUrl, baseUrl, now, onStorageError, principals },
    trustedIssuers: config.trustedIssuers,
    ownTokens: config.builtInIssuer,
    onIssuerAway: (error) => logger.error({ err: error }, 'the keys of another issuer cannot be read'),
  });
  const platformAccess = platformAccessOf(config, parts, onStorageError);
  const server = createServer({
    mounts: await mountsOf(config, parts),
    authenticate: verifier,
    knownPrincipal: verifier.known,
    authenticatePlatform: platformAccess,
    admitAgain: (principal) => (principal.kind === 'client' ? verifier : platformAccess).again(principal),
    baseUrl,
    limits: limitsOf(config),
    quotas: store.quotas,
    ...{ serverQuotas: link?.quotas, workers: link?.count },
    rates: ratesOf(config),
    corsOrigins: config.corsOrigins,
    logger,
    ...{ metrics, tracing, onRefusedWrite: refusals.record, handedOver: link?.connections },
    ...(requests !== null && { onRequestEnded: requests.record }),
    trustProxy: config.trustProxy.length === 0 ? false : config.trustProxy,
    draining: parts.draining,
  });
  if (config.builtInIssuer)
    await server.register(
      await createAuthorizationServer({
        store,
        quotas: store.quotas,
        serverQuotas: link?.quotas,
        cipher: parts.cipher,
        keys,
        logger,
        authUrl,
        baseUrl,
        platformUrl,
        signInRate: config.signInRate,
        publicRate: config.readRate,
        ...{ identityProviders: config.identityProviders, secondFactorDemand: config.secondFactor },
        onGrantChanged: async (id) => {
          principals.grants.forget(id);
          await link?.tellGrantChanged(id);
        },
        now,
      }),
    );
  server.addHook('onClose', () => refusals.close());
  server.addHook('onClose', () => requests?.close());
  await server.ready();
  return server;
}

function platformAccessOf(
  { builtInIssuer, secondFactor }: Config,
  { store, now, keys, authUrl, platformUrl }: Parts,
  onStorageError: (error: unknown) => void,
): ReturnType<typeof createPlatformAccess> {
  const isComplete = (user: User): boolean => isPasswordEnough(secondFactor, user);
  const operators = builtInIssuer ? { store, keys, authUrl, platformUrl, isPasswordEnough: isComplete } : null;
  return createPlatformAccess({ store, now, onStorageError, operators });
}

/** Null: requests are not kept. */
function requestRecorder(
  { requestLogDays }: Config,
  { store, now, logger }: Parts,
): ReturnType<typeof createRequestRecorder> | null {
  if (requestLogDays === 0) return null;
  const onLost = (error: unknown): void => logger.error({ err: error }, 'requests could not be kept for operators');
  return createRequestRecorder({ store, now, onLost });
}

function ratesOf(config: Config): RateLimits {
  return {
    read: config.readRate,
    write: config.writeRate,
    label: config.labelRate,
    platform: config.platformRate,
    anonymous: config.anonymousRate,
  };
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
