// The code that an authenticator app shows (RFC 6238), made here without the code under test.
import { createHmac } from 'node:crypto';

/**
 * @param secret 32 letters of base32: 160 bits
 * @param at milliseconds since 1970
 */
export function totpCode(secret: string, at: number): string {
  const key = [...secret].reduce(
    (bits, letter) => bits * 32n + BigInt('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter)),
    0n,
  );
  const step = Buffer.from(hex(BigInt(Math.floor(at / 30_000)), 16), 'hex');
  const mac = createHmac('sha1', Buffer.from(hex(key, 40), 'hex'))
    .update(step)
    .digest('hex');
  const start = 2 * Number.parseInt(mac.slice(-1), 16);
  const number = Number.parseInt(mac.slice(start, start + 8), 16) % 2 ** 31;
  return String(number % 1_000_000).padStart(6, '0');
}

function hex(number: bigint, digits: number): string {
  return number.toString(16).padStart(digits, '0');
}
