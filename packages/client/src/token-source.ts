// Sources of tokens for requests: a client that acts for itself, or a sign-in that is kept alive by refreshing.
import { AuthorizationError } from './problem.ts';
import { askForTokens, type TokenEndpoint, type Tokens } from './token-endpoint.ts';

/** Provides bearer tokens. */
export interface TokenSource {
  /** @param wanted.refused a token that the service has just refused, so that another one is needed */
  readonly token: (wanted: {
    readonly refused?: string | undefined;
    readonly signal?: AbortSignal | undefined;
  }) => Promise<string>;
}

/** Storage for the tokens of a sign-in. */
export interface TokenStore {
  /** Null: nobody is signed in. */
  readonly read: () => Promise<Tokens | null> | Tokens | null;
  /** Completed before the tokens are used in any other way; null: the sign-in has ended. */
  readonly write: (tokens: Tokens | null) => Promise<void> | void;
}

export interface StoredSignInOptions extends TokenEndpoint {
  readonly store: TokenStore;
  /**
   * Makes one process or page at a time refresh, if several share the store: in a browser
   * `(work) => navigator.locks.request('name', work)`. Absent: the store is not shared.
   */
  readonly lock?: <T>(work: () => Promise<T>) => Promise<T>;
}

/** An access token is replaced this long before its end; milliseconds. */
const marginMs = 30_000;

/** Tokens of a client that acts for itself (grant `client_credentials`). */
export function clientCredentials(options: TokenEndpoint & { readonly clientSecret: string }): TokenSource {
  let current: Tokens | null = null;
  const ask = oneAtATime(async () => {
    const tokens = await askForTokens(options, { grant_type: 'client_credentials', scope: apiScope });
    current = tokens;
    return tokens;
  });
  return {
    token: async ({ refused, signal }) => {
      const good = goodTokens(current, refused) ?? (await unlessAborted(ask(), signal));
      return good.accessToken;
    },
  };
}

/**
 * Tokens of a person's sign-in, refreshed when they expire. One refresh runs at a time, and its result is stored before
 * it is used, unless the store was given other tokens, or none, while it ran.
 * @throws AuthorizationError `invalid_grant` from its `token`: nobody is signed in, or no longer
 */
export function storedSignIn(options: StoredSignInOptions): TokenSource {
  const { store, lock = (work) => work() } = options;
  const refresh = oneAtATime((refused: string | undefined) => lock(() => refreshed(options, refused)));
  return {
    token: async ({ refused, signal }) => {
      const good = goodTokens(await store.read(), refused) ?? (await unlessAborted(refresh(refused), signal));
      return good.accessToken;
    },
  };
}

/** The scope of the interface. */
export const apiScope = 'svc_connect';
/** The scope of the platform interface, for operators. */
export const platformScope = 'svc_platform';

/** Under the lock, because another page may have refreshed while this one waited for it. */
async function refreshed(options: StoredSignInOptions, refused: string | undefined): Promise<Tokens> {
  const known = await options.store.read();
  const good = goodTokens(known, refused);
  if (good !== null) return good;
  const refreshToken = known?.refreshToken ?? null;
  if (refreshToken === null) throw signedOut();
  // Somebody may have signed out meanwhile, or signed in anew: what the store then holds is left as it is.
  const isStillKept = async (): Promise<boolean> => (await options.store.read())?.refreshToken === refreshToken;
  try {
    const next = await askForTokens(options, { grant_type: 'refresh_token', refresh_token: refreshToken });
    const kept = { ...next, refreshToken: next.refreshToken ?? refreshToken };
    if (!(await isStillKept())) throw signedOut();
    await options.store.write(kept);
    return kept;
  } catch (error) {
    const isEnded = error instanceof AuthorizationError && error.code === 'invalid_grant';
    if (isEnded && (await isStillKept())) await options.store.write(null);
    throw error;
  }
}

/** Null when there are none that can still be used. */
function goodTokens(tokens: Tokens | null, refused: string | undefined): Tokens | null {
  if (tokens === null || tokens.accessToken === refused) return null;
  return tokens.expiresAt - marginMs > Date.now() ? tokens : null;
}

function signedOut(): AuthorizationError {
  return new AuthorizationError('invalid_grant', 'Nobody is signed in.', 400);
}

/** Calls during a run share its result. */
function oneAtATime<A extends readonly unknown[], T>(work: (...given: A) => Promise<T>): (...given: A) => Promise<T> {
  let running: Promise<T> | null = null;
  return (...given) => {
    running ??= work(...given).finally(() => {
      running = null;
    });
    return running;
  };
}

/** Others may wait for the same work, so it continues; only this caller stops waiting. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const end = (): void => reject(signal.reason);
    if (signal.aborted) end();
    signal.addEventListener('abort', end, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', end));
  });
}
