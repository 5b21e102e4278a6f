// Calls of cargoNET, which runs DPD France's services: puts the credentials into the header, and reads the answer or
// the fault.
import type { CarrierAccount, CarrierError, CarrierAnswer, CarrierRequest } from '../carrier.ts';
import { type SoapFault, soapRequest, soapResponse } from '../soap.ts';
import { type XmlElement, XmlError } from '../xml/element.ts';
import { xmlOfAnswer } from '../xml/read.ts';
import { xml, type XmlPart } from '../xml/write.ts';
import { title } from './errors.ts';

interface CargonetCall {
  readonly url: string;
  /** Namespace of operation and credentials; that of tracking ends with a slash, that of labels does not. */
  readonly namespace: string;
  /** Value of the header SOAPAction. */
  readonly action: string;
  readonly operation: string;
  readonly request: readonly XmlPart[];
  readonly repeat: CarrierRequest['repeat'];
}

/** The request of a call, with the account's credentials. */
export function cargonetRequest(
  { settings }: CarrierAccount,
  { url, namespace, action, operation, request, repeat }: CargonetCall,
): CarrierRequest {
  const { userId = '', password = '' } = settings;
  return soapRequest({
    url,
    action,
    repeat,
    header: [xml('UserCredentials', [xml('userid', userId), xml('password', password)], { xmlns: namespace })],
    operation: xml(operation, [xml('request', request)], { xmlns: namespace }),
  });
}

/**
 * The response in an answer. A refused IP address gets an `Error` without any envelope.
 * @param classify what a fault means
 * @throws CarrierError as `soapResponse`
 */
export function cargonetResponse(
  answer: CarrierAnswer,
  name: string,
  classify: (fault: SoapFault) => CarrierError,
): XmlElement {
  const bare = bareError(answer);
  if (bare !== null) throw classify({ code: 'Server', message: '', detail: bare });
  return soapResponse(title, answer, name, classify);
}

/** Wraps the `Error` that is the whole answer in an element; null for any other answer. */
function bareError(answer: CarrierAnswer): XmlElement | null {
  try {
    const root = xmlOfAnswer(answer);
    return root.name === 'Error'
      ? { name: 'detail', namespace: '', attributes: new Map(), children: [root], text: '' }
      : null;
  } catch (error) {
    if (error instanceof XmlError) return null;
    throw error;
  }
}
