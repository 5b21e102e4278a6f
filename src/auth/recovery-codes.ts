// Recovery codes: what a person types whose telephone is gone. Shown once; only their hashes are stored.
import { createHash, randomBytes } from 'node:crypto';

const count = 10;
/** Crockford's alphabet: no letter that is read as a digit. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
/** 80 random bits: whoever has the hashes cannot try them all, so a plain hash will do. */
const characters = 16;

/** New codes, such as `7k2m-9qpe-x0vt-3b6s`. */
export function newRecoveryCodes(): readonly string[] {
  return Array.from({ length: count }, () =>
    Array.from(randomBytes(characters), (byte) => alphabet.charAt(byte & 31))
      .join('')
      .replaceAll(/(.{4})(?!$)/g, '$1-'),
  );
}

/** What is stored of a code: it says nothing of the codes of others that are the same by chance. */
export function recoveryHash(userId: string, code: string): string {
  return createHash('sha256').update(`recovery code\0${userId}\0${code}`).digest('base64url');
}

/** A code as it was made, from what somebody typed: any case, with or without signs between; null: it is none. */
export function typedRecoveryCode(text: string): string | null {
  const letters = text.toLowerCase().replaceAll(/[\s-]/g, '').replaceAll('o', '0').replaceAll(/[il]/g, '1');
  return /^[0-9a-hjkmnp-tv-z]{16}$/.test(letters) ? letters.replaceAll(/(.{4})(?!$)/g, '$1-') : null;
}
