// What idempotency records promise: one claim and one answer for each request with an `Idempotency-Key`.
import type { StoredLabel } from './labels.ts';

/** A request with an `Idempotency-Key`. */
export interface KeyedRequest {
  /** Who asks, and for what. */
  readonly scope: string;
  readonly key: string;
  /** Hash of what is asked. */
  readonly fingerprint: string;
  /** Of a request for a label: where one would be that an earlier request has begun. */
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

/** An answer as it is stored: an HTTP answer with JSON text, or a problem. */
export type StoredAnswer =
  | { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body: string }
  | {
      readonly problem: {
        readonly slug: string;
        readonly detail: string;
        readonly extra: Readonly<Record<string, unknown>>;
      };
    };

/** What became of a claim. */
export type ClaimOutcome =
  /** `label`: the one that an earlier request under this key has begun. */
  | { readonly state: 'claimed'; readonly claim: RequestClaim; readonly label: StoredLabel | null }
  /** `endsInMs`: until the claim ends, should its holder have died. */
  | { readonly state: 'running'; readonly endsInMs: number }
  | { readonly state: 'other-request' }
  | { readonly state: 'answered'; readonly answer: StoredAnswer };

/** Requests with an `Idempotency-Key`: one claim and one answer each, kept for a day; shared by all processes. */
export interface IdempotencyRecords {
  /**
   * Claims a request, or finds what became of it. A claim ends by itself unless its holder renews it: whoever asks next
   * takes it over.
   */
  claim(request: KeyedRequest): Promise<ClaimOutcome>;
  /**
   * Lets a claim last anew. False where it is no longer held: another has taken it over, or it was answered or given
   * back.
   */
  renew(claim: RequestClaim): Promise<boolean>;
  store(claim: RequestClaim, answer: StoredAnswer): Promise<void>;
  /**
   * Gives a claim back, so that the next request works anew. An answer that was stored stays, even when its request
   * believes to have failed: the commit may have come through unheard.
   */
  release(claim: RequestClaim): Promise<void>;
  /** Removes what has expired. Returns how many. */
  removeExpired(): Promise<number>;
}

/** Names the label whose result is the body of a stored answer. */
export type LabelInAnswer = Pick<StoredLabel, 'activity' | 'id'>;
