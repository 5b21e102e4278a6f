// Has GLS judge a shipment without creating it (ShipIT, validateParcels).
import { requestWithToken } from '../access-token.ts';
import { type CarrierAnswer, type CarrierRequest, isSuccess } from '../carrier.ts';
import { unreadable } from '../carrier-messages.ts';
import { type DryRunTask, takenSentence } from '../desk.ts';
import { answeredJson, listAt, valueAt } from '../json.ts';
import { glsToken, mediaType, shipmentError, title, validationError } from './errors.ts';
import { orderOf } from './label.ts';
import { isReturn } from './rules.ts';

export function* dryRun({ account, request, customs }: DryRunTask): Generator<CarrierRequest, string, CarrierAnswer> {
  const { Shipment } = orderOf(request, account, customs);
  const body = JSON.stringify({ Shipment });
  const answer = yield* requestWithToken(glsToken(account), (token) => ({
    method: 'POST',
    url: `${account.settings.baseUrl}/shipit-farm/v1/backend/rs/shipments/validate`,
    repeat: 'safe',
    headers: { Accept: mediaType, 'Content-Type': mediaType, Authorization: `Bearer ${token}` },
    body,
  }));
  if (!isSuccess(answer)) throw shipmentError(answer, isReturn(request));
  const given = answeredJson(answer, title);
  // The description's samples spell them in lower case, types in programs with a capital.
  const issues = [...listAt(given, 'validationResult', 'Issues'), ...listAt(given, 'ValidationResult', 'Issues')];
  if (issues.length > 0) throw validationError(issues, isReturn(request));
  const success = valueAt(given, 'success') ?? valueAt(given, 'Success');
  if (success !== true) throw unreadable(title, 'no result of the validation');
  return takenSentence(title);
}
