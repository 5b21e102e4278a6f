// The two ids by which a request can be found again: the request id of the log, and the W3C trace.
import { randomBytes, randomUUID } from 'node:crypto';
import { newUuid } from '../model/uuid.ts';

const safeId = /^[A-Za-z0-9._~:/+=-]{1,64}$/;
const traceparent = /^([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(-.*)?$/;
const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;

/**
 * The request id: the client's own `X-Request-Id` if it has 1 to 64 safe characters (it is echoed in a header and
 * written to the log), else a new UUIDv7.
 */
export function requestIdOf(header: string | readonly string[] | undefined): string {
  return typeof header === 'string' && safeId.test(header) ? header : newUuid();
}

/**
 * The trace that a `traceparent` names (W3C Trace Context, 3.2 and 4.2); null: missing or invalid. Version 00 has four
 * parts, later ones may have more after them.
 */
export function traceOf(parent: string | readonly string[] | undefined): string | null {
  const [, version, trace, rest] = (typeof parent === 'string' ? traceparent.exec(parent) : null) ?? [];
  if (trace === undefined || version === 'ff' || (version === '00' && rest !== undefined)) return null;
  return trace;
}

/**
 * `traceId` of a ProblemDetails body: `00-<trace>-<span>-01`, as ASP.NET Core writes it. The trace is that of the
 * caller's `traceparent` (W3C Trace Context, 3.2); without one it is the request id, if that is a UUID, so that one id
 * finds both.
 */
export function traceIdOf(parent: string | readonly string[] | undefined, requestId: string): string {
  const trace =
    traceOf(parent) ?? (uuid.test(requestId) ? requestId.replaceAll('-', '') : randomBytes(16).toString('hex'));
  return `00-${trace}-${spanId()}-01`;
}

/** 64 random bits of a UUID, which Node keeps in a buffer: a tenth of the time of requesting eight bytes. */
function spanId(): string {
  const random = randomUUID();
  return random.slice(0, 8) + random.slice(24, 32);
}
