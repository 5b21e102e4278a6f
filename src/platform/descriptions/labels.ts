// The reference documentation of labels on the warehouse side.
import type { RouteDescription } from '../../http/route.ts';
import { textBlock } from '../../model/text-block.ts';
import { accountParameters, expeditionParameter } from '../../shipping/path-parameters.ts';
import { deskLabelExample } from '../desk-label-schemas.ts';

const path = [...accountParameters, expeditionParameter];

/** The outcome of a label, and voiding it. */
export const deskLabelDescriptions = {
  getDeskLabel: {
    summary: 'What became of a label',
    parameters: path,
    description: textBlock`
      State of a label that was made here, and of the wish to have it void; neither sender nor recipient. It is found by
      its own number or that of one of its parcels, in every context of its activity at the carrier.
    `,
    answers: { schema: 'DeskLabel', example: deskLabelExample },
    refusals: { 404: ['resource-not-found'], 502: ['carrier-unavailable'] },
  },
  voidDeskLabel: {
    summary: 'Void a label',
    parameters: [
      ...path,
      {
        name: 'unused',
        in: 'query',
        meaning: textBlock`
          With \`true\` the carrier is not asked: the label was destroyed and is noted as not used. For carriers that
          have no way, and for labels that the carrier does not take back any more.
        `,
        schema: { type: 'string', enum: ['true', 'false'], default: 'false' },
      },
    ],
    description: textBlock`
      Asks the carrier to take the label back, with all parcels of the shipment, before they are handed over. 200: it is
      void, and its files and its number are answered no more. The same request again is answered in the same way, and
      the carrier is not asked. After 502 or 504 \`detail\` says whether the label may be void all the same; send the
      request again, it asks the carrier once more. Where a carrier has no way, \`detail\` of the 409 says what to do.
    `,
    answers: { schema: 'DeskLabel', example: deskLabelExample },
    refusals: {
      404: ['resource-not-found'],
      409: ['not-voidable', 'void-in-progress'],
      502: ['carrier-unavailable'],
      504: ['carrier-timeout'],
    },
  },
} as const satisfies Readonly<Record<string, RouteDescription>>;
