// The customs declaration of a shipment as DHL's simulator takes it, and where DHL wants one.
import { type JsonObject, type JsonValue, listAt, textAt, valueAt } from '../src/carriers/json.ts';
import { must, object, text } from './json-shape.ts';
import { samplePdf } from './sample-label.ts';

const amount = object({ currency: must(text(3, { pattern: /^[A-Z]{3}$/ })), value: must({ kind: 'number' }) });

/**
 * Source: the description of "Parcel DE Shipping" v2 (`customs`), as the PHP client of its generated SDK builds it
 * (postal charges, and value and weight of each item, have to be there), and a request of Karrio's tests
 * (dhl_parcel_de, test_create_intl_shipment_request), which writes origins with three letters.
 */
export const customsShape = object({
  invoiceNo: text(35),
  exportType: must(
    text(undefined, {
      choices: ['OTHER', 'PRESENT', 'COMMERCIAL_SAMPLE', 'DOCUMENT', 'RETURN_OF_GOODS', 'COMMERCIAL_GOODS'],
    }),
  ),
  exportDescription: text(80),
  shippingConditions: text(undefined, { choices: ['DDU', 'DAP', 'DDX', 'DDP'] }),
  permitNo: text(30),
  attestationNo: text(35),
  postalCharges: must(amount),
  officeOfOrigin: text(35),
  shipperCustomsRef: text(35),
  consigneeCustomsRef: text(35),
  items: must({
    kind: 'list',
    of: object({
      itemDescription: must(text(256)),
      countryOfOrigin: text(3, { pattern: /^[A-Z]{3}$/ }),
      hsCode: text(11, { pattern: /^\d{6,11}$/ }),
      packagedQuantity: must({ kind: 'number' }),
      itemValue: must(amount),
      itemWeight: must(
        object({ uom: must(text(undefined, { choices: ['g', 'kg'] })), value: must({ kind: 'number' }) }),
      ),
    }),
  }),
});

/** Countries of the European Union, with Monaco, as DHL writes them. */
const union: readonly string[] = [
  ...['DEU', 'AUT', 'BEL', 'BGR', 'CYP', 'CZE', 'DNK', 'EST', 'ESP', 'FIN', 'FRA', 'GRC', 'HRV', 'HUN', 'IRL', 'ITA'],
  ...['LTU', 'LUX', 'LVA', 'MCO', 'MLT', 'NLD', 'POL', 'PRT', 'ROU', 'SWE', 'SVN', 'SVK'],
];

/** The wording of what is wrong with the declaration of a shipment; null where nothing is. */
export function customsFault(shipment: JsonValue): string | null {
  const customs = valueAt(shipment, 'customs');
  const items = listAt(customs, 'items');
  if (customs === undefined)
    return union.includes(textAt(shipment, 'consignee', 'country')) ? null : 'Customs information is required';
  if (items.length < 1 || items.length > 99) return 'There must be 1 to 99 items';
  if (textAt(customs, 'exportType') === 'OTHER' && textAt(customs, 'exportDescription') === '')
    return 'The description of the export is required';
  if (items.some((item) => !/^[1-9]\d*$/.test(textAt(item, 'packagedQuantity')))) return 'The quantity is not valid';
  const net = items.reduce<number>((sum, item) => sum + gramsOf(item), 0);
  return net > Number(textAt(shipment, 'details', 'weight', 'value')) ? 'The items weigh more than the shipment' : null;
}

/** The paper that comes with the label of a shipment that is declared. */
export function customsPapers(shipment: JsonValue, number: string): JsonObject {
  const paper = samplePdf(['Simulator for DHL', 'Customs declaration', number]).toString('base64');
  return valueAt(shipment, 'customs') === undefined
    ? {}
    : { customsDoc: { b64: paper, fileFormat: 'PDF', printFormat: 'A4' } };
}

function gramsOf(item: JsonValue): number {
  const factor = textAt(item, 'itemWeight', 'uom') === 'kg' ? 1000 : 1;
  return Number(textAt(item, 'packagedQuantity')) * Number(textAt(item, 'itemWeight', 'value')) * factor;
}
