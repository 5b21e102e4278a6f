// What Chronopost refuses in a shipment, by its documented codes.
import { xmlChildren, type XmlElement, xmlValue } from '../../src/carriers/xml/element.ts';

/** The account that the simulator knows; its number is that of the test account in Chronopost's own modules. */
export const contract = { accountNumber: '19869502', password: 'chrono' } as const;

/** An account whose contract number Chronopost does not know; code 30 is used for that alone. */
const blockedAccount = '30';

/**
 * Mandatory elements, with their maximum lengths. Source: Chronopost's documentation, as the clients roulier and
 * chronopostws follow it.
 */
const needed: Readonly<Record<string, readonly (readonly [name: string, max: number])[]>> = {
  shipperValue: [
    ['shipperAdress1', 38],
    ['shipperCity', 50],
    ['shipperCivility', 1],
    ['shipperContactName', 100],
    ['shipperCountry', 2],
    ['shipperName', 100],
    ['shipperZipCode', 9],
  ],
  customerValue: [
    ['customerAdress1', 38],
    ['customerCity', 50],
    ['customerContactName', 100],
    ['customerCountry', 2],
    ['customerName', 100],
    ['customerZipCode', 9],
  ],
  recipientValue: [
    ['recipientAdress1', 38],
    ['recipientCity', 50],
    ['recipientContactName', 100],
    ['recipientCountry', 2],
    ['recipientName', 100],
    ['recipientZipCode', 9],
  ],
  skybillValue: [
    ['evtCode', 2],
    ['objectType', 3],
    ['productCode', 2],
    ['service', 3],
    ['shipDate', 19],
    ['shipHour', 2],
    ['weight', 10],
    ['weightUnit', 3],
    ['height', 5],
    ['length', 5],
    ['width', 5],
  ],
  skybillParamsValue: [['mode', 6]],
};

/** Optional elements, with their maximum lengths, from the same source. */
const optional: Readonly<Record<string, readonly (readonly [name: string, max: number])[]>> = {
  ...Object.fromEntries(
    ['shipper', 'customer', 'recipient'].map((side) => [
      `${side}Value`,
      [
        [`${side}Adress2`, 38],
        [`${side}Name2`, 100],
        [`${side}Email`, 80],
        [`${side}Phone`, 17],
        [`${side}MobilePhone`, 17],
      ],
    ]),
  ),
  refValue: [
    ['customerSkybillNumber', 15],
    ['recipientRef', 35],
    ['shipperRef', 35],
  ],
};

export function refusalOf(operation: XmlElement): readonly [code: number, message: string] | null {
  if (
    xmlValue(operation, 'headerValue', 'accountNumber') !== contract.accountNumber ||
    xmlValue(operation, 'password') !== contract.password
  )
    return xmlValue(operation, 'headerValue', 'accountNumber') === blockedAccount
      ? [30, 'Invalid contract number']
      : [33, 'Invalid accesColis account number'];
  for (const [parent, members] of Object.entries(needed)) {
    const [element = null] = xmlChildren(operation, parent);
    for (const [name, max] of members) {
      const value = xmlValue(element, name);
      if (value === '') return [31, `${name} is empty`];
      if ([...value].length > max) return [32, `${name} is too long`];
    }
  }
  for (const [parent, members] of Object.entries(optional))
    for (const element of xmlChildren(operation, parent)) {
      const long = members.find(([name, max]) => [...xmlValue(element, name)].length > max);
      if (long !== undefined) return [32, `${long[0]} is too long`];
    }
  return valueRefusal(operation);
}

function valueRefusal(operation: XmlElement): readonly [code: number, message: string] | null {
  const skybills = xmlChildren(operation, 'skybillValue');
  for (const skybill of skybills) {
    const [weight, hour] = [xmlValue(skybill, 'weight'), xmlValue(skybill, 'shipHour')];
    if (!/^\d+(\.\d+)?$/.test(weight) || !/^\d+$/.test(hour)) return [34, 'weight or shipHour is not a number'];
    if (Number(weight) <= 0 || Number(weight) > 30 || Number(hour) > 23) return [33, 'Invalid weight'];
    if (xmlValue(skybill, 'productCode') === '00') return [33, 'Invalid product for this contract'];
    if (!/^(01|02|16|17|37|44|86|49|4P|5X|6B|4I)$/.test(xmlValue(skybill, 'productCode')))
      return [33, 'Invalid productCode'];
    if (
      !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/.test(xmlValue(skybill, 'shipDate')) ||
      xmlValue(skybill, 'weightUnit') !== 'KGM'
    )
      return [33, 'Invalid shipDate or weightUnit'];
    if (
      /^(86|49|4P|5X|6B)$/.test(xmlValue(skybill, 'productCode')) &&
      !/^[0-9A-Z]{4,10}$/.test(xmlValue(operation, 'refValue', 'recipientRef'))
    )
      return [33, 'Invalid recipientRef'];
  }
  const unlike = serviceRefusal(operation, skybills);
  if (unlike !== null) return unlike;
  const count = String(skybills.length);
  const isCounted =
    xmlValue(operation, 'numberOfParcel') === count &&
    xmlChildren(operation, 'refValue').length === skybills.length &&
    xmlValue(operation, 'multiParcel') === (skybills.length > 1 ? 'Y' : 'N');
  if (
    !isCounted ||
    skybills.some(
      (skybill, index) =>
        xmlValue(skybill, 'bulkNumber') !== count || xmlValue(skybill, 'skybillRank') !== String(index + 1),
    )
  )
    return [33, 'Invalid numberOfParcel'];
  if (!/^(PDF|PPR|SPD|THE|Z2D|XML|XML2D|ZPL300|THEPSG|ZPLPSG)$/.test(xmlValue(operation, 'skybillParamsValue', 'mode')))
    return [33, 'Invalid mode'];
  return xmlValue(operation, 'recipientValue', 'recipientZipCode') === '00000'
    ? [33, 'Invalid recipientZipCode']
    : null;
}

/** Products that go to a point, of at most 20 kg. */
const pointProducts: readonly string[] = ['86', '49', '4P', '5X', '6B'];

/**
 * Services by product, and the maximum weight for a point. Source: Chronopost's own modules for WooCommerce and
 * PrestaShop: 49 and 6B are 337 up to 3 kg and 338 above, 4P 368 and on Saturdays 369, 4I 973 and on Saturdays 974, 5X
 * 6, all others 0, on Mondays 1 and on Saturdays 6; points accept 20 kg. 35 is their documented code for a service that
 * is not found.
 */
function serviceRefusal(
  operation: XmlElement,
  skybills: readonly XmlElement[],
): readonly [code: number, message: string] | null {
  const grams = skybills.map((skybill) => Math.round(Number(xmlValue(skybill, 'weight')) * 1000));
  const total = grams.reduce((sum, one) => sum + one, 0);
  const services = new Map<string, readonly string[]>([
    ['49', [total <= 3000 ? '337' : '338']],
    ['6B', [total <= 3000 ? '337' : '338']],
    ['4P', ['368', '369']],
    ['4I', ['973', '974']],
    ['5X', ['6']],
  ]);
  for (const [index, skybill] of skybills.entries()) {
    const product = xmlValue(skybill, 'productCode');
    const right = services.get(product);
    if (right !== undefined && !right.includes(xmlValue(skybill, 'service'))) return [35, 'GeoPost service not found'];
    if (!pointProducts.includes(product)) continue;
    if ((grams[index] ?? 0) > 20_000) return [33, 'Invalid weight'];
    // The parcel goes to the point, and is kept for a person.
    const [name, person] = ['recipientName', 'recipientContactName'].map((part) =>
      xmlValue(operation, 'recipientValue', part),
    );
    if (name === person) return [33, 'Invalid recipientName'];
  }
  return null;
}
