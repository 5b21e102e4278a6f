// Signs cookies with the first secret, and accepts signatures by any of them.
import { createHmac, timingSafeEqual } from 'node:crypto';

/** The interface through which `oidc-provider` signs cookies; that of the package `keygrip`. */
export interface CookieKeys {
  sign(data: string): string;
  verify(data: string, signature: string): boolean;
  /**
   * 0 for every valid signature, -1 for others. The index of an older secret is not revealed, because the cookie
   * library would then sign anew at the path `/`, where the cookies of one sign-in do not belong. A session is signed
   * anew whenever it is stored.
   */
  index(data: string, signature: string): number;
}

/** @param secrets shared by all processes of a database */
export function createCookieKeys(secrets: readonly [string, ...string[]]): CookieKeys {
  const mac = (data: string, secret: string): Buffer => createHmac('sha256', secret).update(data).digest();
  const verify = (data: string, signature: string): boolean => {
    const given = Buffer.from(signature, 'base64url');
    return secrets
      .map((secret) => mac(data, secret))
      .map((expected) => given.length === expected.length && timingSafeEqual(given, expected))
      .includes(true);
  };
  return {
    sign: (data) => mac(data, secrets[0]).toString('base64url'),
    verify,
    index: (data, signature) => (verify(data, signature) ? 0 : -1),
  };
}
