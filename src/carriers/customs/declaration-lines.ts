// Reads one line of a declaration from the line of the order, and from its article what the line lacks.
import type { ReasonCode } from '../../model/reason-codes.ts';
import { type CustomsLine, type GoodsCategory, goodsCategories } from '../../model/customs.ts';
import type { Reason } from '../../model/record.ts';
import { isCountry } from '../../model/standards.ts';
import { textBlock } from '../../model/text-block.ts';
import { type JsonValue, textAt } from '../json.ts';

/** A line of an order that has to be declared, and its position. */
export interface OrderLine {
  readonly pointer: string;
  readonly value: JsonValue;
}

interface ReadLine {
  /** Null if something is missing. */
  readonly line: CustomsLine | null;
  readonly reasons: readonly Reason[];
}

/** A value, or what is wrong with the field that should hold it. */
type Read<T> = { readonly value: T } | { readonly field: string; readonly code: ReasonCode; readonly detail: string };

/** Most pieces of a line, and most hundredths of a currency for one piece: sums of thousands of lines stay exact. */
const maxQuantity = 1_000_000;
const maxUnitCents = 10_000_000_000;
const maxUnitGrams = 10_000_000;

/** @param article undefined if the warehouse has no such article */
export function customsLine({ pointer, value }: OrderLine, article: JsonValue | undefined): ReadLine {
  const read = {
    description: descriptionOf(value),
    quantity: quantityOf(value),
    unitCents: unitCentsOf(value),
    unitGrams: unitGramsOf(article),
    hsCode: hsCodeOf(value, article),
    originCountry: originOf(value, article),
    insuredCents: insuredOf(textAt(value, 'articleInsuredAmount')),
  };
  const reasons = Object.values(read).flatMap((one) =>
    'value' in one ? [] : [{ code: one.code, pointer: `${pointer}/${one.field}`, detail: one.detail }],
  );
  const { description, quantity, unitCents, unitGrams, hsCode, originCountry, insuredCents } = read;
  const line =
    'value' in description &&
    'value' in quantity &&
    'value' in unitCents &&
    'value' in unitGrams &&
    'value' in hsCode &&
    'value' in originCountry &&
    'value' in insuredCents
      ? {
          pointer,
          reference: textAt(value, 'articleReference'),
          description: description.value,
          quantity: quantity.value,
          unitCents: unitCents.value,
          unitGrams: unitGrams.value,
          unitGrossGrams: Math.max(unitGrams.value, gramsIn(textAt(article, 'grossWeightPerUVC'))),
          hsCode: hsCode.value,
          originCountry: originCountry.value,
          insuredCents: insuredCents.value,
        }
      : null;
  return { line, reasons };
}

/** The currency that an insured amount names, such as USD in "12.50 USD"; null if it names none. */
export function insuredCurrencyOf(text: string): string | null {
  const [, before, behind] = /^([A-Z]{3})\s*\d|\d\s*([A-Z]{3})$/.exec(text.toUpperCase()) ?? [];
  return before ?? behind ?? null;
}

/** A category of goods by its name, in any case; null for any other text, which describes the goods. */
export function namedCategory(nature: string): GoodsCategory | null {
  return goodsCategories.find((category) => category === nature.toLowerCase()) ?? null;
}

/** The description of the goods: their nature, unless that is a category, else their name on the delivery note. */
function descriptionOf(line: JsonValue): Read<string> {
  const nature = textAt(line, 'articleNatureCN23');
  const description = (namedCategory(nature) === null ? nature : '') || textAt(line, 'articleBLDesignation');
  return /\p{L}.*\p{L}.*\p{L}/su.test(description)
    ? { value: description.replaceAll(/\s+/gu, ' ') }
    : {
        field: 'articleBLDesignation',
        code: 'required',
        detail: textBlock`
          The line does not say in words what the goods are: customs want articleBLDesignation, or articleNatureCN23.
        `,
      };
}

function quantityOf(line: JsonValue): Read<number> {
  const text = textAt(line, 'quantityToPrepare');
  const quantity = Number(text);
  return text !== '' && Number.isInteger(quantity) && quantity > 0 && quantity <= maxQuantity
    ? { value: quantity }
    : {
        field: 'quantityToPrepare',
        code: text === '' ? 'required' : 'out-of-range',
        detail: `quantityToPrepare must be a whole number of pieces from 1 to ${maxQuantity} for customs.`,
      };
}

function unitCentsOf(line: JsonValue): Read<number> {
  const text = textAt(line, 'unitPriceHT');
  const cents = Math.round(Number(text) * 100);
  return text !== '' && cents >= 1 && cents <= maxUnitCents
    ? { value: cents }
    : {
        field: 'unitPriceHT',
        code: text === '' ? 'required' : 'out-of-range',
        detail: textBlock`
          unitPriceHT, the price of one piece without tax, must be at least 0.01 for customs, who want a value of what
          is given away too.
        `,
      };
}

/** The order has no weights: those of the article are used, in kilograms. */
function unitGramsOf(article: JsonValue | undefined): Read<number> {
  const text = textAt(article, 'netWeightPerUVC') || textAt(article, 'grossWeightPerUVC');
  const grams = gramsIn(text);
  if (grams > 0) return { value: grams };
  const detail =
    article === undefined
      ? 'The warehouse has no article of this articleReference, and so no weight of it, which customs want.'
      : 'The article has no netWeightPerUVC, the weight of one piece in kilograms, which customs want.';
  return { field: 'articleReference', code: 'required', detail };
}

/** A weight given in kilograms, as grams, at least 1; 0 if the text is no weight that goods can have. */
function gramsIn(text: string): number {
  const kilograms = Number(text);
  const grams = Math.max(1, Math.round(kilograms * 1000));
  return text !== '' && kilograms > 0 && grams <= maxUnitGrams ? grams : 0;
}

function hsCodeOf(line: JsonValue, article: JsonValue | undefined): Read<string> {
  const text = textAt(line, 'articleCN23CustomsCode') || textAt(article, 'customsCode');
  const digits = text.replaceAll(/[\s.]/gu, '');
  return /^\d{6,10}$/.test(digits)
    ? { value: digits }
    : {
        field: 'articleCN23CustomsCode',
        code: text === '' ? 'required' : 'wrong-format',
        detail: 'articleCN23CustomsCode must be a customs code of 6 to 10 digits (Harmonized System), such as 610910.',
      };
}

function originOf(line: JsonValue, article: JsonValue | undefined): Read<string> {
  const text = textAt(line, 'articleOriginCountry') || textAt(article, 'countryOfOriginCode');
  const country = text.toUpperCase();
  return isCountry(country)
    ? { value: country }
    : {
        field: 'articleOriginCountry',
        code: text === '' ? 'required' : 'wrong-format',
        detail: 'articleOriginCountry must be the country where the goods were made, two letters (ISO 3166-1).',
      };
}

/** An amount as text, with a point or a comma, with or without a currency: `12.50`, `1250,00 EUR`. */
function insuredOf(text: string): Read<number> {
  if (text === '') return { value: 0 };
  const [, amount] = /^(?:[A-Z]{3}\s*)?(\d{1,9}(?:[.,]\d{1,2})?)(?:\s*[A-Z]{3})?$/i.exec(text) ?? [];
  return amount === undefined
    ? {
        field: 'articleInsuredAmount',
        code: 'wrong-format',
        detail: 'articleInsuredAmount must be an amount with at most two decimals, such as 12.50.',
      }
    : { value: Math.round(Number(amount.replace(',', '.')) * 100) };
}
