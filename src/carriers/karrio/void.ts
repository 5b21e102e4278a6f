// Voids shipments through Karrio: finds them by their tracking number, cancels them by Karrio's own identifier.
import { CarrierError, type CarrierAnswer, type CarrierRequest, isSuccess } from '../carrier.ts';
import { unreadable } from '../carrier-messages.ts';
import { saysVoidAlready, voidedSentence, type VoidTask } from '../desk.ts';
import { answeredJson, textAt } from '../json.ts';
import { headersOf, karrioError, title } from './errors.ts';
import { findShipment } from './label.ts';

const cancelled = 'cancelled';

export function* voidLabel(task: VoidTask): Generator<CarrierRequest, string, CarrierAnswer> {
  const { account, expeditionNumber, parcelNumbers } = task;
  const shipment = yield* findShipment(account, expeditionNumber);
  if (textAt(shipment, 'status') === cancelled) return voidedSentence(title, parcelNumbers);
  const id = textAt(shipment, 'id');
  if (id === '') throw unreadable(title, 'no identifier of the shipment');
  const answer = yield {
    method: 'POST',
    url: `${account.settings.baseUrl}/v1/shipments/${encodeURIComponent(id)}/cancel`,
    headers: headersOf(account),
    body: null,
    repeat: 'never',
  };
  // 202 as well: somebody else has cancelled it a moment ago.
  if (!isSuccess(answer)) {
    const error = karrioError(answer, 'cancellation');
    if (saysVoidAlready(error.carrierMessage ?? '')) return voidedSentence(title, parcelNumbers);
    throw error;
  }
  const status = textAt(answeredJson(answer, title), 'status');
  if (!/^[a-z_]+$/.test(status)) throw unreadable(title, 'no status of the shipment');
  if (status !== cancelled)
    throw new CarrierError('refused', `Karrio has not cancelled the shipment: its status is ${status}.`, {
      carrierCode: status,
    });
  return voidedSentence(title, parcelNumbers);
}
