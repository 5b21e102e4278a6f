// Revokes access tokens (RFC 7009): they are signed and not stored, so `oidc-provider` does not know them.
import { decodeProtectedHeader } from 'jose';
import type { KoaContextWithOIDC } from 'oidc-provider';
import type { Store } from '../store/store.ts';
import { createTokenCheck, TokenRefused } from './access-token.ts';
import { revokeToken } from './grants.ts';
import type { KeyRing } from './keys.ts';
import { apiScope } from './tokens.ts';
import { withProviderErrors } from './transient-errors.ts';

interface TokenRevocationOptions {
  readonly store: Pick<Store, 'oidcPayloads'>;
  readonly keys: Pick<KeyRing, 'verificationKey'>;
  /** All without a slash at the end. */
  readonly authUrl: string;
  readonly baseUrl: string;
  readonly platformUrl: string;
  /** Called when a grant has changed in this process; resolves when all workers of the server know. */
  readonly onGrantChanged: (grantId: string) => Promise<void>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * Makes the continuation for an access token that the provider refuses to revoke because it is a JWT: at that point the
 * client is already authenticated. Only this token ends; its refresh token stays, so that a program which tidies up
 * after a refresh stays connected (RFC 7009, 2.1, leaves it open). A text that is not, or no longer, a token of this
 * client gets the same answer (2.2).
 */
export function createTokenRevocation({
  store,
  keys,
  authUrl,
  baseUrl,
  platformUrl,
  onGrantChanged,
  now,
}: TokenRevocationOptions): (ctx: KoaContextWithOIDC) => Promise<void> {
  const check = createTokenCheck({
    findKey: (kid) => withProviderErrors(keys.verificationKey(kid)),
    issuer: authUrl,
    audience: [baseUrl, platformUrl],
    scope: apiScope,
    now,
  });
  return async (ctx) => {
    const { client, params } = ctx.oidc;
    const token = params?.token;
    if (client === undefined || !isUnsupportedType(ctx.body) || typeof token !== 'string' || !isAccessToken(token))
      return;
    const facts = await check(token, (work) => work()).catch((error: unknown) => {
      if (error instanceof TokenRefused) return null;
      throw error;
    });
    if (facts?.clientId === client.clientId) {
      await withProviderErrors(revokeToken(store, facts));
      await onGrantChanged(facts.grantId);
    }
    ctx.status = 200;
    ctx.body = {};
  };
}

/** Whether the provider refused only the token type, and nothing else about the request. */
function isUnsupportedType(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'error' in body && body.error === 'unsupported_token_type';
}

/** Whether a token claims to be an access token (RFC 9068, 2.1); it has not been verified yet. */
export function isAccessToken(token: unknown): boolean {
  try {
    return typeof token === 'string' && decodeProtectedHeader(token).typ === 'at+jwt';
  } catch {
    return false;
  }
}
