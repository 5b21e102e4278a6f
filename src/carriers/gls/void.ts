// Voids labels of GLS (ShipIT, shipments/cancel), parcel by parcel, by the number that GLS calls TrackID.
import { requestWithToken } from '../access-token.ts';
import { CarrierError, type CarrierAnswer, type CarrierRequest, isSuccess } from '../carrier.ts';
import { unreadable } from '../carrier-messages.ts';
import { voidEach, voidedSentence, type VoidTask } from '../desk.ts';
import { answeredJson, textAt } from '../json.ts';
import { cancelError, glsToken, mediaType, title } from './errors.ts';

/** ShipIT's answers if the parcel is cancelled, or will be in its next run. */
const cancelled: readonly string[] = ['CANCELLED', 'CANCELLATION_PENDING', 'OK'];

export function* voidLabel(task: VoidTask): Generator<CarrierRequest, string, CarrierAnswer> {
  const trackIds = trackIdsOf(task);
  yield* voidEach(task, (parcelNumber) => cancel(task, trackIds.get(parcelNumber)));
  return voidedSentence(title, task.parcelNumbers);
}

/**
 * Outputs name parcel numbers and TrackIDs in the same order; a single parcel has the number of the shipment. If there
 * are not as many of both, nobody knows which parcel a TrackID belongs to.
 */
function trackIdsOf({ expeditionNumber, outputs }: VoidTask): ReadonlyMap<string, string> {
  const valuesOf = (wanted: string): readonly string[] =>
    outputs.filter(({ name }) => name === wanted).map(({ value }) => value);
  const [named, ids] = [valuesOf('ParcelNumber'), valuesOf('TrackID')];
  const numbers = named.length === 0 ? [expeditionNumber] : named;
  return new Map(ids.length === numbers.length ? numbers.map((number, place) => [number, ids[place] ?? '']) : []);
}

function* cancel({ account }: VoidTask, trackId: string | undefined): Generator<CarrierRequest, void, CarrierAnswer> {
  if (trackId === undefined || trackId === '')
    throw new CarrierError(
      'refused',
      'GLS cancels a parcel by its TrackID, which is not kept of this label: cancel it in the portal of GLS.',
    );
  const answer = yield* requestWithToken(glsToken(account), (token) => ({
    method: 'POST',
    url: `${account.settings.baseUrl}/shipit-farm/v1/backend/rs/shipments/cancel/${encodeURIComponent(trackId)}`,
    repeat: 'never',
    headers: { Accept: mediaType, 'Content-Type': mediaType, Authorization: `Bearer ${token}` },
    body: null,
  }));
  if (!isSuccess(answer)) throw cancelError(answer);
  const given = answeredJson(answer, title);
  // The description spells it with a capital, one program has read it in lower case.
  const result = textAt(given, 'Result') || textAt(given, 'result');
  if (cancelled.includes(result)) return;
  if (result === 'SCANNED')
    throw new CarrierError('refused', 'GLS has the parcel already: it was scanned, and cannot be cancelled any more.', {
      carrierCode: result,
    });
  if (result === '') throw unreadable(title, 'no result');
  throw new CarrierError('refused', `GLS does not cancel the parcel: its answer is ${result}.`, {
    carrierCode: result,
  });
}
