// In charge of the demonstration warehouse on the platform interface: its clock and its faults.
import type { PlatformRequests } from './administration.ts';
import type { WriteOptions, Written } from './client.ts';
import type { CallOptions } from './transport.ts';
import type { Demonstration, DemonstrationAdvance, DemonstrationFault, PlatformBodyOf } from './types.ts';

/** The demonstration; a service that has none answers 404 to all of it. */
export interface DemonstrationClient {
  readonly status: (options?: CallOptions) => Promise<Demonstration>;
  /** Has its clock set forward, once for each call however often it is sent; `status` says how far that is. */
  readonly advance: (
    body: PlatformBodyOf<'advanceDemonstration'>,
    options?: WriteOptions,
  ) => Promise<Written<DemonstrationAdvance>>;
  /** Lets one thing go wrong, once, at the next fitting moment. */
  readonly fault: (
    body: PlatformBodyOf<'askDemonstrationFault'>,
    options?: WriteOptions,
  ) => Promise<Written<DemonstrationFault>>;
}

interface DemonstrationRequests extends Pick<PlatformRequests, 'get'> {
  /** Sent again, under its key, until an answer comes. */
  readonly write: <R extends object>(path: string, body: object, options?: WriteOptions) => Promise<Written<R>>;
}

export function demonstrationOf({ get, write }: DemonstrationRequests): DemonstrationClient {
  return {
    status: (options) => get('/demonstration', {}, options),
    advance: (body, options) => write('/demonstration/advance', body, options),
    fault: (body, options) => write('/demonstration/faults', body, options),
  };
}
