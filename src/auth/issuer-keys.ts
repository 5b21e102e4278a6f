// The public keys of another issuer: fetched from the one address that its description or its metadata names, and
// cached.
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  customFetch,
  type CryptoKey,
  errors,
  type JSONWebKeySet,
  type JWTHeaderParameters,
  type FlattenedJWSInput,
} from 'jose';
import { boundedFetch } from './bounded-fetch.ts';
import type { TrustedIssuer } from './trusted-issuers.ts';

/** The issuer's keys are unavailable at the moment, so the token cannot be verified. */
export class IssuerAway extends Error {}

/** Finds the key of a token; throws IssuerAway, or what `jose` throws when no key fits. */
export type IssuerKeys = (header: JWTHeaderParameters, token: FlattenedJWSInput) => Promise<CryptoKey>;

const times = {
  /** Keys are fetched again after this time, … */
  keptMs: 600_000,
  /** … but still trusted while the issuer is unavailable, so that a short outage on its side does not affect us. */
  believedMs: 3_600_000,
  /** Pause between two fetches for unknown key ids: making them up must cost the issuer nothing. */
  cooldownMs: 30_000,
  /** Pause between two attempts while the issuer is unavailable. */
  pauseMs: 5000,
  timeoutMs: 5000,
} as const;

/** @param now milliseconds since 1970 */
export function createIssuerKeys({ issuer, jwksUri }: TrustedIssuer, now: () => number): IssuerKeys {
  let failed: { readonly at: number; readonly cause: unknown } | null = null;
  let fetchedAt = 0;
  let last: JSONWebKeySet | undefined;
  let remote: ReturnType<typeof createRemoteJWKSet> | null = null;

  const guarded = async (fetching: () => Promise<Response>): Promise<Response> => {
    if (failed !== null && Math.abs(now() - failed.at) < times.pauseMs) throw failed.cause;
    try {
      const response = await fetching();
      if (response.status !== 200) throw new Error(`the answer has the status ${response.status}`);
      failed = null;
      return response;
    } catch (cause) {
      failed = { at: now(), cause };
      throw cause;
    }
  };

  const discovered = async (): Promise<string> => {
    const response = await guarded(() =>
      boundedFetch(metadataUrl(issuer), {
        redirect: 'error',
        signal: AbortSignal.timeout(times.timeoutMs),
        headers: { accept: 'application/json' },
      }),
    );
    return jwksUriOf(await response.json(), issuer);
  };

  const open = async (): Promise<ReturnType<typeof createRemoteJWKSet>> =>
    createRemoteJWKSet(new URL(jwksUri ?? (await discovered())), {
      cacheMaxAge: times.keptMs,
      cooldownDuration: times.cooldownMs,
      timeoutDuration: times.timeoutMs,
      [customFetch]: async (url, options) => {
        const response = await guarded(() => boundedFetch(url, options));
        fetchedAt = now();
        return response;
      },
    });

  return async (header, token) => {
    try {
      remote ??= await open();
      const key = await remote(header, token);
      last = remote.jwks() ?? last;
      return key;
    } catch (error) {
      if (isOfToken(error)) throw error;
      // The issuer may have moved its keys: read its metadata again.
      if (jwksUri === null) remote = null;
      const away = new IssuerAway(`The keys of ${issuer} cannot be read.`, { cause: error });
      if (last === undefined || Math.abs(now() - fetchedAt) >= times.believedMs) throw away;
      // A key that is not among the cached ones may be new: only the issuer can tell.
      return createLocalJWKSet(last)(header, token).catch(() => {
        throw away;
      });
    }
  };
}

/** The keys were read, and none matches. */
function isOfToken(error: unknown): boolean {
  return (
    error instanceof errors.JWKSNoMatchingKey ||
    error instanceof errors.JWKSMultipleMatchingKeys ||
    error instanceof errors.JOSENotSupported
  );
}

/** Where Keycloak, Duende, Auth0 and Entra publish their metadata (OpenID Connect Discovery 1.0, section 4). */
function metadataUrl(issuer: string): string {
  return `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
}

/** @throws Error when the metadata is another issuer's, or names no usable address */
function jwksUriOf(metadata: unknown, issuer: string): string {
  if (typeof metadata !== 'object' || metadata === null || !('issuer' in metadata) || metadata.issuer !== issuer)
    throw new Error('the metadata is not of this issuer');
  if (!('jwks_uri' in metadata) || typeof metadata.jwks_uri !== 'string') throw new Error('the metadata names no keys');
  const { protocol } = new URL(metadata.jwks_uri);
  if (protocol !== 'https:' && !(protocol === 'http:' && issuer.startsWith('http:')))
    throw new Error('the metadata names keys that are not protected on the way');
  return metadata.jwks_uri;
}
