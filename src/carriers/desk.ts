// What the shipping desk may ask a carrier beside labels and tracking: taking a label back, and what to do where the
// carrier has no way.
import type { LabelOutput } from '../model/shipping.ts';
import { CarrierError, type Conversation, type ParcelTask, type WireAnswer, type WireRequest } from './carrier.ts';

/** What a carrier offers to the shipping desk. */
export interface ShippingDesk {
  /** Takes back a label whose parcel the carrier has not got yet; gives one sentence on what became of it. */
  readonly voidLabel: Offered<(task: VoidTask) => Conversation<string>>;
}

/** Something that a carrier can do, or what an operator does in its place. */
type Offered<Of> = Of | Instead;

/** Sentences on what an operator does where a carrier has no way. */
interface Instead {
  readonly instead: string;
}

/** A label that is to be void. */
export interface VoidTask extends ParcelTask {
  /** Numbers of its parcels that are not known to be void, never none. */
  readonly parcelNumbers: readonly string[];
  /** Outputs of the label, as long as they are kept. */
  readonly outputs: readonly LabelOutput[];
  /** It was asked for before, and nobody knows what became of that: the carrier may have done it. */
  readonly again: boolean;
}

/** Whether a carrier can do it. */
export function isOffered<Of extends (task: never) => unknown>(offered: Offered<Of>): offered is Of {
  return typeof offered === 'function';
}

/**
 * Voids parcel by parcel, for carriers that take one at a time. What is done stays done: an error names the parcels
 * that are void. A parcel that the carrier does not know is void where it was asked before.
 * @param one asks for one parcel
 * @throws CarrierError what `one` throws, with the parcels that are void
 */
export function* voidEach(
  { parcelNumbers, again }: Pick<VoidTask, 'parcelNumbers' | 'again'>,
  one: (parcelNumber: string) => Generator<WireRequest, void, WireAnswer>,
): Generator<WireRequest, void, WireAnswer> {
  const voided: string[] = [];
  for (const number of parcelNumbers) {
    try {
      yield* one(number);
    } catch (error) {
      if (!(error instanceof CarrierError)) throw error;
      if (!again || error.kind !== 'unknown') throw voidInterrupted(error, voided, number);
    }
    voided.push(number);
  }
}

/** An error of a void that is done for some of the parcels. */
export function voidInterrupted(error: CarrierError, voided: readonly string[], number: string): CarrierError {
  const { kind, message, carrierCode, carrierMessage, acted } = error;
  const done = voided.length === 0 ? '' : `Void are ${voided.join(', ')}, not ${number}. `;
  return new CarrierError(kind, `${done}${message}`, { carrierCode, carrierMessage, acted, voided });
}

/**
 * Whether a carrier's wording says that a label is void already: none publishes a code for it.
 * @param text in English, French or German
 */
export function saysVoidAlready(text: string): boolean {
  return /already (been )?(void|cancel|delet)|d[ée]j[àa] (été )?annul|bereits (storniert|gelöscht)|'cancelled'/i.test(
    text,
  );
}

/** The sentence on a label that is void. */
export function voidedSentence(title: string, parcelNumbers: readonly string[]): string {
  const [first = ''] = parcelNumbers;
  return parcelNumbers.length < 2
    ? `${title} has voided the parcel ${first}.`
    : `${title} has voided the parcels ${parcelNumbers.join(', ')}.`;
}
