// Signs a person in by the authorization code flow with PKCE (RFC 7636), in two halves before and after the browser's
// visit to the authorization server.
import { AuthorizationError } from './problem.ts';
import { askForTokens, type TokenEndpoint, type Tokens } from './token-endpoint.ts';
import { apiScope, platformScope } from './token-source.ts';

/** State between the two halves, to be kept where no other page can read it. */
export interface PendingSignIn {
  readonly state: string;
  readonly verifier: string;
  readonly redirectUri: string;
}

/**
 * The first half: returns the address to send the browser to.
 * @param options.redirectUri one that is registered for the client
 * @param options.language of the pages, such as `fr`
 * @param options.platformUrl signs an operator in to the platform interface instead of the client interface: its exact
 *   address, without a slash at the end
 */
export async function beginSignIn(
  options: Pick<TokenEndpoint, 'authUrl' | 'clientId'> & {
    readonly redirectUri: string;
    readonly language?: string;
    readonly platformUrl?: string;
  },
): Promise<{ readonly address: string; readonly pending: PendingSignIn }> {
  const { authUrl, clientId, redirectUri, language, platformUrl } = options;
  const pending: PendingSignIn = { state: randomText(), verifier: randomText(), redirectUri };
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(pending.verifier));
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    ...(platformUrl === undefined ? { scope: apiScope } : { scope: platformScope, resource: platformUrl }),
    state: pending.state,
    code_challenge: base64url(new Uint8Array(digest)),
    code_challenge_method: 'S256',
    ...(language !== undefined && { ui_locales: language }),
  });
  return { address: `${authUrl.replace(/\/+$/, '')}/connect/authorize?${query}`, pending };
}

/**
 * The second half.
 * @param address to which the browser returned, with its query
 * @throws AuthorizationError when the person refused (`access_denied`), the answer belongs to another sign-in
 *   (`invalid_state`), or the code is not accepted
 */
export async function finishSignIn(
  endpoint: TokenEndpoint,
  { state, verifier, redirectUri }: PendingSignIn,
  address: string,
): Promise<Tokens> {
  const { searchParams } = new URL(address);
  const issuer = searchParams.get('iss');
  // RFC 9207: an answer of another server does not belong to this sign-in.
  const isOwn = issuer === null || issuer === endpoint.authUrl.replace(/\/+$/, '');
  if (searchParams.get('state') !== state || !isOwn)
    throw new AuthorizationError('invalid_state', 'This answer is not that of the sign-in that was begun here.', 400);
  const refused = searchParams.get('error');
  if (refused !== null) throw new AuthorizationError(refused, searchParams.get('error_description'), 400);
  return askForTokens(endpoint, {
    grant_type: 'authorization_code',
    code: searchParams.get('code') ?? '',
    redirect_uri: redirectUri,
    code_verifier: verifier,
  });
}

function randomText(): string {
  return base64url(crypto.getRandomValues(new Uint8Array(32)));
}

function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}
