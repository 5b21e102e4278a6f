// SOAP 1.1 as carriers use it: builds calls, reads answers, and finds texts that an envelope cannot carry.
import { CarrierError, type CarrierAnswer, type CarrierRequest, reasonAt } from './carrier.ts';
import { isXmlText, xmlChild, type XmlElement, XmlError, xmlValue } from './xml/element.ts';
import { xmlOfAnswer } from './xml/read.ts';
import { xml, type XmlPart, xmlText } from './xml/write.ts';
import type { LabelField, LabelRequest } from '../model/shipping.ts';
import { accessError, unreadable } from './carrier-messages.ts';
import type { Reason } from '../model/record.ts';

interface SoapCall {
  readonly url: string;
  /** Value of the header SOAPAction; '' if the service looks only at the body. */
  readonly action: string;
  readonly repeat: CarrierRequest['repeat'];
  /** The operation, with its namespace. */
  readonly operation: XmlPart;
  /** Content of the envelope's header. */
  readonly header?: readonly XmlPart[];
}

/** Why a service did not do what was requested, in SOAP's terms. */
export interface SoapFault {
  /** Without prefix: `Client` for errors in the request, `Server` for everything else. */
  readonly code: string;
  readonly message: string;
  readonly detail: XmlElement | null;
}

const envelopeNamespace = 'http://schemas.xmlsoap.org/soap/envelope/';

/** The request of a call. */
export function soapRequest({ url, action, repeat, operation, header = [] }: SoapCall): CarrierRequest {
  const parts = [...(header.length === 0 ? [] : [xml('soap:Header', header)]), xml('soap:Body', [operation])];
  return {
    method: 'POST',
    url,
    repeat,
    body: xmlText(xml('soap:Envelope', parts, { 'xmlns:soap': envelopeNamespace })),
    headers: { Accept: 'text/xml', 'Content-Type': 'text/xml; charset=utf-8', SOAPAction: `"${action}"` },
  };
}

/** Elements of the texts that are not empty, in their order. */
export function elementsOf(values: Readonly<Record<string, string>>): readonly XmlPart[] {
  return Object.entries(values)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => xml(name, value));
}

/**
 * The response in an answer.
 * @param title of the carrier
 * @param name of the response, such as `calculateProductsResponse`
 * @param classify what a fault means
 * @throws CarrierError what `classify` gives, or `unavailable` if it is no such response; `configuration` for denied
 *   access
 */
export function soapResponse(
  title: string,
  answer: CarrierAnswer,
  name: string,
  classify: (fault: SoapFault) => CarrierError,
): XmlElement {
  const body = xmlChild(envelopeIn(title, answer), 'Body');
  const fault = xmlChild(body, 'Fault');
  if (fault !== null)
    throw classify({
      code: xmlValue(fault, 'faultcode').replace(/^.*:/, ''),
      message: xmlValue(fault, 'faultstring'),
      detail: xmlChild(fault, 'detail'),
    });
  const response = xmlChild(body, name);
  if (response === null) throw accessError(title, answer) ?? unreadable(title, `no ${name}`);
  return response;
}

/** Finds texts that XML cannot carry, and line breaks, which no address has. */
export function soapTextReasons(request: LabelRequest, fields: readonly LabelField[]): readonly Reason[] {
  const wrong = fields.filter((field) => !isXmlText(request[field]) || /\p{Cc}/u.test(request[field]));
  return wrong.map((field) =>
    reasonAt(field, 'wrong-format', `${field} holds line breaks or other control characters; take them out.`),
  );
}

function envelopeIn(title: string, answer: CarrierAnswer): XmlElement {
  try {
    return xmlOfAnswer(answer);
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
    throw (
      accessError(title, answer) ??
      new CarrierError(
        'unavailable',
        `${title} answered with status ${answer.status} and something that cannot be read as XML.`,
      )
    );
  }
}
