// Customs declarations of DHL Paket, one for each shipment, in the form of "Parcel DE Shipping" v2.
import { amountText, type CustomsDeclaration, type GoodsCategory } from '../../model/customs.ts';
import type { Reason } from '../../model/record.ts';
import type { LabelRequest } from '../../model/shipping.ts';
import { shortDescription } from '../customs/goods-text.ts';
import { type CarrierCustoms, insuredFor } from '../customs/rules.ts';
import { type JsonObject, withoutEmpty } from '../json.ts';
import { alpha3 } from './countries.ts';
import { dhlModes } from './rules.ts';

const exportTypes: Readonly<Record<GoodsCategory, string>> = {
  sale: 'COMMERCIAL_GOODS',
  gift: 'PRESENT',
  sample: 'COMMERCIAL_SAMPLE',
  documents: 'DOCUMENT',
  return: 'RETURN_OF_GOODS',
  other: 'OTHER',
};

const maxDescription = 256;
const maxExportDescription = 80;
const maxReference = 35;
/** Of one amount, whatever the currency. */
const maxCents = 10_000_000;

/** Products that have the service `additionalInsurance`, by the table of services in Karrio's connector. */
const insurable: readonly string[] = ['V01PAK', 'V53WPAK', 'V54EPAK', 'V62KP'];

export const dhlCustoms = {
  maxLines: 99,
  singleParcel: true,
  terms: ['DAP', 'DDP'],
  insurance: { covers: (request) => insurable.includes(productOf(request)), most: () => maxCents, currency: 'EUR' },
  check: (customs, request) => [...dutyReasons(customs, request), ...amountReasons(customs)],
} as const satisfies CarrierCustoms;

/** The sender may pay the duties of parcels abroad and of Europaket only. */
function dutyReasons({ incoterm }: CustomsDeclaration, request: LabelRequest): readonly Reason[] {
  return incoterm !== 'DDP' || ['V53WPAK', 'V54EPAK'].includes(productOf(request))
    ? []
    : [
        {
          code: 'not-offered',
          pointer: '/orderId/incotrm',
          detail: `incotrm must not be DDP with modeLiv ${request.modeLiv}: there the recipient pays the duties.`,
        },
      ];
}

function amountReasons({ lines, shippingCents }: CustomsDeclaration): readonly Reason[] {
  const detail = `DHL takes no amount of more than ${amountText(maxCents)} in a declaration.`;
  const pointers = [
    ...lines.filter(({ unitCents }) => unitCents > maxCents).map(({ pointer }) => `${pointer}/unitPriceHT`),
    ...((shippingCents ?? 0) > maxCents ? ['/orderId/shippingCost'] : []),
  ];
  return pointers.map((pointer) => ({ code: 'out-of-range', pointer, detail }));
}

function productOf({ modeLiv }: LabelRequest): string {
  return dhlModes[modeLiv]?.product ?? modeLiv;
}

/** The services that a declaration requests: insurance, and duties paid by the sender. */
export function declaredServices(customs: CustomsDeclaration | undefined, request: LabelRequest): JsonObject {
  const insured = insuredFor(customs, dhlCustoms.insurance, request);
  const isDutyPaid = customs?.incoterm === 'DDP' && productOf(request) === 'V53WPAK';
  return {
    ...(insured > 0 ? { additionalInsurance: { currency: 'EUR', value: insured / 100 } } : {}),
    ...(isDutyPaid ? { postalDeliveryDutyPaid: true } : {}),
  };
}

/** The member `customs` of a shipment. Values and weights are per piece. */
export function declared(customs: CustomsDeclaration, request: LabelRequest): JsonObject {
  const { currency, lines } = customs;
  return withoutEmpty({
    invoiceNo: customs.invoiceNumber.slice(0, maxReference),
    exportType: exportTypes[customs.category],
    exportDescription: shortDescription(request.content || (lines[0]?.description ?? ''), maxExportDescription),
    // Only for Europaket, by the description; other products have a service instead.
    shippingConditions: productOf(request) === 'V54EPAK' ? customs.incoterm : '',
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
