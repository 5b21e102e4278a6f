// A person's visit to their own account: the browser's session, who is signed in, and the sign-in form.
import { randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type BrowserSession, beginSession, isSignedIn, sessionOf } from '../browser-session.ts';
import type { PagesOptions } from '../interaction.ts';
import { lives, paths } from '../oidc-configuration.ts';
import { addressTo, type RunningProvider } from '../oidc-provider.ts';
import { type Language, languageOf, pageHeaders } from '../pages/index.ts';
import { fieldOf, sendPage } from '../sign-in-forms.ts';
import { askPassword, type CompletedSignIn, type SignInPlace } from '../sign-in-steps.ts';
import { findActiveUser, type User } from '../users.ts';

/** Paths relative to that of the account. */
export const below = {
  signIn: '/sign-in',
  withdraw: '/withdraw',
  password: '/password',
  secondFactor: '/second-factor',
} as const;

interface Visit {
  readonly running: RunningProvider;
  readonly session: BrowserSession;
  readonly language: Language;
  /** Path of the account. */
  readonly home: string;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** A visit by somebody who is signed in. */
export interface SignedInVisit extends Visit {
  readonly user: User;
}

export async function beginVisit(options: PagesOptions, request: FastifyRequest, reply: FastifyReply): Promise<Visit> {
  if (request.note !== null) request.note.route = request.routeOptions.url ?? null;
  const running = await options.providers();
  addressTo(options.authUrl, request.raw);
  return {
    running,
    session: await sessionOf(running.provider, request, reply),
    language: languageOf(request.headers['accept-language']),
    home: `${options.prefix}${paths.account}`,
    request,
    reply,
  };
}

/** The visit, if somebody is signed in; null: nobody is, or not in the required way. */
export async function signedIn(options: PagesOptions, visit: Visit): Promise<SignedInVisit | null> {
  const { accountId, loginTs, amr } = visit.session;
  const user = accountId === undefined ? null : await findActiveUser(options.store, accountId);
  if (user === null) return null;
  const needsCode = !options.secondFactor.isPasswordEnough(user);
  return isSignedIn({ loginTs, amr }, { signedOutAt: user.signedOutAt, needsCode }) ? { ...visit, user } : null;
}

/** Whether a form was made for this session and this purpose. */
export function isOwnForm({ running, session, request }: Visit, purpose: string): boolean {
  return running.csrf.matches(fieldOf(request, 'csrf'), formBinding(session, purpose));
}

/** The CSRF token for a form of this session and this purpose. */
export function formToken({ running, session }: Visit, purpose: string): string {
  return running.csrf.token(formBinding(session, purpose));
}

/** Where a person signs in to their own account. Its forms are bound to a cookie, which is created if there is none. */
export function signInPlace(options: PagesOptions, visit: Visit): SignInPlace {
  const { running, language, home, request, reply } = visit;
  return {
    csrf: running.csrf,
    binding: `account ${formCookie(options, request, reply)}`,
    language,
    action: `${home}${below.signIn}`,
    clientName: null,
    formTargets: [],
    cancel: '',
    hint: '',
    request,
    reply,
  };
}

export async function askSignIn(options: PagesOptions, visit: Visit): Promise<void> {
  await askPassword(signInPlace(options, visit));
}

/** Begins the session of a person who has just signed in here. */
export async function enter(
  options: PagesOptions,
  { running: { provider }, request, reply }: Visit,
  { user, ts, amr }: Pick<CompletedSignIn, 'user' | 'ts' | 'amr'>,
): Promise<void> {
  const seconds = Math.max(1, lives.session - Math.max(0, Math.floor(options.now() / 1000) - ts));
  await beginSession(provider, request, reply, { accountId: user.id, loginTs: ts, amr }, seconds);
}

/** Sends a page of the account. */
export async function sendAccountPage({ reply }: Visit, status: number, html: string): Promise<void> {
  await sendPage(reply.code(status).headers(pageHeaders({ formTargets: [] })), html);
}

function formBinding({ uid }: BrowserSession, purpose: string): string {
  return `account ${purpose} ${uid}`;
}

/** Another site cannot forge this cookie, so it cannot sign somebody in as somebody else. */
function formCookie({ authUrl }: PagesOptions, request: FastifyRequest, reply: FastifyReply): string {
  const secure = authUrl.startsWith('https:');
  const name = secure ? '__Host-account-form' : 'account-form';
  const known = new RegExp(`(?:^|;)\\s*${name}=([A-Za-z0-9_-]{22})(?:;|$)`).exec(request.headers.cookie ?? '')?.[1];
  if (known !== undefined) return known;
  const made = randomBytes(16).toString('base64url');
  reply.header('set-cookie', `${name}=${made}; Path=/; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`);
  return made;
}
