// Retries: how often a request is repeated, when, and which requests may be repeated at all.
import { ConnectionError, retryAfterMs } from './problem.ts';

/** Bounds on the retries of one call. */
export interface RetryPolicy {
  /** Requests per call, including the first one; 1: no retries. */
  readonly maxAttempts: number;
  /** Total of all pauses of one call, milliseconds. If the service asks for more, its answer is the result. */
  readonly maxPauseMs: number;
  /** The first pause if the service does not specify one; each further pause may be twice as long. Milliseconds. */
  readonly firstPauseMs: number;
}

export const usualRetries: RetryPolicy = { maxAttempts: 4, maxPauseMs: 60_000, firstPauseMs: 300 };

/**
 * `read`: has no effect. `keyed`: a write with an `Idempotency-Key`, carried out once however often it is sent. `once`:
 * a write without a key; it is sent again only if the answer says that nothing was done.
 */
export type Repeatability = 'read' | 'keyed' | 'once';

/** The part of an answer that retries depend on. */
interface Outcome {
  readonly status: number;
  readonly headers: Headers;
}

/**
 * Makes attempts until one is conclusive, or the policy ends them.
 * @param attempt throws ConnectionError when no answer came
 * @throws ConnectionError of the last attempt; the reason of `signal` when it is aborted
 */
export async function attempts<T extends Outcome>(
  policy: RetryPolicy,
  repeatability: Repeatability,
  signal: AbortSignal | undefined,
  attempt: () => Promise<T>,
): Promise<T> {
  let left = policy.maxPauseMs;
  for (let made = 1; ; made += 1) {
    signal?.throwIfAborted();
    const outcome = await attempt().catch(connectionErrorOrThrow);
    const isLast = made >= policy.maxAttempts || !mayRepeat(repeatability, outcome);
    const pauseMs = isLast ? Number.POSITIVE_INFINITY : pauseAfter(outcome, made, policy);
    if (pauseMs > left) {
      if (outcome instanceof ConnectionError) throw outcome;
      return outcome;
    }
    left -= pauseMs;
    await pause(pauseMs, signal);
  }
}

/** Waits. @throws the reason of `signal` when it is aborted meanwhile */
function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end);
      resolve();
    }, milliseconds);
    if (signal?.aborted) end();
    else signal?.addEventListener('abort', end, { once: true });
  });
}

function connectionErrorOrThrow(error: unknown): ConnectionError {
  if (error instanceof ConnectionError) return error;
  throw error;
}

function mayRepeat(repeatability: Repeatability, outcome: Outcome | ConnectionError): boolean {
  if (outcome instanceof ConnectionError) return repeatability !== 'once';
  const says = outcome.headers.has('retry-after');
  switch (outcome.status) {
    // Refused before anything was done.
    case 429:
      return true;
    case 500:
    case 503:
      return repeatability !== 'once';
    // The same request is still running.
    case 409:
      return repeatability === 'keyed' && says;
    // A carrier is unavailable; without Retry-After there may be a parcel.
    case 502:
    case 504:
      return repeatability === 'read' || (repeatability === 'keyed' && says);
    default:
      return false;
  }
}

/**
 * The pause that the service asks for; otherwise one that differs from client to client, so that not all retry at once.
 */
function pauseAfter(outcome: Outcome | ConnectionError, made: number, { firstPauseMs }: RetryPolicy): number {
  const said = outcome instanceof ConnectionError ? null : retryAfterMs(outcome.headers, Date.now());
  return said ?? firstPauseMs * 2 ** (made - 1) * (0.5 + Math.random() / 2);
}
