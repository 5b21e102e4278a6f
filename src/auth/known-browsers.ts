// Browsers in which a user has signed in before: each has an attempt counter and a place in the queue of its own,
// unaffected by others behind the same address.
import { textBlock } from '../model/text-block.ts';
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { secretFor, type SignInSecrets } from './sign-in-secrets.ts';
import { canonicalLogin } from './users.ts';

/** A browser with a genuine cookie. */
export interface KnownBrowser {
  /** Random. */
  readonly id: string;
  /** Stands for the login that signed in there, without revealing it. */
  readonly userHash: string;
  /** Whether that login is the given one. */
  readonly isOf: (login: string) => boolean;
}

export interface KnownBrowsers {
  /** The browser of a `Cookie` header; null: the cookie is missing, expired or forged. */
  recognise(cookies: string | undefined): Promise<KnownBrowser | null>;
  /**
   * `Set-Cookie` for the browser in which somebody has just signed in; a browser that is already known keeps its id.
   */
  cookieFor(login: string, known: KnownBrowser | null): Promise<string>;
}

interface KnownBrowsersOptions {
  readonly secrets: SignInSecrets;
  /** The authorization server is at an https address. */
  readonly secure: boolean;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Seconds: how long somebody may stay away and still be known. */
const lifeSeconds = 180 * 86_400;

/**
 * Makes the recognition of browsers. The cookie grants nothing: somebody who steals it may try ten passwords in a
 * quarter of an hour. (OWASP calls it a device cookie.) It holds an id, its expiry and a stand-in for the login,
 * signed.
 */
export function createKnownBrowsers({ secrets, secure, now }: KnownBrowsersOptions): KnownBrowsers {
  const name = secure ? '__Host-known-browser' : 'known-browser';
  const find = new RegExp(`(?:^|;)\\s*${name}=([^;\\s]{1,200})(?:;|$)`);
  return {
    recognise: async (cookies) => {
      const [id, end, userHash, signature] = find.exec(cookies ?? '')?.[1]?.split('.') ?? [];
      if (!id || !end || !userHash || !signature || !/^\d{1,12}$/.test(end) || Number(end) * 1000 <= now()) return null;
      const key = keysOf(await secrets.current()).find((one) =>
        isSame(signature, mac(one, 'browser', `${id}.${end}.${userHash}`)),
      );
      return key === undefined ? null : { id, userHash, isOf: (login) => isSame(userHash, userHashOf(key, login)) };
    },
    cookieFor: async (login, known) => {
      const [key = ''] = keysOf(await secrets.current());
      const id = known?.isOf(login) === true ? known.id : randomBytes(16).toString('base64url');
      const signed = `${id}.${Math.floor(now() / 1000) + lifeSeconds}.${userHashOf(key, login)}`;
      return textBlock`
        ${name}=${signed}.${mac(key, 'browser', signed)}; Path=/; Max-Age=${lifeSeconds}; HttpOnly;
        SameSite=Lax${secure ? '; Secure' : ''}
      `;
    },
  };
}

function keysOf(secrets: readonly string[]): readonly string[] {
  return secrets.map((secret) => secretFor('browser', secret));
}

function userHashOf(key: string, login: string): string {
  return mac(key, 'account', canonicalLogin(login)).slice(0, 22);
}

function mac(key: string, purpose: string, text: string): string {
  return createHmac('sha256', key).update(`${purpose}\0${text}`).digest('base64url');
}

function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}
