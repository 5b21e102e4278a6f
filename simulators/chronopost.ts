// A simulator for Chronopost's web services and La Poste's tracking of what they make: elements in the order of the
// schema, errors with status 200.
import { answerSuivi, suiviKey, suiviSamples } from './laposte.ts';
import { samplePdf, sampleZpl } from './sample-label.ts';
import { serveSimulator, type Simulator, type SimulatorAnswer, type SimulatorRequest } from './server.ts';
import { xmlChild, xmlChildren, type XmlElement, xmlValue } from '../src/carriers/xml/element.ts';
import { parseXml } from '../src/carriers/xml/read.ts';
import { xml, type XmlPart, xmlText } from '../src/carriers/xml/write.ts';

interface Made {
  readonly number: string;
  readonly at: number;
}

const contract = { accountNumber: '19869502', password: 'chrono' } as const;
const soap = 'http://schemas.xmlsoap.org/soap/envelope/';
const shipping = 'http://cxf.shipping.soap.chronopost.fr/';
const quickcost = 'http://cxf.quickcost.soap.chronopost.fr/';

/**
 * Starts the simulator. Postcode 00000 of the recipient is refused as an invalid value (33), product 00 as one that the
 * contract does not have, recipients called NOPDF get a number and no label. Tracking knows the parcels that were made
 * here, as announced, and the samples of La Poste's simulator.
 */
export async function startChronopostSimulator(port = 0): Promise<Simulator> {
  const made: Made[] = [];
  const server = await serveSimulator(
    (request) =>
      request.path.startsWith('/suivi/')
        ? answerSuivi(request, (number) => sampleOf(number, made))
        : answer(request, made),
    port,
  );
  return {
    settings: { ...contract, baseUrl: server.url, suiviKey, suiviUrl: server.url },
    url: server.url,
    close: server.close,
  };
}

function sampleOf(number: string, made: readonly Made[]) {
  const parcel = made.find((each) => each.number === number);
  if (parcel !== undefined) return { product: 'chronopost', holder: 3, codes: ['DR1'], since: parcel.at } as const;
  return Object.hasOwn(suiviSamples, number) ? (suiviSamples[number] ?? null) : null;
}

function answer({ method, path, headers, body }: SimulatorRequest, made: Made[]): SimulatorAnswer {
  const service =
    path === '/shipping-cxf/ShippingServiceWS'
      ? shipping
      : path === '/quickcost-cxf/QuickcostServiceWS'
        ? quickcost
        : null;
  if (method !== 'POST' || service === null)
    return {
      status: 404,
      headers: { 'Content-Type': 'text/html' },
      body: '<html><body>No service was found.</body></html>',
    };
  if (!/^text\/xml\b/.test(headers['content-type'] ?? '')) return { status: 415, body: '' };
  const operation = operationIn(body);
  if (operation === null) return fault('Error reading XMLStreamReader.');
  if (
    operation.namespace !== service ||
    operation.name !== (service === shipping ? 'shippingMultiParcelV5' : 'calculateProducts')
  )
    return fault(`Unexpected wrapper element {${operation.namespace}}${operation.name} found.`);
  const stranger = strangerIn(operation, service === shipping ? shippingSchema : priceSchema);
  if (stranger !== null)
    return fault(`Unmarshalling Error: unexpected element (uri:"${stranger.namespace}", local:"${stranger.name}").`);
  return service === shipping ? ship(operation, made) : prices(operation);
}

function operationIn(body: Buffer): XmlElement | null {
  try {
    const envelope = parseXml(body);
    return envelope.namespace === soap ? (xmlChild(envelope, 'Body')?.children[0] ?? null) : null;
  } catch {
    return null;
  }
}

/** Names in their order; a name with members is an element of its own. */
type Schema = readonly (string | readonly [name: string, members: readonly string[]])[];

const party = (prefix: string, ...more: readonly string[]): readonly string[] => [
  ...[
    'Adress1',
    'Adress2',
    'City',
    ...(prefix === 'recipient' ? [] : ['Civility']),
    'ContactName',
    'Country',
    'CountryName',
    'Email',
    'MobilePhone',
    'Name',
    'Name2',
    'Phone',
    'PreAlert',
    'ZipCode',
  ].map((name) => `${prefix}${name}`),
  ...more,
];
const shippingSchema: Schema = [
  'esdValue',
  ['headerValue', ['accountNumber', 'idEmit', 'identWebPro', 'subAccount', 'iv4OrderId']],
  ['shipperValue', party('shipper', 'shipperType')],
  ['customerValue', party('customer', 'printAsSender')],
  ['recipientValue', party('recipient', 'recipientType')],
  ['refValue', ['customerSkybillNumber', 'PCardTransactionNumber', 'recipientRef', 'shipperRef', 'idRelais']],
  [
    'skybillValue',
    [
      'bulkNumber',
      'codCurrency',
      'codValue',
      'content1',
      'content2',
      'content3',
      'content4',
      'content5',
      'customsCurrency',
      'customsValue',
      'evtCode',
      'insuredCurrency',
      'insuredValue',
      'latitude',
      'longitude',
      'masterSkybillNumber',
      'objectType',
      'portCurrency',
      'portValue',
      'productCode',
      'qualite',
      'service',
      'shipDate',
      'shipHour',
      'skybillRank',
      'source',
      'weight',
      'weightUnit',
      'height',
      'length',
      'width',
    ],
  ],
  ['skybillParamsValue', ['duplicata', 'mode', 'withReservation']],
  'password',
  'modeRetour',
  'numberOfParcel',
  'version',
  'multiParcel',
  'scheduledValue',
  'recipientLocalValue',
  'customsValue',
];
const priceSchema: Schema = [
  'accountNumber',
  'password',
  'depCountryCode',
  'depZipCode',
  'arrCountryCode',
  'arrZipCode',
  'arrCity',
  'type',
  'weight',
  'height',
  'length',
  'width',
  'shippingDate',
];

/** The first element that the schema does not have at its place, or that has a namespace. */
function strangerIn(element: XmlElement, schema: Schema): XmlElement | null {
  const names = schema.map((entry) => (typeof entry === 'string' ? entry : entry[0]));
  let place = 0;
  for (const child of element.children) {
    const next = names.indexOf(child.name);
    if (child.namespace !== '' || next < place) return child;
    place = next;
    const entry = schema[next];
    const inner = typeof entry === 'object' ? strangerIn(child, entry[1]) : null;
    if (inner !== null) return inner;
  }
  return null;
}

function prices(operation: XmlElement): SimulatorAnswer {
  if (
    xmlValue(operation, 'accountNumber') !== contract.accountNumber ||
    xmlValue(operation, 'password') !== contract.password
  )
    return result(quickcost, 'calculateProducts', 3, 'invalid account or password');
  const product = (code: string, price: number): XmlPart =>
    xml('productList', [
      xml('amount', String(price)),
      xml('amountTTC', String(price * 1.2)),
      xml('amountTVA', String(price * 0.2)),
      xml('productCode', code),
    ]);
  return result(quickcost, 'calculateProducts', 0, '', [product('1', 20), product('86', 0)]);
}

function ship(operation: XmlElement, made: Made[]): SimulatorAnswer {
  const refused = refusalOf(operation);
  if (refused !== null) return result(shipping, 'shippingMultiParcelV5', refused[0], refused[1]);
  const name = xmlValue(operation, 'recipientValue', 'recipientName');
  const mode = xmlValue(operation, 'skybillParamsValue', 'mode');
  const parcels = xmlChildren(operation, 'skybillValue').map((skybill) => {
    const number = `XY${String(700_000_000 + made.length + 1)}FR`;
    made.push({ number, at: Date.now() });
    const lines = [
      'SIMULATOR, NOT A CHRONOPOST LABEL',
      'Not for shipping',
      number,
      `${xmlValue(skybill, 'skybillRank')}/${xmlValue(skybill, 'bulkNumber')}`,
      name,
      mode,
    ];
    return xml('resultMultiParcelValue', [
      xml('codeDepot', '75327227'),
      xml('codeService', '226'),
      xml('destinationDepot', '0477'),
      xml('geoPostCodeBarre', `%0006500${number.slice(0, 11)}248226250`),
      xml('geoPostNumeroColis', `${number.slice(0, 11)}248D`),
      xml(
        'pdfEtiquette',
        name === 'NOPDF' ? '' : (mode.startsWith('Z') ? sampleZpl(lines) : samplePdf(lines)).toString('base64'),
      ),
      xml('serviceMark'),
      xml('serviceName', 'AM2-NO'),
      xml('skybillNumber', number),
    ]);
  });
  return result(shipping, 'shippingMultiParcelV5', 0, '', parcels);
}

/** Elements that must be there, with the most characters that each may have. */
const needed: Readonly<Record<string, readonly (readonly [name: string, most: number])[]>> = {
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

function refusalOf(operation: XmlElement): readonly [code: number, message: string] | null {
  if (
    xmlValue(operation, 'headerValue', 'accountNumber') !== contract.accountNumber ||
    xmlValue(operation, 'password') !== contract.password
  )
    return [33, 'Invalid accesColis account number'];
  for (const [parent, members] of Object.entries(needed)) {
    const [element = null] = xmlChildren(operation, parent);
    for (const [name, most] of members) {
      const value = xmlValue(element, name);
      if (value === '') return [31, `${name} is empty`];
      if ([...value].length > most) return [32, `${name} is too long`];
    }
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
    if (!/^(01|02|16|17|37|44|86|49|4P|5X|6B)$/.test(xmlValue(skybill, 'productCode')))
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

function result(
  namespace: string,
  operation: string,
  code: number,
  message: string,
  more: readonly XmlPart[] = [],
): SimulatorAnswer {
  const content = xml('return', [xml('errorCode', String(code)), xml('errorMessage', message), ...more]);
  return {
    status: 200,
    headers: { 'Content-Type': 'text/xml;charset=UTF-8' },
    body: enveloped(xml(`ns1:${operation}Response`, [content], { 'xmlns:ns1': namespace })),
  };
}

function fault(message: string): SimulatorAnswer {
  return {
    status: 500,
    headers: { 'Content-Type': 'text/xml;charset=UTF-8' },
    body: enveloped(xml('soap:Fault', [xml('faultcode', 'soap:Client'), xml('faultstring', message)])),
  };
}

function enveloped(content: XmlPart): string {
  return xmlText(xml('soap:Envelope', [xml('soap:Body', [content])], { 'xmlns:soap': soap }));
}
