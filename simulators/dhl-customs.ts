// The customs declaration of a shipment as DHL's simulator accepts it, and where DHL requires one.
import { type JsonObject, type JsonValue, listAt, textAt, valueAt } from '../src/carriers/json.ts';
import { must, number, object, text } from './json-shape.ts';
import { samplePdf } from './sample-label.ts';

/** `Value`: 0 to 100,000. */
export const amount = object({
  currency: must(text(3, { pattern: /^[A-Z]{3}$/ })),
  value: must(number({ least: 0, most: 100_000 })),
});

/**
 * Source: DHL's description of "Parcel DE Shipping" 2.2 (`CustomsDetails`, `Commodity`), which Karrio keeps with its
 * connector dhl_parcel_de (vendors/parcel-de-shipping-v2_2.yaml).
 */
export const customsShape = object({
  invoiceNo: text(35),
  exportType: must(
    text(undefined, {
      choices: ['OTHER', 'PRESENT', 'COMMERCIAL_SAMPLE', 'DOCUMENT', 'RETURN_OF_GOODS', 'COMMERCIAL_GOODS'],
    }),
  ),
  exportDescription: text(80),
  shippingConditions: text(undefined, { choices: ['DAP', 'DDP'] }),
  permitNo: text(30),
  attestationNo: text(30),
  hasElectronicExportNotification: { kind: 'boolean' },
  MRN: text(18),
  postalCharges: must(amount),
  officeOfOrigin: text(35),
  shipperCustomsRef: text(35),
  consigneeCustomsRef: text(35),
  items: must({
    kind: 'list',
    of: object({
      itemDescription: must(text(256)),
      countryOfOrigin: text(3, { pattern: /^[A-Z]{3}$/ }),
      hsCode: text(11, { pattern: /^.{6,11}$/ }),
      packagedQuantity: must(number({ decimals: 0 })),
      itemValue: must(amount),
      itemWeight: must(
        object({
          uom: must(text(undefined, { choices: ['g', 'kg'] })),
          value: must(number({ least: 0, most: 31_500 })),
        }),
      ),
    }),
  }),
});

/** Countries of the European Union, and Monaco, in DHL's codes. */
const union: readonly string[] = [
  ...['DEU', 'AUT', 'BEL', 'BGR', 'CYP', 'CZE', 'DNK', 'EST', 'ESP', 'FIN', 'FRA', 'GRC', 'HRV', 'HUN', 'IRL', 'ITA'],
  ...['LTU', 'LUX', 'LVA', 'MCO', 'MLT', 'NLD', 'POL', 'PRT', 'ROU', 'SWE', 'SVN', 'SVK'],
];

/** The message on a wrong declaration of a shipment; null if nothing is wrong. */
export function customsFault(shipment: JsonValue): string | null {
  const customs = valueAt(shipment, 'customs');
  const items = listAt(customs, 'items');
  if (customs === undefined)
    return union.includes(textAt(shipment, 'consignee', 'country')) ? null : 'Customs information is required';
  if (items.length < 1 || items.length > 99) return 'There must be 1 to 99 items';
  if (textAt(customs, 'exportType') === 'OTHER' && textAt(customs, 'exportDescription') === '')
    return 'The description of the export is required';
  if (items.some((item) => !/^[1-9]\d*$/.test(textAt(item, 'packagedQuantity')))) return 'The quantity is not valid';
  // "The currency details of the individual goods items and the currency of the postal charges must match."
  const currency = textAt(customs, 'postalCharges', 'currency');
  if (items.some((item) => textAt(item, 'itemValue', 'currency') !== currency)) return 'The currencies must match';
  // "The attribute is exclusively used for the product Europaket (V54EPAK)."
  if (textAt(customs, 'shippingConditions') !== '' && textAt(shipment, 'product') !== 'V54EPAK')
    return 'Shipping conditions are for DHL Europaket only';
  const net = items.reduce<number>((sum, item) => sum + gramsOf(item), 0);
  return net > Number(textAt(shipment, 'details', 'weight', 'value')) ? 'The items weigh more than the shipment' : null;
}

/**
 * The message on wrong services beside a declaration; null if nothing is wrong. "Services are specific to products":
 * the table of services in Karrio's connector says which (`compatible_services`).
 */
export function servicesFault(shipment: JsonValue): string | null {
  const [product, services] = [textAt(shipment, 'product'), valueAt(shipment, 'services')];
  if (valueAt(services, 'additionalInsurance') !== undefined && product === 'V66WPI')
    return 'Additional insurance is not available for this product';
  return valueAt(services, 'postalDeliveryDutyPaid') !== undefined && product !== 'V53WPAK'
    ? 'Postal Delivered Duty Paid is not available for this product'
    : null;
}

/** The paper that comes with the label: CN23; for Warenpost International the label itself is the CN22. */
export function customsPapers(shipment: JsonValue, number: string): JsonObject {
  const paper = samplePdf(['Simulator for DHL', 'Customs declaration', number]).toString('base64');
  return valueAt(shipment, 'customs') === undefined || textAt(shipment, 'product') === 'V66WPI'
    ? {}
    : { customsDoc: { b64: paper, fileFormat: 'PDF', printFormat: 'A4' } };
}

function gramsOf(item: JsonValue): number {
  const factor = textAt(item, 'itemWeight', 'uom') === 'kg' ? 1000 : 1;
  return Number(textAt(item, 'packagedQuantity')) * Number(textAt(item, 'itemWeight', 'value')) * factor;
}
