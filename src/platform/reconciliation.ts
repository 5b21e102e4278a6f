// The reconciliation over HTTP: whether the stock images of an activity agree with its movements.
import type { Answer, Call } from '../http/route.ts';
import { invalidParameter, readChoice, readInstant, singleParameters } from '../model/parameters.ts';
import type { Store } from '../store/store.ts';
import { reconcile } from './reconcile.ts';

/** Its query parameters. */
export const reconciliationParameters = ['activity', 'from', 'to', 'after', 'all'] as const;

/** @throws Problem `invalid-parameter`, `unknown-parameter`, `resource-not-found`, those of long reads */
export function readReconciliation({ store }: { readonly store: Store }): (call: Call) => Promise<Answer> {
  return async (call) => {
    const given = singleParameters(call.query, reconciliationParameters);
    const activity = given.get('activity');
    if (activity === undefined || !call.principal.activityCodes.includes(activity))
      return invalidParameter('activity', "Parameter 'activity': expected an activity that this key opens.");
    const from = readInstant('from', given.get('from')) ?? missing('from');
    const to = readInstant('to', given.get('to')) ?? missing('to');
    const after = given.get('after') ?? null;
    const all = readChoice('all', given.get('all'), ['true', 'false'], 'false') === 'true';
    const reader = { client: call.principal.clientId, gone: call.gone };
    const body = JSON.stringify(await reconcile(store, { activity, from, to, after, all }, reader));
    return { status: 200, headers: { 'cache-control': 'no-store' }, body, type: null };
  };
}

function missing(name: string): never {
  return invalidParameter(name, `Parameter '${name}': expected a day or date-time.`);
}
