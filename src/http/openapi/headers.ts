// The response headers of the interfaces, as the description shows them.
import type { Json } from '../openapi.ts';

export type HeaderName = keyof typeof responseHeaders;

const short: Json = { maxLength: 255 };
/** The header is always present. */
const always: Json = { required: true };

/** The response headers beyond those that HTTP itself needs to carry a body. */
export const responseHeaders = {
  'X-Request-Id': header(
    'Finds the request in the log of the service: your own `X-Request-Id`, else a new one.',
    '019c8ef1-1a00-7c52-b3d8-90af41e6d200',
    { minLength: 1, maxLength: 64 },
    always,
  ),
  Vary: header('Request headers that the answer depends on.', 'Accept, Accept-Encoding', short, always),
  'Cache-Control': header(
    'Whether the answer may be kept. `no-cache` means that it may, if it is checked with `If-None-Match` before ' +
      'each use.',
    'private, no-cache',
    short,
    always,
  ),
  ETag: header(
    'Revision of the answer, for `If-None-Match`. It changes when any record of the list does.',
    'W/"f8wQ4vDyxUtnUw9V3O0xIYx0R7I"',
  ),
  Link: header(
    'While there is more: the complete address of the next page, with `rel="next"` (RFC 8288). Absent on the last ' +
      'page.',
    '<https://logistics.example/v1/articles?cursor=q83vEjRW>; rel="next"',
    { maxLength: 16384 },
  ),
  'Sync-Cursor': header(
    'Where this page ends, for lists in change order (without `sort`). Keep the one of the last page and send it ' +
      'as `cursor` later: the answer holds exactly what has changed since.',
    'q83vEjRWeJq83vEjRWeA',
    { maxLength: 8192 },
  ),
  'Sync-Covered-Until': header(
    'With `updatedSince`: everything that the service stored before this instant has been shown. Send it as the ' +
      'next `updatedSince`.',
    '2026-03-02T14:05:09.120Z',
    { format: 'date-time' },
  ),
  'Idempotency-Replayed': header(
    '`true` where this is the stored answer of an earlier request with the same `Idempotency-Key`. Absent otherwise.',
    'true',
    { enum: ['true'] },
  ),
  'RateLimit-Policy': header(
    'The limit that the request counted against: `q` requests in `w` seconds ' +
      '(draft-ietf-httpapi-ratelimit-headers-10). Absent where there is no limit.',
    '"read";q=600;w=60',
  ),
  RateLimit: header(
    'What is left of it: `r` requests for the next `t` seconds. Absent where there is no limit.',
    '"read";r=598;t=31',
  ),
  'Preference-Applied': header('With `Prefer: server-timing`: that it was followed (RFC 7240).', 'server-timing', {
    enum: ['server-timing'],
  }),
  'Server-Timing': header(
    'With `Prefer: server-timing`: milliseconds in which the request waited for its turn (`wait`), for the database ' +
      '(`storage`) and for a carrier (`carrier`), those of everything else (`render`), and all (`total`).',
    'wait;dur=0.0, storage;dur=1.9, render;dur=0.8, total;dur=2.7',
  ),
  'WWW-Authenticate': header(
    'Why the token will not do (RFC 6750), and where the authorization server is described (RFC 9728).',
    'Bearer realm="logistics", error="invalid_token", error_description="The token expired"',
  ),
  Allow: header('With 405: the methods that the path has.', 'GET, HEAD, OPTIONS'),
  Accept: header('With 415: the media types that the endpoint reads.', 'application/json'),
  'Accept-Encoding': header('With 415: the codings that the endpoint undoes.', 'gzip, zstd'),
  'Retry-After': {
    description: 'Seconds to wait before the next attempt.',
    schema: { type: 'integer', format: 'int32', minimum: 0, maximum: 86_400 },
    example: 31,
  },
} as const;

/**
 * Headers that are required only in some responses are written out there, because a reference cannot add `required`.
 */
export function headerRefs(names: readonly HeaderName[], required: readonly HeaderName[] = []): Json {
  return Object.fromEntries(
    names.map((name) => [
      name,
      required.includes(name) ? { ...responseHeaders[name], required: true } : { $ref: `#/components/headers/${name}` },
    ]),
  );
}

/** One header: a string, unless the schema says otherwise. */
export function header(description: string, example: string, schema: Json = short, facts: Json = {}): Json {
  return { description, ...facts, schema: { type: 'string', ...schema }, example };
}
