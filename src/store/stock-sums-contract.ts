// What the reconciliation of stock images with movements asks of storage, and the answers.
import type { Resource } from '../model/resource.ts';
import type { Reader } from './engine.ts';

/** One of the two stock images. */
export interface ComparedImage {
  readonly imageId: string;
  /** When the warehouse took it, and when it became readable here; milliseconds. */
  readonly extractedAt: number;
  readonly publishedAt: number;
  readonly rowCount: number;
}

/** The images to reconcile, and the definitions whose tables are added up. */
export interface StockSpan {
  readonly stock: Resource;
  readonly movements: Resource;
  readonly activity: string;
  readonly from: ComparedImage;
  readonly to: ComparedImage;
}

/** What quantities are kept by within an activity. */
export interface StockPlace {
  readonly articleReference: string;
  readonly stockUnitID: string | null;
  readonly articleLotNumber: string | null;
  readonly gradeCode: string | null;
}

/** The sums of one place. */
export interface StockSum extends StockPlace {
  /** All lots count as one here, because movements of the article name none. */
  readonly lotsJoined: boolean;
  readonly before: number;
  readonly movedIn: number;
  readonly movedOut: number;
  readonly after: number;
  /** The sum of those movements that were stored after the later image. */
  readonly late: number;
  /** Movements without a quantity or a direction, and rows of an image without a quantity. */
  readonly uncounted: number;
  /** Over all grades of the same article, unit and lot: how many differ, and the sum of their differences. */
  readonly grades: { readonly differing: number; readonly difference: number };
}

/** The totals of all places. */
export interface StockTotals {
  readonly places: number;
  readonly differing: number;
  readonly before: number;
  readonly movedIn: number;
  readonly movedOut: number;
  readonly after: number;
  readonly movements: number;
  readonly uncounted: number;
  /** Movements without an article: they belong to no place. */
  readonly withoutArticle: number;
}

/** One movement of a place. */
export interface PlacedMovement extends StockPlace {
  readonly at: number;
  /** Added quantity; negative if it takes. */
  readonly quantity: number;
  /** `movementCode`. */
  readonly code: string | null;
}

/** The sum of the movements of a place. */
export interface PlaceSum extends StockPlace {
  readonly quantity: number;
}

export interface StockSums {
  /** The newest image not later than an instant; null if there is none. */
  image(activity: string, at: number): Promise<ComparedImage | null>;
  /** The sums of places in order: by article, stock unit, lot and grade, with null last. */
  sums(span: StockSpan, page: SumsPage, reader: Reader): Promise<{ sums: readonly StockSum[]; totals: StockTotals }>;
  /** Movements in order of time, then of id. */
  between(span: StockSpan, asked: MovementsQuery, reader: Reader): Promise<readonly PlacedMovement[]>;
  /**
   * The sums at these places of movements that are earlier than the earlier image but were stored after it; at most one
   * sum for each place, without a lot if all lots count as one.
   */
  lateBefore(span: StockSpan, places: readonly QueriedPlace[], reader: Reader): Promise<readonly PlaceSum[]>;
}

export interface SumsPage {
  /** Continue after this; null: begin. */
  readonly after: StockPosition | null;
  /** Include places without a difference. */
  readonly all: boolean;
  /** Most places. */
  readonly limit: number;
}

/** A place in the order of places, or the end of an article. */
export interface StockPosition {
  readonly articleReference: string;
  /** Null: after everything of the article. */
  readonly within: Omit<StockPlace, 'articleReference'> | null;
}

/** A place whose movements are requested. */
export interface QueriedPlace extends StockPlace {
  /** Movements of any lot belong to it. */
  readonly lotsJoined: boolean;
}

export interface MovementsQuery {
  /** Spans of time in milliseconds, the start of each excluded; they do not overlap. */
  readonly times: readonly { readonly from: number; readonly to: number }[];
  /** With a code: a sample, from the first movements of the span. */
  readonly of:
    | { readonly articles: readonly string[] }
    | { readonly places: readonly QueriedPlace[] }
    | { readonly code: string };
  readonly limit: number;
}

/** A smaller value is not a difference: sums of decimals are not exact. */
export const minDifference = 0.000_001;
