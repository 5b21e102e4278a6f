// What a record is on its way in (checked, canonical) and on its way to the table (rendered).
import type { StoredValue } from './plan.ts';

/** A record as a feed gives it: checked and put in canonical form by `model/check.ts`, not yet rendered. */
export interface IncomingRecord {
  /**
   * Canonical form: every published and unpublished field of the definition in its order, nested ones too, except those
   * that the service assigns; unknown ones null, lists at least empty, instants as `2026-01-31T08:00:00.000Z`.
   */
  readonly value: Readonly<Record<string, unknown>>;
  /**
   * Identity within the activity (see Resource.key): the key values as JSON text, or `id:<n>`, or `#<leading
   * instant><content hash>`.
   */
  readonly naturalKey: string;
  /** Hash of what `value` says (22 characters): equal hashes mean that a second write is no change. */
  readonly contentHash: string;
  /** Number of its first line in the message that it came in. */
  readonly line?: number;
}

/** What a feed says of a record that was sent by mistake; known to the store by `withdraw` (decision 49). */
export interface Withdrawal {
  /** Natural key, or the id that the record was published with, or of one without a key also that of its source. */
  readonly withdraw: { readonly naturalKey: string } | { readonly id: StoredValue };
  /** Number of its line in the message that it came in. */
  readonly line?: number;
}

/** What a batch consists of, in the order of its source. */
export type Incoming = IncomingRecord | Withdrawal;

/** One thing that is wrong with an incoming record. */
export interface Reason {
  /**
   * Stable slug: `required`, `too-short`, `too-long`, `wrong-type`, `unknown-property`, `bad-date`, `bad-text`,
   * `bad-country`,
   * `bad-check-digit`, `out-of-range`, `too-many`, `wrong-activity`; of what clients submit also `not-allowed`,
   * `read-only`, `duplicate`, `more-than-one`, `contradiction`, `activity-forbidden`, and last in its list
   * `more-errors` for those that are not listed.
   */
  readonly code: string;
  /** JSON Pointer into the record (RFC 6901), '' for the record as a whole. */
  readonly pointer: string;
  /** One sentence: what is wrong and what would be right. */
  readonly detail: string;
  /** Only of `more-errors`: how many. */
  readonly count?: number;
}

export type Checked =
  /** `warnings`: what is wrong with values that are taken all the same; absent where nothing is. */
  | { readonly ok: true; readonly record: IncomingRecord; readonly warnings?: readonly Reason[] }
  /** `unlisted`: how many reasons there are beyond these. */
  | { readonly ok: false; readonly reasons: readonly Reason[]; readonly unlisted: number };

/** What the service assigns while it renders a record. */
export interface Assignment {
  /** The next free integer id. */
  readonly number: () => number;
  /** A new UUIDv7. */
  readonly uuid: () => string;
  /** The time of this write, milliseconds. */
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
