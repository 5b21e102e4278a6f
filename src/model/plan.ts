// An interpreted list request: which records, in which order, from where on.
import type { Resource } from './resource.ts';

/** A value as columns hold it: text, number, instant in milliseconds, boolean as 0 or 1. */
export type StoredValue = string | number;

/**
 * A condition on one record. `selector` is a column (`articleReference`) or a nested selector
 * (`orderEntries.articleReference`, true when any element matches). Null matches only `null`. Text is compared by code
 * point.
 */
export type Condition =
  | { readonly op: 'and' | 'or'; readonly of: readonly Condition[] }
  | { readonly op: '==' | '!=' | '<' | '<=' | '>' | '>='; readonly selector: string; readonly value: StoredValue }
  | { readonly op: 'in' | 'out'; readonly selector: string; readonly values: readonly StoredValue[] }
  | { readonly op: 'prefix' | 'not-prefix'; readonly selector: string; readonly value: string }
  /** from <= value < to, or the opposite: the meaning of `==` and `!=` for a whole day. */
  | { readonly op: 'range' | 'not-range'; readonly selector: string; readonly from: number; readonly to: number }
  | { readonly op: 'null'; readonly selector: string; readonly is: boolean };

export interface SortKey {
  readonly field: string;
  readonly descending: boolean;
}

/** Position in change order: per activity, the change number of the last record delivered. */
export type ChangePosition = Readonly<Record<string, number>>;

/**
 * Position in value order: the sort values of the last record delivered, then activity and tie-breaker. The tie-breaker
 * never changes for a record: its id, or its place in its image.
 */
export interface ValuePosition {
  readonly values: readonly (StoredValue | null)[];
  readonly activity: string;
  readonly tieBreaker: StoredValue;
}

/**
 * Where a walk began, by activity. For images: the image that it shows, identified by the change number before its
 * first record, -1 when there was none. For records in change order: the last change number when the walk began, up to
 * which withdrawn records are left out (decision 49). In change order it names only activities that the walk is in the
 * middle of: for images, one.
 */
export type WalkStarts = Readonly<Record<string, number>>;

/** Everything that a list request asks for, validated: the store needs nothing else to answer. */
export interface ListPlan {
  readonly resource: Resource;
  /** Activities that may be read, sorted; never empty. */
  readonly activities: readonly string[];
  /** All conditions must hold. */
  readonly where: readonly Condition[];
  /** Empty: change order, oldest change first, activity after activity. */
  readonly sort: readonly SortKey[];
  readonly after: ChangePosition | ValuePosition | null;
  /** Only records written at or after this instant (milliseconds); for images: published at or after it. */
  readonly updatedSince: number | null;
  /** 1 to 100. */
  readonly limit: number;
  /** Images only: select the newest image not later than this instant (milliseconds); null: the latest. */
  readonly imageAt: number | null;
  /** Where the walk in progress began; null: a walk begins, or begins in the next activity. */
  readonly walkStarts: WalkStarts | null;
}

/** Distinguishes the two kinds of position: no activity code is as long as `activity`. */
export function isValuePosition(after: ChangePosition | ValuePosition): after is ValuePosition {
  return typeof after.activity === 'string';
}
