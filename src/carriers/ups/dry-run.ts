// Has UPS judge a shipment without creating it: asks its Rating interface for the price of exactly this one.
import { requestWithToken } from '../access-token.ts';
import { type CarrierAccount, type CarrierAnswer, type CarrierRequest, isSuccess } from '../carrier.ts';
import { carrierError, unreadable } from '../carrier-messages.ts';
import { type DryRunTask, takenSentence } from '../desk.ts';
import { answeredJson, type JsonObject, listAt, textAt, withoutEmpty } from '../json.ts';
import { parcelWeights } from '../label-rules.ts';
import type { CustomsDeclaration } from '../../model/customs.ts';
import type { LabelRequest } from '../../model/shipping.ts';
import { headersOf, messageOf, title, upsError, upsToken } from './errors.ts';
import { addressOf, chargesOf, contentsOf } from './shipment-parts.ts';

export function* dryRun({
  account,
  request,
  customs,
  now,
}: DryRunTask): Generator<CarrierRequest, string, CarrierAnswer> {
  const body = JSON.stringify(rateOf(request, account, customs));
  const answer = yield* requestWithToken(upsToken(account), (token) => ({
    method: 'POST',
    url: `${account.settings.baseUrl}/api/rating/v2409/Rate`,
    headers: headersOf(token, `${now}-rate`),
    body,
    repeat: 'safe',
  }));
  // Shipping and Rating are separate products: an application may have only the first.
  if (answer.status === 401 || answer.status === 403)
    throw carrierError(
      'configuration',
      'UPS does not let the application of this account ask for prices; add the product Rating to it',
      messageOf(answer),
    );
  if (!isSuccess(answer)) throw upsError(answer, 'refused', 'UPS refuses the shipment');
  const rated = listAt(answeredJson(answer, title), 'RateResponse', 'RatedShipment');
  if (!rated.some((one) => textAt(one, 'TotalCharges', 'MonetaryValue') !== ''))
    throw unreadable(title, 'no price of the shipment');
  return takenSentence(title);
}

/** Names the service and the account, so that a shipment not possible with them has no price. */
function rateOf(
  request: LabelRequest,
  { settings }: CarrierAccount,
  customs: CustomsDeclaration | undefined,
): JsonObject {
  const { accountNumber = '' } = settings;
  const sender = { Name: request.expAddr1, Address: addressOf(request, 'exp') };
  const weights = parcelWeights(request);
  return {
    RateRequest: {
      Request: withoutEmpty({
        RequestOption: 'Rate',
        TransactionReference: withoutEmpty({ CustomerContext: request.nDossier }),
      }),
      Shipment: {
        Shipper: { ...sender, ShipperNumber: accountNumber },
        ShipTo: { Name: request.destAddr1, Address: addressOf(request, 'dest') },
        ShipFrom: sender,
        PaymentDetails: { ShipmentCharge: chargesOf(accountNumber, customs) },
        Service: { Code: request.modeLiv },
        NumOfPieces: String(weights.length),
        Package: weights.map((grams) => ({
          PackagingType: { Code: '02' },
          ...contentsOf(grams, request, customs),
        })),
      },
    },
  };
}
