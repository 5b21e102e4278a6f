// The page behind an invitation link, at which an invited person sets a password, and its form.
import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { idHash } from '../grants.ts';
import type { PagesOptions } from '../interaction.ts';
import { paths } from '../oidc-configuration.ts';
import { invitationOverPage, invitationPage, languageOf, pageHeaders, type PasswordPageFault } from '../pages/index.ts';
import { hashPassword, passwordFaultKind } from '../passwords.ts';
import { entryOf } from '../second-factor.ts';
import { fieldOf, sendPage } from '../sign-in-forms.ts';
import { findActiveUser, type User } from '../users.ts';

/** Shows the form to anyone who has the link. */
export async function askInvitedPassword(
  options: PagesOptions,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const token = new URLSearchParams(request.url.split('?')[1]).get('token') ?? '';
  const user = await invitedUser(options, token);
  await (user === null
    ? showOver(options, request, reply, 'over')
    : ask(options, { user, token, request, reply }, null));
}

/** Handles the form: sets the user's password and uses up the link. */
export async function takeInvitedPassword(
  options: PagesOptions,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const token = fieldOf(request, 'token');
  const user = await invitedUser(options, token);
  if (user === null) return showOver(options, request, reply, 'over');
  const visit = { user, token, request, reply };
  const { csrf } = await options.providers();
  if (!csrf.matches(fieldOf(request, 'csrf'), binding(token))) return ask(options, visit, 'expired');
  const wanted = fieldOf(request, 'password');
  const fault = wanted === fieldOf(request, 'again') ? passwordFaultKind(wanted, user.login) : 'different';
  if (fault !== null) return ask(options, visit, fault);
  const audit = entryOf('user.password', { user, address: request.ip }, { by: 'invitation' });
  const use = { userId: user.id, passwordHash: await hashPassword(wanted), now: options.now() };
  const isTaken = await options.store.invitations.take(idHash(token), use, audit);
  return showOver(options, request, reply, isTaken ? 'done' : 'over');
}

interface InvitedVisit {
  readonly user: User;
  readonly token: string;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** Null: the link is no longer valid, or the user may not sign in. */
async function invitedUser({ store, now }: PagesOptions, token: string): Promise<User | null> {
  if (!/^[A-Za-z0-9_-]{43}$/.test(token)) return null;
  const userId = await store.invitations.userOf(idHash(token), now());
  return userId === null ? null : findActiveUser(store, userId);
}

async function ask(
  options: PagesOptions,
  { user, token, request, reply }: InvitedVisit,
  fault: PasswordPageFault | null,
): Promise<void> {
  const { csrf } = await options.providers();
  const page = invitationPage({
    language: languageOf(request.headers['accept-language']),
    action: `${options.prefix}${paths.invitation}`,
    csrf: csrf.token(binding(token)),
    ...{ token, login: user.login, fault },
  });
  await sendPage(reply.code(fault === null ? 200 : 400).headers(pageHeaders({ formTargets: [] })), page);
}

async function showOver(
  { prefix }: PagesOptions,
  request: FastifyRequest,
  reply: FastifyReply,
  outcome: 'done' | 'over',
): Promise<void> {
  const language = languageOf(request.headers['accept-language']);
  const page = invitationOverPage(language, outcome, `${prefix}${paths.account}`);
  await sendPage(reply.code(outcome === 'done' ? 200 : 410).headers(pageHeaders({ formTargets: [] })), page);
}

function binding(token: string): string {
  return `invitation ${createHash('sha256').update(token).digest('base64url')}`;
}
