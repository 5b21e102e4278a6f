// Voids labels of DPD France (EPrint, operation TerminateShipment), parcel by parcel.
import { CarrierError, type CarrierAnswer, type CarrierRequest } from '../carrier.ts';
import { saysVoidAlready, voidEach, voidedSentence, type VoidTask } from '../desk.ts';
import { elementsOf } from '../soap.ts';
import { xml, type XmlPart } from '../xml/write.ts';
import { cargonetRequest, cargonetResponse } from './cargonet.ts';
import { terminationError, title } from './errors.ts';

const namespace = 'http://www.cargonet.software';
const operation = 'TerminateShipment';

export function* voidLabel(task: VoidTask): Generator<CarrierRequest, string, CarrierAnswer> {
  yield* voidEach(task, (parcelNumber) => terminate(task, parcelNumber));
  return voidedSentence(title, task.parcelNumbers);
}

/** The response is empty if the parcel was terminated. */
function* terminate({ account }: VoidTask, barcodeId: string): Generator<CarrierRequest, void, CarrierAnswer> {
  const { baseUrl = '', centerNumber = '', customerNumber = '', countryCode = '' } = account.settings;
  const customer = elementsOf({ centernumber: centerNumber, number: customerNumber, countrycode: countryCode });
  const answer = yield cargonetRequest(account, {
    url: baseUrl,
    namespace,
    action: `${namespace}/${operation}`,
    operation,
    request: [xml('customer', customer), nothing('BarcodeSource'), xml('BarcodeId', barcodeId)],
    repeat: 'never',
  });
  try {
    cargonetResponse(answer, `${operation}Response`, terminationError);
  } catch (error) {
    if (!(error instanceof CarrierError) || !saysVoidAlready(error.carrierMessage ?? '')) throw error;
  }
}

/** A mandatory element without content. */
function nothing(name: string): XmlPart {
  return xml(name, '', { 'xmlns:xsi': 'http://www.w3.org/2001/XMLSchema-instance', 'xsi:nil': 'true' });
}
