// Requests to carriers that open with OAuth 2.0: credentials of the account in, an access token out, and a new one
// where it is refused.
import { CarrierError, type WireAnswer, type WireRequest } from './carrier.ts';
import { type JsonValue, parseJson, textAt } from './json.ts';
import { type CarrierMessage, carrierError, accessError, unreadable } from './carrier-messages.ts';

export interface TokenRequest {
  /** Title of the carrier. */
  readonly title: string;
  readonly url: string;
  /** Besides the content type. */
  readonly headers: Readonly<Record<string, string>>;
  readonly form: Readonly<Record<string, string>>;
  /** How the carrier words an error. */
  readonly messageIn: (body: JsonValue | undefined) => CarrierMessage;
}

type Talk<T> = Generator<WireRequest, T, WireAnswer>;

/**
 * Asks something with an access token, with the one that is kept where there is one. A carrier may end it before its
 * time: what it does not let in (401) is asked once more with a new one, also where a parcel is to be made, because it
 * has done nothing.
 * @param request what to ask with a token
 * @throws CarrierError as `accessToken` does
 */
export function* requestWithToken(token: TokenRequest, request: (token: string) => WireRequest): Talk<WireAnswer> {
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
 * Asks for an access token. Asking twice gives two tokens and does no harm.
 * @param which `kept` is content with one that was given before
 * @throws CarrierError `configuration` where the credentials are refused, `unavailable` where there is no sense in the
 * answer
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
  // Without a token nothing can have been made.
  throw new CarrierError(kind, message, { carrierCode, carrierMessage, acted: 'no' });
}

/**
 * The access token of an answer, null where there is none that can be sent: it goes into a header, where a line break
 * would begin another one.
 */
export function tokenIn({ status, body }: WireAnswer): string | null {
  const token = textAt(parseJson(body), 'access_token');
  return status === 200 && /^[\x21-\x7e]+$/.test(token) ? token : null;
}

function tokenError(title: string, answer: WireAnswer, words: CarrierMessage): CarrierError {
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
