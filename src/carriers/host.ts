// Makes the calls of carriers, and decides for all of them where to, how long, how often and how much.
import {
  CarrierError,
  type CarrierErrorKind,
  type CarrierExchange,
  type CarrierAnswer,
  type CarrierRequest,
} from './carrier.ts';
import { type AnswerBodies, type AnswerLimits, createAnswerBodies, maxAnswerBytes } from './answer-bodies.ts';
import { currentWork, type Part } from '../model/work.ts';
import { createTokenCache, type TokenCache } from './token-cache.ts';

/** One call in the log: never its path, headers or body, which hold people's addresses and secrets. */
export interface CallRecord {
  readonly host: string;
  readonly method: string;
  /** Null if there was no answer. */
  readonly status: number | null;
  readonly milliseconds: number;
  /** 1 for the first try. */
  readonly attempt: number;
  readonly failure: string | null;
}

export interface HostLimits extends AnswerLimits {
  /** For receiving one whole answer. */
  readonly callTimeoutMs: number;
  /** For a whole exchange, including repeats and waiting. */
  readonly exchangeTimeoutMs: number;
  /** Of one exchange, not counting repeats, and those for each of several parcels. */
  readonly maxRequests: number;
}

export const defaultHostLimits: HostLimits = {
  callTimeoutMs: 15_000,
  exchangeTimeoutMs: 40_000,
  maxAnswerBytes,
  maxLargeAnswerBytes: 40 * 1024 * 1024,
  maxRequests: 20,
};

interface HostOptions {
  readonly limits?: HostLimits;
  readonly onCall: (call: CallRecord) => void;
  /** Hosts that receive the trace of a call; default: none. */
  readonly traceparentHosts?: ReadonlySet<string>;
  /** Monotonic milliseconds, for the expiry of access tokens. */
  readonly now?: () => number;
}

/**
 * Runs an exchange with a carrier to its end.
 * @param parcels that it asks about one after another, each with as many requests as one may take
 */
export type CallCarrier = <T>(exchange: CarrierExchange<T>, origins: readonly string[], parcels?: number) => Promise<T>;

/** A token and the parcel, and the same again to look it up. */
const requestsPerParcel = 4;

/**
 * Makes the host.
 *
 * Requests go only to the origins of the account, and follow no redirection: the operator decides whom the service
 * talks to. A request that could create a second parcel is made once; any other up to three times while the carrier is
 * unavailable. Connections are kept and reused, and so are access tokens until they expire. A failure is thrown into
 * the exchange, which may be able to continue without the answer.
 * @returns function that throws CarrierError `timeout`, `unavailable` or `configuration`, or what the carrier's own
 *   reading threw
 */
export function createHost({
  limits = defaultHostLimits,
  onCall,
  traceparentHosts = new Set(),
  now = () => performance.now(),
}: HostOptions): CallCarrier {
  const tokens = createTokenCache(now);
  const beginReading = createAnswerBodies(limits);
  return async (exchange, origins, parcels = 0) => {
    const maxRequests = limits.maxRequests + requestsPerParcel * parcels;
    const bodies = beginReading();
    const deadline = performance.now() + limits.exchangeTimeoutMs;
    try {
      return await callCarrier(exchange, {
        ...{ origins, deadline, limits: { ...limits, maxRequests } },
        ...{ onCall, traceparentHosts, tokens, bodies },
      });
    } finally {
      bodies.end();
    }
  };
}

async function callCarrier<T>(exchange: CarrierExchange<T>, calling: Calling): Promise<T> {
  const { maxRequests } = calling.limits;
  let mayHaveActed = false;
  let step = await exchange.next();
  for (let count = 0; step.done !== true; count += 1) {
    const { repeat } = step.value;
    const outcome =
      count < maxRequests
        ? await call(step.value, calling)
        : failure('unavailable', 'The exchange with the carrier came to no end.', { acted: 'no' });
    if ('answer' in outcome) {
      mayHaveActed ||= repeat === 'never';
      step = await exchange.next(outcome.answer);
      continue;
    }
    mayHaveActed ||= repeat === 'never' && outcome.error.acted === 'unknown';
    const error = withDoubt(outcome.error, mayHaveActed);
    // An exchange that goes on asking after this error ignores it.
    if (count > maxRequests) throw error;
    step = await exchange.throw(error);
  }
  return step.value;
}

/** An answer, or why there is none; `again`: the same request may succeed a moment later. */
type Outcome = { readonly answer: CarrierAnswer } | { readonly error: CarrierError; readonly again: boolean };

function failure(
  kind: CarrierErrorKind,
  detail: string,
  { acted = 'unknown', again = false }: { readonly acted?: CarrierError['acted']; readonly again?: boolean },
): { readonly error: CarrierError; readonly again: boolean } {
  return { error: new CarrierError(kind, detail, { acted }), again };
}

/**
 * What a failure means for the whole exchange: once a request may have created a parcel, a later one that was never
 * sent proves nothing; before that, nothing can have been created.
 */
function withDoubt({ kind, message }: CarrierError, mayHaveActed: boolean): CarrierError {
  return new CarrierError(kind, message, { acted: mayHaveActed ? 'unknown' : 'no' });
}

interface Calling {
  readonly origins: readonly string[];
  readonly deadline: number;
  readonly limits: HostLimits;
  readonly onCall: (call: CallRecord) => void;
  readonly traceparentHosts: ReadonlySet<string>;
  readonly tokens: TokenCache;
  readonly bodies: AnswerBodies;
}

const maxAttempts = 3;
const firstPauseMs = 200;

async function call(request: CarrierRequest, calling: Calling): Promise<Outcome> {
  const url = allowed(request.url, calling.origins);
  if (url === null)
    return failure('configuration', 'The carrier names an address that this account is not configured for.', {
      acted: 'no',
    });
  if (!canBeSent(request.headers))
    return failure('configuration', 'A setting of the account has characters that no header may have.', {
      acted: 'no',
    });
  const kept = calling.tokens.get(request);
  if (kept !== null) return { answer: kept };
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await callOnce(request, url, attempt, calling);
    if ('answer' in outcome) calling.tokens.set(request, outcome.answer);
    const again = 'answer' in outcome ? isAway(outcome.answer.status) : outcome.again;
    const pauseMs = firstPauseMs * 2 ** (attempt - 1);
    if (
      !again ||
      request.repeat === 'never' ||
      attempt === maxAttempts ||
      performance.now() + pauseMs >= calling.deadline
    )
      return outcome;
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

async function callOnce(
  request: CarrierRequest,
  url: URL,
  attempt: number,
  { deadline, limits, onCall, traceparentHosts, bodies }: Calling,
): Promise<Outcome> {
  const started = performance.now();
  const time = Math.min(limits.callTimeoutMs, deadline - started);
  if (time <= 0) return failure('timeout', 'The carrier did not answer in time.', { acted: 'no' });
  const { span, end } = currentWork().begin(callPart(request, url, attempt));
  const report = (status: number | null, reason: string | null): void => {
    const error = reason ?? (status !== null && status >= 400 ? String(status) : null);
    end(status === null ? {} : { 'http.response.status_code': status }, error);
    onCall({
      host: url.host,
      method: request.method,
      status,
      milliseconds: Math.round(performance.now() - started),
      attempt,
      failure: reason,
    });
  };
  const traced = span !== null && traceparentHosts.has(url.host) ? { traceparent: span.traceparent } : {};
  const signal = AbortSignal.timeout(Math.ceil(time));
  try {
    const response = await fetch(url, {
      method: request.method,
      headers: { ...request.headers, ...traced },
      body: request.body,
      redirect: 'manual',
      signal,
    });
    const body = await bodies.read(response);
    const isElsewhere = response.status >= 300 && response.status < 400;
    report(response.status, typeof body === 'string' ? faults[body].reason : isElsewhere ? 'redirection' : null);
    if (typeof body === 'string') return failure('unavailable', faults[body].detail, {});
    if (isElsewhere)
      return failure('unavailable', 'The carrier sent the request on to another address, which is not followed.', {});
    return { answer: { status: response.status, headers: Object.fromEntries(response.headers), body } };
  } catch (error) {
    const reason = signal.aborted ? 'timeout' : reasonOf(error);
    report(null, reason);
    if (signal.aborted) return failure('timeout', 'The carrier did not answer in time.', { again: true });
    return failure('unavailable', 'The carrier cannot be reached.', {
      acted: neverSent.includes(reason) ? 'no' : 'unknown',
      again: true,
    });
  }
}

/** The part of a call in a trace: without path and query, which hold personal data and secrets. */
function callPart({ method }: CarrierRequest, url: URL, attempt: number): Part {
  return {
    stage: 'carrier',
    kind: 'client',
    describe: () => ({
      name: method,
      attributes: {
        'http.request.method': method,
        'server.address': url.hostname,
        'server.port': Number(url.port) || (url.protocol === 'https:' ? 443 : 80),
        ...(attempt > 1 && { 'http.request.resend_count': attempt - 1 }),
      },
    }),
  };
}

/** Null for an address that is not one of the account's. */
function allowed(text: string, origins: readonly string[]): URL | null {
  const url = URL.parse(text);
  return url !== null && origins.includes(url.origin) && url.username === '' && url.password === '' ? url : null;
}

function canBeSent(headers: Readonly<Record<string, string>>): boolean {
  try {
    new Headers(headers);
    return true;
  } catch {
    return false;
  }
}

/** Statuses by which a server says that it could not handle the request. */
function isAway(status: number): boolean {
  return status === 502 || status === 503 || status === 504;
}

const faults = {
  'too-large': { reason: 'too large', detail: 'The answer of the carrier is too large.' },
  'no-room': { reason: 'no room', detail: 'Carriers give too many large answers at the moment. Try again later.' },
} as const;

/** Failures before the connection was established. */
const neverSent: readonly string[] = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  // The certificate was not accepted: nothing is sent after such a handshake.
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'ERR_TLS_CERT_ALTNAME_INVALID',
];

/** The code of a network failure, without addresses. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  if (typeof cause === 'object' && cause !== null && 'code' in cause) return String(cause.code);
  return error instanceof Error ? error.name : 'failure';
}
