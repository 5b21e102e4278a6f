// What the reconciliation of stock images with movements asks of storage, and what it is told.
import type { Resource } from '../model/resource.ts';
import type { Reader } from './engine.ts';

/** One of the two stock images. */
export interface ComparedImage {
  readonly imageId: string;
  /** When the warehouse took it, and when it could be read here; milliseconds. */
  readonly extractedAt: number;
  readonly publishedAt: number;
  readonly rowCount: number;
}

/** What is reconciled, and the definitions whose tables are added up. */
export interface StockSpan {
  readonly stock: Resource;
  readonly movements: Resource;
  readonly activity: string;
  readonly from: ComparedImage;
  readonly to: ComparedImage;
}

/** What of an activity the quantities are kept by. */
export interface StockPlace {
  readonly articleReference: string;
  readonly stockUnitID: string | null;
  readonly articleLotNumber: string | null;
  readonly gradeCode: string | null;
}

/** The sums of one place. */
export interface StockSum extends StockPlace {
  /** All lots are one here, because movements of the article name none. */
  readonly lotsJoined: boolean;
  readonly before: number;
  readonly movedIn: number;
  readonly movedOut: number;
  readonly after: number;
  /** Of the movements, what those came to that were stored after the later image was. */
  readonly late: number;
  /** Movements without a quantity or a direction, and rows of an image without a quantity. */
  readonly uncounted: number;
  /** Of all grades of the same article, unit and lot: how many differ, and what their differences come to. */
  readonly grades: { readonly differing: number; readonly difference: number };
}

/** All places together. */
export interface StockTotals {
  readonly places: number;
  readonly differing: number;
  readonly before: number;
  readonly movedIn: number;
  readonly movedOut: number;
  readonly after: number;
  readonly movements: number;
  readonly uncounted: number;
  /** Movements that name no article: they are in no place. */
  readonly withoutArticle: number;
}

/** One movement of a place. */
export interface PlacedMovement extends StockPlace {
  readonly at: number;
  /** What it adds; less than nothing where it takes. */
  readonly quantity: number;
  /** `movementCode`. */
  readonly code: string | null;
}

/** What movements of a place came to. */
export interface PlaceSum extends StockPlace {
  readonly quantity: number;
}

export interface StockSums {
  /** The newest image not later than an instant; null where there is none. */
  image(activity: string, at: number): Promise<ComparedImage | null>;
  /** The sums of places in their order: by article, stock unit, lot and grade, where null comes last. */
  sums(span: StockSpan, page: SumsPage, reader: Reader): Promise<{ sums: readonly StockSum[]; totals: StockTotals }>;
  /** Movements in order of time, and of their ids where that is the same. */
  between(span: StockSpan, asked: MovementsAsked, reader: Reader): Promise<readonly PlacedMovement[]>;
  /**
   * What movements that lie before the earlier image and were stored after it came to, at these places; one sum for
   * each at most, without a lot where all lots are one.
   */
  lateBefore(span: StockSpan, places: readonly AskedPlace[], reader: Reader): Promise<readonly PlaceSum[]>;
}

export interface SumsPage {
  /** Go on after this; null: begin. */
  readonly after: StockPosition | null;
  /** Those without a difference too. */
  readonly all: boolean;
  /** Most places. */
  readonly limit: number;
}

/** A place in the order of places, or the end of an article. */
export interface StockPosition {
  readonly articleReference: string;
  /** Null: after all of the article. */
  readonly within: Omit<StockPlace, 'articleReference'> | null;
}

/** A place of which movements are asked for. */
export interface AskedPlace extends StockPlace {
  /** Movements of any lot are of it. */
  readonly lotsJoined: boolean;
}

export interface MovementsAsked {
  /** Spans of time in milliseconds, the start of each excluded; they do not meet. */
  readonly times: readonly { readonly from: number; readonly to: number }[];
  /** With a code: a sample, from the first movements of the span. */
  readonly of:
    | { readonly articles: readonly string[] }
    | { readonly places: readonly AskedPlace[] }
    | { readonly code: string };
  readonly limit: number;
}

/** Less than this is no difference: sums of decimals are not exact. */
export const leastDifference = 0.000_001;
