// Finds the order named in the path of a request.
import type { Call } from '../http/route.ts';
import { readText } from '../model/filter-values.ts';
import { Problem } from '../model/problem.ts';
import { characters } from '../model/text.ts';
import { textBlock } from '../model/text-block.ts';
import { order } from '../resources/index.ts';
import type { Store } from '../store/store.ts';

/** Of an `id` or `orderUniqueID`. */
export const maxNameCharacters = 36;

/** An order that a path names. */
export interface TargetOrder {
  readonly activity: string;
  readonly id: string;
  readonly uniqueId: string | null;
}

/**
 * The order that the path names, among the client's activities: by `id`, else by `orderUniqueID` (decision D19).
 * @param activity the one to search; default: all activities of the client
 * @throws Problem `resource-not-found`, `ambiguous-reference`
 */
export async function namedOrder(store: Store, call: Call, activity: string | undefined): Promise<TargetOrder> {
  const activities = call.principal.activityCodes.filter((code) => activity === undefined || code === activity);
  const name = readText(call.params.orderId ?? '') ?? '';
  for (const field of name === '' || characters(name) > maxNameCharacters ? [] : ['id', 'orderUniqueID']) {
    const found = await store.lists.find(order, activities, field, name, ['id', 'orderUniqueID']);
    const [first] = found;
    if (first === undefined) continue;
    if (found.length === 1) return { activity: first.activity, ...identityOf(first.values) };
    const detail = textBlock`
      Several of your activities have an order ${name}: ${found.map(({ activity }) => activity).join(', ')}. Say which
      one with the parameter activityCode.
    `;
    throw new Problem('ambiguous-reference', detail, { errors: { orderId: [detail] } });
  }
  throw new Problem(
    'resource-not-found',
    textBlock`
      There is no order with this id or orderUniqueID ${placeOf(activities, activity)}. Its internalId and its
      customerOrderID do not name it here.
    `,
  );
}

/** Where an order was looked for. Another client's activity is answered like one that does not exist. */
function placeOf([code]: readonly string[], activity: string | undefined): string {
  if (activity === undefined) return 'among the activities of this token';
  return code === undefined ? 'here: activityCode names no activity of this token' : `in activity ${code}`;
}

function identityOf([id, uniqueId]: readonly unknown[]): Omit<TargetOrder, 'activity'> {
  if (typeof id !== 'string') throw new Error('a stored order has no id');
  return { id, uniqueId: typeof uniqueId === 'string' ? uniqueId : null };
}
