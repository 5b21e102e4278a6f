// Tells where a parcel is: the carrier's word, at most five minutes old, or its last one while it is away.
import { CarrierError } from '../../carriers/carrier.ts';
import type { Answer, Call, Route } from '../../http/route.ts';
import { compositeKey } from '../../model/composite-key.ts';
import { singleParameters } from '../../model/parameters.ts';
import { Problem } from '../../model/problem.ts';
import { findLabel, isMadeByOthers } from '../../store/labels.ts';
import { dropTracking, keepTracking, lastTracking } from '../../store/parcel-tracking.ts';
import { accountFinder, accountParameters, type OpenAccount } from './accounts.ts';
import { carrierProblem } from './carrier-problems.ts';
import type { LabelDependencies } from './create-label.ts';
import { expeditionOf, expeditionParameter, parcelTask } from './parcels.ts';
import { trackingExample } from './schemas.ts';
import { type AskUnlessUnknown, rememberUnknown } from './unknown-parcels.ts';

/** How long an answer counts as new, milliseconds (decision D29). */
const freshFor = 300_000;

/** `GET /shippings/tracking/{context}/{carrier}/{id}` (interface 4.14; decision D29). */
export function readTrackingRoute(dependencies: LabelDependencies): Route {
  return {
    method: 'GET',
    path: '/shippings/tracking/{context}/{carrier}/{id}',
    operationId: 'getTracking',
    summary: 'Track a parcel',
    access: 'token',
    rate: 'read',
    listOf: null,
    description:
      "Where a parcel is and how it came there (clause 4.14). The carrier's answer serves for five minutes; `Age` says how old it is. While the carrier is away, its last answer is given with 200 and an `Age` of more than 300; where there is none, 502 or 504. What the carrier does not know is 404, for which it is not asked again for a minute. `status` is `80` registered, `81` in process, `82` delivered, `83` anomaly; `date` and `hour` are those of the place.",
    produces: ['application/json', 'text/json', 'text/plain'],
    parameters: [...accountParameters, expeditionParameter],
    answers: { schema: 'Tracking', example: trackingExample },
    answerHeaders: { Age: { meaning: 'Seconds since the carrier was asked.', example: '42' } },
    refusals: { 502: ['carrier-unavailable'], 504: ['carrier-timeout'] },
    handle: readTracking(dependencies),
  };
}

/** What a carrier said of a parcel, and how old that is in milliseconds. */
interface Known {
  readonly tracking: string;
  readonly age: number;
}

/**
 * Makes the handler. Requests that come while the carrier is being asked for the same parcel share its answer.
 * @returns handler that throws Problem `resource-not-found`, `carrier-unavailable`, `carrier-timeout`
 */
export function readTracking(dependencies: LabelDependencies): (call: Call) => Promise<Answer> {
  const findAccount = accountFinder(dependencies);
  const running = new Map<string, Promise<Known>>();
  const askUnlessUnknown = rememberUnknown(dependencies.now);
  return async (call) => {
    singleParameters(call.query, []);
    const opened = await findAccount(call);
    const number = expeditionOf(call);
    const key = compositeKey(opened.stored.id, number);
    const asking =
      running.get(key) ?? known(dependencies, { opened, number, askUnlessUnknown }).finally(() => running.delete(key));
    running.set(key, asking);
    return trackingAnswer(await asking);
  };
}

interface Question {
  readonly opened: OpenAccount;
  readonly number: string;
  readonly askUnlessUnknown: AskUnlessUnknown;
}

/** The last answer while it is new, then the carrier's, else the last one again. */
async function known(dependencies: LabelDependencies, { opened, number, askUnlessUnknown }: Question): Promise<Known> {
  const {
    store: { db },
    now,
  } = dependencies;
  const last = await lastTracking(db, opened.stored.id, number);
  const age = last === null ? 0 : now() - last.fetchedAt;
  if (last !== null && age >= 0 && age < freshFor) return { tracking: last.tracking, age };
  try {
    return {
      tracking: await askUnlessUnknown(compositeKey(opened.stored.id, number), () => ask(dependencies, opened, number)),
      age: 0,
    };
  } catch (error) {
    const problem = carrierProblem(error, opened, dependencies);
    // What it said before is not its last word any more.
    if (last !== null && error instanceof CarrierError && error.kind === 'unknown')
      await dropTracking(db, opened.stored.id, number);
    if (last === null || !(error instanceof CarrierError) || error.kind === 'unknown') throw problem;
    return { tracking: last.tracking, age: Math.max(age, 0) };
  }
}

async function ask(
  dependencies: LabelDependencies,
  { carrier, account, stored }: OpenAccount,
  number: string,
): Promise<string> {
  const {
    store: { db },
    converse,
    now,
  } = dependencies;
  if (carrier.track === null)
    throw new Problem('resource-not-found', `${carrier.title} cannot be asked for tracking here.`);
  const label = await findLabel(db, stored, number);
  if (label === null && (await isMadeByOthers(db, stored, number)))
    throw new Problem('resource-not-found', 'There is no parcel with this number in this context.');
  const text = JSON.stringify(
    await converse(carrier.track(parcelTask(account, number, label, now())), carrier.origins(account)),
  );
  await keepTracking(db, stored.id, number, text, now());
  return text;
}

function trackingAnswer({ tracking, age }: Known): Answer {
  return {
    status: 200,
    headers: { 'Cache-Control': `private, max-age=${freshFor / 1000}`, Age: String(Math.floor(age / 1000)) },
    body: tracking,
    type: null,
  };
}
