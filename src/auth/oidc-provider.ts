// The running `oidc-provider`: built from the keys of the moment, built anew when they change, and told its own address.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import Provider, { type errors, type KoaContextWithOIDC } from 'oidc-provider';
import type { KeyRing } from './keys.ts';
import { clientAuthMethods, type ConfigurationOptions, paths, providerConfiguration, wellKnown } from './oidc-configuration.ts';
import { secretMatches } from './oidc-client.ts';
import { apiScope } from './tokens.ts';

export interface ProvidersOptions extends Omit<ConfigurationOptions, 'keys'> {
  readonly keys: KeyRing;
  readonly logger: Logger;
}

/** What serves requests with the keys of the moment. */
export interface RunningProvider {
  readonly provider: Provider;
  /** Answers one request whose body nobody has read. */
  readonly handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
}

/**
 * Makes the source of running providers: the same one until another key signs or verifies, so that a rotation needs no
 * restart. All state is in the database: providers of several processes, or of before and after a rotation, are alike.
 */
export function createProviders(options: ProvidersOptions): () => Promise<RunningProvider> {
  let built: { readonly from: unknown; readonly running: RunningProvider } | null = null;
  return async () => {
    const set = await options.keys.privateKeys();
    if (built?.from !== set) built = { from: set, running: build({ ...options, keys: set.keys }, options.logger) };
    return built.running;
  };
}

/**
 * Makes a request look as it was sent to the public address, whatever its target, `Host` and `X-Forwarded-…` say:
 * the provider builds addresses of discovery and the attribute `Secure` of cookies from them.
 */
export function addressTo(authUrl: string, request: IncomingMessage): void {
  const { host, protocol, pathname } = new URL(authUrl);
  const mount = pathname.replace(/\/$/, '');
  const target = (request.url ?? '/').replace(/^https?:\/\/[^/?#]*/i, '');
  request.headers.host = host;
  request.headers['x-forwarded-proto'] = protocol.slice(0, -1);
  delete request.headers['x-forwarded-host'];
  delete request.headers[':authority'];
  // Koa knows a mounted application by the difference between the two.
  Object.assign(request, { originalUrl: target, url: target.startsWith(mount) ? target.slice(mount.length) : target });
}

function build(options: ConfigurationOptions, logger: Logger): RunningProvider {
  const provider = new Provider(options.authUrl, providerConfiguration(options));
  // Believed, because `addressTo` has just written them.
  provider.proxy = true;
  provider.Client.prototype.compareClientSecret = function compare(sent) {
    return secretMatches(sent, this.clientSecret);
  };
  // Middleware that is added after `callback()` would never run.
  provider.use(async (ctx, next) => {
    ctx.set(headers);
    if (ctx.path === paths.authorization && !ctx.query.scope) ctx.query = { ...ctx.query, scope: apiScope };
    await next();
    // RFC 7009, 2.2, leaves the body open; libraries that take nothing but JSON see an error in an empty one.
    if (ctx.path === paths.revocation && ctx.status === 200) ctx.body = {};
    if (metadataPaths.has(ctx.path)) completeMetadata(ctx.body, options.baseUrl);
  });
  logFaults(provider, logger);
  const callback = provider.callback();
  return {
    provider,
    handle: async (request, response) => {
      addressTo(options.authUrl, request);
      await callback(request, response);
    },
  };
}

/** An empty `script-src` forbids scripts, and is where the provider adds the hash of the one script of `form_post`. */
const headers = {
  'content-security-policy': "default-src 'none';script-src;base-uri 'none';frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

const metadataPaths: ReadonlySet<string> = new Set(Object.values(wellKnown));

/** What the provider does not know to say of this server (RFC 8414, 2; RFC 9728, 4). */
function completeMetadata(body: unknown, baseUrl: string): void {
  if (typeof body !== 'object' || body === null || !('scopes_supported' in body) || !Array.isArray(body.scopes_supported)) return;
  Object.assign(body, {
    scopes_supported: [apiScope, ...body.scopes_supported],
    response_modes_supported: ['query', 'form_post'],
    // Without it clients must think that a public one cannot revoke.
    revocation_endpoint_auth_methods_supported: clientAuthMethods,
    protected_resources: [baseUrl],
  });
}

/** Clients learn that a grant is invalid; the operator learns why. No event carries a token or a secret. */
function logFaults(provider: Provider, logger: Logger): void {
  const noted = (event: string) => (ctx: KoaContextWithOIDC, error: errors.OIDCProviderError): void => {
    const { error_detail: detail, error_description: description } = error;
    logger.info({ requestId: ctx.response.get('x-request-id'), client: ctx.oidc.client?.clientId, user: ctx.oidc.account?.accountId, error: error.message, description, detail }, event);
  };
  provider.on('authorization.error', noted('authorization refused'));
  provider.on('grant.error', noted('token refused'));
  provider.on('revocation.error', noted('revocation refused'));
  provider.on('grant.revoked', (ctx) => logger.warn({ requestId: ctx.response.get('x-request-id'), client: ctx.oidc.client?.clientId }, 'grant revoked'));
  provider.on('server_error', (ctx, error) => logger.error({ err: error, requestId: ctx.response.get('x-request-id') }, 'authorization server failed'));
  // Koa's own writes to the console.
  provider.onerror = (error) => logger.error({ err: error }, 'authorization server failed');
}
