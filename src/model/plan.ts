// What a list request means once it is understood: which records, in which order, from where on.
import type { Resource } from './resource.ts';

/** A value in the form in which columns hold it: text, number, instant in milliseconds, boolean as 0 or 1. */
export type StoredValue = string | number;

/**
 * A condition on one record. `selector` is a column (`articleReference`) or a nested selector
 * (`orderEntries.articleReference`, true when any element matches). Null matches nothing but `null`.
 * Text compares by code point.
 */
export type Condition =
  | { readonly op: 'and' | 'or'; readonly of: readonly Condition[] }
  | { readonly op: '==' | '!=' | '<' | '<=' | '>' | '>='; readonly selector: string; readonly value: StoredValue }
  | { readonly op: 'in' | 'out'; readonly selector: string; readonly values: readonly StoredValue[] }
  | { readonly op: 'prefix' | 'not-prefix'; readonly selector: string; readonly value: string }
  /** from <= value < to, or its opposite: what `==` and `!=` mean for a whole day. */
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
 * is what never changes of a record: its id, or the place of a record in its image.
 */
export interface ValuePosition {
  readonly values: readonly (StoredValue | null)[];
  readonly activity: string;
  readonly tieBreaker: StoredValue;
}

/**
 * Where a walk began, by activity. Of images: the one that it shows, named by the change number before its first
 * record, -1 where there was none. Of records in change order: the last change number when it began, up to which
 * withdrawn records are left out (decision 49). In change order it names only activities that the walk is in the middle
 * of: of images one.
 */
export type WalkStarts = Readonly<Record<string, number>>;

/** Everything that a list request asks for, checked: the store needs nothing else to answer. */
export interface ListPlan {
  readonly resource: Resource;
  /** Activities that may be read, sorted; never empty. */
  readonly activities: readonly string[];
  /** All must hold. */
  readonly where: readonly Condition[];
  /** Empty: change order, oldest change first, activity after activity. */
  readonly sort: readonly SortKey[];
  readonly after: ChangePosition | ValuePosition | null;
  /** Only what was written at or after this instant (milliseconds); for images: published at or after it. */
  readonly updatedSince: number | null;
  /** 1 to 100. */
  readonly limit: number;
  /** Images only: the newest image not later than this instant (milliseconds); null: the latest. */
  readonly imageAt: number | null;
  /** What the walk goes on with; null: a walk begins, or begins in the next activity. */
  readonly walkStarts: WalkStarts | null;
}

/** Tells the two kinds of position apart: no activity code is as long as `activity`. */
export function isValuePosition(after: ChangePosition | ValuePosition): after is ValuePosition {
  return typeof after.activity === 'string';
}
