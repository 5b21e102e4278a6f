// The shipping records of the interface (clause 2.11) as schemas and examples for the description.
import type { JsonSchema } from '../../model/schema.ts';
import { labelRequestFields } from '../../model/shipping.ts';

const text = (description: string, maxLength = 255): JsonSchema => ({ type: 'string', description, maxLength });

function record(description: string, properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return { type: 'object', description, properties, required: Object.keys(properties) };
}

/** Only fields that no context can preset are required. */
const labelRequest: JsonSchema = {
  type: 'object',
  description: 'What a label is asked for with. Numbers are written as text.',
  properties: Object.fromEntries(
    Object.entries(labelRequestFields).map(([name, { max, meaning }]) => [
      name,
      { type: ['string', 'null'], maxLength: max, description: meaning },
    ]),
  ),
  required: Object.entries(labelRequestFields)
    .filter(([, field]) => 'required' in field)
    .map(([name]) => name),
  additionalProperties: false,
};

/** Schemas by record name. */
export const shippingSchemas: Readonly<Record<string, JsonSchema>> = {
  LabelRequest: labelRequest,
  LabelResult: record('A label.', {
    status: text('`0`: the label exists. `dry-run`: everything is right, nothing was made.', 20),
    expeditionNumber: text('Number of the shipment at the carrier: the `id` of this label.'),
    outputs: {
      type: 'array',
      maxItems: 1000,
      description: 'The label in the output that was asked for, and what else the carrier gave.',
      items: { $ref: '#/components/schemas/LabelOutput' },
    },
  }),
  LabelOutput: record('One output of a label.', {
    name: text('What it is, such as `PdfUrl`; `ParcelNumber`, once for each parcel where there are several.', 64),
    value: {
      type: 'string',
      description:
        'A link (names that end in `Url`), base64, or a text. Where a file could not be stored, its link is a ' +
        '`data:` URL that holds all of it.',
      maxLength: 70_000_000,
    },
  }),
  Tracking: record('Where a parcel is.', {
    status: {
      type: 'string',
      enum: ['80', '81', '82', '83'],
      description: '80 registered, 81 in process, 82 delivered, 83 anomaly.',
      maxLength: 2,
    },
    wording1: text('What the carrier says of the state.', 500),
    wording2: text('More of it.', 500),
    relayWording: text('Name of the point where the parcel is collected.'),
    relayNumber: text('Its number.', 40),
    steps: {
      type: 'array',
      maxItems: 1000,
      description: 'The way of the parcel, oldest step first.',
      items: { $ref: '#/components/schemas/TrackingStep' },
    },
  }),
  TrackingStep: record('One step of the way of a parcel.', {
    wording: text('What happened, as the carrier says it.', 500),
    date: text('Day on the clock of the place, YYYY-MM-DD; empty where the carrier says none.', 10),
    hour: text('Time on the clock of the place, HH:mm; empty where the carrier says none.', 5),
    location: text('Where it happened.'),
    relayId: text('Number of the point.', 40),
    relayCountry: text('Country of the point.', 2),
  }),
};

export const labelRequestExample = {
  modeCol: 'CCC',
  modeLiv: 'HOM',
  expLang: 'FR',
  expAddr1: 'Acme Home',
  expAddr2: '4 rue des Entrepôts',
  expCity: 'Lesquin',
  expZip: '59810',
  expCountry: 'FR',
  destLang: 'FR',
  destAddr1: 'Camille Moreau',
  destAddr2: '6 place des Vosges',
  destCity: 'Paris',
  destZip: '75004',
  destCountry: 'FR',
  destTel1: '+33600000000',
  destMail: 'camille.moreau@example.com',
  weight: '1200',
  nbPackage: '1',
  nDossier: 'WEB-2026-004711',
  outputType: 'PdfUrl',
  outputFormat: '10x15',
} as const;

export const labelExample = {
  status: '0',
  expeditionNumber: '10000001',
  outputs: [
    {
      name: 'PdfUrl',
      value: 'https://logistics.example/v1/shippings/files/Zx3kQ0y1hVn8mB2rT5uW7pL9sD4fG6jK1aC0eR2tY3o',
    },
  ],
} as const;

export const trackingExample = {
  status: '81',
  wording1: 'In transit',
  wording2: '',
  relayWording: '',
  relayNumber: '',
  steps: [
    { wording: 'Registered', date: '2026-03-02', hour: '14:05', location: '', relayId: '', relayCountry: '' },
    { wording: 'Collected', date: '2026-03-02', hour: '18:40', location: 'Lesquin', relayId: '', relayCountry: '' },
  ],
} as const;
