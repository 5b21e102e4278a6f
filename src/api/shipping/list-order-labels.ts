// The labels that were made for an order.
import type { Answer, Call, Handling } from '../../http/route.ts';
import { formatInstant } from '../../model/instant.ts';
import { singleParameters } from '../../model/parameters.ts';
import type { StoredLabel } from '../../store/labels.ts';
import type { Store } from '../../store/store.ts';
import { namedOrder } from '../order-path.ts';

/** The most labels of one answer. */
export const maxListedLabels = 100;

/**
 * `GET /orders/{orderId}/labels`: the newest labels that were made with this `orderId`, newest first.
 * @returns handler that throws Problem `resource-not-found`, `ambiguous-reference`, `unknown-parameter`
 */
export function listOrderLabels({ store }: { readonly store: Store }): Handling {
  const handle = async (call: Call): Promise<Answer> => {
    const activity = singleParameters(call.query, ['activityCode']).get('activityCode');
    const order = await namedOrder(store, call, activity);
    const labels = await store.labels.ofOrder(order.activity, order.id, maxListedLabels);
    const body = JSON.stringify(labels.map(published));
    return { status: 200, headers: { 'cache-control': 'no-store' }, body, type: null };
  };
  return { handle };
}

function published({ activity, context, carrier, expeditionNumber, nDossier, state, createdAt }: StoredLabel): object {
  return {
    ...{ activityCode: activity, context, carrier, expeditionNumber, nDossier },
    isVoid: state === 'voided',
    dateCreation: formatInstant(createdAt),
  };
}
