// Cross-origin requests from browsers: off unless the operator lists origins. No credentials: the bearer token is enough.

const exposed = 'Link, Sync-Cursor, Sync-Covered-Until, ETag, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, X-Request-Id';

/** Headers of an ordinary answer to a script of `origin`; none for an origin that is not listed. */
export function corsHeaders(origins: readonly string[], origin: string): Readonly<Record<string, string>> {
  return origins.includes(origin) ? { 'access-control-allow-origin': origin, 'access-control-expose-headers': exposed } : {};
}

/** What a preflight answer has on top: the methods and headers that scripts may use, for a day (Fetch, section 3.3.2). */
export function preflightHeaders(origins: readonly string[], origin: string | undefined): Readonly<Record<string, string>> {
  if (origin === undefined || !origins.includes(origin)) return {};
  return {
    'access-control-allow-methods': 'GET, HEAD, POST',
    'access-control-allow-headers': 'Authorization, Content-Type, Idempotency-Key, If-None-Match, X-Request-Id, Traceparent',
    'access-control-max-age': '86400',
  };
}
