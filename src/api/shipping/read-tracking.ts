// Reports where a parcel is: the carrier's answer, at most five minutes old, or its last one while it is unavailable.
import { requireSettings } from '../../carriers/account-needs.ts';
import { CarrierError } from '../../carriers/carrier.ts';
import { tidyTracking } from '../../carriers/tracking-steps.ts';
import type { Answer, Call, Handling } from '../../http/route.ts';
import { compositeKey } from '../../model/composite-key.ts';
import { singleParameters } from '../../model/parameters.ts';
import { Problem } from '../../model/problem.ts';
import type { StoredLabel } from '../../store/labels.ts';
import { accountFinder, createAccountChooser, type OpenAccount } from '../../shipping/accounts.ts';
import { carrierProblem } from '../../shipping/carrier-problems.ts';
import type { LabelDependencies } from './create-label.ts';
import { expeditionOf, parcelTask } from '../../shipping/parcel-path.ts';
import { type NegativeCache, createNegativeCache } from './unknown-parcels.ts';

/** How long an answer counts as recent (decision D29). */
const freshMs = 300_000;

/** A carrier's answer about a parcel, and its age. */
interface KnownTracking {
  readonly tracking: string;
  readonly ageMs: number;
}

/**
 * Makes the handler. Requests that arrive while the carrier is being asked about the same parcel share its answer.
 * @returns handler that throws Problem `resource-not-found`, `carrier-unavailable`, `carrier-timeout`
 */
export function readTracking(dependencies: LabelDependencies): Handling {
  const findAccount = accountFinder(dependencies);
  const findAsker = createAccountChooser(dependencies);
  const running = new Map<string, Promise<KnownTracking>>();
  const askUnlessUnknown = createNegativeCache(dependencies.now);
  const handle = async (call: Call): Promise<Answer> => {
    singleParameters(call.query, []);
    const opened = await findAccount(call);
    const number = expeditionOf(call);
    const key = compositeKey(opened.stored.id, number);
    const asking =
      running.get(key) ??
      known(dependencies, { opened, number, findAsker, askUnlessUnknown }).finally(() => running.delete(key));
    running.set(key, asking);
    return trackingAnswer(await asking);
  };
  return { handle, asksCarrier: true };
}

interface Question {
  readonly opened: OpenAccount;
  readonly number: string;
  readonly findAsker: ReturnType<typeof createAccountChooser>;
  readonly askUnlessUnknown: NegativeCache;
}

/** The last answer if it is recent, otherwise the carrier's, otherwise the last one after all. */
async function known(
  dependencies: LabelDependencies,
  { opened, number, findAsker, askUnlessUnknown }: Question,
): Promise<KnownTracking> {
  const { store, now } = dependencies;
  const last = await store.tracking.last(opened.stored.id, number);
  const ageMs = last === null ? 0 : now() - last.fetchedAt;
  if (last !== null && ageMs >= 0 && ageMs < freshMs) return { tracking: last.tracking, ageMs };
  const label = await store.labels.find(opened.stored, number);
  const asker = await findAsker(opened, label, 'tracking');
  try {
    const tracking = await askUnlessUnknown(compositeKey(opened.stored.id, number), () =>
      ask(dependencies, asker, number, label),
    );
    await store.tracking.put({ accountId: opened.stored.id, expeditionNumber: number, tracking, fetchedAt: now() });
    return { tracking, ageMs: 0 };
  } catch (error) {
    const problem = carrierProblem(error, asker, dependencies);
    // The carrier no longer stands by its earlier answer.
    if (last !== null && error instanceof CarrierError && error.kind === 'unknown')
      await store.tracking.drop(opened.stored.id, number);
    if (last === null || !(error instanceof CarrierError) || error.kind === 'unknown') throw problem;
    return { tracking: last.tracking, ageMs: Math.max(ageMs, 0) };
  }
}

async function ask(
  dependencies: LabelDependencies,
  { carrier, account, stored }: OpenAccount,
  number: string,
  label: StoredLabel | null,
): Promise<string> {
  const { store, callCarrier, now } = dependencies;
  if (carrier.track === null)
    throw new Problem('resource-not-found', `${carrier.title} cannot be asked for tracking here.`);
  if (label === null && (await store.labels.isMadeByOthers(stored, number)))
    throw new Problem('resource-not-found', 'There is no parcel with this number in this activity.');
  requireSettings(carrier, account, 'tracking');
  // When parcel numbers are assigned here, all parcels of a shipment travel together.
  const asked = carrier.series === undefined ? number : (label?.expeditionNumber ?? number);
  const task = parcelTask(account, asked, label, now());
  return JSON.stringify(tidyTracking(await callCarrier(carrier.track(task), carrier.origins(account))));
}

function trackingAnswer({ tracking, ageMs }: KnownTracking): Answer {
  return {
    status: 200,
    headers: { 'Cache-Control': `private, max-age=${freshMs / 1000}`, Age: String(Math.floor(ageMs / 1000)) },
    body: tracking,
    type: null,
  };
}
