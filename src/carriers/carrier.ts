// Defines what a carrier is to the program: its settings as data, its rules, and its exchanges as pure functions.
import type { ReasonCode } from '../model/reason-codes.ts';
import type { Reason } from '../model/record.ts';
import type { CustomsDeclaration } from '../model/customs.ts';
import type { LabelField, LabelRequest, Tracking } from '../model/shipping.ts';
import type { CarrierCustoms } from './customs/rules.ts';
import type { ShippingDesk } from './desk.ts';

/** A carrier. It makes no calls, reads no clock and keeps no state: the host does. */
export interface Carrier {
  /** Segment of the path, lower case: `mondialrelay`. */
  readonly name: string;
  /** Name for people. */
  readonly title: string;
  /** The settings of an account. */
  readonly settings: readonly CarrierSetting[];
  /**
   * Settings that labels or tracking need beside the required ones, as alternatives of which one is enough. Absent: the
   * required ones are enough.
   */
  readonly needs?: Readonly<Partial<Record<'labels' | 'tracking', readonly (readonly string[])[]>>>;
  /** Output types and, per type, formats; the first of each is the default. */
  readonly outputs: Readonly<Record<string, readonly string[]>>;
  /**
   * The series in which we number parcels, if we do: accounts in the same series never get the same number twice, nor
   * does an account that is removed and added again. Absent: each account counts separately.
   */
  readonly series?: (account: CarrierAccount) => string;
  /** Origins (`https://api.example`) that this account's exchanges may call; the host refuses all others. */
  readonly origins: (account: CarrierAccount) => readonly string[];
  /**
   * What the carrier's own rules find wrong with a label request; empty: it may be sent. A dry run ends here.
   * @throws CarrierError `configuration` if no change to the request could fix it
   */
  readonly check: (request: LabelRequest, account: CarrierAccount) => readonly Reason[];
  /** How goods are declared to customs; absent: the carrier accepts no declarations. */
  readonly customs?: CarrierCustoms;
  /** Null if the carrier has no such operation. */
  readonly createLabel: ((task: LabelTask) => CarrierExchange<CarrierLabel>) | null;
  readonly fetchLabel: ((task: ParcelTask) => CarrierExchange<CarrierLabel>) | null;
  /**
   * Other spellings in which the carrier takes the number of a parcel: under none of them may anybody else ask for it.
   * Absent: it has none.
   */
  readonly otherNumbers?: (number: string) => readonly string[];
  /** Each parcel of a shipment has a number under which only its own label can be fetched. Absent: one has them all. */
  readonly fetchesEachParcel?: true;
  readonly track: ((task: ParcelTask) => CarrierExchange<Tracking>) | null;
  /**
   * Asks the carrier whether the account works, and returns one sentence. Creates nothing.
   * @param now milliseconds since 1970
   */
  readonly probe: ((account: CarrierAccount, now: number) => CarrierExchange<string>) | null;
  /** What the shipping desk may ask. */
  readonly desk: ShippingDesk;
}

/** One setting of an account. */
export interface CarrierSetting {
  readonly name: string;
  readonly meaning: string;
  /** Stored encrypted, never shown. */
  readonly secret?: true;
  /** The default; without it the setting is required, and '' makes it optional. */
  readonly otherwise?: string;
  /** Few accounts have it: no prompt asks for it, only `--set` gives it. */
  readonly rare?: true;
  /** Text of a regular expression that the whole value must match. */
  readonly pattern?: string;
  readonly choices?: readonly string[];
}

/** A carrier account of one activity, as the carrier sees it: its settings by name, defaults filled in. */
export interface CarrierAccount {
  readonly settings: Readonly<Record<string, string>>;
}

/**
 * One fault in a field of a label request.
 * @param detail one sentence: what is wrong and what would be right
 */
export function reasonAt(field: LabelField, code: ReasonCode, detail: string): Reason {
  return { code, pointer: `/${field}`, detail };
}

/** A label to create. */
export interface LabelTask {
  readonly account: CarrierAccount;
  readonly request: LabelRequest;
  /** What the parcels hold; absent if nothing has to be declared. */
  readonly customs?: CustomsDeclaration;
  /** 1, 2, 3, … per series, never repeated: for carriers whose parcels we number. */
  readonly sequence: number;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** A parcel to ask about. */
export interface ParcelTask {
  readonly account: CarrierAccount;
  readonly expeditionNumber: string;
  /** What the label was made from, if this service made it. */
  readonly label: { readonly request: LabelRequest; readonly createdAt: number } | null;
  readonly now: number;
}

/** What a carrier returned for a label. */
export interface CarrierLabel extends CarrierPapers {
  readonly expeditionNumber: string;
}

/** What a carrier returned for parcels beside the number of the shipment. */
export interface CarrierPapers {
  readonly outputs: readonly CarrierOutput[];
  /**
   * Other numbers under which the carrier answers for its parcels, beside other spellings of theirs: nobody else may
   * ask for them.
   */
  readonly aliases?: readonly string[];
}

/** A document is bytes of this media type and holds one or all parcels; a text is passed on unchanged. */
export type CarrierOutput =
  | { readonly name: string; readonly kind: 'document'; readonly mediaType: string; readonly bytes: Buffer }
  | { readonly name: string; readonly kind: 'text'; readonly text: string };

/** Yields requests, receives their answers, and returns the result or throws a CarrierError. */
export type CarrierExchange<T> =
  | Generator<CarrierRequest, T, CarrierAnswer>
  | AsyncGenerator<CarrierRequest, T, CarrierAnswer>;

/** One HTTP request to a carrier. */
export interface CarrierRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /**
   * `never` if the carrier may have acted before a failure: a repeat could create a second parcel, or be told that a
   * label is already void. `safe` if the host may ask again after a failure.
   */
  readonly repeat: 'safe' | 'never';
  /**
   * For a request for an access token: `kept` accepts the token that the same request got before, as long as it is
   * valid; `new` does not.
   */
  readonly token?: 'kept' | 'new';
}

/** The answer, whatever its status. */
export interface CarrierAnswer {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/**
 * Whether the status says that the request succeeded. Any of its class does (RFC 9110, 15): a server on the way that
 * changes answers makes 203 of every 200, that of an access token as well as that of a label.
 */
export function isSuccess({ status }: CarrierAnswer): boolean {
  return status >= 200 && status < 300;
}

/**
 * Why a carrier gave no result, by who must act: `invalid` the client, fields are wrong (400); `refused` the client,
 * the carrier does not accept the shipment (422); `unknown` there is no such parcel (404); `configuration` the
 * operator, the account is wrong (502); `unavailable` the carrier failed or its answer made no sense (502); `timeout`
 * it did not answer in time (504).
 */
export type CarrierErrorKind = 'invalid' | 'refused' | 'unknown' | 'configuration' | 'unavailable' | 'timeout';

/** What is known about an error beside its kind. */
export interface CarrierErrorFacts {
  readonly carrierCode?: string | null;
  readonly carrierMessage?: string | null;
  readonly reasons?: readonly Reason[];
  readonly acted?: 'no' | 'unknown';
  readonly parcels?: readonly string[];
  readonly given?: CarrierPapers | null;
  readonly voided?: readonly string[];
}

export class CarrierError extends Error {
  readonly kind: CarrierErrorKind;
  /** The carrier's own code and wording, if it gave any. */
  readonly carrierCode: string | null;
  readonly carrierMessage: string | null;
  /** What is wrong with which field, if that is known. */
  readonly reasons: readonly Reason[];
  /** `no`: the carrier has certainly done nothing. `unknown`: it may have created or voided a parcel. */
  readonly acted: 'no' | 'unknown';
  /** Numbers of parcels that certainly exist despite the error; the first one stands for the shipment. */
  readonly parcels: readonly string[];
  /** What the carrier gave of these parcels and does not give again; null: nothing. */
  readonly given: CarrierPapers | null;
  /** Numbers of parcels that are void despite the error, when a label was to be voided. */
  readonly voided: readonly string[];

  /**
   * @param detail one sentence for whoever must act, without secrets
   * @param facts `acted` defaults to `unknown` for `unavailable` and `timeout`, else to `no`
   */
  constructor(kind: CarrierErrorKind, detail: string, facts: CarrierErrorFacts = {}) {
    const {
      carrierCode = null,
      carrierMessage = null,
      reasons = [],
      parcels = [],
      given = null,
      voided = [],
      acted = kind === 'unavailable' || kind === 'timeout' ? 'unknown' : 'no',
    } = facts;
    super(detail);
    this.name = 'CarrierError';
    this.kind = kind;
    this.carrierCode = carrierCode;
    this.carrierMessage = carrierMessage;
    this.reasons = reasons;
    this.acted = acted;
    this.parcels = parcels;
    this.given = given;
    this.voided = voided;
  }
}
