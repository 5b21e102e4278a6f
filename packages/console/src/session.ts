// Who is signed in, across all pages of the browser: tokens, the way to the sign-in and back, and signing out. There
// are two sign-ins, each with its own tokens: to the client interface, and to the platform interface for operators.
import {
  AuthorizationError,
  beginSignIn,
  type Client,
  createClient,
  finishSignIn,
  type PendingSignIn,
  revokeToken,
  storedSignIn,
  type Tokens,
  type TokenSource,
} from '../../client/src/index.ts';
import type { Settings } from './settings.ts';

export interface Session {
  readonly client: Client;
  /** Codes of the activities that the sign-in covers, according to its token; empty when that cannot be read. */
  readonly activityCodes: readonly string[];
  /** Id of the user. */
  readonly user: string;
}

/** Which interface somebody signs in to. */
export type SignInKind = 'client' | 'operator';

export const signInKinds: readonly SignInKind[] = ['client', 'operator'];
const tokensNames: Readonly<Record<SignInKind, string>> = {
  client: 'console-tokens',
  operator: 'console-operator-tokens',
};
const operatorRolesName = 'console-operator-roles';
const pendingName = 'console-sign-in';
/** Whether the browser's session at the service still has to be ended: absent when it has ended. */
const endingName = 'console-session-ending';
const changedEvent = 'console-signed-in';

/** Sends the browser to the sign-in; it returns to the current place. */
export async function signIn(settings: Settings, language: string, kind: SignInKind = 'client'): Promise<void> {
  const { authUrl, clientId, platformUrl } = settings;
  if (clientId === null) return;
  // Otherwise the next user would be signed in as the previous one.
  if (localStorage.getItem(endingName) !== null && !(await endBrowserSession(settings))) return;
  const redirectUri = `${window.location.origin}/`;
  const { address, pending } = await beginSignIn({
    ...{ authUrl, clientId, redirectUri, language },
    ...(kind === 'operator' && { platformUrl }),
  });
  sessionStorage.setItem(pendingName, JSON.stringify({ kind, pending, hash: window.location.hash }));
  window.location.assign(address);
}

/** Completes a sign-in when the browser returns from it: stores the tokens, and continues where the browser was. */
export async function completeSignIn(settings: Settings): Promise<void> {
  const address = window.location.href;
  const stored = sessionStorage.getItem(pendingName);
  sessionStorage.removeItem(pendingName);
  const { kind, pending, hash } = pendingOf(stored);
  window.history.replaceState(null, '', `/${hash}`);
  if (pending === null || settings.clientId === null)
    throw new AuthorizationError('invalid_state', 'No sign-in was begun here.', 400);
  keep(kind, await finishSignIn({ ...settings, clientId: settings.clientId }, pending, address));
}

/** Whether the address is one to which the sign-in returns the browser. */
export function isReturning(): boolean {
  return /[?&]state=/.test(window.location.search) && /[?&](code|error)=/.test(window.location.search);
}

/**
 * Ends sign-ins of the console, here and at the service, and the browser's session there, so that the next sign-in asks
 * who it is. If the service cannot be reached, this is done before the next sign-in.
 */
export async function signOut(settings: Settings, which: readonly SignInKind[] = signInKinds): Promise<void> {
  const { authUrl, clientId } = settings;
  const ended = which.flatMap((kind) => keptTokens(kind) ?? []);
  if (clientId !== null) localStorage.setItem(endingName, 'asked');
  for (const kind of which) keep(kind, null);
  // The next user must not see unfinished form input.
  sessionStorage.clear();
  if (clientId === null) return;
  await Promise.allSettled(
    ended.map(({ refreshToken }) => (refreshToken == null ? null : revokeToken({ authUrl, clientId }, refreshToken))),
  );
  await endBrowserSession(settings);
}

/** Whether somebody has just signed out, or the service could not be notified of it. */
export function isSigningOut(): boolean {
  return localStorage.getItem(endingName) !== null;
}

/** Calls back when somebody signs out on another page of the browser. */
export function watchSignOutElsewhere(signedOut: () => void): void {
  window.addEventListener('storage', ({ key, newValue }) => {
    if (key === endingName && newValue !== null) signedOut();
  });
}

/** Whether somebody has signed out and the service could not be notified. */
export function isEndingOpen(): boolean {
  return localStorage.getItem(endingName) === 'open';
}

/**
 * Ends the session of this browser at the service.
 * @returns false: the browser is sent to the page of the service on which the user has to choose
 * @throws TypeError when the service cannot be reached
 */
async function endBrowserSession({ authUrl }: Settings): Promise<boolean> {
  const address = `${authUrl.replace(/\/+$/, '')}/connect/signout`;
  // The browser sends no cookie to another origin.
  const isHere = new URL(address).origin === window.location.origin;
  const answer = isHere ? await fetch(address, { method: 'DELETE' }).catch(leaveOpen) : null;
  localStorage.removeItem(endingName);
  window.dispatchEvent(new Event(changedEvent));
  if (answer?.ok === true) return true;
  window.location.assign(address);
  return false;
}

function leaveOpen(error: unknown): never {
  localStorage.setItem(endingName, 'open');
  window.dispatchEvent(new Event(changedEvent));
  throw error;
}

/** Null: nobody is signed in. */
export function openSession(settings: Settings): Session | null {
  const tokens = keptTokens('client');
  const source = tokenSource(settings, 'client');
  if (tokens === null || source === null) return null;
  return {
    client: createClient({ baseUrl: settings.baseUrl, token: source }),
    activityCodes: activitiesIn(tokens.accessToken),
    user: userOf('client') ?? '',
  };
}

/** The tokens of a sign-in; null: nobody is signed in. */
export function tokenSource({ authUrl, clientId }: Settings, kind: SignInKind): TokenSource | null {
  if (clientId === null || !isSignedIn(kind)) return null;
  return storedSignIn({
    ...{ authUrl, clientId },
    store: { read: () => keptTokens(kind), write: (tokens) => keep(kind, tokens) },
    lock: (work) => navigator.locks.request(tokensNames[kind], work),
  });
}

/** Calls back when somebody signs in or out, on this page or another one. */
export function watchSession(changed: () => void): () => void {
  const inOther = ({ key }: StorageEvent): void => {
    if (
      key === null ||
      signInKinds.some((kind) => key === tokensNames[kind]) ||
      [endingName, operatorRolesName].includes(key)
    )
      changed();
  };
  window.addEventListener(changedEvent, changed);
  window.addEventListener('storage', inOther);
  return () => {
    window.removeEventListener(changedEvent, changed);
    window.removeEventListener('storage', inOther);
  };
}

/** Whether somebody is signed in, as a comparable value. */
export function isSignedIn(kind: SignInKind): boolean {
  return localStorage.getItem(tokensNames[kind]) !== null;
}

/** Id of the signed-in user; null: nobody is. */
export function userOf(kind: SignInKind): string | null {
  const tokens = keptTokens(kind);
  return tokens === null ? null : String(claimsIn(tokens.accessToken).sub ?? '');
}

/** The access token of the signed-in user of the client interface, for display; null: nobody is. */
export function ownAccessToken(): string | null {
  return keptTokens('client')?.accessToken ?? null;
}

/**
 * Stores the operator's roles as reported by the platform interface, so that the menu is right from the first moment,
 * on all pages of the browser. The service decides what is allowed.
 */
export function keepOperatorRoles(roles: readonly string[]): void {
  const text = roles.toSorted().join(' ');
  if (text === operatorRoles() || !isSignedIn('operator')) return;
  localStorage.setItem(operatorRolesName, text);
  window.dispatchEvent(new Event(changedEvent));
}

/** Roles of the signed-in operator, separated by blanks; null: not known yet. */
export function operatorRoles(): string | null {
  return isSignedIn('operator') ? localStorage.getItem(operatorRolesName) : null;
}

function keptTokens(kind: SignInKind): Tokens | null {
  const text = localStorage.getItem(tokensNames[kind]);
  return text === null ? null : (JSON.parse(text) as Tokens);
}

function keep(kind: SignInKind, tokens: Tokens | null): void {
  const before = isSignedIn(kind);
  if (kind === 'operator' && !(before && tokens !== null)) localStorage.removeItem(operatorRolesName);
  if (tokens === null) localStorage.removeItem(tokensNames[kind]);
  else localStorage.setItem(tokensNames[kind], JSON.stringify(tokens));
  if (before !== isSignedIn(kind)) window.dispatchEvent(new Event(changedEvent));
}

interface Pending {
  readonly kind: SignInKind;
  readonly pending: PendingSignIn | null;
  readonly hash: string;
}

function pendingOf(text: string | null): Pending {
  return { kind: 'client', ...(text === null ? { pending: null, hash: '' } : JSON.parse(text)) };
}

function activitiesIn(accessToken: string): readonly string[] {
  const { activityCodes } = claimsIn(accessToken);
  return Array.isArray(activityCodes) ? activityCodes.map(String) : [];
}

/** Only for the console itself: the service decides what a token covers. Empty when they cannot be read. */
function claimsIn(accessToken: string): Readonly<Record<string, unknown>> {
  try {
    const payload = accessToken.split('.')[1] ?? '';
    return Object(JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/'))));
  } catch {
    return {};
  }
}
