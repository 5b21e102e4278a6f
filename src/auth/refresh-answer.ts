// The stored answer of a refresh, for a client that repeats the request: readable with the spent token, and with
// nothing that is stored.
import { encryptText, derivedKey, decryptText } from './encrypted-text.ts';

/** An answer that was given earlier. */
export interface GivenAnswer {
  /** The refresh token in it. */
  readonly refreshToken: string;
  /** What the request asked for. */
  readonly request: string;
  /** The body at another moment (milliseconds since 1970): the same tokens, with the remaining lifetime. */
  body(at: number): Readonly<Record<string, unknown>>;
}

type Parameters = Readonly<Record<string, unknown>> | undefined;

/** @param at when the answer is given, milliseconds since 1970 */
export function encryptAnswer(spentToken: string, body: unknown, parameters: Parameters, at: number): string {
  return encryptText(derivedKey(spentToken, purpose), JSON.stringify({ request: requestOf(parameters), at, body }));
}

/** The answer that was encrypted under this token, or null. */
export function decryptAnswer(spentToken: string, encrypted: string): GivenAnswer | null {
  const text = decryptText(derivedKey(spentToken, purpose), encrypted);
  const stored: unknown = text === null ? null : JSON.parse(text);
  if (!isStored(stored)) return null;
  const { request, at: givenAt, body } = stored;
  return {
    refreshToken: body.refresh_token,
    request,
    body: (at) => ({
      ...body,
      expires_in: Math.max(0, body.expires_in - Math.max(0, Math.floor((at - givenAt) / 1000))),
    }),
  };
}

/** Whether a request repeats the earlier one: another scope or resource makes it a different request. */
export function repeatsRequest({ request }: GivenAnswer, parameters: Parameters): boolean {
  return request === requestOf(parameters);
}

const purpose = 'refresh answer';

interface Stored {
  readonly request: string;
  readonly at: number;
  readonly body: Readonly<Record<string, unknown>> & { readonly refresh_token: string; readonly expires_in: number };
}

function requestOf(parameters: Parameters): string {
  return JSON.stringify([parameters?.scope ?? null, parameters?.resource ?? null]);
}

function isStored(value: unknown): value is Stored {
  if (typeof value !== 'object' || value === null || !('request' in value && 'at' in value && 'body' in value))
    return false;
  const { request, at, body } = value;
  return (
    typeof request === 'string' &&
    typeof at === 'number' &&
    typeof body === 'object' &&
    body !== null &&
    'refresh_token' in body &&
    typeof body.refresh_token === 'string' &&
    'expires_in' in body &&
    typeof body.expires_in === 'number'
  );
}
