// The reference documentation of labels and tracking.
import type { RouteDescription } from '../../http/route.ts';
import { textBlock } from '../../model/text-block.ts';
import { labelRequestExample } from '../../shipping/label-request-schema.ts';
import { accountExample, labelExample, orderLabelExample, trackingExample } from '../shipping/label-schemas.ts';
import { maxListedLabels } from '../shipping/list-order-labels.ts';
import { orderParameters } from './documents.ts';
import { createLabelText } from './labels.ts';
import { accountParameters, expeditionParameter } from '../../shipping/path-parameters.ts';

/** `POST /shippings/labels/{context}/{carrier}` (interface 4.12; decisions D23 to D28). */
export const createLabel: RouteDescription = {
  summary: 'Create a shipping label',
  description: createLabelText,
  parameters: [
    ...accountParameters,
    {
      name: 'orderId',
      in: 'query',
      meaning: textBlock`
        Links the label to an order of the same activity: its \`id\` or \`orderUniqueID\`. Where goods have to be
        declared to customs, they are read from its lines.
      `,
      schema: { type: 'string', minLength: 1, maxLength: 36 },
    },
    {
      name: 'dryRun',
      in: 'query',
      meaning:
        'With `true` everything is checked, the carrier is not asked, and there is no label: `status` is `dry-run`.',
      schema: { type: 'boolean', default: false },
    },
  ],
  body: {
    schema: { $ref: '#/components/schemas/LabelRequest' },
    example: labelRequestExample,
  },
  answers: { schema: 'LabelResult', example: labelExample },
  answerHeaders: {
    'Label-Duplicates': {
      meaning:
        'Expedition number of the first label that was made from a request with the same fields, `orderId` and ' +
        '`nDossier`. There are two parcels now.',
      example: '10000001',
    },
  },
  refusals: { 422: ['carrier-rejected'], 502: ['carrier-unavailable'], 504: ['carrier-timeout'] },
};

/** `GET /shippings/labels/{context}/{carrier}/{id}` (interface 4.13; decision D28). */
export const getLabel: RouteDescription = {
  summary: 'Fetch a label',
  description:
    'The label with this expedition number, as it was answered when it was made. When its files ' +
    'are no longer kept, `outputs` is empty. A label that was not made here is asked for at the carrier, where ' +
    'it can be asked; for one that the carrier does not know, not again for a minute.',
  parameters: [...accountParameters, expeditionParameter],
  answers: { schema: 'LabelResult', example: labelExample },
  refusals: { 502: ['carrier-unavailable'], 504: ['carrier-timeout'] },
};

/** `GET /shippings/tracking/{context}/{carrier}/{id}` (interface 4.14; decision D29). */
export const getTracking: RouteDescription = {
  summary: 'Track a parcel',
  description: textBlock`
    Where a parcel is and how it came there. The carrier's answer serves for five minutes; \`Age\` says how
    old it is. While the carrier is away, its last answer is given with 200 and an \`Age\` of more than 300; where there
    is none, 502 or 504. What the carrier does not know is 404, for which it is not asked again for a minute. \`status\`
    is \`80\` registered, \`81\` in process, \`82\` delivered, \`83\` anomaly; \`date\` and \`hour\` are those of the
    place.
  `,
  parameters: [...accountParameters, expeditionParameter],
  answers: { schema: 'Tracking', example: trackingExample },
  answerHeaders: { Age: { meaning: 'Seconds since the carrier was asked.', example: '42' } },
  refusals: { 502: ['carrier-unavailable'], 504: ['carrier-timeout'] },
};

/** `GET /shippings/files/{token}`: the bytes of a label, for anyone with its link. */
export const getLabelFile: RouteDescription = {
  summary: 'The file of a label',
  description:
    'The bytes behind a link of `outputs`. Whoever has the link has the file: it names senders and recipients, ' +
    'so hand it on with care. It works as long as the files of labels are kept, then it is 404.',
  produces: ['application/pdf', 'image/png', 'image/jpeg', 'application/zpl'],
  parameters: [
    {
      name: 'token',
      in: 'path',
      required: true,
      meaning: 'The last part of the link.',
      schema: { type: 'string', minLength: 43, maxLength: 43 },
    },
  ],
  answerHeaders: {
    'Content-Disposition': {
      meaning: 'A name for the file (RFC 6266).',
      example: 'inline; filename="label-10000001.pdf"',
    },
    'X-Robots-Tag': { meaning: 'Asks search engines to leave the file alone.', example: 'noindex' },
  },
};

/** `GET /orders/{orderId}/labels`: the labels of an order. */
export const listOrderLabels: RouteDescription = {
  summary: 'List the labels of an order',
  description: textBlock`
    The labels that were made with this \`orderId\`, newest first; the newest ${maxListedLabels} where there are more.
    One that is void is not to be used any more. Fetch a label by its context, carrier and number.
  `,
  parameters: orderParameters,
  answers: { schema: 'OrderLabels', example: [orderLabelExample] },
  refusals: { 400: ['ambiguous-reference'] },
};

/** `GET /shippings/accounts`: the accounts that a client can ship with. */
export const listShippingAccounts: RouteDescription = {
  summary: 'List the accounts at carriers',
  description: textBlock`
    The contexts of your activities with their carriers, and what a form for their labels has to know: outputs, fields
    that are always needed, fields that the context presets, and codes where the carrier has a list of them. What a
    request needs beside that depends on what it says: \`dryRun\` tells.
  `,
  parameters: [],
  answers: { schema: 'ShippingAccounts', example: [accountExample] },
};
