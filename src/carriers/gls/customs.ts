// What GLS wants where goods are declared: the code of its incoterm with the shipment, and an invoice on paper.
import type { LabelRequest } from '../../model/shipping.ts';
import { amountText, type CustomsDeclaration } from '../../model/customs.ts';
import { CarrierError } from '../carrier.ts';
import { shortDescription } from '../customs/goods-text.ts';
import { type CarrierCustoms, insuredFor } from '../customs/rules.ts';
import type { JsonObject } from '../json.ts';
import { plain } from './rules.ts';

const maxContent = 255;

export const glsCustoms = {
  // As many as an invoice of a few pages has; GLS is sent none of them.
  maxLines: 99,
  paper: 'invoice',
  insurance: {},
  check: (_customs, _request, { settings }) => {
    if (settings.incoterm !== '') return [];
    throw new CarrierError(
      'configuration',
      'The account has no incoterm code of GLS (setting incoterm), without which goods do not pass customs.',
    );
  },
} as const satisfies CarrierCustoms;

/** The service AddonLiability of the only parcel: where goods are insured there is one. */
export function insuranceService(
  request: LabelRequest,
  customs: CustomsDeclaration | undefined,
): readonly JsonObject[] {
  const insured = insuredFor(customs, glsCustoms.insurance, request);
  if (customs === undefined || insured === 0) return [];
  const [first] = customs.lines;
  return [
    {
      AddonLiability: {
        ServiceName: 'service_addonliability',
        Amount: amountText(insured),
        Currency: customs.currency,
        ParcelContent: shortDescription(plain(first?.description ?? ''), maxContent),
      },
    },
  ];
}
