// Time-based one-time passwords (RFC 6238): secrets, their codes, and the address that an app reads from a QR code.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** SHA-1, 6 digits and 30 seconds are what every app supports; RFC 4226, 4, requires 160 bits. */
const secretBytes = 20;
const stepMs = 30_000;
const digits = 6;
/** Steps accepted before and after the current one, for clock differences and slow typing (RFC 6238, 5.2). */
const window = 1;

/** A new secret, in base32 (RFC 4648, 6). */
export function newTotpSecret(): string {
  return base32(randomBytes(secretBytes));
}

/** True for a text that `newTotpSecret` could have made. */
export function isTotpSecret(text: string): boolean {
  return /^[A-Z2-7]{32}$/.test(text);
}

/**
 * The currently accepted step that the code belongs to; null: none of them.
 * @param code six digits
 * @param now milliseconds since 1970
 */
export function stepOf(secret: string, code: string, now: number): number | null {
  const key = bytesOf(secret);
  const current = Math.floor(now / stepMs);
  const given = Buffer.from(code);
  const matching = Array.from({ length: 2 * window + 1 }, (_, index) => current - window + index).filter((step) => {
    const expected = Buffer.from(codeAt(key, step));
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
  // Two steps may have the same code: return the later one, so that both are used up.
  return matching.at(-1) ?? null;
}

/** The address from which an app reads a secret: Google's `otpauth` format, which all of them support. */
export function totpAddress({
  issuer,
  login,
  secret,
}: {
  readonly issuer: string;
  readonly login: string;
  readonly secret: string;
}): string {
  const label = [issuer, login].map(encodeURIComponent).join(':');
  const query = `secret=${secret}&issuer=${encodeURIComponent(issuer)}&algorithm=SHA1&digits=6&period=30`;
  return `otpauth://totp/${label}?${query}`;
}

/** RFC 4226, 5.3. */
function codeAt(key: Buffer, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.max(0, step)));
  const mac = createHmac('sha1', key).update(counter).digest();
  const offset = (mac.at(-1) ?? 0) & 15;
  const value = mac.readUInt32BE(offset) & 0x7fffffff;
  return String(value % 10 ** digits).padStart(digits, '0');
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Without padding: whole groups of five bytes need none. */
function base32(bytes: Buffer): string {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{5}/g) ?? []).map((group) => alphabet.charAt(Number.parseInt(group, 2))).join('');
}

function bytesOf(secret: string): Buffer {
  const bits = Array.from(secret, (letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0')).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}
