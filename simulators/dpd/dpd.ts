// A simulator for DPD France's EPrint and Webtrace: .NET services that ignore elements out of order, with DPD's faults
// as errors.
import { samplePdf, samplePng, sampleZpl } from '../sample-label.ts';
import { serveSimulator, type Simulator, type SimulatorAnswer, type SimulatorRequest } from '../server.ts';
import { xmlChild, type XmlElement, xmlValue } from '../../src/carriers/xml/element.ts';
import { xml, type XmlPart } from '../../src/carriers/xml/write.ts';
import { bareError, emptyResponse, envelopeIn, fault, type Read, read, response, type Schema } from './dotnet.ts';
import { trace, type TracedParcel, traceNamespace, traceOperations, tracePath } from './webtrace.ts';

const access = { userId: 'simulator', password: 'simulator-password' } as const;
const customer = { countryCode: '250', centerNumber: '77', customerNumber: '18028' } as const;
const namespace = 'http://www.cargonet.software';
const path = '/dpd-eprintwebservice/eprintwebservice.asmx';

interface Parcel extends TracedParcel {
  readonly name: string;
  isTerminated: boolean;
}

/**
 * Starts the simulator of labels and tracking. Country ZZ does not exist; postcode 00000 of the recipient is refused as
 * wrong input; recipients called NOPDF get a number and no label; parcels for a recipient called TAKEN are in the
 * network and cannot be terminated; and the user `blocked` calls from a refused IP address. Wordings are DPD's if they
 * were recorded. TerminateShipment follows Karrio's connector for DPD France, which has it from the description
 * (section 8.14): possible until the parcel is handed over, an empty response on success.
 */
export async function startDpdSimulator(port = 0): Promise<Simulator> {
  const known: Parcel[] = [];
  const server = await serveSimulator((request) => answer(request, known), port);
  return {
    settings: { ...access, ...customer, baseUrl: `${server.url}${path}`, trackingUrl: `${server.url}${tracePath}` },
    url: server.url,
    close: server.close,
  };
}

function answer(request: SimulatorRequest, known: Parcel[]): SimulatorAnswer {
  if (request.method !== 'POST' || (request.path !== path && request.path !== tracePath))
    return {
      status: 404,
      headers: { 'Content-Type': 'text/html' },
      body: '<html><body>The resource cannot be found.</body></html>',
    };
  if (!/^text\/xml\b/.test(request.headers['content-type'] ?? '')) return { status: 415, body: '' };
  const service =
    request.path === path
      ? { schemas: operations, uri: namespace, actions: `${namespace}/` }
      : { schemas: traceOperations, uri: traceNamespace, actions: traceNamespace };
  const action = (request.headers.soapaction ?? '').replaceAll('"', '');
  const operation = action.startsWith(service.actions) ? action.slice(service.actions.length) : '';
  const schema = Object.hasOwn(service.schemas, operation) ? service.schemas[operation] : undefined;
  if (schema === undefined)
    return fault('Client', `Server did not recognize the value of HTTP Header SOAPAction: ${action}.`);
  const envelope = envelopeIn(request.body);
  const asked = envelope === null ? null : xmlChild(envelope, 'Body', operation, 'request');
  const wanted = asked === null ? null : read(asked, schema, service.uri);
  if (envelope === null || wanted === null)
    return fault('Client', 'Server was unable to read request. ---> There is an error in XML document.');
  const denied = deniedBy(xmlChild(envelope, 'Header', 'UserCredentials'), service.uri);
  if (denied !== null) return denied;
  if (request.path === tracePath) return isOfCustomer(wanted, 'Customer') ? trace(wanted, known) : customerDenied();
  if (operation === 'TerminateShipment') return terminate(wanted, known);
  return operation === 'GetLabelBc' ? reprint(wanted, known) : create(operation, wanted, known);
}

function deniedBy(credentials: XmlElement | null, uri: string): SimulatorAnswer | null {
  if (xmlValue(credentials, 'userid') === 'blocked')
    return bareError('IpPermissionDenied', 'Caller IP not whitelisted');
  const isKnown =
    credentials?.namespace === uri &&
    xmlValue(credentials, 'userid') === access.userId &&
    xmlValue(credentials, 'password') === access.password;
  return isKnown ? null : fault('Server', 'Permission denied', 'PermissionDenied');
}

/** @param member that holds the customer */
function isOfCustomer(sent: Read, member: string): boolean {
  return (
    sent[`${member}.number`] === customer.customerNumber && sent[`${member}.centernumber`] === customer.centerNumber
  );
}

function customerDenied(): SimulatorAnswer {
  return fault('Server', 'Permission denied', 'CustomerPermissionDenied');
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

const base: Schema = {
  receiveraddress: address,
  receiverinfo: info,
  shipperaddress: address,
  shipperinfo: info,
  retourAddress: address,
  customer_countrycode: '#',
  customer_centernumber: '#',
  customer_number: '#',
  shippingdate: '',
};
const returnOperation = 'CreateReverseInverseShipmentWithLabelsBc';

const operations: Readonly<Record<string, Schema>> = {
  // Source: DPD's schema (EPrintWebservice.xsd, of February 2026) as Karrio's connector has it, and lengths and days of
  // ekyna/Dpd, which has them from DPD's description: ReverseShipmentRequest, ReverseShipmentLabelRequest.
  [returnOperation]: {
    ...base,
    weight: '',
    expire_offset: '#',
    referencenumber: '',
    services: { contact: { sms: '', email: '', type: 'No|Predict|AutomaticSMS|AutomaticMail', autoText: '' } },
    receiver_contact_name: '',
    customLabelText: '',
    labelType,
    refasbarcode: 'true|false',
  },
  CreateShipmentWithLabelsBc: {
    ...base,
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
  TerminateShipment: {
    customer: { centernumber: '#', number: '#', countrycode: '#' },
    BarcodeSource: '#?',
    Barcode: '',
    BarcodeId: '',
    Reason: '',
  },
};

function create(operation: string, sent: Read, known: Parcel[]): SimulatorAnswer {
  const isReturn = operation === returnOperation;
  const refused = refusalOf(sent) ?? (isReturn ? returnRefusal(sent) : null);
  if (refused !== null) return fault('Server', refused[1], refused[0]);
  const number = String(10_774_000_248_377 + known.length);
  const name = sent['receiveraddress.name'] ?? '';
  known.push({ number, name, at: Date.now(), isTerminated: false });
  const shipment = [
    xml('Shipment', [xml('BarcodeId', number), xml('BarcodeSource', '902'), xml('BarCode', `%0075004${number}101902`)]),
    xml('Type', isReturn ? 'REVERSE' : 'EPRINT'),
  ];
  const labels = name === 'NOPDF' ? [] : [labelOf(sent['labelType.type'] ?? '', number, name)];
  return response(
    operation,
    namespace,
    isReturn
      ? [xml('Shipment', shipment), xml('Labels', labels)]
      : [xml('shipments', [xml('ShipmentBc', shipment)]), xml('labels', labels)],
  );
}

/**
 * A return is valid for 7 to 999 days, its reference has at most 35 characters. The schema requires `refasbarcode`
 * (minOccurs 1), and none of the other members that a shipment may leave out.
 */
function returnRefusal(sent: Read): readonly [id: string, message: string] | null {
  const days = Number(sent.expire_offset ?? '');
  if (!(days >= 7 && days <= 999)) return ['InvalidInput', 'expire_offset is invalid'];
  if (sent.refasbarcode === undefined) return ['InvalidInput', 'refasbarcode is invalid'];
  return [...(sent.referencenumber ?? '')].length > 35 ? ['InvalidInput', 'referencenumber is invalid'] : null;
}

function reprint(sent: Read, known: readonly Parcel[]): SimulatorAnswer {
  const parcel = known.find(({ number }) => number === sent.shipmentNumber);
  if (!isOfCustomer(sent, 'customer')) return customerDenied();
  if (parcel === undefined) return fault('Server', 'shipment not found', 'InvalidInput');
  return response('GetLabelBc', namespace, [
    xml('labels', [labelOf(sent['labelType.type'] ?? '', parcel.number, parcel.name)]),
    xml('shipment', [xml('BarcodeId', parcel.number), xml('BarcodeSource', '902')]),
  ]);
}

function terminate(sent: Read, known: readonly Parcel[]): SimulatorAnswer {
  const parcel = known.find(({ number, isTerminated }) => number === sent.BarcodeId && !isTerminated);
  if (!isOfCustomer(sent, 'customer')) return customerDenied();
  // Nillable, and with minOccurs 1 in the schema: mandatory, but may be empty.
  if (sent.BarcodeSource === undefined) return fault('Server', 'BarcodeSource is invalid', 'InvalidInput');
  if (parcel === undefined) return fault('Server', 'shipment not found', 'InvalidInput');
  if (parcel.name === 'TAKEN') return fault('Server', 'shipment is already shipped', 'InvalidInput');
  parcel.isTerminated = true;
  return emptyResponse('TerminateShipment', namespace);
}

/** Lengths that the client roulier enforces; DPD's schema has none. */
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
    return ['CustomerPermissionDenied', 'Permission denied'];
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
