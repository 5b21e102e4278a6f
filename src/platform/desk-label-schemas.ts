// Schemas and examples of labels at the shipping desk, for the description.
import type { Json } from '../http/openapi.ts';
import { maxNumberCharacters } from '../shipping/parcel-path.ts';
import { labelVoidStates } from '../store/label-voids.ts';
import { labelStates } from '../store/labels.ts';
import { instant, orNull, record, text, uuid } from './schema-parts.ts';

const voided: Json = {
  ...record('What became of the wish to have it void; null: there was none.', {
    state: text('`unknown`: nobody knows; ask again.', 20, { enum: labelVoidStates }),
    detail: text('What the carrier said; empty while it has not.', 2000),
    askedAt: instant('When the carrier was asked last.'),
    endedAt: orNull('When that ended; null while it lasts.', 24),
    voidedParcels: {
      type: 'array',
      maxItems: 999,
      description: 'Parcels that are void where not all of the label are.',
      items: text('Number of a parcel.', maxNumberCharacters),
    },
  }),
  type: ['object', 'null'],
};

export const deskLabelSchemas: Readonly<Record<string, Json>> = {
  DeskLabel: record('A label, without who it is for.', {
    labelId: uuid('Id of the label here.'),
    activityCode: text('Activity that it belongs to.', 3),
    context: text('Context that it was made in.', 40),
    carrier: text('Carrier.', 40),
    expeditionNumber: orNull('Number at the carrier.', maxNumberCharacters),
    state: text('What became of it.', 20, { enum: labelStates }),
    nDossier: orNull("The client's number of the shipment, as long as it is kept.", 50),
    orderId: orNull('Id of the order that it belongs to.', 36),
    createdAt: instant('When it was asked for.'),
    void: voided,
  }),
};

export const deskLabelExample = {
  labelId: '019c8ef1-1b2c-7a10-9c44-0d5e7f8a9b10',
  activityCode: 'ACM',
  context: 'paris',
  carrier: 'dpd',
  expeditionNumber: '10774000248387',
  state: 'voided',
  nDossier: 'WEB-2026-004711',
  orderId: null,
  createdAt: '2026-03-02T14:05:09.120Z',
  void: {
    state: 'voided',
    detail: 'DPD France has voided the parcel 10774000248387.',
    askedAt: '2026-03-02T15:00:00.000Z',
    endedAt: '2026-03-02T15:00:00.840Z',
    voidedParcels: [],
  },
} as const;
