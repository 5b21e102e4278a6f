// An order with lines that can be declared, for tests, and what becomes of it.
import { declarationOf } from '../../../src/carriers/customs/declaration-of-order.ts';
import { customsSettings } from '../../../src/carriers/customs/settings.ts';
import type { JsonObject, JsonValue } from '../../../src/carriers/json.ts';
import type { CustomsDeclaration, CustomsLine } from '../../../src/model/customs.ts';

export const shirt: JsonObject = {
  orderLineID: '1',
  articleReference: 'TEE-1',
  quantityToPrepare: 2,
  unitPriceHT: 20.83,
  articleNatureCN23: 'SALE',
  articleCN23CustomsCode: '6109.10.00',
  articleOriginCountry: 'PT',
  articleInsuredAmount: null,
  articleBLDesignation: 'T-shirt, cotton, été',
};

export const mug: JsonObject = {
  ...shirt,
  orderLineID: '2',
  articleReference: 'MUG-1',
  quantityToPrepare: 1,
  unitPriceHT: 7.5,
  articleCN23CustomsCode: '691200',
  articleOriginCountry: 'FR',
  articleBLDesignation: 'Mug, stoneware',
};

const declaredOrder: JsonObject = {
  orderUniqueID: 'WEB-1',
  customerOrderID: '100004711',
  customerInvoiceNumber: 'INV-7',
  invoiceIssuanceDate: '2026-11-20T08:12:50.000Z',
  paymentCurrency: 'EUR',
  shippingCost: 4.9,
  incotrm: 'DAP',
  orderEntries: [shirt, mug],
  orderSubOrders: [],
};

const articles = new Map<string, JsonValue>([
  ['TEE-1', { netWeightPerUVC: 0.18 }],
  ['MUG-1', { netWeightPerUVC: null, grossWeightPerUVC: 0.35 }],
]);

const defaults = Object.fromEntries(customsSettings.map(({ name, otherwise }) => [name, otherwise]));

/** What is read from an order, `declaredOrder` with changes. */
export function read(
  changes: JsonObject = {},
  settings: Readonly<Record<string, string>> = {},
  maxLines = 100,
  known: ReadonlyMap<string, JsonValue> = articles,
) {
  return declarationOf({
    order: { ...declaredOrder, ...changes },
    articles: known,
    account: { settings: { ...defaults, ...settings } },
    today: '2026-11-23',
    maxLines,
  });
}

/** The declaration of `declaredOrder`, with changes of its members. */
export function declarationWith(changes: Partial<CustomsDeclaration> = {}): CustomsDeclaration {
  const { declaration } = read();
  if (declaration === null) throw new Error('the order of the tests cannot be declared');
  return { ...declaration, ...changes };
}

/** The first line of that declaration, with changes. */
export function lineWith(changes: Partial<CustomsLine>): CustomsLine {
  const [line] = declarationWith().lines;
  if (line === undefined) throw new Error('the order of the tests has no line');
  return { ...line, ...changes };
}
