// What a carrier says in an error, made fit to be handed on: short and on one line.
import { CarrierError, type CarrierErrorFacts, type CarrierErrorKind, type WireAnswer } from './carrier.ts';

/** A carrier's own code and wording, '' where it gave none. */
export interface CarrierMessage {
  readonly code: string;
  readonly text: string;
}

/** Of a carrier that said nothing. */
export const noMessage: CarrierMessage = { code: '', text: '' };

const maxMessageLength = 500;

/**
 * An error that quotes the carrier.
 * @param sentence without a full stop; the carrier's wording is put behind it, where there is one
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

/** The carrier's code and wording as an error has them. */
export function messageFacts({ code, text }: CarrierMessage): Pick<CarrierError, 'carrierCode' | 'carrierMessage'> {
  return { carrierCode: code === '' ? null : shortened(code), carrierMessage: text === '' ? null : shortened(text) };
}

/**
 * The error of a status that says nothing of what was asked: access denied, too many requests, the carrier failed.
 * @param title of the carrier
 * @returns null for every other status
 */
export function accessError(title: string, { status }: WireAnswer, message = noMessage): CarrierError | null {
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
 * An answer that makes no sense.
 * @param lack what was to be there and is not, as in `the answer holds …`
 */
export function unreadable(title: string, lack: string): CarrierError {
  return new CarrierError('unavailable', `The answer of ${title} makes no sense: it holds ${lack}.`);
}

/**
 * The label of a parcel that may have been made: the client must know of it before it asks again.
 * @param numbers of the parcels that are known to exist
 */
export function afterCreation(error: unknown, title: string, numbers: readonly string[]): unknown {
  if (!(error instanceof CarrierError) || numbers.length === 0) return error;
  const made = numbers.length === 1 ? `The parcel ${numbers[0]} exists` : `The parcels ${numbers.join(', ')} exist`;
  const { kind, message, carrierCode, carrierMessage, reasons } = error;
  return new CarrierError(kind, `${made} at ${title} all the same. ${message}`, {
    carrierCode,
    carrierMessage,
    reasons,
    acted: 'unknown',
    parcels: numbers,
  });
}

/** An error of a question that came before the order: whatever went wrong there, no parcel has been asked for yet. */
export function beforeCreation({ kind, message, carrierCode, carrierMessage, reasons }: CarrierError): CarrierError {
  return new CarrierError(kind, message, { carrierCode, carrierMessage, reasons, acted: 'no' });
}

/** Control characters would break lines of a log; the rest stays as the carrier wrote it. */
export function shortened(text: string): string {
  const line = text.replace(/[\p{Cc}\s]+/gu, ' ').trim();
  return line.length > maxMessageLength ? `${line.slice(0, maxMessageLength - 1)}…` : line;
}
