// Rate limits: how many requests a client may make in a minute, and the headers that tell it (decision D41).
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { Problem } from '../model/problem.ts';

/** Requests per minute; 0 means no limit. Each process counts for itself. */
export interface RateLimits {
  readonly read: number;
  readonly write: number;
  /** Labels and uploads. */
  readonly label: number;
  /** Requests of the WMS side, per key. */
  readonly platform: number;
}


export type RateKind = 'read' | 'write' | 'label' | 'platform';

export interface Rates {
  /**
   * Counts one request of a client or a key (`clientId`), or of an address where a public route has no client.
   * @returns `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-10), or none where there is no limit
   * @throws Problem `quota-exceeded` with `Retry-After`, in seconds
   */
  take(kind: RateKind, who: string): Promise<Readonly<Record<string, string>>>;
}

/** Rate limits kept in memory, each in windows of a minute that start with a client's first request. */
export function createRates(limits: RateLimits): Rates {
  const buckets = {
    read: bucket('read', limits.read), write: bucket('write', limits.write), label: bucket('label', limits.label),
    platform: bucket('platform', limits.platform),
  };
  return { take: (kind, who) => (buckets[kind] === null ? unlimited : count(buckets[kind], who)) };
}

/**
 * One more limit, for who does not come through the routes.
 * @param perMinute 0: no limit
 * @returns what counts one request of somebody and gives the headers of `Rates.take`; it throws Problem `quota-exceeded`
 */
export function createRate(name: string, perMinute: number): (who: string) => Promise<Readonly<Record<string, string>>> {
  const limited = bucket(name, perMinute);
  return (who) => (limited === null ? unlimited : count(limited, who));
}

/** The part of an address that one customer holds: an IPv4 address, or an IPv6 network of 64 bits. */
export function addressKey(address: string): string {
  if (!address.includes(':')) return address;
  if (address.includes('.')) return address.slice(address.lastIndexOf(':') + 1);
  const [head = '', tail = ''] = address.split('::');
  const groups = head === '' ? [] : head.split(':');
  const rest = tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: Math.max(0, 8 - groups.length - rest.length) }, () => '0');
  return `${(address.includes('::') ? [...groups, ...zeros, ...rest] : groups).slice(0, 4).join(':')}::/64`;
}

const unlimited = Promise.resolve({});

interface Bucket {
  readonly name: string;
  readonly policy: string;
  readonly limiter: RateLimiterMemory;
}

function bucket(name: string, quota: number): Bucket | null {
  if (quota === 0) return null;
  return { name, policy: `"${name}";q=${quota};w=60`, limiter: new RateLimiterMemory({ points: quota, duration: 60, keyPrefix: name }) };
}

async function count({ name, policy, limiter }: Bucket, who: string): Promise<Readonly<Record<string, string>>> {
  try {
    const state = await limiter.consume(who);
    return { 'ratelimit-policy': policy, ratelimit: `"${name}";r=${state.remainingPoints};t=${seconds(state)}` };
  } catch (refusal) {
    if (!(refusal instanceof RateLimiterRes)) throw refusal;
    const wait = seconds(refusal);
    const detail = `${limiter.points} requests of the kind '${name}' a minute are allowed. Wait ${wait} s.`;
    throw new Problem('quota-exceeded', detail, { 'violated-policies': [name] }, {
      'retry-after': String(wait),
      'ratelimit-policy': policy,
      ratelimit: `"${name}";r=0;t=${wait}`,
    });
  }
}

function seconds(state: RateLimiterRes): number {
  return Math.max(1, Math.ceil(state.msBeforeNext / 1000));
}
