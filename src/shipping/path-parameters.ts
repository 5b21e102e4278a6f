// The reference documentation of the path parameters that name a carrier account and a parcel.
import type { Parameter } from '../http/route.ts';
import { maxNumberCharacters } from './parcel-path.ts';

export const accountParameters: readonly Parameter[] = [
  {
    name: 'context',
    in: 'path',
    required: true,
    meaning: 'Name of the carrier account, as whoever runs the service gave it; in the demonstration `acm` and `bel`.',
    schema: { type: 'string', minLength: 1, maxLength: 40 },
    example: 'acm',
  },
  {
    name: 'carrier',
    in: 'path',
    required: true,
    meaning: 'Name of the carrier, such as `sandbox` (offline, in the demonstration) or `mondialrelay`.',
    schema: { type: 'string', minLength: 1, maxLength: 40 },
    example: 'sandbox',
  },
];

export const expeditionParameter: Parameter = {
  name: 'id',
  in: 'path',
  required: true,
  meaning: 'Expedition number of the shipment at the carrier, or the number of one of its parcels.',
  schema: { type: 'string', minLength: 1, maxLength: maxNumberCharacters },
  example: '10000001',
};
