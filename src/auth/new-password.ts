// Generates passwords for people.
import { randomBytes } from 'node:crypto';

/** 100 random bits in groups that are easy to type. */
export function newPassword(): string {
  const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
  const letters = Array.from(randomBytes(20), (byte) => alphabet.charAt(byte & 31)).join('');
  return (letters.match(/.{5}/g) ?? []).join('-');
}
