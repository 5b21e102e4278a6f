// The schema of Chronopost's services: its elements and their order.
import type { XmlElement } from '../../src/carriers/xml/element.ts';

/** Names in their order, each with those of its members. */
export type Schema = ReadonlyMap<string, Schema>;

export const shippingSchema = schemaOf({
  esdValue: '',
  headerValue: 'accountNumber idEmit identWebPro subAccount iv4OrderId',
  shipperValue: `${party('shipper')} shipperType`,
  customerValue: `${party('customer')} printAsSender`,
  recipientValue: `${party('recipient').replace('recipientCivility ', '')} recipientType`,
  refValue: 'customerSkybillNumber PCardTransactionNumber recipientRef shipperRef idRelais',
  skybillValue: `
    bulkNumber codCurrency codValue content1 content2 content3 content4 content5 customsCurrency customsValue evtCode
    insuredCurrency insuredValue latitude longitude masterSkybillNumber objectType portCurrency portValue productCode
    qualite service shipDate shipHour skybillRank source weight weightUnit height length width
  `,
  skybillParamsValue: 'duplicata mode withReservation',
  password: '',
  modeRetour: '',
  numberOfParcel: '',
  version: '',
  multiParcel: '',
  scheduledValue: '',
  recipientLocalValue: '',
  // Source: the WSDL of ShippingServiceWS, as generated in scraper-chronopost (CustomsValue, ArticleValue).
  customsValue: {
    articlesValue: 'content contentInLanguage grossWeight hscode netWeight origin position quantity regime value',
    bagNumber: '',
    clearanceCleared: '',
    currency: '',
    description: '',
    descriptionInLanguage: '',
    eori: '',
    incoterm: '',
    language: '',
    numberOfItems: '',
    value: '',
    vatNumber: '',
  },
});

export const priceSchema = schemaOf(`
  accountNumber password depCountryCode depZipCode arrCountryCode arrZipCode arrCity type weight height length width
  shippingDate
`);

/** Operations of the directory of points; the second is for points abroad, the third searches near an address. */
export const pointSchemas: Readonly<Record<string, Schema>> = {
  rechercheDetailPointChronopost: schemaOf('accountNumber password identifiant'),
  rechercheDetailPointChronopostInter: schemaOf('accountNumber password identifiant countryCode language version'),
  recherchePointChronopostInter: schemaOf(`
    accountNumber password address zipCode city countryCode type productCode service weight shippingDate
    maxPointChronopost maxDistanceSearch holidayTolerant language version
  `),
};

export const traceSchema = schemaOf('language skybillNumber');

export const cancelSchema = schemaOf('accountNumber password language skybillNumber');

/** The first element that the schema does not have at its place, or that has a namespace. */
export function strangerIn(element: XmlElement, schema: Schema): XmlElement | null {
  const names = [...schema.keys()];
  let place = 0;
  for (const child of element.children) {
    const next = names.indexOf(child.name);
    if (child.namespace !== '' || next < place) return child;
    place = next;
    const members = schema.get(child.name);
    const inner = members === undefined || members.size === 0 ? null : strangerIn(child, members);
    if (inner !== null) return inner;
  }
  return null;
}

/** Elements that are numbers by the WSDL: the reader fails at any other text. */
const numbers: Readonly<Record<string, RegExp>> = {
  ...Object.fromEntries(['position', 'quantity', 'numberOfItems'].map((name) => [name, /^-?\d{1,10}$/])),
  ...Object.fromEntries(
    ['netWeight', 'grossWeight', 'value', 'insuredValue', 'codValue', 'portValue'].map((name) => [
      name,
      /^-?\d+(\.\d+)?$/,
    ]),
  ),
};

/** The text of the first element that should be a number but is not; null if there is none. */
export function noNumberIn(element: XmlElement): string | null {
  const pattern = Object.hasOwn(numbers, element.name) ? numbers[element.name] : undefined;
  if (element.children.length === 0) return pattern?.test(element.text) === false ? element.text : null;
  for (const child of element.children) {
    const wrong = noNumberIn(child);
    if (wrong !== null) return wrong;
  }
  return null;
}

/** Names separated by blanks, or with those of their members. */
type Names = string | { readonly [name: string]: Names };

function schemaOf(names: Names): Schema {
  return typeof names === 'string'
    ? new Map(
        names
          .split(/\s+/)
          .filter((name) => name !== '')
          .map((name) => [name, new Map()]),
      )
    : new Map(Object.entries(names).map(([name, members]) => [name, schemaOf(members)]));
}

function party(prefix: string): string {
  const names = 'Adress1 Adress2 City Civility ContactName Country CountryName Email MobilePhone Name Name2 Phone';
  return [...names.split(' '), 'PreAlert', 'ZipCode'].map((name) => `${prefix}${name}`).join(' ');
}
