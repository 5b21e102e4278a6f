// UPS's errors, and the request for its access token.
import { basicAuthorization, type TokenRequest } from '../access-token.ts';
import { type CarrierAccount, CarrierError, type CarrierErrorKind, type CarrierAnswer } from '../carrier.ts';
import { type JsonValue, listAt, parseJson, textAt } from '../json.ts';
import { type CarrierMessage, carrierError, accessError } from '../carrier-messages.ts';

export const title = 'UPS';

export function upsToken({ settings }: CarrierAccount): TokenRequest {
  const { baseUrl = '', clientId = '', clientSecret = '' } = settings;
  return {
    title,
    url: `${baseUrl}/security/v1/oauth/token`,
    headers: { Authorization: basicAuthorization(clientId, clientSecret) },
    form: { grant_type: 'client_credentials' },
    messageIn,
  };
}

/** @param transaction names the request to UPS; up to 32 characters */
export function headersOf(token: string, transaction: string): Readonly<Record<string, string>> {
  return {
    Accept: 'application/json',
    'Content-Type': 'application/json',
    Authorization: `Bearer ${token}`,
    transId: transaction.slice(0, 32),
    transactionSrc: 'logistics-connect',
  };
}

/** The only known code about the account: its number comes from the settings, and is nothing that the client sends. */
const missingShipper = '120100';

/**
 * The error of an answer that is no success.
 * @param kind what status 400 and 404 mean for the operation
 */
export function upsError(answer: CarrierAnswer, kind: CarrierErrorKind, sentence: string): CarrierError {
  const message = messageOf(answer);
  const denied = accessError(title, answer, message);
  if (denied !== null) return denied;
  if (message.code === missingShipper)
    return carrierError(
      'configuration',
      'UPS does not accept the account number of this account (setting accountNumber)',
      message,
    );
  if (message.code === '' && message.text === '')
    return new CarrierError('unavailable', `UPS answered with status ${answer.status} and no reason that can be read.`);
  return carrierError(kind, sentence, message);
}

/** Code and wording of an error. */
export function messageOf({ body }: CarrierAnswer): CarrierMessage {
  return messageIn(parseJson(body));
}

/** Code and wording of the first error, followed by the wordings of further ones; older faults have another form. */
function messageIn(body: JsonValue | undefined): CarrierMessage {
  const errors = listAt(body, 'response', 'errors');
  const messages = errors.map((error) => textAt(error, 'message')).filter((message) => message !== '');
  const fault = ['Fault', 'detail', 'Errors', 'ErrorDetail', 'PrimaryErrorCode'];
  return {
    code: textAt(errors[0], 'code') || textAt(body, ...fault, 'Code'),
    text: messages.join('; ') || textAt(body, ...fault, 'Description'),
  };
}
