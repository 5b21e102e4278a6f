// Makes the calls of carriers: where to, how long, how often and how much is decided here, for every carrier alike.
import { CarrierError, type Conversation, type WireAnswer, type WireRequest } from './carrier.ts';

/** One call as the log tells of it: never its path, headers or body, which hold addresses of people and secrets. */
export interface CallRecord {
  readonly host: string;
  readonly method: string;
  /** Null where there was no answer. */
  readonly status: number | null;
  readonly milliseconds: number;
  /** 1 for the first try. */
  readonly attempt: number;
  readonly failure: string | null;
}

export interface HostLimits {
  /** For one answer to arrive whole, milliseconds. */
  readonly callTimeout: number;
  /** For a whole conversation, repeats and waiting included, milliseconds. */
  readonly conversationTimeout: number;
  /** Bytes of one answer. */
  readonly answerSize: number;
  /** Requests of one conversation, without repeats. */
  readonly requests: number;
}

export const defaultHostLimits: HostLimits = { callTimeout: 15_000, conversationTimeout: 40_000, answerSize: 20 * 1024 * 1024, requests: 20 };

export interface HostOptions {
  readonly limits?: HostLimits;
  readonly onCall: (call: CallRecord) => void;
}

/** Carries a conversation with a carrier to its end. */
export type Converse = <T>(conversation: Conversation<T>, origins: readonly string[]) => Promise<T>;

/**
 * Makes the host.
 *
 * A request goes nowhere but to the origins of the account, and follows no redirection: the operator decides whom the service
 * talks to. A request that could create a second parcel is made once; any other up to three times while the carrier is away.
 * Connections are kept and used again.
 * @returns function that throws CarrierError `timeout` or `unavailable`, or what the carrier's own reading threw
 */
export function createHost({ limits = defaultHostLimits, onCall }: HostOptions): Converse {
  return async (conversation, origins) => {
    const deadline = performance.now() + limits.conversationTimeout;
    const calling: Calling = { origins, deadline, limits, onCall };
    let mayHaveActed = false;
    let step = await conversation.next();
    for (let count = 0; step.done !== true; count += 1) {
      if (count === limits.requests) throw new CarrierError('unavailable', 'The conversation with the carrier came to no end.');
      const answer = await call(step.value, calling).catch((error: unknown) => {
        throw mayHaveActed ? inDoubt(error) : error;
      });
      mayHaveActed ||= step.value.repeat === 'never';
      step = await conversation.next(answer);
    }
    return step.value;
  };
}

/** A failure after a request that may have created a parcel: that the last request was never sent proves nothing any more. */
function inDoubt(error: unknown): unknown {
  return error instanceof CarrierError ? new CarrierError(error.kind, error.message, { acted: 'unknown' }) : error;
}

interface Calling { readonly origins: readonly string[]; readonly deadline: number; readonly limits: HostLimits; readonly onCall: (call: CallRecord) => void }

const mostAttempts = 3;
const firstPause = 200;

async function call(request: WireRequest, calling: Calling): Promise<WireAnswer> {
  const url = allowed(request.url, calling.origins);
  for (let attempt = 1; ; attempt += 1) {
    const last = request.repeat === 'never' || attempt === mostAttempts;
    try {
      const answer = await callOnce(request, url, attempt, calling);
      if (last || !isAway(answer.status)) return answer;
    } catch (error) {
      if (last || performance.now() > calling.deadline) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, firstPause * 2 ** (attempt - 1)));
  }
}

async function callOnce(request: WireRequest, url: URL, attempt: number, { deadline, limits, onCall }: Calling): Promise<WireAnswer> {
  const started = performance.now();
  const report = (status: number | null, failure: string | null): void => onCall({ host: url.host, method: request.method, status, milliseconds: Math.round(performance.now() - started), attempt, failure });
  const time = Math.min(limits.callTimeout, deadline - started);
  if (time <= 0) throw new CarrierError('timeout', 'The carrier did not answer in time.');
  const signal = AbortSignal.timeout(Math.ceil(time));
  try {
    const response = await fetch(url, { method: request.method, headers: request.headers, body: request.body, redirect: 'manual', signal });
    const body = await limitedBody(response, limits.answerSize);
    report(response.status, null);
    if (response.status >= 300 && response.status < 400) throw new CarrierError('unavailable', 'The carrier sent the request on to another address, which is not followed.');
    return { status: response.status, headers: Object.fromEntries(response.headers), body };
  } catch (error) {
    if (error instanceof CarrierError) {
      report(null, error.message);
      throw error;
    }
    report(null, signal.aborted ? 'timeout' : reasonOf(error));
    if (signal.aborted) throw new CarrierError('timeout', 'The carrier did not answer in time.');
    throw new CarrierError('unavailable', 'The carrier cannot be reached.', { acted: neverSent.includes(reasonOf(error)) ? 'no' : 'unknown' });
  }
}

function allowed(text: string, origins: readonly string[]): URL {
  const url = URL.parse(text);
  if (url === null || !origins.includes(url.origin) || url.username !== '' || url.password !== '') {
    throw new CarrierError('configuration', 'The carrier names an address that this account is not configured for.');
  }
  return url;
}

/** Statuses by which a server says that it could not attend to the request. */
function isAway(status: number): boolean {
  return status === 502 || status === 503 || status === 504;
}

async function limitedBody(response: Response, limit: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > limit) throw new CarrierError('unavailable', 'The answer of the carrier is too large.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

/** Failures before a connection was there. */
const neverSent: readonly string[] = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT'];

/** The code of a network failure, without addresses. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  if (typeof cause === 'object' && cause !== null && 'code' in cause) return String(cause.code);
  return error instanceof Error ? error.name : 'failure';
}
