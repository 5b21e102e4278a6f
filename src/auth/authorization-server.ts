// The authorization server mounted beside the interface: its paths, and how requests reach `oidc-provider` unmodified.
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import type { Logger } from 'pino';
import { addressKey } from '../http/address-parts.ts';
import { createRate, unsharedQuotas } from '../http/rates.ts';
import { Problem } from '../model/problem.ts';
import type { Quotas } from '../model/quota.ts';
import type { Store } from '../store/store.ts';
import type { IdentityProvider } from './federation/identity-providers.ts';
import { createProviderClients } from './federation/provider-client.ts';
import { interactionRoutes } from './interaction.ts';
import type { KeyRing } from './keys.ts';
import { createKnownBrowsers, type KnownBrowser } from './known-browsers.ts';
import { paths, wellKnown } from './oidc-configuration.ts';
import { createProviders, type RunningProvider } from './oidc-provider.ts';
import { listingMethods, refuseOtherMethods } from './other-methods.ts';
import { transientErrorOf } from './transient-errors.ts';
import { takeEmptySecretForNone } from './empty-secret.ts';
import { skipByteOrderMark } from './byte-order-mark.ts';
import type { Cipher } from './cipher.ts';
import { transientErrorPage } from './sign-in-faults.ts';
import { createRefreshTokenCipher } from './refresh-token-cipher.ts';
import { createSignInSecrets, secretFor } from './sign-in-secrets.ts';
import { accountRoutes } from './account/routes.ts';
import { createSecondFactor, type SecondFactorDemand } from './second-factor.ts';
import { createSignIn } from './sign-in.ts';
import { signOutRoutes } from './sign-out.ts';

interface AuthorizationServerOptions {
  readonly store: Store;
  /** Rate limits are shared with the other processes. */
  readonly quotas: Quotas;
  /** Shared by the workers of this server only; absent: this process is the server. */
  readonly serverQuotas?: Quotas | undefined;
  readonly cipher: Cipher;
  readonly keys: KeyRing;
  readonly logger: Logger;
  /** All without a slash at the end. */
  readonly authUrl: string;
  readonly baseUrl: string;
  readonly platformUrl: string;
  /** Sign-ins that may be started from one address per minute; 0: no limit. */
  readonly signInRate: number;
  /** Requests for metadata, keys and pages from one address per minute; 0: no limit. */
  readonly publicRate: number;
  /** At which people may sign in as well. */
  readonly identityProviders: readonly IdentityProvider[];
  /** Who has to have a second factor. */
  readonly secondFactorDemand: SecondFactorDemand;
  /**
   * Called with a grant that has ended, or lost a token, in this process; resolves when all workers of the server know.
   */
  readonly onGrantChanged: (grantId: string) => Promise<void>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * Makes the plugin that mounts the authorization server on the HTTP server.
 * @throws OperatorError when the signing keys or the secrets cannot be decrypted
 */
export async function createAuthorizationServer(
  options: AuthorizationServerOptions,
): Promise<(server: FastifyInstance) => Promise<void>> {
  const { store, quotas, authUrl, baseUrl, platformUrl, now } = options;
  const secrets = createSignInSecrets(options);
  const secondFactor = createSecondFactor(options);
  const refused = createRate('failure', maxRefusalsPerMinute, { quotas });
  const providers = createProviders({
    ...options,
    secrets,
    isPasswordEnough: secondFactor.isPasswordEnough,
    refreshTokens: await createRefreshTokenCipher(store, options.cipher, now()),
    countRefused: (address) => refused(addressKey(address)),
    countRefresh: createRate('refresh', maxRefreshesPerMinute, { quotas }),
    countServiceToken: createRate('service-token', maxServiceTokensPerMinute, { quotas }),
  });
  // A wrong secret is reported at start-up, not at the first sign-in.
  await providers();
  const prefix = new URL(authUrl).pathname.replace(/\/$/, '');
  const pepper = async (): Promise<string> => secretFor('throttle', (await secrets.current())[0]);
  const knownBrowsers = createKnownBrowsers({ secrets, secure: authUrl.startsWith('https:'), now });
  const { form, ...counts } = countsOf(options, knownBrowsers);
  const pages = {
    store,
    logger: options.logger,
    authUrl,
    baseUrl,
    platformUrl,
    providerClients: createProviderClients(options.identityProviders, authUrl, now),
    prefix,
    providers,
    knownBrowsers,
    now,
    signIn: createSignIn({ store, pepper, now, isPasswordEnough: secondFactor.isPasswordEnough }),
    secondFactor,
    issuerName: new URL(authUrl).hostname,
    onGrantChanged: options.onGrantChanged,
    countForm: (address: string, browser: KnownBrowser | null) => form(whoOf(address, browser)),
    countPage: counts.looked,
  };
  return async (server) => {
    await server.register(async (scope) => protocolRoutes(scope, prefix, providers, counts));
    await server.register(async (scope) => interactionRoutes(scope, pages));
    await server.register(async (scope) => signOutRoutes(scope, pages));
    await server.register(async (scope) => accountRoutes(scope, pages));
  };
}

/** Counters for requests without a token: by address, or by known browser for requests of people. */
interface Counts {
  /** A sign-in that is started; a request for metadata or keys; a page view. */
  readonly begun: Counted;
  readonly asked: Counted;
  readonly looked: Counted;
  /** What a browser asks before a request for a token. */
  readonly preflight: Counted;
  /** A token that is revoked: also one that does not exist is answered as done (RFC 7009, 2.2). */
  readonly revoked: Counted;
  /** A submitted form. */
  readonly form: (costKey: string) => Promise<unknown>;
}

function countsOf(
  { signInRate, publicRate, quotas, serverQuotas = unsharedQuotas() }: AuthorizationServerOptions,
  knownBrowsers: ReturnType<typeof createKnownBrowsers>,
): Counts {
  const ofAnybody = (kind: string): ((costKey: string) => Promise<unknown>) =>
    createRate('public', publicRate, { quotas: apart(quotas, kind), isFirstShareFree: true });
  const [begun, metadata, page, revocation, preflight] = [
    createRate('sign-in', signInRate, { quotas }),
    ofAnybody('metadata'),
    ofAnybody('page'),
    ofAnybody('revocation'),
    createRate('preflight', publicRate * preflightsPerRequest, { quotas: apart(serverQuotas, 'token-preflight') }),
  ];
  const browserOf = async ({ ip, headers }: FastifyRequest): Promise<string> =>
    whoOf(ip, await knownBrowsers.recognise(headers.cookie));
  return {
    begun: async (request) => begun(await browserOf(request)),
    asked: ({ ip }) => metadata(addressKey(ip)),
    revoked: ({ ip }) => revocation(addressKey(ip)),
    preflight: ({ ip }) => preflight(addressKey(ip)),
    looked: async (request) => page(await browserOf(request)),
    form: createRate('sign-in-form', signInRate * maxFormsPerSignIn, { quotas }),
  };
}

/** Requests for pages that do not exist are counted under the same name, and must not share this count. */
function apart(quotas: Quotas, kind: string): Quotas {
  return {
    take: (request) => quotas.take({ ...request, kind }),
    giveBack: (unused) => quotas.giveBack(unused.map((one) => ({ ...one, kind }))),
  };
}

/** People in one office share an address. */
const preflightsPerRequest = 10;
/** A person submits one form to sign in and one to consent. */
const maxFormsPerSignIn = 2;
/** Refused requests of programs from one address. */
const maxRefusalsPerMinute = 30;
/** For one chain; a token is valid for an hour. */
const maxRefreshesPerMinute = 10;
/** For one client that acts for itself; a token is valid for an hour and stored for as long. */
const maxServiceTokensPerMinute = 60;

/**
 * One route per path and method, so that requests which the provider would answer with a text of its own never reach
 * it.
 */
function protocolRoutes(
  server: FastifyInstance,
  prefix: string,
  providers: () => Promise<RunningProvider>,
  { begun, asked, looked, preflight, revoked }: Omit<Counts, 'form'>,
): void {
  const get = ['GET', 'HEAD'] as const;
  const own: readonly (readonly [path: string, methods: readonly HTTPMethods[]])[] = [
    [paths.authorization, get],
    [`${paths.authorization}/:uid`, get],
    [paths.token, ['POST', 'OPTIONS']],
    [paths.revocation, ['POST', 'OPTIONS']],
    [paths.jwks, [...get, 'OPTIONS']],
    [wellKnown.oauth, [...get, 'OPTIONS']],
    [wellKnown.openid, [...get, 'OPTIONS']],
  ];
  // The provider reads the body itself.
  server.addContentTypeParser('*', (_request, _payload, done) => done(null));
  answerTransientErrors(server, prefix + paths.authorization);
  const handler = delegate(providers);
  const ofMethod =
    (post: Counted): Counted =>
    (request) =>
      request.method === 'OPTIONS' ? preflight(request) : post(request);
  const limitedBy = new Map<string, Counted>([
    // Each is bounded by what it takes: a sign-in, the chain of a refresh token, the client. What is refused is held.
    [paths.token, ofMethod(async () => undefined)],
    [paths.revocation, ofMethod(revoked)],
    [paths.authorization, begun],
    [`${paths.authorization}/:uid`, looked],
    [paths.jwks, asked],
    [wellKnown.oauth, asked],
    [wellKnown.openid, asked],
  ]);
  for (const [path, methods] of own) mount(server, prefix + path, methods, limited(handler, limitedBy.get(path)));
  // RFC 8414, 3.1: for an issuer with a path, the well-known part comes before the path.
  if (prefix !== '')
    mount(
      server,
      wellKnown.oauth + prefix,
      [...get, 'OPTIONS'],
      limited(delegate(providers, prefix + wellKnown.oauth), asked),
    );
}

/** Counts the start of a sign-in, or another request; throws Problem `quota-exceeded`. */
type Counted = (request: FastifyRequest) => Promise<unknown>;

/**
 * Known browsers of one user are counted together and separately from their addresses, so that others behind the same
 * addresses cannot use up their quota.
 */
function whoOf(address: string, browser: KnownBrowser | null): string {
  return browser === null ? addressKey(address) : `account ${browser.userHash}`;
}

type Handler = (request: FastifyRequest<{ Params: { uid?: string } }>, reply: FastifyReply) => Promise<void>;

function mount(server: FastifyInstance, url: string, methods: readonly HTTPMethods[], handler: Handler): void {
  server.route<{ Params: { uid?: string } }>({
    ...{ method: [...methods], url, handler: listingMethods(methods, handler) },
    // The framework refuses a malformed or empty Content-Type itself; the provider does it as RFC 6749, 5.2, says.
    errorHandler: async (error, request, reply) => {
      if (error.code !== 'FST_ERR_CTP_INVALID_MEDIA_TYPE') throw error;
      await handler(request, reply);
    },
  });
  refuseOtherMethods(server, url, methods);
}

/**
 * Each sign-in that is started is stored for half an hour, and anybody can start one. Continuing one
 * (`…/authorize/{uid}`) ends it and is not counted.
 */
function limited(handler: Handler, count: Counted | undefined): Handler {
  return async (request, reply) => {
    await count?.(request);
    await handler(request, reply);
  };
}

/**
 * Reports a transient error as a page to people, otherwise in the form that programs expect of these endpoints (RFC
 * 6749, 5.2).
 */
function answerTransientErrors(server: FastifyInstance, authorization: string): void {
  server.setErrorHandler(async (error, request, reply) => {
    const transient = transientErrorOf(error);
    if (transient === null) throw error;
    if (transient.status === 429) await server.holdBack(request.ip, request.raw, reply.raw);
    if (request.note !== null && error instanceof Problem) request.note.problem = error.slug;
    reply.code(transient.status).headers(transient.headers);
    if (request.routeOptions.url?.startsWith(authorization) !== true)
      return reply.header('cache-control', 'no-store').send(transient.body);
    const { html, headers } = transientErrorPage(transient, request.headers['accept-language'], request.id);
    return reply.headers(headers).send(html);
  });
}

/**
 * The most parameters of a request to the provider: each costs it far more than its size suggests. The longest real
 * requests have thirty.
 */
const maxParameters = 100;

function requireFewParameters(target: string): void {
  if (target.split('&', maxParameters + 1).length > maxParameters)
    throw new Problem('invalid-request', `The query may have ${maxParameters} parameters.`);
}

const nothingHere = 'There is nothing at this path. Paths are case-sensitive and have no slash at the end.';

/** @param target replaces the target of the request when that is an alias */
function delegate(providers: () => Promise<RunningProvider>, target?: string): Handler {
  return async (request, reply) => {
    // The router accepts an empty name too.
    if (request.params.uid === '') throw new Problem('not-found', nothingHere);
    requireFewParameters(request.url);
    const { handle } = await providers();
    if (request.note !== null) request.note.route = request.routeOptions.url?.replace(':uid', '{uid}') ?? null;
    reply.hijack();
    reply.raw.setHeader('x-request-id', request.id);
    if (!request.server.server.listening) reply.raw.setHeader('connection', 'close');
    if (target !== undefined) request.raw.url = target;
    skipByteOrderMark(request.raw);
    takeEmptySecretForNone(request.raw);
    await handle(request.raw, reply.raw, request.ip, request.server.holdBack);
  };
}
