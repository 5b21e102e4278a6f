// In charge of the demonstration warehouse on the platform interface: its clock and its faults.
import type { PlatformRequests } from './administration.ts';
import type { CallOptions } from './transport.ts';
import type { Demonstration, DemonstrationAdvance, DemonstrationFault, PlatformBodyOf } from './types.ts';

/** The demonstration; a service that has none answers 404 to all of it. */
export interface DemonstrationClient {
  readonly status: (options?: CallOptions) => Promise<Demonstration>;
  /** Has its clock set forward, once more each time; `status` says how far that is. */
  readonly advance: (
    body: PlatformBodyOf<'advanceDemonstration'>,
    options?: CallOptions,
  ) => Promise<DemonstrationAdvance>;
  /** Lets one thing go wrong, once, at the next fitting moment. */
  readonly fault: (body: PlatformBodyOf<'askDemonstrationFault'>, options?: CallOptions) => Promise<DemonstrationFault>;
}

export function demonstrationOf({ get, post }: PlatformRequests): DemonstrationClient {
  return {
    status: (options) => get('/demonstration', {}, options),
    advance: (body, options) => post('/demonstration/advance', { body }, options),
    fault: (body, options) => post('/demonstration/faults', { body }, options),
  };
}
