// Schemas and examples of handover lists at the shipping desk, for the description.
import type { Json } from '../http/openapi.ts';
import { handoverStates } from '../store/handovers.ts';
import { instant, orNull, record, text, uuid, whole } from './schema-parts.ts';

export const handoverSchemas: Readonly<Record<string, Json>> = {
  HandoverDay: record('Where a day stands.', {
    activityCode: text('Activity that the labels belong to.', 3),
    context: text('Context that they were made in.', 40),
    carrier: text('Carrier.', 40),
    day: text('Day of the labels in France.', 10, { format: 'date' }),
    openLabels: whole('Labels that are on no list. After a POST: send it again, time did not allow for more.'),
    doubtfulLabels: whole('Labels that are on none because nobody knows whether there is a parcel.'),
    handovers: {
      type: 'array',
      maxItems: 10_000,
      description: 'The lists of the day, oldest first.',
      items: { $ref: '#/components/schemas/Handover' },
    },
  }),
  Handover: record('A list of parcels.', {
    handoverId: uuid('Id of the list here.'),
    state: text(
      '`unknown`: nobody knows whether the carrier has it; `refused`: there is none, its labels are open.',
      20,
      {
        enum: handoverStates,
      },
    ),
    detail: text('What the carrier said, or what to do; empty while that is not known.', 2000),
    number: orNull("The carrier's number of it, such as that of a delivery slip of Colissimo.", 64),
    labels: whole('How many labels were on it.'),
    parcels: whole('How many parcels.'),
    createdAt: instant('When it was begun.'),
    endedAt: orNull('When that ended; null while it lasts.', 24),
    document: orNull('Address of its PDF, for the key; null: there is none.', 2048),
  }),
};

export const handoverExample = {
  activityCode: 'ACM',
  context: 'paris',
  carrier: 'colissimo',
  day: '2026-03-02',
  openLabels: 0,
  doubtfulLabels: 0,
  handovers: [
    {
      handoverId: '019c8ef2-0d10-7b3a-8a51-6c0f2e4d9b77',
      state: 'made',
      detail: 'Colissimo has made the delivery slip 10000041.',
      number: '10000041',
      labels: 38,
      parcels: 41,
      createdAt: '2026-03-02T15:30:00.120Z',
      endedAt: '2026-03-02T15:30:01.480Z',
      document:
        'https://logistics.example/platform/shippings/handovers/paris/colissimo/' +
        '019c8ef2-0d10-7b3a-8a51-6c0f2e4d9b77/document',
    },
  ],
} as const;
