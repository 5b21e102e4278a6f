// Reconciles two stock images of an activity with the movements between them, one page of places at a time (decision
// 52).
import { formatInstant } from '../model/instant.ts';
import { Problem } from '../model/problem.ts';
import { textBlock } from '../model/text-block.ts';
import { articleStock, articleStockMovement } from '../resources/index.ts';
import type { Reader } from '../store/engine.ts';
import type { ComparedImage, PlacedMovement, StockPlace, StockSpan, StockSum } from '../store/stock-sums-contract.ts';
import type { Store } from '../store/store.ts';
import { readReconciliationCursor, writeReconciliationCursor } from './reconciliation-cursor.ts';
import { cutPage, maxPagePlaces } from './reconciliation-pages.ts';
import {
  classesOf,
  comesInPairs,
  type DifferenceClass,
  differenceOf,
  expectedOf,
  tidy,
  unpairedHalves,
} from './difference-classes.ts';

/** What to reconcile; instants in milliseconds. */
interface ReconciliationRequest {
  readonly activity: string;
  readonly from: number;
  readonly to: number;
  /** `after` of the previous page; null: from the start. */
  readonly after: string | null;
  /** Includes places without a difference. */
  readonly all: boolean;
  /** Places per page; default: as many as are published at once. */
  readonly maxPlaces?: number;
}

/** One page, as it is published. */
export interface Reconciliation {
  readonly activityCode: string;
  readonly from: ReconciledImage;
  readonly to: ReconciledImage;
  /** Totals of all places on all pages. */
  readonly totals: {
    readonly places: number;
    readonly differing: number;
    readonly imageFrom: number;
    readonly movedIn: number;
    readonly movedOut: number;
    readonly expected: number;
    readonly imageTo: number;
    readonly difference: number;
    readonly movements: number;
    readonly notCounted: number;
    readonly withoutArticle: number;
  };
  readonly places: readonly ReconciledPlace[];
  /** Where the next page continues; null on the last page. */
  readonly after: string | null;
}

interface ReconciledImage {
  readonly stockImageExtractionDate: string;
  readonly publishedAt: string;
  readonly rows: number;
}

export interface ReconciledPlace extends StockPlace {
  readonly lotsJoined: boolean;
  readonly imageFrom: number;
  readonly movedIn: number;
  readonly movedOut: number;
  readonly expected: number;
  readonly imageTo: number;
  readonly difference: number;
  readonly class: DifferenceClass | null;
}

/** The largest difference between an image's extraction date and the time when it was really taken. */
const nearMs = 3_600_000;
/** The most movements examined for an explanation; when there are more, the class says less. */
const maxEvidence = 20_000;
/** The most movement codes that are checked for pairs, and the most movements examined of each. */
const maxCodes = 10;
const codeSample = 500;
/** How long before the earlier image they are examined: a grade change may be the only one of its day. */
const sampleBeforeMs = 31 * 86_400_000;

/**
 * @throws Problem `resource-not-found` when there is no image at or before `from`, `invalid-parameter` when `to` is
 *   before `from` or `after` belongs to another question, those of long reads
 */
export async function reconcile(store: Store, asked: ReconciliationRequest, reader: Reader): Promise<Reconciliation> {
  const question = [asked.activity, asked.from, asked.to, asked.all];
  const position = asked.after === null ? null : readReconciliationCursor(asked.after, question);
  const span = await spanOf(store, asked);
  const limit = asked.maxPlaces ?? maxPagePlaces;
  const page = { after: position, all: asked.all, limit: limit + 1 };
  const { sums: found, totals } = await store.stockSums.sums(span, page, reader);
  const { sums, next } = cutPage(found, position, limit);
  // An image whose rows are being removed would look emptier than it was.
  if (!(await isStillThere(store, span))) return reconcile(store, asked, reader);
  const classes = await classified(store, span, sums, reader);
  const { places, differing, movements, uncounted, withoutArticle, ...quantities } = totals;
  return {
    activityCode: asked.activity,
    from: publishedImage(span.from),
    to: publishedImage(span.to),
    totals: {
      places,
      differing,
      imageFrom: tidy(quantities.before),
      movedIn: quantities.movedIn,
      movedOut: quantities.movedOut,
      expected: expectedOf(quantities),
      imageTo: tidy(quantities.after),
      difference: differenceOf(quantities),
      movements,
      notCounted: uncounted,
      withoutArticle,
    },
    places: sums.map((sum, index) => publishedPlace(sum, classes[index] ?? null)),
    after: next && writeReconciliationCursor(next, question),
  };
}

async function spanOf(store: Store, { activity, from, to }: ReconciliationRequest): Promise<StockSpan> {
  if (to < from) {
    const detail = "Parameter 'to': expected an instant that is not before 'from'.";
    throw new Problem('invalid-parameter', detail, { parameter: 'to', errors: { to: [detail] } });
  }
  const [earlier, later] = [await store.stockSums.image(activity, from), await store.stockSums.image(activity, to)];
  if (earlier === null || later === null) {
    throw new Problem(
      'resource-not-found',
      `There is no stock image of ${activity} at or before ${formatInstant(from)}: reconcile from a later instant.`,
    );
  }
  return { stock: articleStock, movements: articleStockMovement, activity, from: earlier, to: later };
}

async function isStillThere(store: Store, { activity, from, to }: StockSpan): Promise<boolean> {
  for (const image of [from, to])
    if ((await store.stockSums.image(activity, image.extractedAt))?.imageId !== image.imageId) return false;
  return true;
}

/** Looks for explanations of the differences on a page; queries nothing when there are none. */
async function classified(
  store: Store,
  span: StockSpan,
  sums: readonly StockSum[],
  reader: Reader,
): Promise<readonly (DifferenceClass | null)[]> {
  const instants = { from: span.from.extractedAt, to: span.to.extractedAt };
  const nothing = { ...instants, lateBefore: [], near: [], unpaired: [] };
  const differing = sums.filter((sum) => differenceOf(sum) !== 0);
  if (differing.length === 0) return classesOf(sums, nothing);
  const lateBefore = await store.stockSums.lateBefore(span, differing, reader);
  const times = nearTimes(instants);
  const near = await store.stockSums.between(span, { times, of: { places: differing }, limit: maxEvidence }, reader);
  const known = { ...nothing, lateBefore, near };
  const first = classesOf(sums, known);
  const open = articlesOf(sums.filter((_, index) => first[index] === 'missing-movement'));
  if (open.length === 0) return first;
  return classesOf(sums, { ...known, unpaired: await halves(store, span, open, reader) });
}

function articlesOf(places: readonly StockPlace[]): readonly string[] {
  return [...new Set(places.map(({ articleReference }) => articleReference))];
}

/** An hour around each of the two; one span if they overlap. */
function nearTimes({ from, to }: { readonly from: number; readonly to: number }) {
  const around = (at: number) => ({ from: at - nearMs, to: at + nearMs });
  return from + nearMs < to - nearMs ? [around(from), around(to)] : [{ from: from - nearMs, to: to + nearMs }];
}

/** Examines whole articles even if only part of one is on the page: the other half may be of another grade or lot. */
async function halves(
  store: Store,
  span: StockSpan,
  articles: readonly string[],
  reader: Reader,
): Promise<readonly PlacedMovement[]> {
  const times = [{ from: span.from.extractedAt, to: span.to.extractedAt }];
  const moved = await store.stockSums.between(span, { times, of: { articles }, limit: maxEvidence }, reader);
  const sampled = [{ from: span.from.extractedAt - sampleBeforeMs, to: span.to.extractedAt }];
  const codes = [...new Set(unpairedHalves(moved, () => true).map(({ code }) => code))].slice(0, maxCodes);
  const inPairs = new Set<string>();
  for (const code of codes) {
    if (code === null) continue;
    const sample = await store.stockSums.between(span, { times: sampled, of: { code }, limit: codeSample }, reader);
    if (comesInPairs(sample)) inPairs.add(code);
  }
  return unpairedHalves(moved, (code) => inPairs.has(code));
}

function publishedImage({ extractedAt, publishedAt, rowCount }: ComparedImage): ReconciledImage {
  return {
    stockImageExtractionDate: formatInstant(extractedAt),
    publishedAt: formatInstant(publishedAt),
    rows: rowCount,
  };
}

function publishedPlace(sum: StockSum, reason: DifferenceClass | null): ReconciledPlace {
  const { articleReference, stockUnitID, articleLotNumber, gradeCode, lotsJoined, movedIn, movedOut } = sum;
  return {
    articleReference,
    stockUnitID,
    articleLotNumber,
    gradeCode,
    lotsJoined,
    imageFrom: tidy(sum.before),
    movedIn,
    movedOut,
    expected: expectedOf(sum),
    imageTo: tidy(sum.after),
    difference: differenceOf(sum),
    class: reason,
  };
}

/** Explanations of the classes for people. */
export const classMeanings: Readonly<Record<DifferenceClass, string>> = {
  unknown: textBlock`
    a movement without a quantity or with a direction other than I and O, or a row of an image without a quantity:
    what should be there cannot be told
  `,
  'late-movement': textBlock`
    the difference is what movements came to that were stored after the image that they belong before
  `,
  'grade-change': textBlock`
    goods have changed their grade, and the movement out of the one or into the other is missing, or both are
  `,
  'movement-after-extraction': textBlock`
    the difference is what moved within an hour of one of the two images: it was taken a little earlier or later than
    it says
  `,
  'missing-movement': 'nothing explains the difference: movements are missing, or one of the images is wrong',
};
