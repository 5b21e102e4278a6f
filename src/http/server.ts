// The HTTP server: the interfaces of the program mounted on one Fastify instance, with what all responses have in
// common.
import Fastify, { type FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { Quotas } from '../model/quota.ts';
import type { Tracing } from '../model/tracing.ts';
import type { HandedOver } from '../model/worker-link.ts';
import { createAdmission } from './admission.ts';
import { type AdmissionLimits, defaultAdmission } from './admission-lanes.ts';
import { createHoldBack, type HoldBack } from './anonymous-refusals.ts';
import { clientErrorHandler, connectHandler } from './client-error.ts';
import { type ConnectionLimits, createConnectionCount } from './connections.ts';
import { limitConnections } from './limit-connections.ts';
import {
  type Authenticate,
  requestPipeline,
  refuseAnonymous,
  type PipelineContext,
  pipelineChoices,
} from './request-pipeline.ts';
import type { EndedRequest } from './ended-request.ts';
import { refuseEarly } from './early-refusals.ts';
import { createInFlight, type InFlightLimits } from './in-flight.ts';
import { CoalescingRequest } from './coalescing-request.ts';
import { closePort, createConnectionDraining } from './connection-draining.ts';
import type { Metrics } from './metrics.ts';
import { refuseQuickly } from './quick-refusals.ts';
import { createRates, type RateLimits, unsharedQuotas } from './rates.ts';
import { createRefusalPace, defaultRefusalPace } from './refusal-pace.ts';
import { requestIdOf } from './request-id.ts';
import { requestOpening } from './request-opening.ts';
import type { Mount, Principal, RefusedWrite, Route } from './route.ts';
import { createPluginPaths, type PluginPaths } from './paths.ts';
import { notFoundProblems } from './not-found.ts';
import { refuseElsewhere } from './no-route.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route reads bodies itself, and tells the client when to send one. */
    ownBody?: true;
  }
  interface FastifyInstance {
    /** For plugins, whose refusals of unknown callers follow the same pace. */
    holdBack: HoldBack;
    /** Paths of plugins: a method that the framework knows no route for is refused there with those that they have. */
    pluginPaths: PluginPaths;
  }
}

/** The limits of a server. */
export interface Limits {
  /** Path and query together. */
  readonly maxUrlBytes: number;
  /** Request line and header fields together; includes the URL. */
  readonly maxHeaderBytes: number;
  /** For bodies that a mounted plugin reads; routes of ours have limits of their own. */
  readonly maxBodyBytes: number;
  /**
   * For a complete request to arrive; a body that a route of ours reads may take longer as long as it makes progress.
   */
  readonly requestTimeoutMs: number;
  /** The slowest accepted connection for such a body, and for a response. */
  readonly minBodyBytesPerSecond: number;
  /** The memory that bodies and responses in transit may hold. */
  readonly inFlight: InFlightLimits;
  readonly connections: ConnectionLimits;
  /** How many requests are processed at a time, and how long others wait for that. */
  readonly admission: AdmissionLimits;
  /** Time for running requests to end when the server is closed. */
  readonly stopTimeoutMs: number;
}

export const defaultLimits: Limits = {
  maxUrlBytes: 8192,
  maxHeaderBytes: 16384,
  maxBodyBytes: 65536,
  requestTimeoutMs: 30_000,
  minBodyBytesPerSecond: 16_384,
  stopTimeoutMs: 30_000,
  inFlight: { client: 67_108_864, process: 268_435_456 },
  admission: defaultAdmission,
  connections: { maxConnections: 2000, maxAddressConnections: 250 },
};

export interface ServerOptions {
  readonly mounts: readonly Mount[];
  /** Verifies access tokens. */
  readonly authenticate: Authenticate;
  /** The principal of a recently verified access token, null when something has to be read; absent: always read. */
  readonly knownPrincipal?: (authorization: string | undefined) => Principal | null;
  /** Verifies platform keys. */
  readonly authenticatePlatform: Authenticate;
  /** What an admitted caller opens by now (`PipelineContext.admitAgain`); absent: what it opened at first. */
  readonly admitAgain?: (principal: Principal) => Promise<Principal>;
  /** Base URL of the client interface, without a slash at the end; problem types are under it. */
  readonly baseUrl: string;
  readonly limits: Limits;
  readonly rates: RateLimits;
  /** Shared with the other processes of a database; absent: this one counts for itself. */
  readonly quotas?: Quotas;
  /** Shared by the workers of this server only; absent: this process is the server. */
  readonly serverQuotas?: Quotas | undefined;
  /** Processes of this server, which divide what comes at once and the pace of refusals; absent: 1. */
  readonly workers?: number | undefined;
  /** Origins whose browser scripts may use the interface (`https://shop.example`); empty: none. */
  readonly corsOrigins: readonly string[];
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Absent: tracing is off. */
  readonly tracing?: Tracing | null;
  /**
   * Called with requests to routes with an `action` that end in a problem, if the caller is known. Absent: disabled.
   */
  readonly onRefusedWrite?: (refused: RefusedWrite) => Promise<void>;
  /** Called with each request of a known caller when it has ended. Absent: disabled. */
  readonly onRequestEnded?: (ended: EndedRequest) => void;
  /** Connections come from a supervisor, which counts them for all workers; absent: this process counts them. */
  readonly handedOver?: HandedOver | undefined;
  /** Proxies whose `X-Forwarded-For` is trusted: addresses or networks; true: any; false: none. */
  readonly trustProxy: boolean | readonly string[];
  /** Aborted when the server is about to stop: from then on every response ends its connection. */
  readonly draining?: AbortSignal;
}

/**
 * Builds the server; `listen` starts it, `inject` tests it, `register` mounts plugins beside the interfaces (their
 * requests are logged, measured and refused in the same way). `close` is the graceful stop: no new connections, 503 for
 * new requests on old ones, running requests end within `limits.stopTimeoutMs`.
 */
export function createServer(options: ServerOptions): FastifyInstance {
  const { limits } = options;
  const state = { stopping: false, connections: 0 };
  const context = pipelineContext(options, state);
  options.metrics.watchLoad(() => ({ ...context.admission.counts(), bytesInFlight: context.inFlight.total() }));
  const answers = createConnectionDraining();
  options.draining?.addEventListener('abort', answers.endConnections, { once: true });
  const open = requestOpening(options, context, answers);
  const server = Fastify({
    // Requests are logged here, in one line, when they are finished; the framework would create a logger for each.
    logger: false,
    genReqId: (request) => requestIdOf(request.headers['x-request-id']),
    // The whole URL has a limit of its own; `query.ts` parses queries when a handler needs them.
    routerOptions: { maxParamLength: limits.maxHeaderBytes, querystringParser: () => ({}) },
    exposeHeadRoutes: false,
    return503OnClosing: false,
    bodyLimit: limits.maxBodyBytes,
    requestTimeout: limits.requestTimeoutMs,
    trustProxy: typeof options.trustProxy === 'boolean' ? options.trustProxy : [...options.trustProxy],
    http: {
      IncomingMessage: CoalescingRequest,
      maxHeaderSize: limits.maxHeaderBytes,
      // Node would refuse a request without Host itself, without a body.
      requireHostHeader: false,
      connectionsCheckingInterval: Math.min(30_000, Math.max(100, limits.requestTimeoutMs / 2)),
    },
    clientErrorHandler: clientErrorHandler(context, limits),
    frameworkErrors: (error, request, reply) => {
      open(request, reply);
      void refuseAnonymous(context, error, request, reply);
    },
  });
  server.removeAllContentTypeParsers();
  server.decorateRequest('note', null);
  server.decorateRequest('watched', null);
  server.decorate('holdBack', context.holdBack);
  server.decorate('pluginPaths', createPluginPaths());
  server.server.on('connection', () => {
    state.connections += 1;
  });
  const connections = createConnectionCount(limits.connections, options.trustProxy);
  const makeRoom = limitConnections(server.server, {
    ...{ count: connections, trustProxy: options.trustProxy },
    dropped: (reason) => options.metrics.shed(reason),
  });
  if (options.handedOver !== undefined) {
    server.server.prependListener('connection', options.handedOver.watch);
    options.handedOver.onRefused(options.metrics.shed);
    options.handedOver.onCrowded(makeRoom);
  }
  refuseEarly(server, options, context, open);
  const tellRefused = refuseQuickly(server, options, context, answers);
  const letGo = (): void => {
    tellRefused();
    answers.endConnections();
    context.refusalPace.close();
  };
  stopGracefully(server, state, letGo, options);
  mountAll(server, options, context);
  // Unknown expectations are ignored rather than refused with 417 (RFC 9110, section 10.1.1, leaves it open).
  for (const event of ['checkContinue', 'checkExpectation']) server.server.on(event, server.routing);
  server.server.on('connect', connectHandler(context));
  return server;
}

function pipelineContext(options: ServerOptions, state: ServerState): PipelineContext {
  const { limits, quotas = unsharedQuotas() } = options;
  return {
    ...pipelineChoices(),
    authenticate: options.authenticate,
    knownPrincipal: options.knownPrincipal ?? (() => null),
    authenticatePlatform: options.authenticatePlatform,
    admitAgain: options.admitAgain ?? (async (principal) => principal),
    rates: createRates(options.rates, { quotas, serverQuotas: options.serverQuotas }),
    logger: options.logger,
    baseUrl: options.baseUrl,
    notFound: notFoundProblems(options.mounts, options.baseUrl),
    pace: { graceMs: limits.requestTimeoutMs, minBytesPerSecond: limits.minBodyBytesPerSecond },
    inFlight: createInFlight(limits.inFlight),
    admission: createAdmission(limits.admission, () => state.connections),
    holdBack: createHoldBack(options.rates.anonymous ?? 0, { quotas, workers: options.workers }),
    refusalPace: createRefusalPace(defaultRefusalPace),
    metrics: options.metrics,
    headers: {
      vary: options.corsOrigins.length === 0 ? 'Accept, Accept-Encoding' : 'Accept, Accept-Encoding, Origin',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    },
    onRefusedWrite: options.onRefusedWrite ?? null,
    stopping: () => state.stopping,
  };
}

/** Mounts the routes of all interfaces, and the handlers for paths without one. */
function mountAll(server: FastifyInstance, { mounts, corsOrigins }: ServerOptions, context: PipelineContext): void {
  // A separate scope, so that it does not affect how plugins read bodies.
  server.register(async (scope) => {
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
    for (const mount of mounts)
      for (const route of mount.routes) mountRoute(scope, route, mount.prefix + route.path, context);
  });
  refuseElsewhere(server, { mounts, corsOrigins }, context);
}

function mountRoute(scope: FastifyInstance, route: Route, path: string, context: PipelineContext): void {
  const handler = requestPipeline(context, route, path);
  scope.route<{ Params: Record<string, string> }>({
    method: route.method === 'GET' ? ['GET', 'HEAD'] : route.method,
    url: path.replaceAll(':', '::').replaceAll(/\{([^}]+)\}/g, ':$1'),
    config: { ownBody: true },
    handler,
    // The framework refuses a malformed Content-Type before the caller is identified.
    errorHandler: (error, request, reply) =>
      error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE'
        ? handler(request, reply)
        : refuseAnonymous(context, error, request, reply),
  });
}

interface ServerState {
  stopping: boolean;
  /** How many have been accepted. */
  connections: number;
}

/** Lets `close` wait for running requests, but not for ever. */
function stopGracefully(
  server: FastifyInstance,
  state: ServerState,
  letGo: () => void,
  { limits, draining }: Pick<ServerOptions, 'limits' | 'draining'>,
): void {
  let limit: NodeJS.Timeout | undefined;
  server.addHook('preClose', (done) => {
    const stop = (): void => {
      state.stopping = true;
      limit = setTimeout(() => server.server.closeAllConnections(), limits.stopTimeoutMs);
      done();
    };
    letGo();
    if (draining?.aborted === true) closePort(server.server, stop);
    else stop();
  });
  server.addHook('onClose', (_instance, done) => {
    clearTimeout(limit);
    done();
  });
}
