// Closes the day at Colissimo: the number and PDF of the delivery slip (bordereau) for the parcels that La Poste
// collects.
import type { CarrierAnswer, CarrierRequest } from '../carrier.ts';
import { unreadable } from '../carrier-messages.ts';
import type { CarrierHandover, HandoverRules, HandoverTask } from '../desk.ts';
import { textAt } from '../json.ts';
import { labelOutput } from '../label-outputs.ts';
import { slsAnswer, title } from './answers.ts';
import { requireAccess, sls } from './label.ts';
import { returnProducts } from './rules.ts';

/** La Poste's own modules for shops put at most fifty parcels on a slip, and never returns. */
export const handover: HandoverRules = {
  maxParcels: 50,
  isReturn: ({ modeLiv }) => returnProducts.includes(modeLiv),
  close,
};

/** A slip cannot be fetched again: asked twice, Colissimo creates a second one for the same parcels. */
async function* close({
  account,
  parcelNumbers,
}: HandoverTask): AsyncGenerator<CarrierRequest, CarrierHandover, CarrierAnswer> {
  requireAccess(account);
  const { info, documents } = await slsAnswer(
    yield sls(
      account,
      '2.0/generateBordereauByParcelsNumbers',
      { generateBordereauParcelNumberList: { parcelsNumbers: parcelNumbers } },
      'never',
    ),
  );
  const number = textAt(info, 'bordereauHeader', 'bordereauNumber');
  if (number === '') throw unreadable(title, 'no number of the delivery slip');
  // Programs have seen the slip under this name; any other PDF is taken for it too.
  const named = documents.get('deliveryPaper') ?? [...documents.values()].find(isPdf);
  if (named === undefined || !isPdf(named)) throw unreadable(title, `no PDF of the delivery slip ${number}`);
  return { detail: `Colissimo has made the delivery slip ${number}.`, number, slip: named };
}

function isPdf(bytes: Buffer): boolean {
  return labelOutput('PdfUrl', bytes) !== null;
}
