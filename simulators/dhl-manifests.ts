// Manifests in the simulator for DHL, by the description of "Parcel DE Shipping" 2.1.13 (POST /manifests): the profile
// is mandatory, with 1 to 30 shipments and a status for each; closing a closed shipment again gives a warning.
import { type JsonObject, type JsonValue, textAt, valueAt } from '../src/carriers/json.ts';

/** What the simulator keeps of a shipment. */
export interface DhlParcel {
  readonly number: string;
  readonly name: string;
  isDeleted: boolean;
  isClosed: boolean;
}

/** Closes shipments; null if a member is missing or of another type. */
export function closedItems(body: JsonValue | undefined, known: readonly DhlParcel[]): readonly JsonObject[] | null {
  const given = valueAt(body, 'shipmentNumbers');
  const numbers = Array.isArray(given) ? given.filter((number) => typeof number === 'string') : [];
  const isComplete = Array.isArray(given) && numbers.length === given.length;
  if (textAt(body, 'profile') === '' || !isComplete || numbers.length < 1 || numbers.length > 30) return null;
  return numbers.map((number): JsonObject => {
    const parcel = known.find((each) => each.number === number && !each.isDeleted);
    if (parcel === undefined)
      return {
        shipmentNo: number,
        sstatus: { title: 'Bad Request', statusCode: 400, status: 400, detail: 'Unknown shipment number.' },
      };
    const detail = parcel.isClosed ? 'The shipment has already been closed.' : 'The shipment has been closed.';
    parcel.isClosed = true;
    return { shipmentNo: number, sstatus: { title: 'OK', statusCode: 200, status: 200, detail } };
  });
}
