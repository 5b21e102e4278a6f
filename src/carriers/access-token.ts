// The first request of carriers that open with OAuth 2.0: credentials of the account in, an access token out.
import { CarrierError, type WireAnswer, type WireRequest } from './carrier.ts';
import { accessError, quoted, type Said, saying, senseless } from './carrier-words.ts';
import { type JsonValue, parseJson, textAt } from './json.ts';

export interface TokenRequest {
  /** Title of the carrier. */
  readonly title: string;
  readonly url: string;
  /** Besides the content type. */
  readonly headers: Readonly<Record<string, string>>;
  readonly form: Readonly<Record<string, string>>;
  /** How the carrier words an error. */
  readonly said: (body: JsonValue | undefined) => Said;
}

/**
 * Asks for an access token. Asking twice gives two tokens and does no harm.
 * @throws CarrierError `configuration` where the credentials are refused, `unavailable` where there is no sense in the answer
 */
export function* accessToken({ title, url, headers, form, said }: TokenRequest): Generator<WireRequest, string, WireAnswer> {
  const answer = yield {
    method: 'POST', url, repeat: 'safe', body: new URLSearchParams(form).toString(),
    headers: { Accept: 'application/json', 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
  };
  const token = textAt(parseJson(answer.body), 'access_token');
  // A token goes into a header, where a line break would begin another one.
  if (answer.status === 200 && /^[\x21-\x7e]+$/.test(token)) return token;
  const { kind, message, carrierCode, carrierMessage } = tokenError(title, answer, said(parseJson(answer.body)));
  // Without a token nothing can have been made.
  throw new CarrierError(kind, message, { carrierCode, carrierMessage, acted: 'no' });
}

function tokenError(title: string, answer: WireAnswer, words: Said): CarrierError {
  const error = accessError(title, answer, words);
  if (error !== null) return error;
  if (answer.status < 400) return senseless(title, 'no access token');
  return new CarrierError('configuration', saying(`${title} gives this account no access token (status ${answer.status}); its settings must be put right`, words), quoted(words));
}

/** The value of an Authorization header with a name and a password. */
export function basicAuthorization(name: string, password: string): string {
  return `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`;
}
