// The contract of idempotency records: one claim and one answer for each request with an `Idempotency-Key`.
import type { StoredLabel } from './labels.ts';

/** A request with an `Idempotency-Key`. */
export interface KeyedRequest {
  /** Who asks, and for which operation. */
  readonly scope: string;
  readonly key: string;
  /** Hash of the request. */
  readonly fingerprint: string;
  /** For a label request: where to find the label that an earlier request may have begun. */
  readonly label?: LabelOfRequest | null;
}

export interface LabelOfRequest {
  readonly activity: string;
  readonly requestKey: string;
}

/** The right to answer one request with an `Idempotency-Key`. */
export interface RequestClaim {
  readonly scope: string;
  readonly key: string;
  readonly claim: string;
}

/** A stored answer: an HTTP answer with JSON text, or a problem. */
export type StoredAnswer =
  | { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body: string }
  | {
      readonly problem: {
        readonly slug: string;
        readonly detail: string;
        readonly extra: Readonly<Record<string, unknown>>;
      };
    };

/** The outcome of a claim. */
export type ClaimOutcome =
  /** `label`: the label that an earlier request under this key has begun. */
  | { readonly state: 'claimed'; readonly claim: RequestClaim; readonly label: StoredLabel | null }
  /** `endsInMs`: time until the claim ends if its holder has died. */
  | { readonly state: 'running'; readonly endsInMs: number }
  | { readonly state: 'other-request' }
  | { readonly state: 'answered'; readonly answer: StoredAnswer };

/** Requests with an `Idempotency-Key`: one claim and one answer each, kept for a day and shared by all processes. */
export interface IdempotencyRecords {
  /**
   * Claims a request, or finds its state. A claim ends by itself unless its holder renews it; the next request then
   * takes it over.
   */
  claim(request: KeyedRequest): Promise<ClaimOutcome>;
  /**
   * Extends a claim. False if it is no longer held: another request has taken it over, or it was answered or given
   * back.
   */
  renew(claim: RequestClaim): Promise<boolean>;
  store(claim: RequestClaim, answer: StoredAnswer): Promise<void>;
  /**
   * Gives a claim back, so that the next request does the work anew. A stored answer stays even if its request believes
   * that it failed: the commit may have succeeded unnoticed.
   */
  release(claim: RequestClaim): Promise<void>;
  /** Removes what has expired. Returns how many. */
  removeExpired(): Promise<number>;
}

/** The label whose result is the body of a stored answer. */
export type LabelInAnswer = Pick<StoredLabel, 'activity' | 'id'>;
