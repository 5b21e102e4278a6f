// Makes a carrier's error message fit to pass on: short and on one line.
import {
  CarrierError,
  type CarrierErrorFacts,
  type CarrierErrorKind,
  type CarrierAnswer,
  type CarrierPapers,
} from './carrier.ts';

/** A carrier's own code and wording, '' if it gave none. */
export interface CarrierMessage {
  readonly code: string;
  readonly text: string;
}

/** The message of a carrier that said nothing. */
export const noMessage: CarrierMessage = { code: '', text: '' };

const maxMessageLength = 500;

/**
 * An error that quotes the carrier.
 * @param sentence without a full stop; the carrier's wording, if any, follows it
 */
export function carrierError(
  kind: CarrierErrorKind,
  sentence: string,
  message: CarrierMessage,
  facts: CarrierErrorFacts = {},
): CarrierError {
  const { carrierCode, carrierMessage } = messageFacts(message);
  const detail = carrierMessage === null ? `${sentence}.` : `${sentence}: "${carrierMessage}".`;
  return new CarrierError(kind, detail, { carrierCode, carrierMessage, ...facts });
}

/** The carrier's code and wording in the form that errors hold. */
export function messageFacts({ code, text }: CarrierMessage): Pick<CarrierError, 'carrierCode' | 'carrierMessage'> {
  return { carrierCode: code === '' ? null : shortened(code), carrierMessage: text === '' ? null : shortened(text) };
}

/**
 * The error for a status that says nothing about the request itself: access denied, too many requests, the carrier
 * failed.
 * @param title of the carrier
 * @returns null for every other status
 */
export function accessError(title: string, { status }: CarrierAnswer, message = noMessage): CarrierError | null {
  if (status === 401 || status === 403)
    return carrierError(
      'configuration',
      `${title} does not let this account in (status ${status}); its settings must be put right`,
      message,
    );
  if (status === 429)
    return carrierError('unavailable', `${title} takes no more requests of this account for now`, message, {
      acted: 'no',
    });
  if (status >= 500) return carrierError('unavailable', `${title} failed with status ${status}`, message);
  return null;
}

/**
 * The error for an answer that makes no sense.
 * @param lack what the answer should have held, as in `the answer holds …`
 */
export function unreadable(title: string, lack: string): CarrierError {
  return new CarrierError('unavailable', `The answer of ${title} makes no sense: it holds ${lack}.`);
}

/**
 * The error for a label whose parcel may exist: the client must know before it asks again.
 * @param numbers of the parcels that are known to exist
 * @param asked how many parcels were asked for so far: those without a number may exist too
 * @param given what the carrier gave of the parcels and does not give again
 */
export function afterCreation(
  error: unknown,
  title: string,
  numbers: readonly string[],
  { asked = numbers.length, given = null }: { readonly asked?: number; readonly given?: CarrierPapers | null } = {},
): unknown {
  if (!(error instanceof CarrierError) || numbers.length === 0) return error;
  const made = numbers.length === 1 ? `The parcel ${numbers[0]} exists` : `The parcels ${numbers.join(', ')} exist`;
  const { kind, message, carrierCode, carrierMessage, reasons } = error;
  // The error may name a parcel of its own.
  const parcels = [...new Set([...numbers, ...error.parcels])];
  const another =
    asked > parcels.length && error.acted === 'unknown' ? ' Whether there is another one is not known.' : '';
  return new CarrierError(kind, `${made} at ${title} all the same.${another} ${message}`, {
    carrierCode,
    carrierMessage,
    reasons,
    acted: 'unknown',
    parcels,
    given: given ?? error.given,
  });
}

/** The error of a question asked before the order: whatever went wrong, no parcel had been requested yet. */
export function beforeCreation({ kind, message, carrierCode, carrierMessage, reasons }: CarrierError): CarrierError {
  return new CarrierError(kind, message, { carrierCode, carrierMessage, reasons, acted: 'no' });
}

/**
 * Removes control characters, which would break lines of a log, and what is longer than allowed; the rest stays as the
 * carrier wrote it.
 */
export function shortened(text: string, maxLength = maxMessageLength): string {
  const line = text.replace(/[\p{Cc}\s]+/gu, ' ').trim();
  return line.length > maxLength ? `${line.slice(0, maxLength - 1).replace(halfCharacter, '')}…` : line;
}

/** The first half of a surrogate pair, where a text was cut. */
const halfCharacter = /[\ud800-\udbff]$/;
