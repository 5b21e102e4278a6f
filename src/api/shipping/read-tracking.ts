// Tells where a parcel is: the carrier's word, at most five minutes old, or its last one while it is away.
import { CarrierError } from '../../carriers/carrier.ts';
import type { Answer, Call, Route } from '../../http/route.ts';
import { singleParameters } from '../../model/parameters.ts';
import { Problem } from '../../model/problem.ts';
import { findLabel, keepTracking, lastTracking } from '../../store/labels.ts';
import { accountFinder, accountParameters, type OpenAccount } from './accounts.ts';
import { carrierProblem } from './carrier-problems.ts';
import type { LabelDependencies } from './create-label.ts';
import { expeditionOf, expeditionParameter, parcelTask } from './parcels.ts';
import { trackingExample } from './schemas.ts';

/** How long an answer counts as new, milliseconds (decision D29). */
export const freshFor = 300_000;

/** `GET /shippings/tracking/{context}/{carrier}/{id}` (interface 4.14; decision D29). */
export function readTrackingRoute(dependencies: LabelDependencies): Route {
  return {
    method: 'GET', path: '/shippings/tracking/{context}/{carrier}/{id}', operationId: 'getTracking', summary: 'Track a parcel', access: 'token', rate: 'read', listOf: null,
    description: 'Where a parcel is and how it came there (clause 4.14). The carrier is asked at most every five minutes; `Age` says how old the answer is. While the carrier is away the last answer is given.',
    produces: ['application/json', 'text/json', 'text/plain'],
    parameters: [...accountParameters, expeditionParameter],
    answers: { schema: 'Tracking', example: trackingExample },
    answerHeaders: { Age: { meaning: 'Seconds since the carrier was asked.', example: '42' } },
    refusals: { 502: ['carrier-unavailable'], 504: ['carrier-timeout'] },
    handle: readTracking(dependencies),
  };
}

/**
 * Makes the handler. Requests that come while the carrier is being asked for the same parcel share its answer.
 * @returns handler that throws Problem `resource-not-found`, `carrier-unavailable`, `carrier-timeout`
 */
export function readTracking(dependencies: LabelDependencies): (call: Call) => Promise<Answer> {
  const findAccount = accountFinder(dependencies);
  const running = new Map<string, Promise<string>>();
  return async (call) => {
    singleParameters(call.query, []);
    const opened = await findAccount(call);
    const number = expeditionOf(call);
    const { store: { db }, now } = dependencies;
    const last = await lastTracking(db, opened.stored.id, number);
    const age = last === null ? Number.POSITIVE_INFINITY : now() - last.fetchedAt;
    if (last !== null && age >= 0 && age < freshFor) return trackingAnswer(last.tracking, age);
    const key = `${opened.stored.id} ${number}`;
    try {
      const asking = running.get(key) ?? ask(dependencies, opened, number).finally(() => running.delete(key));
      running.set(key, asking);
      return trackingAnswer(await asking, 0);
    } catch (error) {
      if (last !== null && error instanceof CarrierError && error.kind !== 'unknown') return trackingAnswer(last.tracking, age);
      throw error instanceof CarrierError ? carrierProblem(error) : error;
    }
  };
}

async function ask(dependencies: LabelDependencies, { carrier, account, stored }: OpenAccount, number: string): Promise<string> {
  const { store: { db }, converse, now } = dependencies;
  if (carrier.track === null) throw new Problem('resource-not-found', `${carrier.title} cannot be asked for tracking here.`);
  const label = await findLabel(db, stored.owner, stored.id, number);
  const tracking = await converse(carrier.track(parcelTask(account, number, label, now())), carrier.origins(account));
  const text = JSON.stringify(tracking);
  await keepTracking(db, stored.id, number, text, now());
  return text;
}

function trackingAnswer(body: string, age: number): Answer {
  const seconds = Math.floor(age / 1000);
  return { status: 200, headers: { 'Cache-Control': `private, max-age=${Math.max(freshFor / 1000 - seconds, 0)}`, Age: String(seconds) }, body, type: null };
}
