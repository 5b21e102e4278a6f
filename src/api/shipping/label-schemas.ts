// The shipping records of the interface (clause 2.11) as schemas and examples for the description.
import type { JsonSchema } from '../../model/schema.ts';
import { trackingLimits } from '../../model/shipping.ts';
import { labelRequestSchema } from '../../shipping/label-request-schema.ts';

const text = (description: string, maxLength = 255): JsonSchema => ({ type: 'string', description, maxLength });

function record(description: string, properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return { type: 'object', description, properties, required: Object.keys(properties) };
}

const some = (description: string): JsonSchema => ({ type: 'array', description, maxItems: 1000 });

/** Schemas by record name. */
export const shippingSchemas: Readonly<Record<string, JsonSchema>> = {
  LabelRequest: labelRequestSchema,
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
  OrderLabels: {
    type: 'array',
    description: 'Labels of an order.',
    maxItems: 100,
    items: { $ref: '#/components/schemas/OrderLabel' },
  },
  OrderLabel: record('A label of an order.', {
    activityCode: text('Activity of the order.', 3),
    context: text('Name of the account that it was made with.', 40),
    carrier: text('Name of the carrier.', 40),
    expeditionNumber: { type: ['string', 'null'], maxLength: 255, description: 'Number of the shipment.' },
    nDossier: { type: ['string', 'null'], maxLength: 50, description: 'Your number of the shipment.' },
    isVoid: { type: 'boolean', description: 'It is not to be used any more.' },
    dateCreation: { ...text('When it was asked for.', 24), format: 'date-time' },
  }),
  ShippingAccounts: {
    type: 'array',
    description: 'Accounts at carriers, by context and carrier.',
    maxItems: 1000,
    items: { $ref: '#/components/schemas/ShippingAccount' },
  },
  ShippingAccount: record('An account at a carrier.', {
    activityCode: text('Activity that it belongs to.', 3),
    context: text('Its name, in paths.', 40),
    carrier: text('Name of the carrier, in paths.', 40),
    carrierName: text('Name of the carrier, for people.'),
    makesLabels: { type: 'boolean', description: 'Labels can be made with this carrier.' },
    tracksParcels: { type: 'boolean', description: 'The carrier can be asked where a parcel is.' },
    outputs: {
      ...some('What labels can be, the default first.'),
      items: record('An output.', {
        outputType: text('For `outputType`.', 20),
        outputFormats: { ...some('For `outputFormat`, the default first.'), items: text('A format.', 50) },
      }),
    },
    requiredFields: { ...some('Fields of a label request that are always needed.'), items: text('A field.', 40) },
    presetFields: { ...some('Fields that the context presets.'), items: text('A field.', 40) },
    choices: {
      ...some('Fields of which the carrier has a list of values.'),
      items: record('A field with its values.', {
        field: text('Name of the field.', 40),
        values: { ...some('What it may say.'), items: text('A value.', 60) },
      }),
    },
  }),
  Tracking: record('Where a parcel is.', {
    status: {
      type: 'string',
      enum: ['80', '81', '82', '83'],
      description: '80 registered, 81 in process, 82 delivered, 83 anomaly.',
      maxLength: 2,
    },
    wording1: text('What the carrier says of the state.', trackingLimits.wording),
    wording2: text('More of it.', trackingLimits.wording),
    relayWording: text('Name of the point where the parcel is collected.', trackingLimits.place),
    relayNumber: text('Its number.', trackingLimits.number),
    steps: {
      type: 'array',
      maxItems: trackingLimits.steps,
      description: 'The way of the parcel, oldest step first.',
      items: { $ref: '#/components/schemas/TrackingStep' },
    },
  }),
  TrackingStep: record('One step of the way of a parcel.', {
    wording: text('What happened, as the carrier says it.', trackingLimits.wording),
    date: text('Day on the clock of the place, YYYY-MM-DD; empty where the carrier says none.', 10),
    hour: text('Time on the clock of the place, HH:mm; empty where the carrier says none.', 5),
    location: text('Where it happened.', trackingLimits.place),
    relayId: text('Number of the point.', trackingLimits.number),
    relayCountry: text('Country of the point.', trackingLimits.country),
  }),
};

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

export const orderLabelExample = {
  activityCode: 'ACM',
  context: 'acm',
  carrier: 'sandbox',
  expeditionNumber: '10000001',
  nDossier: 'WEB-2026-004711',
  isVoid: false,
  dateCreation: '2026-03-02T14:05:09.120Z',
} as const;

export const accountExample = {
  activityCode: 'ACM',
  context: 'acm',
  carrier: 'sandbox',
  carrierName: 'Sandbox',
  makesLabels: true,
  tracksParcels: true,
  outputs: [{ outputType: 'PdfUrl', outputFormats: ['10x15', 'A4', 'A5'] }],
  requiredFields: ['modeCol', 'modeLiv', 'destAddr1', 'destCity', 'destZip', 'destCountry', 'nbPackage', 'weight'],
  presetFields: ['expAddr1', 'expAddr2', 'expCity', 'expZip', 'expCountry'],
  choices: [{ field: 'modeLiv', values: ['HOM', '24R'] }],
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
