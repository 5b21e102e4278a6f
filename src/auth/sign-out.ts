// Signing out of this browser; what programs were allowed stays theirs.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type BrowserSession, endSession, sessionOf } from './browser-session.ts';
import type { PagesOptions } from './interaction.ts';
import { paths } from './oidc-configuration.ts';
import { addressTo, type RunningProvider } from './oidc-provider.ts';
import { refuseOtherMethods } from './other-methods.ts';
import { languageOf, pageHeaders, signedOutPage, signOutPage } from './pages/index.ts';
import { fieldOf, fromHere, preparePages, sendPage } from './sign-in-forms.ts';
import { findActiveUser } from './users.ts';

/** Mounts `GET` and `POST {auth_url}/connect/signout`. */
export function signOutRoutes(server: FastifyInstance, options: PagesOptions): void {
  preparePages(server, options.logger);
  const url = `${options.prefix}${paths.signOut}`;
  server.get(url, async (request, reply) => {
    await show(options, request, reply, await visitOf(options, request, reply));
  });
  server.post(url, async (request, reply) => {
    fromHere(options.authUrl, request);
    const visit = await visitOf(options, request, reply);
    const { session, running } = visit;
    if (session.accountId === undefined || !running.csrf.matches(fieldOf(request, 'csrf'), binding(session)))
      return show(options, request, reply, visit);
    await endSession(running.provider, request, reply);
    await reply.header('cache-control', 'no-store').redirect(url, 303);
  });
  refuseOtherMethods(server, url, ['GET', 'POST']);
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

async function show(
  { store, prefix }: PagesOptions,
  request: FastifyRequest,
  reply: FastifyReply,
  { session, running }: Visit,
): Promise<void> {
  const language = languageOf(request.headers['accept-language']);
  const user = session.accountId === undefined ? null : await findActiveUser(store, session.accountId);
  const page =
    user === null
      ? signedOutPage({ language })
      : signOutPage({
          language,
          action: `${prefix}${paths.signOut}`,
          csrf: running.csrf.token(binding(session)),
          login: user.login,
          account: `${prefix}${paths.account}`,
        });
  await sendPage(reply.headers(pageHeaders({ formTargets: [] })), page);
}

function binding(session: BrowserSession): string {
  return `sign-out ${session.uid}`;
}
