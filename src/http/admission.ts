// Decides when the work of a request may begin: turns go round the clients, and requests that would wait too long are
// refused.
import { type AdmissionLimits, createLanes, workLanes } from './admission-lanes.ts';
import type { Shed } from './load-shedding.ts';
import { RequestTurn, type Turn, type Waiting, type RequestKind } from './request-turn.ts';

export interface Admission {
  /**
   * Why a request is not admitted at all: asked as soon as its client is known, before any work for it. If there are
   * too many requests in total, clients with fewer than others are still admitted.
   * @param costKey whom the request counts for: a person, client or key
   * @returns null if it is admitted
   */
  readonly refusalOf: (costKey: string) => Shed | null;
  /** False: so few requests are open that none is refused, whoever its client is. */
  readonly mayRefuse: () => boolean;
  /**
   * Whether the overload is over, so that requests that were held back can be served: fewer are open than there are
   * places for reads, so that nobody waits for one, and this client has less than half of its limit open.
   */
  readonly isCalm: (costKey: string) => boolean;
  readonly turnOf: (kind: RequestKind, costKey: string, waiting: Waiting) => Turn;
  readonly counts: () => { readonly running: number; readonly waiting: number };
}

/** @param connections how many connections the server has accepted so far */
export function createAdmission(limits: AdmissionLimits, connections: () => number = () => 0): Admission {
  const shared = createLanes(limits, connections);
  const { lanes } = shared;
  return {
    refusalOf: shared.refusalOf,
    mayRefuse: shared.mayRefuse,
    isCalm: shared.isCalm,
    turnOf: (kind, costKey, waiting) => new RequestTurn(shared, kind, costKey, waiting),
    counts: () => {
      let [running, waiting] = [0, 0];
      for (const lane of workLanes) {
        const counts = lanes[lane].counts();
        running += counts.running;
        waiting += counts.waiting;
      }
      return { running, waiting };
    },
  };
}
