// Rate limits: how many requests a client may make in a minute, and the headers that tell it (decision D41).
import { Problem } from '../model/problem.ts';
import type { Quotas } from '../model/quota.ts';
import { type Counted, createBucket } from './bucket.ts';

/** Requests per minute, of all processes of a database together; 0 means no limit. */
export interface RateLimits {
  readonly read: number;
  readonly write: number;
  /** Labels and uploads. */
  readonly label: number;
  /** Requests of the WMS side, per key. */
  readonly platform: number;
  /** Refused requests of clients that nobody knows, per address, before they are held back; absent: no limit. */
  readonly anonymous?: number;
}

/**
 * What a request counts against. `public`: pages that do not exist, of an address; `preflight`: what browsers ask
 * before a request; `probe`: health and metrics. These three count in each server for itself, which they are to
 * protect, and so that none of them waits for storage.
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
  take(kind: RateKind, costKey: string): RateHeaders | Promise<RateHeaders>;
}

/** Where counts are kept, and the clock they go by: milliseconds that are never set. */
interface RateOptions {
  readonly quotas: Quotas;
  readonly now?: () => number;
}

/**
 * The limits of the routes, each in windows of a minute that begin with a client's first request to any process. What
 * each server counts for itself goes by `serverQuotas`; without them, by this process alone.
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
    public: counter('public', limits.read, unshared),
    preflight: counter('preflight', limits.read * oftener, unshared),
    probe: counter('probe', limits.read * oftener, unshared),
  };
  return { take: (kind, costKey) => counters[kind](costKey) };
}

/**
 * A browser may ask before each of its requests, and many may have one address, as monitors and load balancers have.
 */
const oftener = 10;

/**
 * One more limit, for who does not come through the routes.
 * @param perMinute 0: no limit
 * @returns what counts one request of somebody and gives the headers of `Rates.take`; it throws Problem
 * `quota-exceeded`
 */
export function createRate(
  name: string,
  perMinute: number,
  options: RateOptions,
): (costKey: string) => Promise<RateHeaders> {
  const count = counter(name, perMinute, options);
  return async (costKey) => count(costKey);
}

/** Quotas of a process that shares them with no other: it is given all of a window at once. */
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
  { quotas, now = () => performance.now() }: RateOptions,
): (costKey: string) => RateHeaders | Promise<RateHeaders> {
  if (quota === 0) return () => unlimited;
  const bucket = createBucket({ kind: name, quota, quotas, now });
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
    return counted instanceof Promise ? counted.then(told) : told(counted);
  };
}
