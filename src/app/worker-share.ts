// The share of a server's limits for one of several workers, so that together they observe each limit.
import type { Config } from '../config.ts';
import type { WorkerLink } from '../model/worker-link.ts';

/** Limits on requests and memory in a process, which counts them by itself. */
const divided = [
  'maxRunningRequests',
  'maxClientRunningRequests',
  'maxOpenRequests',
  'maxClientOpenRequests',
  'pageCacheMegabytes',
] as const;

/** The largest accepted body, of articles, needs 21: a worker must be able to receive it. */
const minMegabytesInFlight = 22;

/**
 * The settings of one worker. It gets an equal part, rounded down but at least one, of each limit for the whole server;
 * 0, which means no limit, stays. Limits for a single request stay as well, and so do those that workers count
 * together: rates, long reads, feeds. The supervisor counts connections before it passes them to a worker.
 */
export function shareOf(config: Config, { count, port }: Pick<WorkerLink, 'count' | 'port'>): Config {
  const part = (bound: number, least = 1): number =>
    bound === 0 ? 0 : Math.max(Math.min(bound, least), Math.floor(bound / count));
  const parts = Object.fromEntries(divided.map((name) => [name, part(config[name])]));
  return {
    ...config,
    ...parts,
    ...{ maxConnections: 0, maxAddressConnections: 0 },
    maxMegabytesInFlight: part(config.maxMegabytesInFlight, minMegabytesInFlight),
    maxClientMegabytesInFlight: part(config.maxClientMegabytesInFlight, minMegabytesInFlight),
    port,
  };
}
