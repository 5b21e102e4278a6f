// Errors of Mondial Relay, and what to say if a parcel exists despite one.
import type { Reason } from '../../model/record.ts';
import { CarrierError, type CarrierOutput, type CarrierPapers, reasonAt } from '../carrier.ts';
import { afterCreation, type CarrierMessage, messageFacts, noMessage } from '../carrier-messages.ts';
import type { CodeAnswer } from './codes.ts';

/** The carrier's name for people. */
export const title = 'Mondial Relay';

/**
 * The error of failing statuses: the sentence of the first, and the fields of all.
 * @param answerTo what a code means
 */
export function refusalError(
  failing: readonly CarrierMessage[],
  answerTo: (code: string) => CodeAnswer,
  acted: CarrierError['acted'] | null = null,
): CarrierError {
  const [first = noMessage] = failing;
  const { kind, detail } = answerTo(first.code);
  const reasons = failing.flatMap(({ code }): readonly Reason[] =>
    answerTo(code).fields.map((field) => reasonAt(field, 'refused-by-carrier', answerTo(code).detail)),
  );
  return new CarrierError(kind, detail, {
    ...messageFacts(first),
    reasons: [...Map.groupBy(reasons, ({ pointer }) => pointer).values()].flatMap(([reason]) => reason ?? []),
    ...(acted === null ? {} : { acted }),
  });
}

/**
 * A warning beside a label: something requested and left out must not go unnoticed.
 * @param secret of the account: the carrier sometimes quotes it
 */
export function warningOutput({ code, text }: CarrierMessage, secret: string): CarrierOutput {
  const { carrierCode, carrierMessage } = messageFacts({
    code,
    text: secret === '' ? text : text.replaceAll(secret, '…'),
  });
  return {
    name: 'Warning',
    kind: 'text',
    text: [carrierCode, carrierMessage].filter((word) => word !== null).join(': '),
  };
}

/**
 * The same error, saying that the parcel was created before the failure.
 * @param expeditionNumber as the carrier gave it, whatever that is
 * @param given what the carrier gave of the parcel and does not give again
 */
export function withParcel(error: unknown, expeditionNumber: string, given: CarrierPapers | null = null): unknown {
  return isNumber(expeditionNumber) ? afterCreation(error, title, [expeditionNumber], { given }) : error;
}

/** Whether a text can be the number of a parcel. */
export function isNumber(text: string): boolean {
  return /^\w{1,20}$/.test(text);
}
