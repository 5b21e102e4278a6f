// The reference documentation of pick-up points and trials of label requests.
import type { RouteDescription } from '../../http/route.ts';
import { textBlock } from '../../model/text-block.ts';
import { labelRequestFields } from '../../model/shipping.ts';
import { labelRequestExample } from '../../shipping/label-request-schema.ts';
import { accountParameters } from '../../shipping/path-parameters.ts';
import { pointLimits } from '../../shipping/point-query.ts';
import { pointsExample, trialExample } from '../point-schemas.ts';

const place = (
  name: 'destCity' | 'destAddr2' | 'weight' | 'modeLiv' | 'destZip' | 'destCountry',
  meaning: string,
  required = false,
) => ({
  name,
  in: 'query' as const,
  ...(required && { required: true as const }),
  meaning,
  schema: { type: 'string', maxLength: labelRequestFields[name].max } as const,
});

export const pointDescriptions = {
  listPickupPoints: {
    summary: 'Pick-up points near an address',
    parameters: [
      ...accountParameters,
      { ...place('destCountry', 'Country of the recipient, two letters (ISO 3166-1).', true), example: 'FR' },
      { ...place('destZip', 'Postcode near which to look.', true), example: '75009' },
      place('destCity', 'Town; Colissimo needs it.'),
      place('destAddr2', 'Street; Mondial Relay does not look at it.'),
      place('weight', 'Grams of the heaviest parcel: points that do not take it are left out.'),
      place('modeLiv', 'How the parcel shall be delivered; empty: as the carrier delivers to points usually.'),
      {
        name: 'limit',
        in: 'query',
        meaning: 'Most points.',
        schema: {
          type: 'integer',
          format: 'int32',
          minimum: pointLimits.min,
          maximum: pointLimits.max,
          default: pointLimits.otherwise,
        },
      },
    ],
    description: textBlock`
      Points of the carrier near an address, the nearest first. Parameters are called as the fields of the label request
      that the points are for. \`labelRequest\` of a point holds the fields that go into that request: with them its
      parcel goes to the point. The same question within a minute gets the same answer. 404 also stands for a carrier
      whose points are not looked for here; \`detail\` says so.
    `,
    answers: { schema: 'PickupPoints', example: pointsExample },
    refusals: {
      400: ['validation-failed'],
      404: ['resource-not-found'],
      422: ['carrier-rejected'],
      502: ['carrier-unavailable'],
      504: ['carrier-timeout'],
    },
  },
  tryLabel: {
    summary: 'Try a label request',
    parameters: [
      ...accountParameters,
      {
        name: 'orderId',
        in: 'query',
        meaning: '`id` or `orderUniqueID` of the order whose goods are declared to customs.',
        schema: { type: 'string', minLength: 1, maxLength: 36 },
      },
    ],
    description: textBlock`
      Whether the carrier would make a label of this request; nothing is made, noted or paid. The request is tried by
      the rules of this service, then by the carrier itself where it judges a request without making a label
      (\`judgedBy\`). What it would refuse is answered as the making of the label would be: 400 with the fields at
      fault, 422 with the carrier's own words.
    `,
    body: { schema: { $ref: '#/components/schemas/LabelRequest' }, example: labelRequestExample },
    answers: { schema: 'LabelTrial', example: trialExample },
    refusals: {
      400: ['validation-failed', 'malformed-json'],
      404: ['resource-not-found'],
      422: ['carrier-rejected'],
      502: ['carrier-unavailable'],
      504: ['carrier-timeout'],
    },
  },
} as const satisfies Readonly<Record<string, RouteDescription>>;
