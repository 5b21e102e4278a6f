// What a carrier IS to the program: its settings as data, its rules, and its conversations as pure functions.
import type { Reason } from '../model/record.ts';
import type { CustomsDeclaration } from '../model/customs.ts';
import type { LabelField, LabelRequest, Tracking } from '../model/shipping.ts';
import type { CarrierCustoms } from './customs/rules.ts';
import type { ShippingDesk } from './desk.ts';

/** A carrier. Nothing in it makes a call, reads a clock or keeps state: the host does. */
export interface Carrier {
  /** Segment of the path, lower case: `mondialrelay`. */
  readonly name: string;
  /** Name for people. */
  readonly title: string;
  /** What an account needs to be told. */
  readonly settings: readonly CarrierSetting[];
  /**
   * Settings that labels or tracking need beside the required ones: ways of setting an account up, of which one is
   * enough. Absent: the required ones do.
   */
  readonly needs?: Readonly<Partial<Record<'labels' | 'tracking', readonly (readonly string[])[]>>>;
  /** Output types and, per type, formats; the first of each is the default. */
  readonly outputs: Readonly<Record<string, readonly string[]>>;
  /**
   * The series that parcels are numbered in, where we number them: accounts that name the same one never get a number
   * twice, nor does one that is removed and added again. Absent: each account counts for itself.
   */
  readonly series?: (account: CarrierAccount) => string;
  /** Origins (`https://api.example`) that conversations of this account may ask; the host refuses every other one. */
  readonly origins: (account: CarrierAccount) => readonly string[];
  /**
   * What the carrier's own rules find wrong with a label request; empty: it may be sent. A dry run ends here.
   * @throws CarrierError `configuration` where no request of the client could mend it
   */
  readonly check: (request: LabelRequest, account: CarrierAccount) => readonly Reason[];
  /** How goods are declared to customs; absent: the carrier takes no declarations. */
  readonly customs?: CarrierCustoms;
  /** Null where the carrier has no such operation. */
  readonly createLabel: ((task: LabelTask) => Conversation<CarrierLabel>) | null;
  readonly fetchLabel: ((task: ParcelTask) => Conversation<CarrierLabel>) | null;
  readonly track: ((task: ParcelTask) => Conversation<Tracking>) | null;
  /**
   * Asks the carrier whether the account works; gives one sentence. Creates nothing.
   * @param now milliseconds since 1970
   */
  readonly probe: ((account: CarrierAccount, now: number) => Conversation<string>) | null;
  /** What the shipping desk may ask. */
  readonly desk: ShippingDesk;
}

/** One setting of an account. */
export interface CarrierSetting {
  readonly name: string;
  readonly meaning: string;
  /** Stored encrypted, never shown. */
  readonly secret?: true;
  /** Used where nothing is given; without it the setting is required, '' makes it optional. */
  readonly otherwise?: string;
  /** Few accounts have it: nobody is asked for it, `--set` gives it. */
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
 * One thing that is wrong with a field of a label request.
 * @param detail one sentence: what is wrong and what would be right
 */
export function reasonAt(field: LabelField, code: string, detail: string): Reason {
  return { code, pointer: `/${field}`, detail };
}

/** A label that is to be made. */
export interface LabelTask {
  readonly account: CarrierAccount;
  readonly request: LabelRequest;
  /** What the parcels hold; absent where nothing has to be declared. */
  readonly customs?: CustomsDeclaration;
  /** 1, 2, 3, … per series, never twice: for carriers that number their parcels themselves. */
  readonly sequence: number;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** A parcel that is asked about. */
export interface ParcelTask {
  readonly account: CarrierAccount;
  readonly expeditionNumber: string;
  /** What the label was made from, where this service made it. */
  readonly label: { readonly request: LabelRequest; readonly createdAt: number } | null;
  readonly now: number;
}

/** What a carrier gave for a label. */
export interface CarrierLabel {
  readonly expeditionNumber: string;
  readonly outputs: readonly CarrierOutput[];
}

/** A document is bytes of this media type, one or all parcels in it; a text goes out as it is. */
export type CarrierOutput =
  | { readonly name: string; readonly kind: 'document'; readonly mediaType: string; readonly bytes: Buffer }
  | { readonly name: string; readonly kind: 'text'; readonly text: string };

/** Yields requests, is given their answers, and returns the result, or throws a CarrierError. */
export type Conversation<T> = Generator<WireRequest, T, WireAnswer> | AsyncGenerator<WireRequest, T, WireAnswer>;

/** One HTTP request to a carrier. */
export interface WireRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /**
   * `never` where the carrier may have acted before a failure: a repeat could create a second parcel, or be told that a
   * label is void already. `safe` where the host may ask again after a failure.
   */
  readonly repeat: 'safe' | 'never';
  /**
   * For a request that asks for an access token: `kept` is content with the token that the same request gave before, as
   * long as it is good; `new` is not.
   */
  readonly token?: 'kept' | 'new';
}

/** Its answer, whatever the status. */
export interface WireAnswer {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/**
 * Why a carrier gave no result, by who must act:
 * `invalid` the client, fields are wrong (400); `refused` the client, the carrier does not take the shipment (422);
 * `unknown` there is no such parcel (404); `configuration` the operator, the account is wrong (502);
 * `unavailable` the carrier failed or made no sense (502); `timeout` it did not answer in time (504).
 */
export type CarrierErrorKind = 'invalid' | 'refused' | 'unknown' | 'configuration' | 'unavailable' | 'timeout';

/** What is known of an error beside its kind. */
export interface CarrierErrorFacts {
  readonly carrierCode?: string | null;
  readonly carrierMessage?: string | null;
  readonly reasons?: readonly Reason[];
  readonly acted?: 'no' | 'unknown';
  readonly parcels?: readonly string[];
  readonly voided?: readonly string[];
}

export class CarrierError extends Error {
  readonly kind: CarrierErrorKind;
  /** The carrier's own code and wording, where it gave any. */
  readonly carrierCode: string | null;
  readonly carrierMessage: string | null;
  /** What is wrong with which field, where it is known. */
  readonly reasons: readonly Reason[];
  /** `no`: the carrier has certainly done nothing. `unknown`: it may have made or voided a parcel all the same. */
  readonly acted: 'no' | 'unknown';
  /** Numbers of parcels that certainly exist all the same; the first one stands for the shipment. */
  readonly parcels: readonly string[];
  /** Numbers of parcels that are void all the same, where a label was to be. */
  readonly voided: readonly string[];

  /**
   * @param detail one sentence for whoever must act, without secrets
   * @param facts `acted` is `unknown` where it is left out for `unavailable` and `timeout`, else `no`
   */
  constructor(kind: CarrierErrorKind, detail: string, facts: CarrierErrorFacts = {}) {
    const {
      carrierCode = null,
      carrierMessage = null,
      reasons = [],
      parcels = [],
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
    this.voided = voided;
  }
}
