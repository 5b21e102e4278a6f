// Unified tracking in the simulator for DHL: a parcel in every state, and those made there.
import type { JsonObject } from '../src/carriers/json.ts';
import type { DhlParcel } from './dhl-manifests.ts';

/** Numbers that tracking knows, with their status codes in DHL's spelling. */
export const dhlSamples: Readonly<Record<string, string>> = {
  '340434310428091011': 'pre-transit',
  '340434310428091022': 'transit',
  '340434310428091033': 'delivered',
  '340434310428091044': 'failure',
  '340434310428091055': 'unknown',
};

/** Unified tracking's answer for a parcel; null if it knows none. */
export function trackedShipments(number: string, known: readonly DhlParcel[]): string | null {
  const statusCode = Object.hasOwn(dhlSamples, number)
    ? (dhlSamples[number] ?? '')
    : known.some((parcel) => parcel.number === number)
      ? 'pre-transit'
      : null;
  if (statusCode === null) return null;
  const event = (code: string, description: string, timestamp: string, addressLocality: string): JsonObject => ({
    timestamp,
    location: { address: { addressLocality, countryCode: 'DE' } },
    statusCode: code,
    status: code.toUpperCase(),
    description,
  });
  const announced = event(
    'pre-transit',
    'The instruction data for this shipment have been provided by the sender to DHL electronically.',
    '2026-11-19T09:30:00',
    '',
  );
  const events =
    statusCode === 'pre-transit'
      ? [announced]
      : [
          event(statusCode, `Simulator: ${statusCode}`, '2026-11-20T15:24:57+01:00', 'Berlin'),
          event(
            'transit',
            'The shipment has been processed in the parcel center.',
            '2026-11-19T18:46:14.000+01:00',
            'Hamburg',
          ),
          announced,
        ];
  return JSON.stringify({
    shipments: [{ id: number, service: 'parcel-de', status: events[0] ?? {}, events }],
  }).replace(/"id":"(\d+)"/, '"id":$1');
}
