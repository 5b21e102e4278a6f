// Voids labels of Chronopost (SOAP, operation cancelSkybill of its tracking service), parcel by parcel.
import type { CarrierAnswer, CarrierRequest } from '../carrier.ts';
import { unreadable } from '../carrier-messages.ts';
import { saysVoidAlready, voidEach, voidedSentence, type VoidTask } from '../desk.ts';
import { elementsOf, soapRequest, soapResponse } from '../soap.ts';
import { xmlChild } from '../xml/element.ts';
import { xml } from '../xml/write.ts';
import { faultError, resultError, title } from './errors.ts';

const namespace = 'http://cxf.tracking.soap.chronopost.fr/';
const operation = 'cancelSkybill';
const meaning = {
  refusal: 'Chronopost does not take the label back',
  ownKinds: {
    // Not of this contract, or not registered: it says nothing of an earlier request, which may never have arrived.
    2: 'refused',
    // Handled or dispatched already.
    3: 'refused',
  },
} as const;

export function* voidLabel(task: VoidTask): Generator<CarrierRequest, string, CarrierAnswer> {
  yield* voidEach(task, (parcelNumber) => cancel(task, parcelNumber));
  return voidedSentence(title, task.parcelNumbers);
}

function* cancel({ account }: VoidTask, skybillNumber: string): Generator<CarrierRequest, void, CarrierAnswer> {
  const { baseUrl = '', accountNumber = '', password = '', language = '' } = account.settings;
  const answer = yield soapRequest({
    url: `${baseUrl}/tracking-cxf/TrackingServiceWS`,
    action: '',
    repeat: 'never',
    operation: xml(`cxf:${operation}`, elementsOf({ accountNumber, password, language, skybillNumber }), {
      'xmlns:cxf': namespace,
    }),
  });
  const result = xmlChild(soapResponse(title, answer, `${operation}Response`, faultError), 'return');
  if (result === null) throw unreadable(title, 'no result');
  const error = resultError(result, meaning);
  if (error !== null && !saysVoidAlready(error.carrierMessage ?? '')) throw error;
}
