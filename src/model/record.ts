// The forms of a record: on its way in (checked, canonical) and on its way to the table (rendered).
import type { ReasonCode } from './reason-codes.ts';
import type { StoredValue } from './plan.ts';

/** A record from a feed: checked and put in canonical form by `model/check.ts`, not yet rendered. */
export interface IncomingRecord {
  /**
   * Canonical form: every published and unpublished field of the definition in order, nested ones included, except
   * those that the service assigns. Unknown values are null, lists at least empty, instants like
   * `2026-01-31T08:00:00.000Z`.
   */
  readonly value: Readonly<Record<string, unknown>>;
  /**
   * Identity within the activity (see Resource.key): the key values as JSON text, `id:<n>`, or
   * `#<leading instant><content hash>`.
   */
  readonly naturalKey: string;
  /** Hash of the content of `value` (22 characters): a write with the same hash is no change. */
  readonly contentHash: string;
  /** Number of its first line in its message. */
  readonly line?: number;
  /** Number of its element, where its message is a JSON array. */
  readonly element?: number;
}

/** A feed's notice that a record was sent by mistake; known to the store by `withdraw` (decision 49). */
export interface Withdrawal {
  /**
   * The natural key, or the id that the record was published with; for a record without a key also the id of its
   * source.
   */
  readonly withdraw: { readonly naturalKey: string } | { readonly id: StoredValue };
  /** Number of its line in its message. */
  readonly line?: number;
  /** Number of its element, where its message is a JSON array. */
  readonly element?: number;
}

/** What a batch consists of, in the order of its source. */
export type Incoming = IncomingRecord | Withdrawal;

/** One fault of an incoming record. */
export interface Reason {
  readonly code: ReasonCode;
  /** JSON Pointer into the record (RFC 6901), '' for the record as a whole. */
  readonly pointer: string;
  /** One sentence: what is wrong and what was expected. */
  readonly detail: string;
  /** Only with `more-errors`: how many. */
  readonly count?: number;
}

export type Checked =
  /** `warnings`: faults of values that are accepted nevertheless; absent when there are none. */
  | { readonly ok: true; readonly record: IncomingRecord; readonly warnings?: readonly Reason[] }
  /** `unlisted`: the number of reasons beyond these. */
  | { readonly ok: false; readonly reasons: readonly Reason[]; readonly unlisted: number };

/** The values that the service assigns while it renders a record. */
export interface Assignment {
  /** The next free integer id. */
  readonly number: () => number;
  /** A new UUIDv7. */
  readonly uuid: () => string;
  /** The time of this write, in milliseconds. */
  readonly now: number;
}

/** A record as its table holds it. */
export interface RenderedRecord {
  /** The exact JSON text that clients will read. */
  readonly body: string;
  /** Values of the columns, in the order of `columnFields(resource)`. */
  readonly columns: readonly (StoredValue | null)[];
  /** One row per element and nested selector. */
  readonly nested: readonly { readonly selector: string; readonly value: StoredValue | null }[];
}
