// Signs out of this browser, and of the identity provider if one was used and supports it; what programs were allowed
// is unaffected.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type BrowserSession, endSession, sessionOf } from './browser-session.ts';
import { forgetIdToken, providerSignOutAddress } from './federation/provider-sign-out.ts';
import type { PagesOptions } from './interaction.ts';
import { paths } from './oidc-configuration.ts';
import { addressTo, type RunningProvider } from './oidc-provider.ts';
import { mountPage } from './other-methods.ts';
import { languageOf, pageHeaders, signedOutPage, signOutPage } from './pages/index.ts';
import { fieldOf, requireSameOrigin, preparePages, sendPage } from './sign-in-forms.ts';
import { findActiveUser, type User } from './users.ts';

/** Mounts `GET`, `POST` and `DELETE {auth_url}/connect/signout`. */
export function signOutRoutes(server: FastifyInstance, options: PagesOptions): void {
  preparePages(server, options);
  const url = `${options.prefix}${paths.signOut}`;
  mountPage(server, url, {
    GET: async (request, reply) => {
      await show(options, request, reply, await visitOf(options, request, reply));
    },
    POST: async (request, reply) => {
      requireSameOrigin(options.authUrl, request);
      const visit = await visitOf(options, request, reply);
      const { session, running } = visit;
      if (session.accountId === undefined || !running.csrf.matches(fieldOf(request, 'csrf'), binding(session)))
        return show(options, request, reply, visit);
      const address = await addressAfter(options, request, session);
      await endSession(running.provider, request, reply);
      await reply.header('cache-control', 'no-store').redirect(address, 303);
    },
    DELETE: (request, reply) => endUnasked(options, request, reply),
  });
}

/**
 * Ends the session for a page of this origin, such as the console, in which the person has already asked for it: 204.
 * 409 when the person has to choose on the sign-out page, because an identity provider was used. Browsers send this
 * method from another origin only with permission, which nobody has.
 */
async function endUnasked(options: PagesOptions, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  requireSameOrigin(options.authUrl, request);
  const { session, running } = await visitOf(options, request, reply);
  const user = session.accountId === undefined ? null : await findActiveUser(options.store, session.accountId);
  const mustChoose = user !== null && user.identityProvider !== null;
  if (!mustChoose && session.accountId !== undefined) await endSession(running.provider, request, reply);
  await reply
    .header('cache-control', 'no-store')
    .code(mustChoose ? 409 : 204)
    .send();
}

interface Visit {
  readonly session: BrowserSession;
  readonly running: RunningProvider;
}

async function visitOf(
  { authUrl, providers, prefix }: PagesOptions,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Visit> {
  if (request.note !== null) request.note.route = `${prefix}${paths.signOut}`;
  const running = await providers();
  addressTo(authUrl, request.raw);
  return { session: await sessionOf(running.provider, request, reply), running };
}

/**
 * Where the browser goes after its session here has ended; what is stored of the sign-in at a provider is removed too.
 */
async function addressAfter(options: PagesOptions, request: FastifyRequest, session: BrowserSession): Promise<string> {
  const own = `${options.prefix}${paths.signOut}`;
  const { accountId, loginTs } = session;
  const user = accountId === undefined ? null : await findActiveUser(options.store, accountId);
  if (user === null || user.identityProvider === null || loginTs === undefined) return own;
  const signIn = { accountId: user.id, loginTs };
  const client = options.providerClients.get(user.identityProvider);
  const isWanted = client !== undefined && fieldOf(request, 'at') === 'provider';
  const there = isWanted ? await providerSignOutAddress(options, client, signIn) : null;
  await forgetIdToken(options.store, signIn);
  return there ?? (client === undefined ? own : `${own}?still=${client.provider.name}`);
}

/** What the page says about a user's provider; null: there is none. */
async function elsewhereOf(options: PagesOptions, user: User, { loginTs = 0 }: BrowserSession) {
  if (user.identityProvider === null) return null;
  const client = options.providerClients.get(user.identityProvider);
  // A provider that is no longer configured.
  if (client === undefined) return { title: user.identityProvider, address: null };
  const address = await providerSignOutAddress(options, client, { accountId: user.id, loginTs });
  return { title: client.provider.title, address };
}

async function show(
  options: PagesOptions,
  request: FastifyRequest,
  reply: FastifyReply,
  { session, running }: Visit,
): Promise<void> {
  const { store, prefix, providerClients } = options;
  const language = languageOf(request.headers['accept-language']);
  const still = new URLSearchParams(request.url.split('?')[1]).get('still') ?? '';
  const user = session.accountId === undefined ? null : await findActiveUser(store, session.accountId);
  const elsewhere = user === null ? null : await elsewhereOf(options, user, session);
  const page =
    user === null
      ? signedOutPage({
          language,
          still: providerClients.get(still)?.provider.title ?? null,
          start: startPage(options),
        })
      : signOutPage({
          language,
          action: `${prefix}${paths.signOut}`,
          csrf: running.csrf.token(binding(session)),
          login: user.login,
          account: `${prefix}${paths.account}`,
          elsewhere: elsewhere === null ? null : { title: elsewhere.title, canEnd: elsewhere.address !== null },
        });
  const formTargets = elsewhere?.address == null ? [] : [elsewhere.address];
  await sendPage(reply.headers(pageHeaders({ formTargets })), page);
}

/** Address of the start page: the console, if there is one. */
function startPage({ baseUrl, authUrl }: PagesOptions): string {
  const { origin } = new URL(baseUrl);
  return origin === new URL(authUrl).origin ? '/' : `${origin}/`;
}

function binding(session: BrowserSession): string {
  return `sign-out ${session.uid}`;
}
