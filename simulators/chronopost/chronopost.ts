// A simulator for Chronopost's web services and La Poste's tracking of their parcels: elements in the schema's order,
// errors with status 200.
import { answerSuivi, suiviKey, suiviSamples } from '../laposte.ts';
import { samplePdf, sampleZpl } from '../sample-label.ts';
import { serveSimulator, type Simulator, type SimulatorAnswer, type SimulatorRequest } from '../server.ts';
import { xmlChild, xmlChildren, type XmlElement, xmlValue } from '../../src/carriers/xml/element.ts';
import { parseXml } from '../../src/carriers/xml/read.ts';
import { xml, type XmlPart, xmlText } from '../../src/carriers/xml/write.ts';
import { answerPoint, pointNamespace } from './points.ts';
import { contract, refusalOf } from './rules.ts';
import {
  cancelSchema,
  noNumberIn,
  pointSchemas,
  priceSchema,
  type Schema,
  shippingSchema,
  strangerIn,
  traceSchema,
} from './schema.ts';
import { cancel, type TracedParcel, traceNamespace, traceOf } from './trace.ts';

const soap = 'http://schemas.xmlsoap.org/soap/envelope/';
const shipping = 'http://cxf.shipping.soap.chronopost.fr/';
const quickcost = 'http://cxf.quickcost.soap.chronopost.fr/';

/**
 * Starts the simulator. It refuses postcode 00000 of the recipient as an invalid value (33), and product 00 as one that
 * the contract does not have; recipients called NOPDF get a number and no label; the directory knows every point except
 * 0000F; parcels for a recipient called TAKEN cannot be cancelled. Tracking, Chronopost's own and La Poste's, knows the
 * parcels made here, as announced, and samples.
 */
export async function startChronopostSimulator(port = 0): Promise<Simulator> {
  const known: TracedParcel[] = [];
  const server = await serveSimulator(
    (request) =>
      request.path.startsWith('/suivi/')
        ? answerSuivi(request, (number) => sampleOf(number, known))
        : answer(request, known),
    port,
  );
  return {
    settings: { ...contract, baseUrl: server.url, suiviKey, suiviUrl: server.url },
    url: server.url,
    close: server.close,
  };
}

function sampleOf(number: string, known: readonly TracedParcel[]) {
  const parcel = known.find((each) => each.number === number);
  if (parcel !== undefined) return { product: 'chronopost', holder: 3, codes: ['DR1'], since: parcel.at } as const;
  return Object.hasOwn(suiviSamples, number) ? (suiviSamples[number] ?? null) : null;
}

function answer({ method, path, headers, body }: SimulatorRequest, known: TracedParcel[]): SimulatorAnswer {
  const service = Object.hasOwn(services, path) ? services[path] : undefined;
  if (method !== 'POST' || service === undefined)
    return {
      status: 404,
      headers: { 'Content-Type': 'text/html' },
      body: '<html><body>No service was found.</body></html>',
    };
  if (!/^text\/xml\b/.test(headers['content-type'] ?? '')) return { status: 415, body: '' };
  const operation = operationIn(body);
  if (operation === null) return fault('Error reading XMLStreamReader.');
  const schema = Object.hasOwn(service.operations, operation.name) ? service.operations[operation.name] : undefined;
  if (operation.namespace !== service.namespace || schema === undefined)
    return fault(`Unexpected wrapper element {${operation.namespace}}${operation.name} found.`);
  const stranger = strangerIn(operation, schema);
  if (stranger !== null)
    return fault(`Unmarshalling Error: unexpected element (uri:"${stranger.namespace}", local:"${stranger.name}").`);
  const wrong = noNumberIn(operation);
  if (wrong !== null) return fault(`Unmarshalling Error: For input string: "${wrong}"`);
  return answerOperation(operation, known);
}

interface Service {
  readonly namespace: string;
  readonly operations: Readonly<Record<string, Schema>>;
}

const services: Readonly<Record<string, Service>> = {
  '/shipping-cxf/ShippingServiceWS': { namespace: shipping, operations: { shippingMultiParcelV5: shippingSchema } },
  '/quickcost-cxf/QuickcostServiceWS': { namespace: quickcost, operations: { calculateProducts: priceSchema } },
  '/recherchebt-ws-cxf/PointRelaisServiceWS': { namespace: pointNamespace, operations: pointSchemas },
  '/tracking-cxf/TrackingServiceWS': {
    namespace: traceNamespace,
    operations: { trackSkybillV2: traceSchema, cancelSkybill: cancelSchema },
  },
};

function answerOperation(operation: XmlElement, known: TracedParcel[]): SimulatorAnswer {
  if (operation.namespace === quickcost) return prices(operation);
  if (operation.namespace === shipping) return ship(operation, known);
  if (operation.name === 'cancelSkybill')
    return result(traceNamespace, operation.name, ...cancel(operation, known, contract));
  if (operation.namespace === traceNamespace)
    return result(traceNamespace, operation.name, 0, '', traceOf(operation, known));
  const { code, message, more } = answerPoint(operation);
  return result(pointNamespace, operation.name, code, message, more);
}

function operationIn(body: Buffer): XmlElement | null {
  try {
    const envelope = parseXml(body);
    return envelope.namespace === soap ? (xmlChild(envelope, 'Body')?.children[0] ?? null) : null;
  } catch {
    return null;
  }
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

function ship(operation: XmlElement, known: TracedParcel[]): SimulatorAnswer {
  const refused = refusalOf(operation);
  if (refused !== null) return result(shipping, 'shippingMultiParcelV5', refused[0], refused[1]);
  const name = xmlValue(operation, 'recipientValue', 'recipientName');
  // For delivery to a point, the name is the point's.
  const person = xmlValue(operation, 'recipientValue', 'recipientName2') || name;
  const mode = xmlValue(operation, 'skybillParamsValue', 'mode');
  const parcels = xmlChildren(operation, 'skybillValue').map((skybill) => {
    const number = `XY${String(700_000_000 + known.length + 1)}FR`;
    known.push({ number, at: Date.now(), name: person, isCancelled: false });
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
