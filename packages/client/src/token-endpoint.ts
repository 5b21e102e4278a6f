// Requests tokens (RFC 6749, 3.2), and ends sign-ins (RFC 7009).
import { attempts, usualRetries } from './attempts.ts';
import { AuthorizationError, ConnectionError } from './problem.ts';

/** Where tokens are requested, and by which client. */
export interface TokenEndpoint {
  /** The authorization URL, with or without a slash at the end. */
  readonly authUrl: string;
  readonly clientId: string;
  /** Absent: a client without a secret. */
  readonly clientSecret?: string;
  /** Replaces the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
}

/** The tokens from a sign-in or refresh. */
export interface Tokens {
  readonly accessToken: string;
  /** Null: there is none. */
  readonly refreshToken: string | null;
  /** When the access token ends; milliseconds since 1970, by the local clock. */
  readonly expiresAt: number;
}

/** A lost answer can be obtained again for only ten seconds; a later repetition would count as theft. */
const timeoutMs = 20_000;
const retries = { ...usualRetries, maxPauseMs: 8_000 };

/**
 * Sends one grant.
 * @throws AuthorizationError when it is refused, ConnectionError when no answer comes
 */
export async function askForTokens(endpoint: TokenEndpoint, grant: Readonly<Record<string, string>>): Promise<Tokens> {
  const { status, text } = await post(endpoint, 'token', grant);
  const body = objectIn(text);
  const { access_token: accessToken, refresh_token: refreshToken, expires_in: seconds } = body;
  if (status === 200 && typeof accessToken === 'string')
    return {
      accessToken,
      refreshToken: typeof refreshToken === 'string' ? refreshToken : null,
      expiresAt: Date.now() + (typeof seconds === 'number' ? seconds : 3600) * 1000,
    };
  const { error, error_description: description, detail } = body;
  const said = typeof description === 'string' ? description : typeof detail === 'string' ? detail : null;
  throw new AuthorizationError(typeof error === 'string' ? error : `status_${status}`, said, status);
}

/** Ends a sign-in by its refresh token, or only an access token; a token that is no longer valid is no error. */
export async function revokeToken(endpoint: TokenEndpoint, token: string): Promise<void> {
  const { status, text } = await post(endpoint, 'revocation', { token });
  if (status >= 400) throw new AuthorizationError(String(objectIn(text).error ?? `status_${status}`), null, status);
}

interface Posted {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

function post(
  { authUrl, clientId, clientSecret, fetch = globalThis.fetch.bind(globalThis) }: TokenEndpoint,
  path: string,
  fields: Readonly<Record<string, string>>,
): Promise<Posted> {
  const url = `${authUrl.replace(/\/+$/, '')}/connect/${path}`;
  const body = new URLSearchParams({ ...fields, ...(clientSecret === undefined && { client_id: clientId }) });
  const headers: Record<string, string> = {
    accept: 'application/json',
    'content-type': 'application/x-www-form-urlencoded',
    ...(clientSecret !== undefined && { authorization: basic(clientId, clientSecret) }),
  };
  const signal = (): AbortSignal => AbortSignal.timeout(timeoutMs);
  const isSpent = fields.grant_type === 'authorization_code';
  return attempts(retries, isSpent ? 'once' : 'keyed', undefined, async () => {
    try {
      const response = await fetch(url, {
        ...{ method: 'POST', headers, body: String(body), signal: signal() },
        ...{ redirect: 'error', cache: 'no-store', credentials: 'omit' },
      });
      return { status: response.status, headers: response.headers, text: await response.text() };
    } catch (error) {
      throw new ConnectionError(`POST ${url}: ${String(error)}`, { cause: error });
    }
  });
}

/** RFC 6749, 2.3.1: both are form-encoded first. */
function basic(clientId: string, clientSecret: string): string {
  const encoded = (text: string): string => new URLSearchParams({ '': text }).toString().slice(1);
  return `Basic ${btoa(`${encoded(clientId)}:${encoded(clientSecret)}`)}`;
}

function objectIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? { ...body } : {};
  } catch {
    return {};
  }
}
