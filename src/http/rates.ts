// Rate limits: how many requests a client may make per minute, and the headers that report it (decision D41).
import { thenMaybe, type MaybePromise } from '../model/maybe-promise.ts';
import { Problem } from '../model/problem.ts';
import type { Quotas } from '../model/quota.ts';
import { type Counted, createBucket } from './rate-bucket.ts';

/** Requests per minute, for all processes of a database together; 0: no limit. */
export interface RateLimits {
  readonly read: number;
  readonly write: number;
  /** Labels and uploads. */
  readonly label: number;
  /** Requests of the warehouse side, per key. */
  readonly platform: number;
  /** Refused requests of unknown clients, per address, before they are delayed; absent: no limit. */
  readonly anonymous?: number;
}

/**
 * What a request counts against. `public`: pages that do not exist, by address; `preflight`: browsers' preflight
 * requests; `probe`: health and metrics. Each server counts the last two for itself, so that none of them waits for
 * storage.
 */
type RateKind = Exclude<keyof RateLimits, 'anonymous'> | 'public' | 'preflight' | 'probe';
type RateHeaders = Readonly<Record<string, string>>;

export interface Rates {
  /**
   * Counts one request of a cost key (`cost-key.ts`), or of an address where a public route has no client.
   * @returns `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-10), or none where there is no
   * limit
   * @throws Problem `quota-exceeded` with `Retry-After`, in seconds
   */
  take(kind: RateKind, costKey: string): MaybePromise<RateHeaders>;
}

/** Where counts are kept, a monotonic clock in milliseconds, and see `createBucket`. */
interface RateOptions {
  readonly quotas: Quotas;
  readonly now?: () => number;
  readonly isFirstShareFree?: boolean;
}

/**
 * The limits of the routes, each in windows of a minute that begin with a client's first request to any process. Limits
 * that each server counts for itself use `serverQuotas`, by default those of this process alone.
 */
export function createRates(
  limits: RateLimits,
  { serverQuotas, ...options }: RateOptions & { readonly serverQuotas?: Quotas | undefined },
): Rates {
  const unshared = { ...options, quotas: serverQuotas ?? unsharedQuotas() };
  const counters = {
    read: counter('read', limits.read, options),
    write: counter('write', limits.write, options),
    label: counter('label', limits.label, options),
    platform: counter('platform', limits.platform, options),
    public: counter('public', limits.read, { ...options, isFirstShareFree: true }),
    preflight: counter('preflight', limits.read * oftener, unshared),
    probe: counter('probe', limits.read * oftener, unshared),
  };
  return { take: (kind, costKey) => counters[kind](costKey) };
}

/**
 * A browser may send a preflight before each of its requests, and one address may stand for many clients, monitors or
 * load balancers.
 */
const oftener = 10;

/**
 * Makes an additional limit, for requests that do not come through the routes.
 * @param perMinute 0: no limit
 * @returns a function that counts one request and returns the headers of `Rates.take`; it throws Problem
 *   `quota-exceeded`
 */
export function createRate(
  name: string,
  perMinute: number,
  options: RateOptions,
): (costKey: string) => Promise<RateHeaders> {
  const count = counter(name, perMinute, options);
  return async (costKey) => count(costKey);
}

/** Quotas of a process that shares them with no other: it is granted the whole window at once. */
export function unsharedQuotas(): Quotas {
  return {
    take: async ({ quota, windowMs }) => ({ granted: quota, used: quota, windowEnd: 0, endsInMs: windowMs }),
    giveBack: async () => undefined,
  };
}

const unlimited: RateHeaders = {};

function counter(
  name: string,
  quota: number,
  { quotas, now = () => performance.now(), isFirstShareFree = false }: RateOptions,
): (costKey: string) => MaybePromise<RateHeaders> {
  if (quota === 0) return () => unlimited;
  const bucket = createBucket({ kind: name, quota, quotas, now, isFirstShareFree });
  const policy = `"${name}";q=${quota};w=60`;
  const told = ({ allowed, left, endsInMs }: Counted): RateHeaders => {
    const wait = Math.max(1, Math.ceil(endsInMs / 1000));
    const headers = { 'ratelimit-policy': policy, ratelimit: `"${name}";r=${left};t=${wait}` };
    if (allowed) return headers;
    const detail = `${quota} requests of the kind '${name}' a minute are allowed. Wait ${wait} s.`;
    throw new Problem(
      'quota-exceeded',
      detail,
      { 'violated-policies': [name] },
      { 'retry-after': String(wait), ...headers },
    );
  };
  return (costKey) => {
    const counted = bucket.count(costKey);
    return thenMaybe(counted, told);
  };
}
