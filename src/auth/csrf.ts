// Proof that a form was made by this service for this interaction: a token that other origins cannot make or read.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

export interface Csrf {
  /** A new token for a form; printable ASCII. It holds for this binding alone, as long as that lives. */
  token(binding: string): string;
  /** True for a token that was made with the same secret for the same binding; takes the same time for every wrong one. */
  matches(token: string, binding: string): boolean;
}

const nonceBytes = 16;

/**
 * @param secret shared by all processes of a database; the binding is what the browser's cookie names (an interaction, a session)
 */
export function createCsrf(secret: string): Csrf {
  // The name keeps these tokens apart from whatever else is made with the same secret.
  const mac = (nonce: string, binding: string): Buffer => createHmac('sha256', secret).update(`csrf\0${nonce}\0${binding}`).digest();
  return {
    // A nonce makes every form different, so that the length of a compressed page tells nothing about the token (BREACH).
    token: (binding) => {
      const nonce = randomBytes(nonceBytes).toString('base64url');
      return `${nonce}.${mac(nonce, binding).toString('base64url')}`;
    },
    matches: (token, binding) => {
      const [, nonce = '', given = ''] = /^([A-Za-z0-9_-]{22})\.([A-Za-z0-9_-]{43})$/.exec(token) ?? [];
      const bytes = Buffer.from(given, 'base64url');
      const expected = mac(nonce, binding);
      return bytes.length === expected.length && timingSafeEqual(bytes, expected);
    },
  };
}
