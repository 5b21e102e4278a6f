// Refresh tokens whose content is encrypted in them: a database restored from an older backup recognizes its own
// tokens because it can decrypt them (decision 38).
import { randomBytes } from 'node:crypto';
import type { Store } from '../store/store.ts';
import type { Cipher } from './cipher.ts';
import { encryptText, derivedKey, decryptText } from './encrypted-text.ts';

/** The content of a refresh token. */
export interface RefreshFacts {
  readonly grantId: string;
  /** When its chain began, seconds since 1970: distinguishes the chains of a grant. */
  readonly chainSince: number;
  /** Milliseconds since 1970. */
  readonly issuedAt: number;
  /** Seconds since 1970. */
  readonly expiresAt: number;
  /** How many tokens preceded it in its chain. */
  readonly rotations: number;
  readonly scope: string;
  /** When the person signed in, seconds since 1970; 0: unknown. */
  readonly signedInAt: number;
  /** What it is for: only an identity, the client interface, or the platform interface. */
  readonly resource: TokenResource;
}

/** Independent of the addresses of a service, which may change. */
type TokenResource = 'none' | 'client-interface' | 'platform';
const tokenResources: readonly TokenResource[] = ['none', 'client-interface', 'platform'];

export interface RefreshTokenCipher {
  /** Makes a unique token; reading the database is not enough to forge an existing one. */
  encrypt(facts: RefreshFacts): string;
  /** The content of a token, or null when this service did not make it. */
  decrypt(token: string): RefreshFacts | null;
}

/**
 * Name of the secret. `signing-key rotate` leaves it unchanged: tokens made after a backup must be recognized with
 * the secret in it.
 */
export const refreshTokenSecret = 'refresh-seal';

/**
 * The cipher of a database, whose key is created on first use; every later backup contains it.
 * @param now milliseconds since 1970
 * @throws OperatorError when it cannot be decrypted
 */
export async function createRefreshTokenCipher(
  { secrets }: Pick<Store, 'secrets'>,
  cipher: Cipher,
  now: number,
): Promise<RefreshTokenCipher> {
  const made = (): Promise<string> => cipher.encrypt(JSON.stringify({ secret: randomBytes(32).toString('base64url') }));
  const stored: unknown = JSON.parse(await cipher.decrypt(await secrets.obtain(refreshTokenSecret, made, now)));
  if (typeof stored !== 'object' || stored === null || !('secret' in stored) || typeof stored.secret !== 'string')
    throw new Error('The secret of refresh tokens is not in its form.');
  const key = derivedKey(stored.secret, 'refresh token');
  return {
    encrypt: (facts) => encryptText(key, textOf(facts)),
    decrypt: (token) => {
      const text = token.length > maxLength ? null : decryptText(key, token);
      return text === null ? null : factsIn(text);
    },
  };
}

/** In characters; a token has some 200. */
const maxLength = 1000;

function textOf(facts: RefreshFacts): string {
  const { grantId, chainSince, issuedAt, expiresAt, rotations, scope, signedInAt, resource } = facts;
  return JSON.stringify([
    grantId,
    chainSince,
    issuedAt,
    expiresAt,
    rotations,
    scope,
    signedInAt,
    tokenResources.indexOf(resource),
  ]);
}

function factsIn(text: string): RefreshFacts | null {
  const values: unknown = JSON.parse(text);
  if (!Array.isArray(values)) return null;
  const [grantId, chainSince, issuedAt, expiresAt, rotations, scope, signedInAt, place]: unknown[] = values;
  const resource = typeof place === 'number' ? tokenResources[place] : undefined;
  return typeof grantId === 'string' &&
    typeof chainSince === 'number' &&
    typeof issuedAt === 'number' &&
    typeof expiresAt === 'number' &&
    typeof rotations === 'number' &&
    typeof scope === 'string' &&
    typeof signedInAt === 'number' &&
    resource !== undefined
    ? { grantId, chainSince, issuedAt, expiresAt, rotations, scope, signedInAt, resource }
    : null;
}
