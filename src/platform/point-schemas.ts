// Schemas and examples of pick-up points and trials, for the description.
import { weekdays } from '../carriers/points.ts';
import type { Json } from '../http/openapi.ts';
import { labelRequestFields } from '../model/shipping.ts';
import { labelRequestSchema } from '../shipping/label-request-schema.ts';
import { pointLimits } from '../shipping/point-query.ts';
import { record, text } from './schema-parts.ts';

const numberOrNull = (type: 'integer' | 'number', description: string, minimum: number, maximum: number): Json => ({
  type: [type, 'null'],
  description,
  minimum,
  maximum,
  ...(type === 'integer' && { format: 'int64' }),
});

export const pointSchemas: Readonly<Record<string, Json>> = {
  PickupPoints: record('Points near an address.', {
    points: {
      type: 'array',
      maxItems: pointLimits.max,
      description: 'The nearest first; empty where there is none.',
      items: { $ref: '#/components/schemas/PickupPoint' },
    },
  }),
  PickupPoint: record('A point where a recipient can collect a parcel.', {
    labelRequest: record('Put these into a label request, and its parcel goes to this point.', {
      modeLiv: text('How the parcel is delivered.', labelRequestFields.modeLiv.max),
      shippingPickupPoint: text('Number of the point.', labelRequestFields.shippingPickupPoint.max),
      shippingPickupPointCountry: text('Country of the point.', 2),
    }),
    name: text('What it is called.'),
    street: text('Street and number.'),
    supplement: text('More of the address; empty where there is none.'),
    zip: text('Postcode.'),
    city: text('Town.'),
    country: text('Country, two letters (ISO 3166-1).', 2),
    latitude: numberOrNull('number', 'Degrees; null where the carrier does not say.', -90, 90),
    longitude: numberOrNull('number', 'Degrees; null where the carrier does not say.', -180, 180),
    distanceMeters: numberOrNull(
      'integer',
      'From the place that was asked about; null where the carrier does not say.',
      0,
      Number.MAX_SAFE_INTEGER,
    ),
    maxGrams: numberOrNull(
      'integer',
      'Heaviest parcel that the point takes; null where the carrier does not say.',
      0,
      Number.MAX_SAFE_INTEGER,
    ),
    openingHours: {
      type: 'array',
      maxItems: 70,
      description: 'When it is open, on the clock of the place; empty where the carrier does not say.',
      items: record('From when to when.', {
        day: text('Day of the week.', 9, { enum: weekdays }),
        from: text('HH:mm.', 5),
        to: text('HH:mm.', 5),
      }),
    },
  }),
  LabelRequest: labelRequestSchema,
  LabelTrial: record('A request that would be taken.', {
    judgedBy: text('`service`: by the rules of this service alone; the carrier may still refuse it.', 10, {
      enum: ['carrier', 'service'],
    }),
    detail: text('Who has judged it, and what the carrier does not judge.', 1000),
  }),
};

export const pointsExample = {
  points: [
    {
      labelRequest: { modeLiv: '24R', shippingPickupPoint: '066974', shippingPickupPointCountry: 'FR' },
      name: 'TABAC DE LA GARE',
      street: '4 PLACE DE LA GARE',
      supplement: '',
      zip: '75009',
      city: 'PARIS',
      country: 'FR',
      latitude: 48.8766,
      longitude: 2.3371,
      distanceMeters: 350,
      maxGrams: null,
      openingHours: [
        { day: 'monday', from: '09:00', to: '12:30' },
        { day: 'monday', from: '14:00', to: '19:00' },
      ],
    },
  ],
} as const;

export const trialExample = { judgedBy: 'carrier', detail: 'Colissimo would take this request.' } as const;
