// Customs declarations of Chronopost: `customsValue` of a shipment, a declaration for its parcel.
import { amountText, type CustomsDeclaration, goodsCents } from '../../model/customs.ts';
import type { Reason } from '../../model/record.ts';
import type { LabelRequest } from '../../model/shipping.ts';
import type { CarrierAccount } from '../carrier.ts';
import {
  declarationReasons,
  plainAscii,
  shortDescription,
  singleParcel,
  unprintedGoods,
} from '../customs/carrier-customs.ts';
import { elementsOf } from '../soap.ts';
import { xml, type XmlPart } from '../xml/write.ts';

/** No number is published. */
export const maxLines = 99;

/** No length is published either: that of the contents of a parcel, which the schema has in five parts. */
const maxContent = 45;

/** What Chronopost's own rules find wrong with a declaration. */
export function customsReasons(
  customs: CustomsDeclaration,
  request: LabelRequest,
  account: CarrierAccount,
): readonly Reason[] {
  return [
    ...declarationReasons(customs, request, account),
    ...singleParcel(request, 'Chronopost'),
    ...unprintedGoods(customs, plainAscii, 'Chronopost'),
  ];
}

/** The element of a declaration, its members in the order of the schema; values and weights are those of all pieces. */
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
