// The reference documentation of handover lists on the warehouse side.
import type { Parameter, RouteDescription } from '../../http/route.ts';
import { textBlock } from '../../model/text-block.ts';
import { accountParameters } from '../../shipping/path-parameters.ts';
import { handoverExample } from '../handover-schemas.ts';

const day: Parameter = {
  name: 'day',
  in: 'query',
  meaning: 'Day of the labels, from midnight to midnight in France; today where it is left out.',
  schema: { type: 'string', format: 'date', minLength: 10, maxLength: 10 },
  example: '2026-03-02',
};

/** The end of a day. */
export const handoverDescriptions = {
  getHandoverDay: {
    summary: 'The handover lists of a day',
    parameters: [...accountParameters, day],
    description: textBlock`
      The lists by which the parcels of a context are handed to a carrier, and how many labels of the day are on none
      yet. Changes nothing.
    `,
    answers: { schema: 'HandoverDay', example: handoverExample },
    refusals: { 400: ['invalid-parameter'], 404: ['resource-not-found'], 502: ['carrier-unavailable'] },
  },
  handOverDay: {
    summary: 'Hand over the parcels of a day',
    parameters: [...accountParameters, day],
    description: textBlock`
      Puts the labels of the day that are on no list on as many lists as the carrier wants, and tells the carrier where
      it wants to be told. Voided labels and returns are on none; a label is on one at most. The same request again
      makes no second list of the same labels: it goes on where labels are open (\`openLabels\`), asks once more for a
      list of which nobody knows, and gives the lists that there are.
    `,
    answers: { schema: 'HandoverDay', example: handoverExample },
    refusals: {
      400: ['invalid-parameter'],
      404: ['resource-not-found'],
      409: ['handover-in-progress'],
      422: ['carrier-rejected'],
      502: ['carrier-unavailable'],
      504: ['carrier-timeout'],
    },
  },
  getHandoverDocument: {
    summary: 'The paper of a handover list',
    parameters: [
      ...accountParameters,
      {
        name: 'handoverId',
        in: 'path',
        required: true,
        meaning: 'Id of the list.',
        schema: { type: 'string', format: 'uuid', maxLength: 36 },
        example: handoverExample.handovers[0].handoverId,
      },
    ],
    description: textBlock`
      The carrier's own slip, else a list with a row and a bar code for each parcel for the driver to sign; the same
      bytes each time, for as long as labels are kept.
    `,
    produces: ['application/pdf'],
    refusals: { 404: ['resource-not-found'], 502: ['carrier-unavailable'] },
    answerHeaders: {
      'Content-Disposition': {
        meaning: 'A name for the file (RFC 6266).',
        example: 'attachment; filename="handover-colissimo-2026-03-02-4d9b77.pdf"',
        schema: { maxLength: 200 },
      },
    },
  },
} as const satisfies Readonly<Record<string, RouteDescription>>;
