// Which addresses a client may redirect the browser to (RFC 6749 3.1.2, RFC 8252, RFC 9700 2.1).
import { textBlock } from '../model/text-block.ts';

const loopbackHosts: ReadonlySet<string> = new Set(['127.0.0.1', '[::1]', 'localhost']);
const maxLength = 2048;

/**
 * `web`: https; `web-loopback`: https on this machine. `native`: http on loopback, where any port matches, or a scheme
 * of its own.
 */
export type RedirectKind = 'web' | 'web-loopback' | 'native';

/** The fault of a redirect address, as a sentence, or its kind. */
type RedirectClass =
  | { readonly kind: RedirectKind; readonly fault: null }
  | { readonly kind: null; readonly fault: string };

/**
 * Checks one redirect address. Addresses are compared character by character later, so anything that a parser would
 * silently repair is refused here.
 */
export function classifyRedirect(address: string): RedirectClass {
  const refuse = (reason: string): RedirectClass => ({ kind: null, fault: `"${address.slice(0, 200)}" ${reason}.` });
  if (address.length > maxLength) return refuse(`is longer than ${maxLength} characters`);
  if (address.includes('#')) return refuse('has a fragment (#): leave it out');
  if (address.includes('*')) return refuse('has a wildcard (*): register each address in full');
  if (!/^[A-Za-z0-9\-._~:/?[\]@!$&'()+,;=%]+$/.test(address))
    return refuse('has characters that an address must not have: percent-encode them');
  const scheme = /^([a-z][a-z0-9+.-]*):/.exec(address)?.[1];
  if (!scheme || !URL.canParse(address))
    return refuse('is not an absolute address in lower-case scheme form, like https://shop.example/callback');
  const url = new URL(address);
  if (url.username !== '' || url.password !== '') return refuse('carries a user name or password: leave it out');
  if (scheme === 'https' || scheme === 'http') {
    if (url.href !== address && url.href !== `${address}/`)
      return refuse(`is not in its plain spelling, which is ${url.href}`);
    if (scheme === 'https') return { kind: loopbackHosts.has(url.hostname) ? 'web-loopback' : 'web', fault: null };
    if (loopbackHosts.has(url.hostname)) return { kind: 'native', fault: null };
    return refuse('is plain http on a host other than 127.0.0.1, [::1] or localhost: use https');
  }
  if (!/^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+$/.test(scheme)) {
    return refuse(
      textBlock`
        has a scheme that anyone could claim: use https, or a scheme made from a domain name of yours in reverse, like
        com.example.app:/callback
      `,
    );
  }
  if (!/^[^:]+:\/(?!\/)/.test(address))
    return refuse('needs exactly one slash after its scheme, like com.example.app:/callback');
  return { kind: 'native', fault: null };
}
