// Customs declarations of DHL Paket, one for each shipment, as "Parcel DE Shipping" v2 has them.
import type { CustomsDeclaration, GoodsCategory } from '../../model/customs.ts';
import type { Reason } from '../../model/record.ts';
import type { LabelRequest } from '../../model/shipping.ts';
import type { CarrierAccount } from '../carrier.ts';
import { declarationReasons, shortDescription, singleParcel, termReasons } from '../customs/carrier-customs.ts';
import { type JsonObject, withoutEmpty } from '../json.ts';
import { alpha3 } from './countries.ts';

/** Most items of a declaration. */
export const maxLines = 99;

const exportTypes: Readonly<Record<GoodsCategory, string>> = {
  sale: 'COMMERCIAL_GOODS',
  gift: 'PRESENT',
  sample: 'COMMERCIAL_SAMPLE',
  documents: 'DOCUMENT',
  return: 'RETURN_OF_GOODS',
  other: 'OTHER',
};

/** The terms of trade that DHL has of those of the ICC. */
const conditions: readonly string[] = ['DAP', 'DDP'];
const maxDescription = 256;
const maxExportDescription = 80;
const maxReference = 35;

/** What DHL's own rules find wrong with a declaration. */
export function customsReasons(
  customs: CustomsDeclaration,
  request: LabelRequest,
  account: CarrierAccount,
): readonly Reason[] {
  return [
    ...declarationReasons(customs, request, account),
    ...singleParcel(request, 'DHL'),
    ...termReasons(
      conditions.includes(customs.incoterm),
      `incotrm must be ${conditions.join(' or ')}: DHL has no other terms for parcels.`,
    ),
  ];
}

/** The member `customs` of a shipment. Values and weights are those of one piece. */
export function declared(customs: CustomsDeclaration, request: LabelRequest): JsonObject {
  const { currency, lines } = customs;
  return withoutEmpty({
    invoiceNo: customs.invoiceNumber.slice(0, maxReference),
    exportType: exportTypes[customs.category],
    exportDescription: shortDescription(request.content || (lines[0]?.description ?? ''), maxExportDescription),
    shippingConditions: customs.incoterm,
    postalCharges: { currency, value: (customs.shippingCents ?? 0) / 100 },
    shipperCustomsRef: customs.eori,
    items: lines.map((line) =>
      withoutEmpty({
        itemDescription: shortDescription(line.description, maxDescription),
        countryOfOrigin: alpha3(line.originCountry) ?? undefined,
        hsCode: line.hsCode,
        packagedQuantity: line.quantity,
        itemValue: { currency, value: line.unitCents / 100 },
        itemWeight: { uom: 'g', value: line.unitGrams },
      }),
    ),
  });
}
