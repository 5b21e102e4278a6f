// Voids shipments of UPS (Shipping interface, void/cancel), with all their parcels at once.
import { requestWithToken } from '../access-token.ts';
import { CarrierError, type CarrierAnswer, type CarrierRequest, isSuccess } from '../carrier.ts';
import { unreadable } from '../carrier-messages.ts';
import { saysVoidAlready, voidedSentence, type VoidTask } from '../desk.ts';
import { answeredJson, type JsonValue, listAt, textAt, valueAt } from '../json.ts';
import { headersOf, title, upsError, upsToken } from './errors.ts';

/** Codes for numbers that UPS cannot find, by its own list of errors. */
const unknownNumber: readonly string[] = ['190100', '190109'];

export function* voidLabel(task: VoidTask): Generator<CarrierRequest, string, CarrierAnswer> {
  const { account, expeditionNumber, now } = task;
  const answer = yield* requestWithToken(upsToken(account), (token) => ({
    method: 'DELETE',
    url: `${account.settings.baseUrl}/api/shipments/v2409/void/cancel/${encodeURIComponent(expeditionNumber)}`,
    headers: headersOf(token, `${now}-void`),
    body: null,
    repeat: 'never',
  }));
  if (!isSuccess(answer)) {
    const error = voidError(answer);
    if (saysVoidAlready(error.carrierMessage ?? '')) return voidedSentence(title, task.parcelNumbers);
    throw error;
  }
  const response = valueAt(answeredJson(answer, title), 'VoidShipmentResponse');
  const code = textAt(response, 'SummaryResult', 'Status', 'Code');
  const description = textAt(response, 'SummaryResult', 'Status', 'Description');
  if (code === '') throw unreadable(title, 'no status of the void');
  const parcels = listAt(response, 'PackageLevelResult');
  const voided = parcels.filter(isVoided).map((parcel) => textAt(parcel, 'TrackingNumber'));
  if (code !== '1' || voided.length < parcels.length)
    throw new CarrierError('refused', `UPS has not voided all of the shipment: "${description}".`, {
      carrierCode: code,
      carrierMessage: description,
      voided: voided.filter((number) => number !== ''),
    });
  return voidedSentence(title, task.parcelNumbers);
}

function isVoided(parcel: JsonValue): boolean {
  return /void/i.test(textAt(parcel, 'Status', 'Description')) && textAt(parcel, 'Status', 'Code') === '1';
}

function voidError(answer: CarrierAnswer): CarrierError {
  const error = upsError(answer, 'refused', 'UPS does not void the shipment');
  const { kind, message, carrierCode, carrierMessage } = error;
  return kind === 'refused' && unknownNumber.includes(carrierCode ?? '')
    ? new CarrierError('unknown', message, { carrierCode, carrierMessage })
    : error;
}
