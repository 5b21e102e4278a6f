// Collects what a label has to declare to customs: from the order that the request names, its articles and the account.
import { declarationOf, linesToDeclare } from '../carriers/customs/declaration-of-order.ts';
import { customsReasons, isDeclared } from '../carriers/customs/rules.ts';
import { type JsonValue, textAt } from '../carriers/json.ts';
import type { CustomsDeclaration } from '../model/customs.ts';
import type { LabelRequest } from '../model/shipping.ts';
import { textBlock } from '../model/text-block.ts';
import { article, order } from '../resources/index.ts';
import type { OpenAccount } from './accounts.ts';
import type { Store } from '../store/store.ts';
import { errorsByField } from './carrier-problems.ts';
import { declaredBefore, declaresTheSame } from './declared-before.ts';
import { invalidLabel } from './label-request.ts';
import type { OrderOfLabel } from './order-of-label.ts';

/** The label whose goods have to be declared. */
export interface GoodsToDeclare {
  readonly opened: OpenAccount;
  readonly wanted: LabelRequest;
  /** The order that the request names. */
  readonly named: OrderOfLabel;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The longest order whose lines are read: parsing it delays all other requests. */
const maxOrderBytes = 4 * 1_048_576;

/**
 * The declaration; null when none is needed, or the carrier accepts none.
 * @throws Problem `validation-failed` with what is missing, by field of the request and of the order, or when another
 *   label has declared the goods
 * @throws CarrierError `configuration` when a setting of the account is missing
 */
export async function declareGoods(
  { lists, labels }: Pick<Store, 'lists' | 'labels'>,
  { opened, wanted, named, now }: GoodsToDeclare,
): Promise<CustomsDeclaration | null> {
  const { carrier, account, stored } = opened;
  if (carrier.customs === undefined || !isDeclared(wanted)) return null;
  const { orderId, orderUniqueId } = named;
  if (orderId === null || orderUniqueId === null)
    throw invalidLabel({
      orderId: [
        textBlock`
          orderId is needed: goods from ${wanted.expCountry} ${wanted.expZip} to ${wanted.destCountry} ${wanted.destZip}
          are declared to customs, from the lines of an order.
        `,
      ],
    });
  const earlier = (await labels.inForce(stored.activity, orderId)).find(declaresTheSame(wanted));
  if (earlier !== undefined) throw declaredBefore(earlier);
  const body = await readOrder(lists, stored.activity, orderUniqueId);
  const { maxLines } = carrier.customs;
  const lines = linesToDeclare(body);
  const references = new Set(lines.map(({ value }) => textAt(value, 'articleReference')));
  references.delete('');
  const { declaration, reasons } = declarationOf({
    order: body,
    articles: lines.length > maxLines ? new Map() : await readArticles(lists, stored.activity, [...references]),
    account,
    today: new Date(now).toISOString().slice(0, 10),
    maxLines,
  });
  const found = declaration === null ? reasons : customsReasons(carrier, declaration, wanted, account);
  if (found.length > 0) throw invalidLabel(errorsByField(found, ''));
  return declaration;
}

async function readOrder(lists: Store['lists'], activity: string, orderUniqueId: string): Promise<JsonValue> {
  const key = JSON.stringify([orderUniqueId]);
  for await (const bodies of lists.bodies(order, activity, [key])) {
    const body = bodies.get(key) ?? '';
    if (body.length <= maxOrderBytes) return JSON.parse(body);
    throw invalidLabel({ orderId: ['The order is too long to be declared to customs: it has more than 4 MiB.'] });
  }
  throw invalidLabel({ orderId: ['The order was withdrawn a moment ago.'] });
}

/** Reads what a declaration needs of each article, and releases the rest at once. */
async function readArticles(
  lists: Store['lists'],
  activity: string,
  references: readonly string[],
): Promise<ReadonlyMap<string, JsonValue>> {
  const articles = new Map<string, JsonValue>();
  const keys = references.map((reference) => JSON.stringify([reference]));
  for await (const bodies of lists.bodies(article, activity, keys))
    for (const [key, body] of bodies) {
      const [reference]: readonly string[] = JSON.parse(key);
      const value: JsonValue = JSON.parse(body);
      if (reference !== undefined) articles.set(reference, partsOf(value));
    }
  return articles;
}

function partsOf(value: JsonValue): JsonValue {
  const names = ['netWeightPerUVC', 'grossWeightPerUVC', 'customsCode', 'countryOfOriginCode'] as const;
  return Object.fromEntries(names.map((name) => [name, textAt(value, name)]));
}
