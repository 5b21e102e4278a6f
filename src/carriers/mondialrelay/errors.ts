// Errors of Mondial Relay: its words without the account's secrets, and what is to be said where a parcel exists all
// the same.
import { CarrierError, type CarrierErrorKind, type CarrierOutput, type FieldFault } from '../carrier.ts';
import { quoted } from '../carrier-words.ts';
import type { CodeAnswer } from './codes.ts';

/** How people know the carrier. */
export const title = 'Mondial Relay';

/** What the carrier said. */
export interface CarrierStatus {
  readonly code: string;
  readonly message: string;
}

/**
 * The error of failing statuses: what the first of them says, and the fields of all.
 * @param answerTo what a code means
 * @param secret of the account: the carrier quotes it now and then
 */
export function refusal(
  failing: readonly CarrierStatus[],
  answerTo: (code: string) => CodeAnswer,
  secret: string,
  acted?: CarrierError['acted'],
): CarrierError {
  const [first = { code: '', message: '' }] = failing;
  const { kind, detail } = answerTo(first.code);
  const faults = failing.flatMap(({ code }): readonly FieldFault[] =>
    answerTo(code).fields.map((field) => ({ field, code: 'refused-by-carrier', detail: answerTo(code).detail })),
  );
  const distinct = faults.filter(({ field }, index) => faults.findIndex((fault) => fault.field === field) === index);
  return errorWith(kind, detail, first, secret, { faults: distinct, ...(acted === undefined ? {} : { acted }) });
}

/** An error with the carrier's words. */
export function errorWith(
  kind: CarrierErrorKind,
  detail: string,
  said: CarrierStatus,
  secret: string,
  more: { readonly faults?: readonly FieldFault[]; readonly acted?: CarrierError['acted'] } = {},
): CarrierError {
  return new CarrierError(kind, detail, { ...wordsOf(said, secret), ...more });
}

/** A warning beside a label: what was asked for and left out must not go unseen. */
export function warningOutput(said: CarrierStatus, secret: string): CarrierOutput {
  const { carrierCode, carrierMessage } = wordsOf(said, secret);
  return {
    name: 'Warning',
    kind: 'text',
    text: [carrierCode, carrierMessage].filter((word) => word !== null).join(': '),
  };
}

function wordsOf({ code, message }: CarrierStatus, secret: string): ReturnType<typeof quoted> {
  const hidden = (text: string): string => (secret === '' ? text : text.replaceAll(secret, '…'));
  return quoted({ code: hidden(code), message: hidden(message) });
}

/**
 * The same error, which says that the parcel was made before things went wrong.
 * @param expeditionNumber as the carrier gave it, whatever that is
 */
export function withParcel(error: unknown, expeditionNumber: string): unknown {
  if (!(error instanceof CarrierError) || !isNumber(expeditionNumber)) return error;
  const { kind, message, carrierCode, carrierMessage, faults } = error;
  return new CarrierError(kind, `The parcel ${expeditionNumber} exists at ${title} all the same. ${message}`, {
    carrierCode,
    carrierMessage,
    faults,
    acted: 'unknown',
    parcels: [expeditionNumber],
  });
}

/** Whether a text can be the number of a parcel. */
export function isNumber(text: string): boolean {
  return /^\w{1,20}$/.test(text);
}
