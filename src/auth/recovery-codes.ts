// Recovery codes: what a person types whose phone is lost. Shown once; only their hashes are stored.
import { createHash, randomBytes } from 'node:crypto';

const count = 10;
/** Crockford's alphabet: no letters that could be read as digits. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
/** 80 random bits: too many to try them all against stolen hashes, so a plain hash is sufficient. */
const characters = 16;

/** New codes, like `7k2m-9qpe-x0vt-3b6s`. */
export function newRecoveryCodes(): readonly string[] {
  return Array.from({ length: count }, () =>
    Array.from(randomBytes(characters), (byte) => alphabet.charAt(byte & 31))
      .join('')
      .replaceAll(/(.{4})(?!$)/g, '$1-'),
  );
}

/** The stored form of a code: it does not reveal whether another user happens to have the same code. */
export function recoveryHash(userId: string, code: string): string {
  return createHash('sha256').update(`recovery code\0${userId}\0${code}`).digest('base64url');
}

/** The canonical form of a code that somebody typed in any case, with or without separators; null: it is none. */
export function typedRecoveryCode(text: string): string | null {
  const letters = text.toLowerCase().replaceAll(/[\s-]/g, '').replaceAll('o', '0').replaceAll(/[il]/g, '1');
  return /^[0-9a-hjkmnp-tv-z]{16}$/.test(letters) ? letters.replaceAll(/(.{4})(?!$)/g, '$1-') : null;
}
