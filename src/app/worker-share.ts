// What one of several workers may take of the bounds of a server: together they keep to each of them.
import type { Config } from '../config.ts';
import type { WorkerLink } from '../model/worker-link.ts';

/** What bounds requests and memory in a process, where it is counted without asking anybody. */
const divided = [
  'maxRunningRequests',
  'maxClientRunningRequests',
  'maxOpenRequests',
  'maxClientOpenRequests',
  'maxMegabytesInFlight',
  'anonymousRate',
  'pageCacheMegabytes',
] as const;

/** The largest body that is taken, of articles, needs 21: a worker must be able to take it in. */
const minClientMegabytesInFlight = 22;

/**
 * The settings of one worker. Of what bounds all of a server it has an equal part, rounded down, and at least one; 0,
 * which is no limit, stays. What bounds a single request stays as well, and what workers count together: rates, long
 * reads, feeds. Connections are counted by the supervisor before a worker has them.
 */
export function shareOf(config: Config, { count, port }: Pick<WorkerLink, 'count' | 'port'>): Config {
  const part = (bound: number, least = 1): number =>
    bound === 0 ? 0 : Math.max(Math.min(bound, least), Math.floor(bound / count));
  const parts = Object.fromEntries(divided.map((name) => [name, part(config[name])]));
  return {
    ...config,
    ...parts,
    ...{ maxConnections: 0, maxAddressConnections: 0 },
    maxClientMegabytesInFlight: part(config.maxClientMegabytesInFlight, minClientMegabytesInFlight),
    port,
  };
}
