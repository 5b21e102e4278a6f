// What the shipping desk may ask a carrier beside labels and tracking: voiding a label, closing the day, points near an
// address, a dry run of a label request, and what to do if the carrier has no such operation.
import type { LabelOutput, LabelRequest } from '../model/shipping.ts';
import {
  type CarrierAccount,
  CarrierError,
  type CarrierExchange,
  type LabelTask,
  type ParcelTask,
  type CarrierAnswer,
  type CarrierRequest,
} from './carrier.ts';
import type { PickupPoint, PointTask } from './points.ts';

/** What a carrier offers to the shipping desk. */
export interface ShippingDesk {
  /** Voids a label whose parcel the carrier has not received yet; returns one sentence on the outcome. */
  readonly voidLabel: Supported<(task: VoidTask) => CarrierExchange<string>>;
  /**
   * Points near an address where a recipient can collect a parcel, in the carrier's order; an empty list is no error.
   */
  readonly findPoints: Supported<(task: PointTask) => CarrierExchange<readonly PickupPoint[]>>;
  /**
   * Has the carrier judge a label request without creating anything. Returns one sentence if it would accept the
   * request, and otherwise throws what creating the label would throw.
   */
  readonly dryRun: Supported<(task: DryRunTask) => CarrierExchange<string>>;
  /** How parcels are handed over at the end of a day. */
  readonly handover: HandoverRules;
}

/** A label request that is only judged. */
export type DryRunTask = Omit<LabelTask, 'sequence'>;

/** How parcels are handed over. */
export interface HandoverRules {
  /** Most parcels on one list; a shipment that has more gets a list of its own. */
  readonly maxParcels: number;
  /** A return is handed in by its sender, and is on no list. */
  readonly isReturn: (request: LabelRequest) => boolean;
  /** Tells the carrier which parcels it receives. */
  readonly close: Supported<(task: HandoverTask) => CarrierExchange<CarrierHandover>>;
}

/** Parcels to announce to a carrier. */
export interface HandoverTask {
  readonly account: CarrierAccount;
  /** At least one, in the order of their labels. */
  readonly parcelNumbers: readonly string[];
  /** Day of their labels in France, such as 2026-11-23. */
  readonly day: string;
  readonly now: number;
}

/** What a carrier returned for a handover. */
export interface CarrierHandover {
  /** One sentence. */
  readonly detail: string;
  /** The carrier's number of the list; null: it has none. */
  readonly number: string | null;
  /** The carrier's own slip, a PDF; null: it has none, and the driver gets our list. */
  readonly slip: Buffer | null;
}

/** For carriers that are told nothing: the driver signs our list. */
export const ownList: HandoverRules = {
  maxParcels: 200,
  isReturn: () => false,
  close: { instead: 'The driver signs the handover list; the carrier is told nothing.' },
};

/** Something that a carrier can do, or what an operator does instead. */
export type Supported<Of> = Of | Instead;

/** Sentences on what an operator does if a carrier has no such operation. */
interface Instead {
  readonly instead: string;
}

/** A label to void. */
export interface VoidTask extends ParcelTask {
  /** Numbers of its parcels that are not known to be void, at least one. */
  readonly parcelNumbers: readonly string[];
  /** Outputs of the label, as long as they are kept. */
  readonly outputs: readonly LabelOutput[];
  /** An earlier request has an unknown outcome: the carrier may have voided the label already. */
  readonly again: boolean;
}

/** Stands in for a dry run if the carrier judges nothing without creating it. */
export function noDryRun(title: string): Instead {
  return { instead: `${title} judges no request without making a label: a dry run tries the rules of this service.` };
}

/** Stands in for a search if we do not search the carrier's points. */
export function noPoints(title: string, remedy: string): Instead {
  return { instead: `Points of ${title} are not looked for here. ${remedy}` };
}

/** Whether a carrier can do it. */
export function isSupported<Of extends (task: never) => unknown>(offered: Supported<Of>): offered is Of {
  return typeof offered === 'function';
}

/**
 * Voids parcel by parcel, for carriers that accept one at a time. What is done stays done: an error names the parcels
 * that are void. A parcel that the carrier does not know counts as void if it was asked for before.
 * @param one asks for one parcel
 * @throws CarrierError what `one` throws, with the parcels that are void
 */
export function* voidEach(
  { parcelNumbers, again }: Pick<VoidTask, 'parcelNumbers' | 'again'>,
  one: (parcelNumber: string) => Generator<CarrierRequest, void, CarrierAnswer>,
): Generator<CarrierRequest, void, CarrierAnswer> {
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

/** The error of a void that succeeded for some of the parcels. */
export function voidInterrupted(error: CarrierError, voided: readonly string[], number: string): CarrierError {
  const { kind, message, carrierCode, carrierMessage, acted } = error;
  const done = voided.length === 0 ? '' : `Void are ${voided.join(', ')}, not ${number}. `;
  return new CarrierError(kind, `${done}${message}`, { carrierCode, carrierMessage, acted, voided });
}

/**
 * Whether a carrier's wording says that a label is already void: no carrier publishes a code for it.
 * @param text in English, French or German
 */
export function saysVoidAlready(text: string): boolean {
  return /already (been )?(void|cancel|delet)|d[ée]j[àa] (été )?annul|bereits (storniert|gelöscht)|'cancelled'/i.test(
    text,
  );
}

/** The sentence on a request that the carrier would accept. */
export function takenSentence(title: string): string {
  return `${title} would take this request.`;
}

/** The sentence on a voided label. */
export function voidedSentence(title: string, parcelNumbers: readonly string[]): string {
  const [first = ''] = parcelNumbers;
  return parcelNumbers.length < 2
    ? `${title} has voided the parcel ${first}.`
    : `${title} has voided the parcels ${parcelNumbers.join(', ')}.`;
}
