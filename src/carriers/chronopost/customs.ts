// Customs declarations of Chronopost: `customsValue` of a shipment, a declaration for its parcel.
import { amountText, type CustomsDeclaration, goodsCents } from '../../model/customs.ts';
import { plainAscii, shortDescription } from '../customs/goods-text.ts';
import type { CarrierCustoms } from '../customs/rules.ts';
import { elementsOf } from '../soap.ts';
import { xml, type XmlPart } from '../xml/write.ts';

/**
 * No length is published for this either: it is the length of a parcel's contents, which the schema has in five parts.
 */
const maxContent = 45;

/** Shop2Shop products, which have no insurance (`ad valorem`) in Chronopost's own modules. */
const uninsured: readonly string[] = ['5X', '6B'];

/** Chronopost's own modules insure in euros. */
export const chronopostCustoms = {
  // No number is published.
  maxLines: 99,
  paper: 'invoice',
  singleParcel: true,
  printed: plainAscii,
  insurance: { covers: ({ modeLiv }) => !uninsured.includes(modeLiv), currency: 'EUR' },
} as const satisfies CarrierCustoms;

/** The element of a declaration, its members in the schema's order; values and weights are totals of all pieces. */
export function declared(customs: CustomsDeclaration): XmlPart {
  const articles = customs.lines.map((line, index) =>
    xml(
      'articlesValue',
      elementsOf({
        content: contentOf(line.description),
        hscode: line.hsCode,
        netWeight: ((line.unitGrams * line.quantity) / 1000).toFixed(3),
        origin: line.originCountry,
        position: String(index + 1),
        quantity: String(line.quantity),
        value: amountText(line.unitCents * line.quantity),
      }),
    ),
  );
  const { currency, eori, incoterm, lines, vatNumber } = customs;
  return xml('customsValue', [
    ...articles,
    ...elementsOf({
      currency,
      description: contentOf(lines[0]?.description ?? ''),
      eori,
      incoterm,
      numberOfItems: String(lines.reduce((sum, { quantity }) => sum + quantity, 0)),
      value: amountText(goodsCents(customs)),
      vatNumber,
    }),
  ]);
}

function contentOf(description: string): string {
  return shortDescription(plainAscii(description), maxContent);
}
