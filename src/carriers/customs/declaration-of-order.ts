// Reads the declaration of a shipment from the records of its order and articles, and names every missing field.
import {
  type CustomsDeclaration,
  type CustomsLine,
  type GoodsCategory,
  goodsCategories,
  incoterms,
  insuredCents,
} from '../../model/customs.ts';
import type { Reason } from '../../model/record.ts';
import { textBlock } from '../../model/text-block.ts';
import type { CarrierAccount } from '../carrier.ts';
import { type JsonValue, listAt, textAt } from '../json.ts';
import { customsLine, insuredCurrencyOf, namedCategory, type OrderLine } from './declaration-lines.ts';

/** What a declaration is read from. */
interface DeclarationSource {
  /** The order, as clients read it. */
  readonly order: JsonValue;
  /** Articles by reference, as clients read them. */
  readonly articles: ReadonlyMap<string, JsonValue>;
  readonly account: CarrierAccount;
  /** Day of the shipment, YYYY-MM-DD: the invoice date if the order has none. */
  readonly today: string;
  /** Most lines that the carrier accepts. */
  readonly maxLines: number;
}

type ReadDeclaration =
  | { readonly declaration: CustomsDeclaration; readonly reasons: readonly [] }
  | { readonly declaration: null; readonly reasons: readonly Reason[] };

/** Most reasons reported for one order: it may have thousands of lines, with several faults each. */
const maxReasons = 50;

/** Goods of an order: its lines, else those of its sub-orders, of which something is to be prepared. */
export function linesToDeclare(order: JsonValue): readonly OrderLine[] {
  const own = listAt(order, 'orderEntries').map((value, index) => ({
    pointer: `/orderId/orderEntries/${index}`,
    value,
  }));
  const all =
    own.length > 0
      ? own
      : listAt(order, 'orderSubOrders').flatMap((sub, at) =>
          listAt(sub, 'orderEntries').map((value, index) => ({
            pointer: `/orderId/orderSubOrders/${at}/orderEntries/${index}`,
            value,
          })),
        );
  // A line of which nothing is prepared is not in the parcel.
  return all.filter(({ value }) => Number(textAt(value, 'quantityToPrepare')) !== 0 || !hasQuantity(value));
}

/** Reads a declaration, with everything that is wrong with it, up to a limit. */
export function declarationOf(source: DeclarationSource): ReadDeclaration {
  const { order, articles, account, maxLines } = source;
  const found = linesToDeclare(order);
  const tooMany = lineCountReasons(found.length, maxLines);
  if (tooMany.length > 0) return { declaration: null, reasons: tooMany };
  const currency = textAt(order, 'paymentCurrency');
  const read = found.map((line) => customsLine(line, articles.get(textAt(line.value, 'articleReference'))));
  const category = categoryOf(found, account);
  const incoterm = textAt(order, 'incotrm') || presetIncoterm(account);
  const reasons = [
    ...currencyReasons(currency, found),
    ...incotermReasons(incoterm),
    ...read.flatMap((line) => line.reasons),
    ...category.reasons,
  ];
  if (reasons.length > 0) return { declaration: null, reasons: bounded(reasons) };
  const lines = read.flatMap(({ line }) => (line === null ? [] : [line]));
  const declaration = {
    category: category.value,
    currency,
    incoterm,
    ...invoiceOf(order, source.today),
    shippingCents: centsOrNull(textAt(order, 'shippingCost')),
    eori: account.settings.eori ?? '',
    ioss: account.settings.ioss ?? '',
    vatNumber: account.settings.vatNumber ?? '',
    toCompany: textAt(order, 'deliveryAddressCompany') !== '',
    lines: merged(lines),
  };
  return { declaration, reasons: [] };
}

/** The account's setting; GLS has codes of its own there, which are not Incoterms. */
function presetIncoterm({ settings }: CarrierAccount): string {
  return incoterms.find((one) => one === settings.incoterm) ?? '';
}

function hasQuantity(value: JsonValue): boolean {
  return textAt(value, 'quantityToPrepare') !== '';
}

function lineCountReasons(count: number, maxLines: number): readonly Reason[] {
  const pointer = '/orderId/orderEntries';
  if (count === 0)
    return [
      {
        code: 'required',
        pointer,
        detail: 'The order has no line with a quantity to prepare, so that there is nothing to declare to customs.',
      },
    ];
  return count <= maxLines
    ? []
    : [
        {
          code: 'too-many',
          pointer,
          detail: textBlock`
            The order has ${count} lines to declare to customs; the carrier takes ${maxLines}. Send it in several
            parcels, each with an order of its own.
          `,
        },
      ];
}

function currencyReasons(currency: string, lines: readonly OrderLine[]): readonly Reason[] {
  if (!/^[A-Z]{3}$/.test(currency))
    return [
      {
        code: currency === '' ? 'required' : 'wrong-format',
        pointer: '/orderId/paymentCurrency',
        detail: 'paymentCurrency of the order must be the three letters of a currency (ISO 4217), such as EUR.',
      },
    ];
  return lines.flatMap(({ pointer, value }) => {
    const other = insuredCurrencyOf(textAt(value, 'articleInsuredAmount'));
    return other === null || other === currency
      ? []
      : [
          {
            code: 'wrong-currency',
            pointer: `${pointer}/articleInsuredAmount`,
            detail: textBlock`
              articleInsuredAmount is in ${other}, the order in ${currency}: a declaration has one currency.
            `,
          },
        ];
  });
}

function incotermReasons(incoterm: string): readonly Reason[] {
  const isKnown = incoterms.some((one) => one === incoterm);
  return isKnown || incoterm === ''
    ? []
    : [
        {
          code: 'unknown-code',
          pointer: '/orderId/incotrm',
          detail: `incotrm of the order must be one of ${incoterms.join(', ')}.`,
        },
      ];
}

/** The category that the lines name in `articleNatureCN23`, else the account's. */
function categoryOf(
  lines: readonly OrderLine[],
  { settings }: CarrierAccount,
): { readonly value: GoodsCategory; readonly reasons: readonly Reason[] } {
  const named = lines.flatMap(({ pointer, value }) => {
    const category = namedCategory(textAt(value, 'articleNatureCN23'));
    return category === null ? [] : [{ pointer, category }];
  });
  const [first] = named;
  const other = named.find(({ category }) => category !== first?.category);
  const preset = goodsCategories.find((category) => category === settings.goodsCategory) ?? 'sale';
  if (first === undefined || other === undefined) return { value: first?.category ?? preset, reasons: [] };
  const detail = textBlock`
    articleNatureCN23 says ${other.category} here and ${first.category} before: a declaration has one category of goods.
  `;
  return {
    value: first.category,
    reasons: [{ code: 'conflict', pointer: `${other.pointer}/articleNatureCN23`, detail }],
  };
}

function invoiceOf(order: JsonValue, today: string): Pick<CustomsDeclaration, 'invoiceNumber' | 'invoiceDate'> {
  const issued = textAt(order, 'invoiceIssuanceDate').slice(0, 10);
  return {
    invoiceNumber:
      textAt(order, 'customerInvoiceNumber') || textAt(order, 'customerOrderID') || textAt(order, 'orderUniqueID'),
    invoiceDate: /^\d{4}-\d\d-\d\d$/.test(issued) ? issued : today,
  };
}

function centsOrNull(text: string): number | null {
  const amount = Number(text);
  return text === '' || !Number.isFinite(amount) || amount < 0 ? null : Math.round(amount * 100);
}

/** Merges lines that differ only in their quantities. */
function merged(lines: readonly CustomsLine[]): readonly CustomsLine[] {
  const byGoods = Map.groupBy(lines, ({ pointer: _p, quantity: _q, insuredCents: _i, ...goods }) =>
    JSON.stringify(goods),
  );
  return [...byGoods.values()].flatMap((alike) =>
    alike.slice(0, 1).map((first) => ({
      ...first,
      quantity: alike.reduce((sum, { quantity }) => sum + quantity, 0),
      insuredCents: insuredCents({ lines: alike }),
    })),
  );
}

function bounded(reasons: readonly Reason[]): readonly Reason[] {
  if (reasons.length <= maxReasons) return reasons;
  const rest = reasons.length - maxReasons;
  return [
    ...reasons.slice(0, maxReasons),
    { code: 'more', pointer: '/orderId', detail: `There are ${rest} more faults of this kind in the order.` },
  ];
}
