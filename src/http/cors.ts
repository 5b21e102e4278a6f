// Cross-origin requests from browsers: disabled unless the operator lists origins. Without credentials: the bearer
// token is enough.
import { textBlock } from '../model/text-block.ts';
import type { KnownPath } from './paths.ts';

const exposed = textBlock`
    Link, Sync-Cursor, Sync-Covered-Until, ETag, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate,
    Idempotency-Replayed, X-Request-Id, Server-Timing, Preference-Applied
  `;

/** Headers of an ordinary response to a script of `origin`; none for an origin that is not listed. */
export function corsHeaders(origins: readonly string[], origin: string): Readonly<Record<string, string>> {
  return origins.includes(origin)
    ? { 'access-control-allow-origin': origin, 'access-control-expose-headers': exposed }
    : {};
}

/**
 * Additional headers of a preflight response: the methods and headers that scripts may use on the path, for a day
 * (Fetch, section 3.3.2).
 */
export function preflightHeaders(
  origins: readonly string[],
  origin: string | undefined,
  { methods, headers }: KnownPath,
): Readonly<Record<string, string>> {
  if (origin === undefined || !origins.includes(origin)) return {};
  return {
    'access-control-allow-methods': methods.join(', '),
    'access-control-allow-headers': [
      'Authorization',
      ...headers,
      'If-None-Match',
      'X-Request-Id',
      'Traceparent',
      'Prefer',
    ].join(', '),
    'access-control-max-age': '86400',
  };
}
