// The demonstration warehouse on the platform interface: its clock and its faults.
import type { PlatformRequests } from './administration.ts';
import type { WriteOptions, Written } from './client.ts';
import type { CallOptions } from './transport.ts';
import type { Demonstration, DemonstrationAdvance, DemonstrationFault, PlatformBodyOf } from './types.ts';

/** The demonstration; a service without one answers 404 to every operation. */
export interface DemonstrationClient {
  readonly status: (options?: CallOptions) => Promise<Demonstration>;
  /** Requests setting its clock forward, once per call despite retries; `status` reports the progress. */
  readonly advance: (
    body: PlatformBodyOf<'advanceDemonstration'>,
    options?: WriteOptions,
  ) => Promise<Written<DemonstrationAdvance>>;
  /** Makes one thing go wrong, once, at the next suitable moment. */
  readonly fault: (
    body: PlatformBodyOf<'askDemonstrationFault'>,
    options?: WriteOptions,
  ) => Promise<Written<DemonstrationFault>>;
}

interface DemonstrationRequests extends Pick<PlatformRequests, 'get'> {
  /** Retried with its key until an answer comes. */
  readonly write: <R extends object>(path: string, body: object, options?: WriteOptions) => Promise<Written<R>>;
}

export function demonstrationOf({ get, write }: DemonstrationRequests): DemonstrationClient {
  return {
    status: (options) => get('/demonstration', {}, options),
    advance: (body, options) => write('/demonstration/advance', body, options),
    fault: (body, options) => write('/demonstration/faults', body, options),
  };
}
