// Calls of cargoNET, which runs DPD France's services: the credentials in the header, the answer or the fault.
import type { CarrierAccount, CarrierError, WireAnswer, WireRequest } from '../carrier.ts';
import { type SoapFault, soapRequest, soapResponse } from '../soap.ts';
import { type XmlElement, XmlError } from '../xml/element.ts';
import { xmlOfAnswer } from '../xml/read.ts';
import { xml, type XmlPart } from '../xml/write.ts';
import { title } from './errors.ts';

interface CargonetCall {
  readonly url: string;
  /** Of operation and credentials; tracking has a slash at its end, labels have none. */
  readonly namespace: string;
  /** Value of the header SOAPAction. */
  readonly action: string;
  readonly operation: string;
  readonly request: readonly XmlPart[];
  readonly repeat: WireRequest['repeat'];
}

/** The request of a call, with the credentials of the account. */
export function cargonetRequest(
  { settings }: CarrierAccount,
  { url, namespace, action, operation, request, repeat }: CargonetCall,
): WireRequest {
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
 * The response that an answer holds. An address that is not let in is told so by an `Error` without any envelope.
 * @param judge what a fault means
 * @throws CarrierError as `soapResponse`
 */
export function cargonetResponse(
  answer: WireAnswer,
  name: string,
  judge: (fault: SoapFault) => CarrierError,
): XmlElement {
  const bare = bareError(answer);
  if (bare !== null) throw judge({ code: 'Server', message: '', detail: bare });
  return soapResponse(title, answer, name, judge);
}

/** An element around the `Error` that is the whole answer; null for any other answer. */
function bareError(answer: WireAnswer): XmlElement | null {
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
