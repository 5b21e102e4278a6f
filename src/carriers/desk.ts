// What the shipping desk may ask a carrier beside labels and tracking: taking a label back, closing the day, points
// near an address, a trial of a label request, and what to do where the carrier has no way.
import type { LabelOutput, LabelRequest } from '../model/shipping.ts';
import {
  type CarrierAccount,
  CarrierError,
  type Conversation,
  type LabelTask,
  type ParcelTask,
  type WireAnswer,
  type WireRequest,
} from './carrier.ts';
import type { PickupPoint, PointTask } from './points.ts';

/** What a carrier offers to the shipping desk. */
export interface ShippingDesk {
  /** Takes back a label whose parcel the carrier has not got yet; gives one sentence on what became of it. */
  readonly voidLabel: Offered<(task: VoidTask) => Conversation<string>>;
  /** Points near an address where a recipient can collect a parcel, as the carrier gives them; none is no error. */
  readonly findPoints: Offered<(task: PointTask) => Conversation<readonly PickupPoint[]>>;
  /**
   * Has the carrier judge a label request without making anything. Gives one sentence where it would take it, and
   * throws what the making would throw otherwise.
   */
  readonly dryRun: Offered<(task: DryRunTask) => Conversation<string>>;
  /** How parcels are handed over at the end of a day. */
  readonly handover: HandoverRules;
}

/** A label request that is only to be judged. */
export type DryRunTask = Omit<LabelTask, 'sequence'>;

/** How parcels are handed over. */
export interface HandoverRules {
  /** Most parcels on one list; a shipment that has more is on one alone. */
  readonly maxParcels: number;
  /** A return is handed in by its sender, and is on no list. */
  readonly isReturn: (request: LabelRequest) => boolean;
  /** Tells the carrier which parcels it gets. */
  readonly close: Offered<(task: HandoverTask) => Conversation<CarrierHandover>>;
}

/** Parcels that a carrier is to be told of. */
export interface HandoverTask {
  readonly account: CarrierAccount;
  /** Never none, in the order of their labels. */
  readonly parcelNumbers: readonly string[];
  /** Day of their labels in France, such as 2026-11-23. */
  readonly day: string;
  readonly now: number;
}

/** What a carrier made of it. */
export interface CarrierHandover {
  /** One sentence. */
  readonly detail: string;
  /** The carrier's number of the list; null: it has none. */
  readonly number: string | null;
  /** The carrier's own slip, a PDF; null: it has none, and gets a list of ours. */
  readonly slip: Buffer | null;
}

/** For carriers that are told nothing: the driver signs a list of ours. */
export const ownList: HandoverRules = {
  maxParcels: 200,
  isReturn: () => false,
  close: { instead: 'The driver signs the handover list; the carrier is told nothing.' },
};

/** Something that a carrier can do, or what an operator does in its place. */
export type Offered<Of> = Of | Instead;

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

/** What stands in the place of a dry run where the carrier judges nothing without making it. */
export function noDryRun(title: string): Instead {
  return { instead: `${title} judges no request without making a label: a dry run tries the rules of this service.` };
}

/** What stands in the place of a search where points are not looked for at the carrier. */
export function noPoints(title: string, remedy: string): Instead {
  return { instead: `Points of ${title} are not looked for here. ${remedy}` };
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

/** The sentence on a request that the carrier would take. */
export function takenSentence(title: string): string {
  return `${title} would take this request.`;
}

/** The sentence on a label that is void. */
export function voidedSentence(title: string, parcelNumbers: readonly string[]): string {
  const [first = ''] = parcelNumbers;
  return parcelNumbers.length < 2
    ? `${title} has voided the parcel ${first}.`
    : `${title} has voided the parcels ${parcelNumbers.join(', ')}.`;
}
