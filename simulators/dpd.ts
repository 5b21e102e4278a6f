// A simulator for DPD France's EPrint: a .NET service that does not see elements out of their order, with DPD's faults
// in place of errors.
import { samplePdf, samplePng, sampleZpl } from './sample-label.ts';
import { serveSimulator, type Simulator, type SimulatorAnswer, type SimulatorRequest } from './server.ts';
import { xmlChild, type XmlElement, xmlValue } from '../src/carriers/xml/element.ts';
import { parseXml } from '../src/carriers/xml/read.ts';
import { xml, type XmlPart, xmlText } from '../src/carriers/xml/write.ts';

const access = { userId: 'simulator', password: 'simulator-password' } as const;
const customer = { countryCode: '250', centerNumber: '77', customerNumber: '18028' } as const;
const namespace = 'http://www.cargonet.software';
const path = '/dpd-eprintwebservice/eprintwebservice.asmx';

interface Parcel {
  readonly number: string;
  readonly name: string;
}

/**
 * Starts the simulator. Country ZZ is none, postcode 00000 of the recipient is refused as an input that is wrong, and
 * recipients called NOPDF get a number and no label. Wordings are DPD's where they were recorded.
 */
export async function startDpdSimulator(port = 0): Promise<Simulator> {
  const known: Parcel[] = [];
  const server = await serveSimulator((request) => answer(request, known), port);
  return {
    settings: { ...access, ...customer, baseUrl: `${server.url}${path}` },
    url: server.url,
    close: server.close,
  };
}

function answer(request: SimulatorRequest, known: Parcel[]): SimulatorAnswer {
  if (request.method !== 'POST' || request.path !== path)
    return {
      status: 404,
      headers: { 'Content-Type': 'text/html' },
      body: '<html><body>The resource cannot be found.</body></html>',
    };
  if (!/^text\/xml\b/.test(request.headers['content-type'] ?? '')) return { status: 415, body: '' };
  const action = (request.headers.soapaction ?? '').replaceAll('"', '');
  const operation = action.startsWith(`${namespace}/`) ? action.slice(namespace.length + 1) : '';
  const schema = Object.hasOwn(operations, operation) ? operations[operation] : undefined;
  if (schema === undefined)
    return fault('Client', `Server did not recognize the value of HTTP Header SOAPAction: ${action}.`);
  const envelope = envelopeIn(request.body);
  const asked = envelope === null ? null : xmlChild(envelope, 'Body', operation, 'request');
  const wanted = asked === null ? null : read(asked, schema);
  if (envelope === null || wanted === null)
    return fault('Client', 'Server was unable to read request. ---> There is an error in XML document.');
  const credentials = xmlChild(envelope, 'Header', 'UserCredentials');
  const isKnown =
    credentials?.namespace === namespace &&
    xmlValue(credentials, 'userid') === access.userId &&
    xmlValue(credentials, 'password') === access.password;
  if (!isKnown) return fault('Server', 'Permission denied', 'PermissionDenied');
  return operation === 'GetLabelBc' ? reprint(wanted, known) : create(wanted, known);
}

function envelopeIn(body: Buffer): XmlElement | null {
  try {
    const envelope = parseXml(body);
    return envelope.namespace === 'http://schemas.xmlsoap.org/soap/envelope/' && envelope.name === 'Envelope'
      ? envelope
      : null;
  } catch {
    return null;
  }
}

/**
 * Members in their order: for texts a rule (`#` a whole number, `a|b` one of these, '' anything), for elements their
 * own members.
 */
interface Schema {
  readonly [name: string]: string | Schema;
}

const address: Schema = {
  countryPrefix: '',
  zipCode: '',
  city: '',
  street: '',
  name: '',
  phoneNumber: '',
  faxNumber: '',
  geoX: '',
  geoY: '',
};
const info: Schema = {
  contact: '',
  name2: '',
  name3: '',
  name4: '',
  digicode1: '',
  digicode2: '',
  intercomid: '',
  vinfo1: '',
  vinfo2: '',
};
const labelType: Schema = { type: 'Default|PDF|PDF_A6|ZPL|ZPL300|ZPL_A6|ZPL300_A6|EPL' };
const referenceInBarcode: Schema = { type: 'Referencenumber|Reference2|Reference3|Reference4' };

const operations: Readonly<Record<string, Schema>> = {
  CreateShipmentWithLabelsBc: {
    receiveraddress: address,
    receiverinfo: info,
    shipperaddress: address,
    shipperinfo: info,
    retourAddress: address,
    customer_countrycode: '#',
    customer_centernumber: '#',
    customer_number: '#',
    shippingdate: '',
    services: {
      contact: { sms: '', email: '', type: 'No|Predict|AutomaticSMS|AutomaticMail', autoText: '' },
      parcelshop: { shopaddress: { ...address, shopid: '' } },
    },
    weight: '',
    referencenumber: '',
    reference2: '',
    reference3: '',
    reference4: '',
    customLabelText: '',
    labelType,
    overrideShipperLabelAddress: address,
    refnrasbarcode: 'true|false',
    referenceInBarcode,
  },
  GetLabelBc: {
    overrideShipperLabelAddress: address,
    refnrasbarcode: 'true|false',
    referenceInBarcode,
    labelType,
    shipmentNumber: '',
    customer: { centernumber: '#', number: '#', countrycode: '#' },
  },
};

/** What the service sees of a request: texts by their path. */
type Read = Readonly<Record<string, string>>;

/**
 * Elements of another namespace or out of their order are not there; null for a value that the schema does not allow.
 */
function read(element: XmlElement, schema: Schema, above = ''): Read | null {
  const names = Object.keys(schema);
  const seen: Record<string, string> = {};
  let last = -1;
  for (const child of element.children) {
    const place = names.indexOf(child.name);
    if (child.namespace !== namespace || place <= last) continue;
    last = place;
    const member = schema[child.name] ?? '';
    const inner =
      typeof member === 'string'
        ? { [`${above}${child.name}`]: child.text.trim() }
        : read(child, member, `${above}${child.name}.`);
    if (inner === null || (typeof member === 'string' && !isAllowed(child.text.trim(), member))) return null;
    Object.assign(seen, inner);
  }
  return seen;
}

function isAllowed(value: string, rule: string): boolean {
  if (rule === '#') return /^-?\d{1,10}$/.test(value);
  return rule === '' || rule.split('|').includes(value);
}

function create(sent: Read, known: Parcel[]): SimulatorAnswer {
  const refused = refusalOf(sent);
  if (refused !== null) return fault('Server', refused[1], refused[0]);
  const number = String(10_774_000_248_377 + known.length);
  const name = sent['receiveraddress.name'] ?? '';
  known.push({ number, name });
  const shipment = xml('ShipmentBc', [
    xml('Shipment', [xml('BarcodeId', number), xml('BarcodeSource', '902'), xml('BarCode', `%0075004${number}101902`)]),
    xml('Type', 'EPRINT'),
  ]);
  return response('CreateShipmentWithLabelsBc', [
    xml('shipments', [shipment]),
    xml('labels', name === 'NOPDF' ? [] : [labelOf(sent['labelType.type'] ?? '', number, name)]),
  ]);
}

function reprint(sent: Read, known: readonly Parcel[]): SimulatorAnswer {
  const parcel = known.find(({ number }) => number === sent.shipmentNumber);
  if (sent['customer.number'] !== customer.customerNumber || sent['customer.centernumber'] !== customer.centerNumber)
    return fault('Server', 'Permission denied', 'PermissionDenied');
  if (parcel === undefined) return fault('Server', 'shipment not found', 'InvalidInput');
  return response('GetLabelBc', [
    xml('labels', [labelOf(sent['labelType.type'] ?? '', parcel.number, parcel.name)]),
    xml('shipment', [xml('BarcodeId', parcel.number), xml('BarcodeSource', '902')]),
  ]);
}

const limits: Readonly<Record<string, number>> = {
  name: 35,
  street: 70,
  city: 35,
  zipCode: 10,
  phoneNumber: 30,
};

function refusalOf(sent: Read): readonly [id: string, message: string] | null {
  const { customer_countrycode, customer_centernumber, customer_number, weight = '', shippingdate = '' } = sent;
  if (
    customer_countrycode !== customer.countryCode ||
    customer_centernumber !== customer.centerNumber ||
    customer_number !== customer.customerNumber
  )
    return ['PermissionDenied', 'Permission denied'];
  for (const side of ['receiveraddress', 'shipperaddress']) {
    if (!/^[A-Z]{1,3}$/.test(sent[`${side}.countryPrefix`] ?? '') || sent[`${side}.countryPrefix`] === 'ZZ')
      return ['InvalidCountryPrefix', 'CountryPrefix is invalid'];
    const wrong = Object.entries(limits).find(
      ([name, most]) =>
        [...(sent[`${side}.${name}`] ?? '')].length > most ||
        (name !== 'phoneNumber' && (sent[`${side}.${name}`] ?? '') === ''),
    );
    if (wrong !== undefined) return ['InvalidInput', `${side}.${wrong[0]} is invalid`];
  }
  if (!/^\d+(\.\d{1,2})?$/.test(weight) || Number(weight) <= 0 || Number(weight) > 31.5)
    return ['InvalidWeight', 'Invalid weight - Maximum supported weight is 31,5'];
  if (!/^\d\d\/\d\d\/\d{4}$/.test(shippingdate)) return ['InvalidInput', 'shippingdate is invalid'];
  if (sent['services.contact.type'] === 'Predict' && (sent['services.contact.sms'] ?? '') === '')
    return ['InvalidInput', 'no sms number given'];
  if (
    sent['services.parcelshop.shopaddress.shopid'] !== undefined &&
    !/^[A-Z]{1,2}\d{5}$/.test(sent['services.parcelshop.shopaddress.shopid'])
  )
    return ['InvalidInput', 'shopid is invalid'];
  return sent['receiveraddress.zipCode'] === '00000' ? ['InvalidInput', 'zipCode is invalid'] : null;
}

function labelOf(type: string, number: string, name: string): XmlPart {
  const lines = ['SIMULATOR, NOT A DPD LABEL', 'Not for shipping', number, name, type];
  const bytes =
    type === 'Default'
      ? samplePng()
      : type.startsWith('PDF')
        ? samplePdf(lines)
        : type === 'EPL'
          ? Buffer.from(`\nN\nA50,50,0,4,1,1,N,"${number}"\nP1\n`)
          : sampleZpl(lines);
  return xml('Label', [xml('type', 'BIC3'), xml('label', bytes.toString('base64'))]);
}

function response(operation: string, content: readonly XmlPart[]): SimulatorAnswer {
  return {
    status: 200,
    headers: xmlHeaders,
    body: enveloped(xml(`${operation}Response`, [xml(`${operation}Result`, content)], { xmlns: namespace })),
  };
}

/** @param id DPD's own identifier, where the service got so far */
function fault(code: 'Client' | 'Server', message: string, id = ''): SimulatorAnswer {
  const detail =
    id === '' ? xml('detail') : xml('detail', [xml('Error', [xml('ErrorId', id), xml('ErrorMessage', message)])]);
  return {
    status: 500,
    headers: xmlHeaders,
    body: enveloped(xml('soap:Fault', [xml('faultcode', `soap:${code}`), xml('faultstring', message), detail])),
  };
}

const xmlHeaders = { 'Content-Type': 'text/xml; charset=utf-8' };

function enveloped(content: XmlPart): string {
  return xmlText(
    xml('soap:Envelope', [xml('soap:Body', [content])], {
      'xmlns:soap': 'http://schemas.xmlsoap.org/soap/envelope/',
      'xmlns:xsi': 'http://www.w3.org/2001/XMLSchema-instance',
      'xmlns:xsd': 'http://www.w3.org/2001/XMLSchema',
    }),
  );
}
