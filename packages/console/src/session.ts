// Who is signed in, in all pages of the browser: tokens, the way to the sign-in and back, and the end. There are two
// sign-ins, each with tokens of its own: to the client interface, and to the platform interface for operators.
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
  /** Codes of the activities that the sign-in covers, as its token says; empty where that cannot be read. */
  readonly activityCodes: readonly string[];
}

/** Which interface somebody signs in to. */
export type SignInKind = 'client' | 'operator';

const kinds: readonly SignInKind[] = ['client', 'operator'];
const tokensNames: Readonly<Record<SignInKind, string>> = {
  client: 'console-tokens',
  operator: 'console-operator-tokens',
};
const operatorRolesName = 'console-operator-roles';
const pendingName = 'console-sign-in';
/** What has become of the end of the browser's session at the service: absent where it has ended. */
const endingName = 'console-session-ending';
const changedEvent = 'console-signed-in';

/** Sends the browser to the sign-in; it comes back to where it is now. */
export async function signIn(settings: Settings, language: string, kind: SignInKind = 'client'): Promise<void> {
  const { authUrl, clientId, platformUrl } = settings;
  if (clientId === null) return;
  // Else whoever signs in next would be let in as the one who went.
  if (localStorage.getItem(endingName) !== null && !(await endBrowserSession(settings))) return;
  const redirectUri = `${window.location.origin}/`;
  const { address, pending } = await beginSignIn({
    ...{ authUrl, clientId, redirectUri, language },
    ...(kind === 'operator' && { platformUrl }),
  });
  sessionStorage.setItem(pendingName, JSON.stringify({ kind, pending, hash: window.location.hash }));
  window.location.assign(address);
}

/** Where the browser comes back from the sign-in: keeps the tokens, and goes on to where it was. */
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

/** Whether the address is one that the sign-in sends the browser back to. */
export function isReturning(): boolean {
  return /[?&]state=/.test(window.location.search) && /[?&](code|error)=/.test(window.location.search);
}

/**
 * Ends sign-ins of the console, here and at the service, and the browser's session there: the next sign-in asks who it
 * is. Where the service cannot be reached, that is made up for before the next sign-in.
 */
export async function signOut(settings: Settings, which: readonly SignInKind[] = kinds): Promise<void> {
  const { authUrl, clientId } = settings;
  const ended = which.flatMap((kind) => keptTokens(kind) ?? []);
  if (clientId !== null) localStorage.setItem(endingName, 'asked');
  for (const kind of which) keep(kind, null);
  // What was begun in forms is nothing for whoever signs in next.
  sessionStorage.clear();
  if (clientId === null) return;
  await Promise.allSettled(
    ended.map(({ refreshToken }) => (refreshToken == null ? null : revokeToken({ authUrl, clientId }, refreshToken))),
  );
  await endBrowserSession(settings);
}

/** Whether somebody has signed out and the service could not be told. */
export function isEndingOpen(): boolean {
  return localStorage.getItem(endingName) === 'open';
}

/**
 * Ends the session of this browser at the service.
 * @returns false: the browser is led to the page of the service on which somebody has to choose
 * @throws TypeError where the service cannot be reached
 */
async function endBrowserSession({ authUrl }: Settings): Promise<boolean> {
  const address = `${authUrl.replace(/\/+$/, '')}/connect/signout`;
  // To another origin the browser sends no cookie along.
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
  };
}

/** Gives the tokens of a sign-in; null: nobody is signed in. */
export function tokenSource({ authUrl, clientId }: Settings, kind: SignInKind): TokenSource | null {
  if (clientId === null || !isSignedIn(kind)) return null;
  return storedSignIn({
    ...{ authUrl, clientId },
    store: { read: () => keptTokens(kind), write: (tokens) => keep(kind, tokens) },
    lock: (work) => navigator.locks.request(tokensNames[kind], work),
  });
}

/** Is told when somebody signs in or out, in this page or another one. */
export function watchSession(changed: () => void): () => void {
  const inOther = ({ key }: StorageEvent): void => {
    if (
      key === null ||
      kinds.some((kind) => key === tokensNames[kind]) ||
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

/** Whether somebody is signed in, as a value to compare. */
export function isSignedIn(kind: SignInKind): boolean {
  return localStorage.getItem(tokensNames[kind]) !== null;
}

/** The access token of whoever is signed in as a client's user, to show it to them; null: nobody is. */
export function ownAccessToken(): string | null {
  return keptTokens('client')?.accessToken ?? null;
}

/**
 * Keeps what the platform interface told of the operator's roles, so that the menu is right from the first moment on,
 * and in all pages of the browser. What may be done is decided by the service.
 */
export function keepOperatorRoles(roles: readonly string[]): void {
  const text = roles.toSorted().join(' ');
  if (text === operatorRoles() || !isSignedIn('operator')) return;
  localStorage.setItem(operatorRolesName, text);
  window.dispatchEvent(new Event(changedEvent));
}

/** Roles of whoever is signed in as an operator, with blanks between them; null: not told yet. */
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

/** For what the console shows alone: what a token covers, the service decides. */
function activitiesIn(accessToken: string): readonly string[] {
  try {
    const payload = accessToken.split('.')[1] ?? '';
    const { activityCodes } = JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/')));
    return Array.isArray(activityCodes) ? activityCodes.map(String) : [];
  } catch {
    return [];
  }
}
