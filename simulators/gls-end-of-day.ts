// Closing the day in the simulator for GLS, by the REST description of ShipIT 5.0.11 (getEndOfDayReport): transmits and
// closes the parcels of a shipping day, and names those that it closed.
import type { SimulatorAnswer } from './server.ts';

/** What the simulator keeps of a parcel. */
export interface GlsParcel {
  readonly number: string;
  readonly trackId: string;
  readonly name: string;
  readonly shippingDate: string;
  isCancelled: boolean;
  isClosed: boolean;
}

/** Without a date in the request, GLS picks the next working day. @param at milliseconds since 1970 */
export function shippingDay(given: string, at: number): string {
  if (given !== '') return given;
  const day = new Date(at);
  while ([0, 6].includes(day.getUTCDay())) day.setUTCDate(day.getUTCDate() + 1);
  return day.toISOString().slice(0, 10);
}

/**
 * Answers `POST …/shipments/endofday?date=…`. The date is mandatory; nothing else in the input is checked. A parcel for
 * a recipient called OFFLINE cannot be transmitted (COULD_NOT_TRANSMIT), and then none is closed.
 */
export function endDay(date: string | null, known: readonly GlsParcel[]): SimulatorAnswer {
  if (date === null || date === '')
    return failed('MANDATORY_PARAMETER_NOT_SET', 'The Mandatory parameter date is not set');
  const open = known.filter((parcel) => parcel.shippingDate === date && !parcel.isCancelled && !parcel.isClosed);
  const offline = open.filter(({ name }) => name === 'OFFLINE');
  if (offline.length > 0)
    return failed(
      'COULD_NOT_TRANSMIT',
      `Transmission of one or more of the following shipment units not successful: ${offline[0]?.trackId}`,
    );
  for (const parcel of open) parcel.isClosed = true;
  return {
    status: 200,
    headers: { 'Content-Type': 'application/glsVersion1+json' },
    body: JSON.stringify({
      Shipments: open.map(({ number, trackId, name }) => ({
        ShippingDate: date,
        Product: 'PARCEL',
        Consignee: { Address: { Name1: name, CountryCode: 'FR', eMail: null } },
        Shipper: { ContactID: '276a45e7ZY' },
        ShipmentUnit: [{ Weight: '1.2', TrackID: trackId, ParcelNumber: number }],
      })),
    }),
  };
}

function failed(error: string, message: string): SimulatorAnswer {
  return { status: 400, headers: { error, message, args: `["${message}"]` }, body: '' };
}
