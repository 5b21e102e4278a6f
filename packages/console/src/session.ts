// Who is signed in, in all pages of the browser: tokens, the way to the sign-in and back, and the end.
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
} from '../../client/src/index.ts';
import type { Settings } from './settings.ts';

export interface Session {
  readonly client: Client;
  /** Codes of the activities that the sign-in covers, as its token says; empty where that cannot be read. */
  readonly activityCodes: readonly string[];
}

const tokensName = 'console-tokens';
const pendingName = 'console-sign-in';
const changedEvent = 'console-signed-in';

/** Sends the browser to the sign-in; it comes back to where it is now. */
export async function signIn({ authUrl, clientId }: Settings, language: string): Promise<void> {
  if (clientId === null) return;
  const redirectUri = `${window.location.origin}/`;
  const { address, pending } = await beginSignIn({ authUrl, clientId, redirectUri, language });
  sessionStorage.setItem(pendingName, JSON.stringify({ pending, hash: window.location.hash }));
  window.location.assign(address);
}

/** Where the browser comes back from the sign-in: keeps the tokens, and goes on to where it was. */
export async function completeSignIn(settings: Settings): Promise<void> {
  const address = window.location.href;
  const stored = sessionStorage.getItem(pendingName);
  sessionStorage.removeItem(pendingName);
  const { pending, hash } = pendingOf(stored);
  window.history.replaceState(null, '', `/${hash}`);
  if (pending === null || settings.clientId === null)
    throw new AuthorizationError('invalid_state', 'No sign-in was begun here.', 400);
  keep(await finishSignIn({ ...settings, clientId: settings.clientId }, pending, address));
}

/** Whether the address is one that the sign-in sends the browser back to. */
export function isReturning(): boolean {
  return /[?&]state=/.test(window.location.search) && /[?&](code|error)=/.test(window.location.search);
}

/** Ends the sign-in of the console, here and at the service. */
export async function signOut({ authUrl, clientId }: Settings): Promise<void> {
  const tokens = keptTokens();
  keep(null);
  if (tokens?.refreshToken == null || clientId === null) return;
  await revokeToken({ authUrl, clientId }, tokens.refreshToken);
}

/** Null: nobody is signed in. */
export function openSession({ baseUrl, authUrl, clientId }: Settings): Session | null {
  const tokens = keptTokens();
  if (tokens === null || clientId === null) return null;
  const source = storedSignIn({
    ...{ authUrl, clientId },
    store: { read: keptTokens, write: keep },
    lock: (work) => navigator.locks.request(tokensName, work),
  });
  return { client: createClient({ baseUrl, token: source }), activityCodes: activitiesIn(tokens.accessToken) };
}

/** Is told when somebody signs in or out, in this page or another one. */
export function watchSession(changed: () => void): () => void {
  const inOther = ({ key }: StorageEvent): void => {
    if (key === tokensName || key === null) changed();
  };
  window.addEventListener(changedEvent, changed);
  window.addEventListener('storage', inOther);
  return () => {
    window.removeEventListener(changedEvent, changed);
    window.removeEventListener('storage', inOther);
  };
}

/** Whether somebody is signed in, as a value to compare. */
export function isSignedIn(): boolean {
  return localStorage.getItem(tokensName) !== null;
}

function keptTokens(): Tokens | null {
  const text = localStorage.getItem(tokensName);
  return text === null ? null : (JSON.parse(text) as Tokens);
}

function keep(tokens: Tokens | null): void {
  const before = isSignedIn();
  if (tokens === null) localStorage.removeItem(tokensName);
  else localStorage.setItem(tokensName, JSON.stringify(tokens));
  if (before !== isSignedIn()) window.dispatchEvent(new Event(changedEvent));
}

function pendingOf(text: string | null): { readonly pending: PendingSignIn | null; readonly hash: string } {
  return text === null ? { pending: null, hash: '' } : JSON.parse(text);
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
