// The order that a label request names, from which its goods are declared.
import { readText } from '../model/filter-values.ts';
import { Problem } from '../model/problem.ts';
import { characters } from '../model/text.ts';
import { order } from '../resources/index.ts';
import type { Store } from '../store/store.ts';

/** Of an `id` or `orderUniqueID`. */
const maxNameCharacters = 36;

/** The order that a request names, with both of its identifiers. */
export interface OrderOfLabel {
  readonly orderId: string | null;
  readonly orderUniqueId: string | null;
}

/**
 * Finds the order that a request names.
 * @param name an `id` or `orderUniqueID`; undefined: none is named
 * @throws Problem `resource-not-found`
 */
export async function orderOfLabel(
  { lists }: Pick<Store, 'lists'>,
  activity: string,
  name: string | undefined,
): Promise<OrderOfLabel> {
  if (name === undefined) return { orderId: null, orderUniqueId: null };
  const text = readText(name) ?? '';
  for (const field of text === '' || characters(text) > maxNameCharacters ? [] : ['id', 'orderUniqueID']) {
    const [found] = await lists.find(order, [activity], field, text, ['id', 'orderUniqueID']);
    if (found !== undefined) return { orderId: String(found.values[0]), orderUniqueId: String(found.values[1]) };
  }
  throw new Problem('resource-not-found', 'There is no order with this orderId in the activity of the context.');
}
