// Requests to carriers that use OAuth 2.0: gets an access token for the account's credentials, and a new one when the
// carrier refuses it.
import { CarrierError, type CarrierAnswer, type CarrierRequest, isSuccess } from './carrier.ts';
import { type JsonValue, parseJson, textAt } from './json.ts';
import { type CarrierMessage, carrierError, accessError, unreadable } from './carrier-messages.ts';

export interface TokenRequest {
  /** Title of the carrier. */
  readonly title: string;
  readonly url: string;
  /** Besides the content type. */
  readonly headers: Readonly<Record<string, string>>;
  readonly form: Readonly<Record<string, string>>;
  /** Reads the carrier's error message. */
  readonly messageIn: (body: JsonValue | undefined) => CarrierMessage;
}

type Talk<T> = Generator<CarrierRequest, T, CarrierAnswer>;

/**
 * Sends a request with an access token: the stored one, if there is one. A carrier may revoke a token before it
 * expires, so a request that gets 401 is sent once more with a new token, even one that creates a parcel, because the
 * refused request did nothing.
 * @param request what to ask with a token
 * @throws CarrierError as `accessToken` does
 */
export function* requestWithToken(
  token: TokenRequest,
  request: (token: string) => CarrierRequest,
): Talk<CarrierAnswer> {
  const answer = yield request(yield* accessToken(token, 'kept'));
  return answer.status === 401 ? yield request(yield* renewed(token)) : answer;
}

function* renewed(token: TokenRequest): Talk<string> {
  try {
    return yield* accessToken(token, 'new');
  } catch (error) {
    if (!(error instanceof CarrierError)) throw error;
    const { kind, message, carrierCode, carrierMessage } = error;
    throw new CarrierError(kind, message, { carrierCode, carrierMessage, acted: 'no' });
  }
}

/**
 * Gets an access token. Asking twice gives two tokens and does no harm.
 * @param which `kept` accepts a token given earlier
 * @throws CarrierError `configuration` if the credentials are refused, `unavailable` if the answer makes no sense
 */
export function* accessToken(
  { title, url, headers, form, messageIn }: TokenRequest,
  which: 'kept' | 'new',
): Talk<string> {
  const answer = yield {
    method: 'POST',
    url,
    repeat: 'safe',
    token: which,
    body: new URLSearchParams(form).toString(),
    headers: { Accept: 'application/json', 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
  };
  const token = tokenIn(answer);
  if (token !== null) return token;
  const { kind, message, carrierCode, carrierMessage } = tokenError(title, answer, messageIn(parseJson(answer.body)));
  // Nothing can have been created without a token.
  throw new CarrierError(kind, message, { carrierCode, carrierMessage, acted: 'no' });
}

/**
 * The access token of an answer; null if it has none that can be sent: the token goes into a header, where a line break
 * would start another one.
 */
export function tokenIn(answer: CarrierAnswer): string | null {
  const token = textAt(parseJson(answer.body), 'access_token');
  return isSuccess(answer) && /^[\x21-\x7e]+$/.test(token) ? token : null;
}

function tokenError(title: string, answer: CarrierAnswer, words: CarrierMessage): CarrierError {
  const error = accessError(title, answer, words);
  if (error !== null) return error;
  if (answer.status < 400) return unreadable(title, 'no access token');
  return carrierError(
    'configuration',
    `${title} gives this account no access token (status ${answer.status}); its settings must be put right`,
    words,
  );
}

/** The value of an Authorization header with a name and a password. */
export function basicAuthorization(name: string, password: string): string {
  return `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`;
}
