// Signs a person in by the authorization code flow with PKCE (RFC 7636), in two halves around the browser's visit to
// the authorization server.
import { AuthorizationError } from './problem.ts';
import { askForTokens, type TokenEndpoint, type Tokens } from './token-endpoint.ts';
import { apiScope, platformScope } from './token-source.ts';

/** What is kept, where no other page can read it, from the first half to the second. */
export interface PendingSignIn {
  readonly state: string;
  readonly verifier: string;
  readonly redirectUri: string;
}

/**
 * The first half: where the browser is to be sent.
 * @param options.redirectUri one that is registered for the client
 * @param options.language of the pages, such as `fr`
 * @param options.platformUrl signs an operator in to the platform interface in place of the client interface: its exact
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
 * @param address to which the browser came back, with its query
 * @throws AuthorizationError where the person refused (`access_denied`), the answer is not that of this sign-in
 *   (`invalid_state`), or the code will not do
 */
export async function finishSignIn(
  endpoint: TokenEndpoint,
  { state, verifier, redirectUri }: PendingSignIn,
  address: string,
): Promise<Tokens> {
  const { searchParams } = new URL(address);
  const issuer = searchParams.get('iss');
  // RFC 9207: the answer of another server is none of this sign-in.
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
