// The authorization server mounted beside the interface: which paths it has, and how requests reach `oidc-provider` untouched.
import { randomBytes } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import type { Logger } from 'pino';
import { notFound } from '../http/exchange.ts';
import { Problem } from '../model/problem.ts';
import type { Store } from '../store/store.ts';
import { createCsrf } from './csrf.ts';
import { textList } from './granted.ts';
import { interactionRoutes } from './interaction.ts';
import type { KeyRing } from './keys.ts';
import { paths, wellKnown } from './oidc-configuration.ts';
import { createProviders, type RunningProvider } from './oidc-provider.ts';
import { refuseOtherMethods } from './other-methods.ts';
import { createSignIn } from './sign-in.ts';
import { signOutRoutes } from './sign-out.ts';

export interface AuthorizationServerOptions {
  readonly store: Store;
  readonly keys: KeyRing;
  readonly logger: Logger;
  /** Both without a slash at the end. */
  readonly authUrl: string;
  readonly baseUrl: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * Makes the plugin that mounts the authorization server, to be registered on the HTTP server.
 * @throws OperatorError when the signing keys cannot be decrypted
 */
export async function createAuthorizationServer(options: AuthorizationServerOptions): Promise<(server: FastifyInstance) => Promise<void>> {
  const { store, authUrl, baseUrl, now } = options;
  const { db } = store;
  const cookieKeys = textList(await store.secret('cookie', () => JSON.stringify([newSecret(), newSecret()])));
  const csrf = createCsrf(await store.secret('csrf', newSecret));
  const providers = createProviders({ ...options, db, cookieKeys });
  // A wrong secret is told when the server starts, not at the first sign-in.
  await providers();
  const prefix = new URL(authUrl).pathname.replace(/\/$/, '');
  const pages = { db, authUrl, baseUrl, prefix, csrf, providers, signIn: createSignIn({ db, now }) };
  return async (server) => {
    await server.register(async (scope) => protocolRoutes(scope, prefix, providers));
    await server.register(async (scope) => interactionRoutes(scope, pages));
    await server.register(async (scope) => signOutRoutes(scope, pages));
  };
}

function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** One route per path and method, so that what the provider would answer with a text of its own never reaches it. */
function protocolRoutes(server: FastifyInstance, prefix: string, providers: () => Promise<RunningProvider>): void {
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
  for (const [path, methods] of own) mount(server, prefix + path, methods, delegate(providers));
  // RFC 8414, 3.1: with an issuer that has a path, the well-known part comes before it.
  if (prefix !== '') mount(server, wellKnown.oauth + prefix, [...get, 'OPTIONS'], delegate(providers, prefix + wellKnown.oauth));
}

type Handler = (request: FastifyRequest<{ Params: { uid?: string } }>, reply: FastifyReply) => Promise<void>;

function mount(server: FastifyInstance, url: string, methods: readonly HTTPMethods[], handler: Handler): void {
  server.route({ method: [...methods], url, handler });
  refuseOtherMethods(server, url, methods);
}

/** @param target stands for the target of the request, where that is another name of it */
function delegate(providers: () => Promise<RunningProvider>, target?: string): Handler {
  return async (request, reply) => {
    // The router takes nothing for a name too.
    if (request.params.uid === '') throw new Problem('not-found', notFound);
    const { handle } = await providers();
    if (request.note !== null) request.note.route = request.routeOptions.url?.replace(':uid', '{uid}') ?? null;
    reply.hijack();
    reply.raw.setHeader('x-request-id', request.id);
    if (!request.server.server.listening) reply.raw.setHeader('connection', 'close');
    if (target !== undefined) request.raw.url = target;
    await handle(request.raw, reply.raw);
  };
}
