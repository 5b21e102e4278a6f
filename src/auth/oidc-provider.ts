// The running `oidc-provider`: built from the current keys, rebuilt when they change, and told its public address.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import Provider, { errors, type KoaContextWithOIDC } from 'oidc-provider';
import type { HoldBack } from '../http/anonymous-refusals.ts';
import type { Store } from '../store/store.ts';
import type { KeyRing } from './keys.ts';
import { createCookieKeys } from './cookie-keys.ts';
import {
  clientAuthMethods,
  type ConfigurationOptions,
  paths,
  providerConfiguration,
  wellKnown,
} from './oidc-configuration.ts';
import { clientSecretMatches } from './oidc-client.ts';
import { createCsrf, type Csrf } from './csrf.ts';
import { retryAfterSeconds, transientErrorOf, throwAsProviderError } from './transient-errors.ts';
import { transientErrorPage } from './sign-in-faults.ts';
import { secretFor, type SecretGenerations, type SignInSecrets } from './sign-in-secrets.ts';
import type { RefreshTokenCipher } from './refresh-token-cipher.ts';
import { refuseByRegisteredCodes } from './registered-codes.ts';
import { createSingleUse } from './single-use.ts';
import { createTokenRevocation, isAccessToken } from './token-revocation.ts';
import { createTokenQueue, type TokenQueue } from './token-queue.ts';
import { type ResourceAddresses, tokenResource } from './platform-resource.ts';
import { apiScope, platformScope } from './tokens.ts';

interface ProvidersOptions extends Omit<ConfigurationOptions, 'keys' | 'cookieKeys' | 'awaitTurn' | 'singleUse'> {
  readonly store: ConfigurationOptions['store'] & Pick<Store, 'historySince'>;
  readonly keys: KeyRing;
  readonly secrets: SignInSecrets;
  readonly refreshTokens: RefreshTokenCipher;
  /** Counts a refused request of a program; throws Problem `quota-exceeded`, which replaces the refusal. */
  readonly countRefused: (address: string) => Promise<unknown>;
  readonly logger: Logger;
}

/** Serves requests with the current keys. */
export interface RunningProvider {
  readonly provider: Provider;
  readonly csrf: Csrf;
  /**
   * Responds to one request whose body has not been read; the address is the client's, as trusted proxies report it.
   * @param holdBack waits until one more refusal may be sent to the address
   */
  readonly handle: (
    request: IncomingMessage,
    response: ServerResponse,
    address: string,
    holdBack: HoldBack,
  ) => Promise<void>;
}

/**
 * Makes the source of running providers. It returns the same one until another key or secret signs or verifies, so that
 * a rotation needs no restart. All state is in the database: providers of several processes, or before and after a
 * rotation, are interchangeable.
 */
export function createProviders(options: ProvidersOptions): () => Promise<RunningProvider> {
  const turns = createTokenQueue();
  let built: { readonly set: unknown; readonly secrets: unknown; readonly running: RunningProvider } | null = null;
  return async () => {
    const [set, secrets] = await Promise.all([options.keys.privateKeys(), options.secrets.current()]);
    if (built?.set !== set || built.secrets !== secrets)
      built = { set, secrets, running: build({ ...options, turns }, set.keys, secrets) };
    return built.running;
  };
}

/**
 * Makes a request look as if it was sent to the public address, whatever its target, `Host` and `X-Forwarded-…` say:
 * the provider derives discovery addresses and the cookie attribute `Secure` from them.
 */
export function addressTo(authUrl: string, request: IncomingMessage): void {
  const { host, protocol, pathname } = new URL(authUrl);
  const mount = pathname.replace(/\/$/, '');
  const target = (request.url ?? '/').replace(/^https?:\/\/[^/?#]*/i, '');
  request.headers.host = host;
  request.headers['x-forwarded-proto'] = protocol.slice(0, -1);
  delete request.headers['x-forwarded-host'];
  delete request.headers[':authority'];
  // Koa recognizes a mounted application by the difference between the two.
  Object.assign(request, { originalUrl: target, url: target.startsWith(mount) ? target.slice(mount.length) : target });
}

function build(
  options: ProvidersOptions & { readonly turns: TokenQueue },
  keys: ConfigurationOptions['keys'],
  [first, ...others]: SecretGenerations,
): RunningProvider {
  const derived = (purpose: 'cookie' | 'form') =>
    [secretFor(purpose, first), ...others.map((secret) => secretFor(purpose, secret))] as const;
  const callers = new WeakMap<IncomingMessage, { readonly address: string; readonly holdBack: HoldBack }>();
  const addressOf = (request: IncomingMessage): string => callers.get(request)?.address ?? '';
  /** By the request that ended grants: each promise resolves when all workers know. */
  const ended = new WeakMap<IncomingMessage, readonly Promise<void>[]>();
  const awaitTurn = async (): Promise<void> => {
    const ctx = Provider.ctx;
    if (ctx === undefined || !forPrograms.has(ctx.path)) return;
    await options.turns.begin(ctx.req, addressOf(ctx.req)).catch((error: unknown) => throwAsProviderError(ctx, error));
  };
  const singleUse = createSingleUse(options);
  const revokeAccessToken = createTokenRevocation(options);
  const provider = new Provider(
    options.authUrl,
    providerConfiguration({ ...options, keys, cookieKeys: createCookieKeys(derived('cookie')), awaitTurn, singleUse }),
  );
  // Can be trusted, because `addressTo` has just written these headers.
  provider.proxy = true;
  provider.Client.prototype.compareClientSecret = function compare(sent) {
    return clientSecretMatches(sent, this.clientSecret);
  };
  refuseByRegisteredCodes(provider);
  // Middleware added after `callback()` would never run.
  provider.use(async (ctx, next) => {
    ctx.set(headers);
    // The session is stored after the provider's own error responses.
    await next()
      .then(() => {
        if (!hasOidc(ctx)) return undefined;
        if (ctx.path === paths.token) return singleUse.settle(ctx);
        return ctx.path === paths.revocation && ctx.status === 400 ? revokeAccessToken(ctx) : undefined;
      })
      .catch((error: unknown) => answerTransient(ctx, error))
      .finally(() => options.turns.end(ctx.req));
    await Promise.all(ended.get(ctx.req) ?? []);
    // RFC 7009, 2.2, leaves the body open; some libraries only accept JSON and treat an empty body as an error.
    if (ctx.path === paths.revocation && ctx.status === 200) ctx.body = {};
    if (metadataPaths.has(ctx.path)) completeMetadata(ctx.body, options);
    if (ctx.status === 503) ctx.set('retry-after', retryAfterSeconds);
    if (!forPrograms.has(ctx.path) || ctx.status < 400 || ctx.status >= 500) return;
    await options.countRefused(addressOf(ctx.req)).catch((error: unknown) => answerTransient(ctx, error));
    await callers.get(ctx.req)?.holdBack(addressOf(ctx.req), ctx.req, ctx.res);
  });
  checkBeforeUse(provider, options);
  encryptRefreshTokens(provider, options);
  logFaults(provider, options.logger);
  provider.on('grant.revoked', ({ req }, grantId) => {
    ended.set(req, [...(ended.get(req) ?? []), options.onGrantChanged(grantId)]);
  });
  const callback = provider.callback();
  return {
    provider,
    csrf: createCsrf(derived('form')),
    handle: async (request, response, address, holdBack) => {
      addressTo(options.authUrl, request);
      callers.set(request, { address, holdBack });
      singleUse.begin(request);
      await callback(request, response);
    },
  };
}

/**
 * Codes and refresh tokens are used up only once their response is ready (`SingleUse.settle`). The provider would use
 * them up first and check `resource` (RFC 8707) only then: after a typing mistake there, the person would have to sign
 * in again.
 */
function checkBeforeUse(provider: Provider, addresses: ResourceAddresses): void {
  for (const { prototype } of [provider.AuthorizationCode, provider.RefreshToken]) {
    prototype.consume = async function checkResource() {
      const { params, client } = Provider.ctx?.oidc ?? {};
      // A code or token issued for one resource gives tokens for that one alone; the client may have lost access to it
      // meanwhile.
      const { address } = tokenResource(addresses, this.resource, client, params?.grant_type);
      const asked = [params?.resource ?? []].flat();
      if (asked.some((resource) => resource !== address))
        throw new errors.InvalidTarget(`this was given for the resource ${address}`);
    };
  }
}

/** Gives refresh tokens self-describing ids. */
function encryptRefreshTokens(
  provider: Provider,
  { refreshTokens, platformUrl, now }: Pick<ProvidersOptions, 'refreshTokens' | 'platformUrl' | 'now'>,
): void {
  Object.assign(provider.RefreshToken.prototype, {
    generateTokenId(this: InstanceType<Provider['RefreshToken']>): string {
      const issuedAt = now();
      const seconds = Math.floor(issuedAt / 1000);
      return refreshTokens.encrypt({
        grantId: this.grantId ?? '',
        chainSince: this.iiat ?? seconds,
        issuedAt,
        expiresAt: seconds + this.expiration,
        rotations: this.rotations ?? 0,
        scope: this.scope ?? '',
        signedInAt: this.authTime ?? 0,
        resource:
          this.resource === undefined ? 'none' : this.resource === platformUrl ? 'platform' : 'client-interface',
      });
    },
  });
}

/** Whether a request reached a route of the provider. */
function hasOidc(ctx: object): ctx is KoaContextWithOIDC {
  return 'oidc' in ctx;
}

/** Endpoints where secrets, codes and tokens could be guessed. */
const forPrograms: ReadonlySet<string> = new Set([paths.token, paths.revocation]);

/** Replaces whatever the response was going to be. */
function answerTransient(
  ctx: Pick<KoaContextWithOIDC, 'path' | 'get' | 'response' | 'remove' | 'set' | 'status' | 'body'>,
  error: unknown,
): void {
  const transient = transientErrorOf(error);
  if (transient === null) throw error;
  for (const header of ['www-authenticate', 'location']) ctx.remove(header);
  ctx.status = transient.status;
  ctx.set({ ...transient.headers, 'cache-control': 'no-store' });
  const page = ctx.path.startsWith(paths.authorization)
    ? transientErrorPage(transient, ctx.get('accept-language'), ctx.response.get('x-request-id'))
    : null;
  if (page !== null) ctx.set(page.headers);
  ctx.body = page?.html ?? transient.body;
}

/**
 * An empty `script-src` forbids scripts, and gives the provider a place to add the hash of the one script of
 * `form_post`.
 */
const headers = {
  'content-security-policy': "default-src 'none';script-src;base-uri 'none';frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

const metadataPaths: ReadonlySet<string> = new Set(Object.values(wellKnown));

/** Metadata of this server that the provider does not know (RFC 8414, 2; RFC 9728, 4). */
function completeMetadata(body: unknown, { baseUrl, platformUrl }: ResourceAddresses): void {
  if (
    typeof body !== 'object' ||
    body === null ||
    !('scopes_supported' in body) ||
    !Array.isArray(body.scopes_supported)
  )
    return;
  Object.assign(body, {
    scopes_supported: [apiScope, platformScope, ...body.scopes_supported],
    response_modes_supported: ['query', 'form_post'],
    // Without it, clients have to assume that a public client cannot revoke tokens.
    revocation_endpoint_auth_methods_supported: clientAuthMethods,
    protected_resources: [baseUrl, platformUrl],
  });
}

/** Clients only learn that a grant is invalid; the operator learns why. No event contains a token or a secret. */
function logFaults(provider: Provider, logger: Logger): void {
  const noted =
    (event: string) =>
    (ctx: KoaContextWithOIDC, error: errors.OIDCProviderError): void => {
      const { error_detail: detail, error_description: description } = error;
      logger.info(
        {
          requestId: ctx.response.get('x-request-id'),
          client: ctx.oidc.client?.clientId,
          user: ctx.oidc.account?.accountId,
          error: error.message,
          description,
          detail,
        },
        event,
      );
    };
  provider.on('authorization.error', noted('authorization refused'));
  provider.on('grant.error', noted('token refused'));
  const refused = noted('revocation refused');
  provider.on('revocation.error', (ctx, error) => {
    if (!(error instanceof errors.UnsupportedTokenType && isAccessToken(ctx.oidc.params?.token))) refused(ctx, error);
  });
  provider.on('grant.revoked', (ctx) =>
    logger.warn({ requestId: ctx.response.get('x-request-id'), client: ctx.oidc.client?.clientId }, 'grant revoked'),
  );
  provider.on('server_error', (ctx, error) =>
    logger.error({ err: error, requestId: ctx.response.get('x-request-id') }, 'authorization server failed'),
  );
  // Koa's own handler writes to the console.
  provider.onerror = (error) => logger.error({ err: error }, 'authorization server failed');
}
