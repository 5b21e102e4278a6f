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

/**
 * Whether a name that finds no order any more was one of this order: its `id`, or the `orderUniqueID` that a withdrawn
 * order keeps.
 * @param orderId of the order of a label
 */
export async function wasNameOf(
  { lists }: Pick<Store, 'lists'>,
  activity: string,
  name: string,
  orderId: string,
): Promise<boolean> {
  const text = readText(name);
  if (text === null || text === orderId) return text !== null;
  const [known] = await lists.find(order, [activity], 'id', orderId, ['orderUniqueID'], true);
  return known !== undefined && String(known.values[0]) === text;
}
