// CSRF protection: a token that proves that this service made a form for this interaction; other origins cannot forge
// or read it.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

export interface Csrf {
  /** A new token for a form; printable ASCII. Valid only for this binding, and for as long as that lives. */
  token(binding: string): string;
  /** True for a token made with one of the secrets for the same binding; constant time for every wrong one. */
  matches(token: string, binding: string): boolean;
}

const nonceBytes = 16;

/**
 * The binding is what the browser's cookie identifies (an interaction, a session).
 * @param secrets shared by all processes of a database; tokens are made with the first, and all are accepted
 */
export function createCsrf(secrets: readonly [string, ...string[]]): Csrf {
  // The name separates these tokens from everything else that is derived from the same secret.
  const mac = (nonce: string, binding: string, secret: string): Buffer =>
    createHmac('sha256', secret).update(`csrf\0${nonce}\0${binding}`).digest();
  return {
    // A nonce makes every form different, so that the length of a compressed page reveals nothing about the token
    // (BREACH).
    token: (binding) => {
      const nonce = randomBytes(nonceBytes).toString('base64url');
      return `${nonce}.${mac(nonce, binding, secrets[0]).toString('base64url')}`;
    },
    matches: (token, binding) => {
      const [, nonce = '', given = ''] = /^([A-Za-z0-9_-]{22})\.([A-Za-z0-9_-]{43})$/.exec(token) ?? [];
      const bytes = Buffer.from(given, 'base64url');
      const equal = secrets
        .map((secret) => mac(nonce, binding, secret))
        .map((expected) => bytes.length === expected.length && timingSafeEqual(bytes, expected));
      return equal.includes(true);
    },
  };
}
