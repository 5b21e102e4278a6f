// The errors of calls; each says what can be done about it.
import type { ProblemSlug } from './generated/problem-slugs.ts';

/** The members that every problem (RFC 9457) of this service has or may have. */
export interface ProblemDetails {
  readonly type?: string | null;
  readonly title?: string | null;
  readonly status?: number | null;
  readonly detail?: string | null;
  readonly instance?: string | null;
  readonly traceId?: string;
  /** Sentences by parameter, or by place in the body. */
  readonly errors?: Readonly<Record<string, readonly string[]>>;
  readonly [member: string]: unknown;
}

/** The service answered with a problem. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly status: number;
  /** The last segment of `type`, by which programs decide; null when the answer did not come from this service. */
  readonly slug: ProblemSlug | (string & {}) | null;
  readonly problem: ProblemDetails;
  /** Identifies the request in the log of the service. */
  readonly requestId: string | null;
  /** How long the service asks to wait; null: not specified. */
  readonly retryAfterMs: number | null;

  constructor(status: number, problem: ProblemDetails, headers: Headers) {
    super(problem.detail ?? problem.title ?? `The service answered with the status ${status}.`);
    this.status = status;
    this.problem = problem;
    this.slug = slugOf(problem.type);
    this.requestId = headers.get('x-request-id');
    this.retryAfterMs = retryAfterMs(headers, Date.now());
  }
}

/** No answer came, or an incomplete one. It is unknown whether the service has carried out the request. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
}

/** The authorization server refused (RFC 6749, 5.2). */
export class AuthorizationError extends Error {
  override readonly name = 'AuthorizationError';
  /** For example `invalid_grant`: this sign-in has ended, and the person has to sign in again. */
  readonly code: string;
  readonly status: number;

  constructor(code: string, description: string | null, status: number) {
    super(description ?? code);
    this.code = code;
    this.status = status;
  }
}

/**
 * The problem in an answer; if its body is none, such as that of a proxy, one with only the status.
 * @param text of the body
 */
export function problemOf(status: number, text: string, headers: Headers): ProblemError {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    body = null;
  }
  const isProblem = typeof body === 'object' && body !== null && !Array.isArray(body);
  return new ProblemError(status, isProblem ? (body as ProblemDetails) : { status }, headers);
}

/**
 * The value of `Retry-After` (RFC 9110, 10.2.3): seconds, or a date.
 * @param now milliseconds since 1970
 * @returns milliseconds; null when the header is missing or malformed
 */
export function retryAfterMs(headers: Headers, now: number): number | null {
  const text = headers.get('retry-after')?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const date = /^[A-Za-z]/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

function slugOf(type: string | null | undefined): string | null {
  return typeof type === 'string' ? (/\/problems\/([a-z0-9-]+)$/.exec(type)?.[1] ?? null) : null;
}
