// The pages of a person's own account: who is signed in, the allowed programs, password and second factor.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { PagesOptions } from '../interaction.ts';
import { paths } from '../oidc-configuration.ts';
import { mountPage, type PageHandlers } from '../other-methods.ts';
import { type AccountNotice, accountPage, isAccountNotice } from '../pages/index.ts';
import { fieldOf, requireSameOrigin, preparePages } from '../sign-in-forms.ts';
import { takeStep } from '../sign-in-steps.ts';
import { askInvitedPassword, takeInvitedPassword } from './invitation.ts';
import { askNewPassword, takeNewPassword } from './password.ts';
import { programsOf, withdraw } from './programs.ts';
import { showSecondFactor, takeSecondFactor } from './second-factor.ts';
import {
  askSignIn,
  beginVisit,
  below,
  enter,
  formToken,
  isOwnForm,
  sendAccountPage,
  signedIn,
  type SignedInVisit,
  signInPlace,
} from './visit.ts';

/**
 * Mounts `{auth_url}/account` and everything below it. People who are not signed in are asked to sign in, and then
 * return to it.
 */
export function accountRoutes(server: FastifyInstance, options: PagesOptions): void {
  preparePages(server, options);
  const home = `${options.prefix}${paths.account}`;
  const shown =
    (show: Step): Handler =>
    async (request, reply) =>
      inSession(options, request, reply, show);
  const taken =
    (take: Handler): Handler =>
    async (request, reply) => {
      await admitForm(options, request);
      await take(request, reply);
    };
  const mount = (path: string, handlers: PageHandlers): void => mountPage(server, home + path, handlers);
  mount('', { GET: shown((visit) => showAccount(options, visit, noticeIn(visit.request))) });
  mount(below.withdraw, { POST: taken(shown((visit) => takeWithdrawal(options, visit))) });
  mount(below.password, {
    GET: shown(unlessElsewhere((visit) => askNewPassword(visit))),
    POST: taken(shown(unlessElsewhere((visit) => takeNewPassword(options, visit)))),
  });
  mount(below.secondFactor, {
    GET: shown(unlessElsewhere((visit) => showSecondFactor(options, visit), hasFactor)),
    POST: taken(shown(unlessElsewhere((visit) => takeSecondFactor(options, visit), hasFactor))),
  });
  mount(below.signIn, {
    GET: async (_request, reply) => {
      await reply.redirect(home, 303);
    },
    POST: taken((request, reply) => takeSignIn(options, request, reply)),
  });
  const invitation = `${options.prefix}${paths.invitation}`;
  mountPage(server, invitation, {
    GET: async (request, reply) => {
      await countForm(options, request);
      if (request.note !== null) request.note.route = invitation;
      await askInvitedPassword(options, request, reply);
    },
    POST: taken((request, reply) => takeInvitedPassword(options, request, reply)),
  });
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

type Step = (visit: SignedInVisit) => Promise<void>;

/**
 * Sends people who sign in at an identity provider back to the account, which says where their password is kept: they
 * have none here.
 * @param isOwn whether the page applies to them nevertheless
 */
function unlessElsewhere(step: Step, isOwn: (visit: SignedInVisit) => boolean = () => false): Step {
  return async (visit) => {
    if (visit.user.identityProvider === null || isOwn(visit)) return step(visit);
    await visit.reply.header('cache-control', 'no-store').redirect(visit.home, 303);
  };
}

function hasFactor({ user }: SignedInVisit): boolean {
  return user.secondFactor;
}

/** @throws Error that becomes a page: the form was sent by another site, or there are too many requests */
async function admitForm(options: PagesOptions, request: FastifyRequest): Promise<void> {
  requireSameOrigin(options.authUrl, request);
  await countForm(options, request);
}

async function countForm({ countForm: count, knownBrowsers }: PagesOptions, request: FastifyRequest): Promise<void> {
  await count(request.ip, await knownBrowsers.recognise(request.headers.cookie));
}

async function inSession(
  options: PagesOptions,
  request: FastifyRequest,
  reply: FastifyReply,
  step: Step,
): Promise<void> {
  const visit = await beginVisit(options, request, reply);
  const known = await signedIn(options, visit);
  await (known === null ? askSignIn(options, visit) : step(known));
}

async function takeSignIn(options: PagesOptions, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const visit = await beginVisit(options, request, reply);
  const done = await takeStep(options, signInPlace(options, visit));
  if (done === null) return;
  await enter(options, visit, done);
  reply.header('set-cookie', done.cookie);
  await reply.header('cache-control', 'no-store').redirect(visit.home, 303);
}

async function showAccount(
  options: PagesOptions,
  visit: SignedInVisit,
  notice: AccountNotice | null,
  status = 200,
): Promise<void> {
  const { user, language, home } = visit;
  const page = accountPage({
    language,
    login: user.login,
    programs: await programsOf(options.store, user, options.now()),
    withdraw: { action: `${home}${below.withdraw}`, csrf: formToken(visit, 'withdraw') },
    secondFactor: user.secondFactor,
    identityProvider: titleOf(options, user.identityProvider),
    notice,
    password: `${home}${below.password}`,
    secondFactorPage: `${home}${below.secondFactor}`,
    signOut: `${options.prefix}${paths.signOut}`,
  });
  await sendAccountPage(visit, status, page);
}

/** Falls back to the provider's name when it is no longer configured. */
function titleOf({ providerClients }: PagesOptions, name: string | null): string | null {
  return name === null ? null : (providerClients.get(name)?.provider.title ?? name);
}

async function takeWithdrawal(options: PagesOptions, visit: SignedInVisit): Promise<void> {
  const { user, request, reply, home } = visit;
  if (!isOwnForm(visit, 'withdraw')) return showAccount(options, visit, 'expired', 400);
  const ended = await withdraw(options.store, { user, address: request.ip }, fieldOf(request, 'client'));
  await Promise.all((ended ?? []).map((grantId) => options.onGrantChanged(grantId)));
  await reply.header('cache-control', 'no-store').redirect(`${home}?done=withdrawn`, 303);
}

/** One of the notices with which we redirect the browser back; other values mean nothing. */
function noticeIn({ url }: FastifyRequest): AccountNotice | null {
  const done = new URLSearchParams(url.split('?')[1]).get('done');
  return isAccountNotice(done) && done !== 'expired' ? done : null;
}
