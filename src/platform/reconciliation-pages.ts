// Where a page of the reconciliation ends: after an article, or inside one that is longer than a page.
import type { StockPosition, StockSum } from '../store/stock-sums-contract.ts';

/** Places per page; some 3 MB at most, when all texts have their maximum length. */
export const maxPagePlaces = 2000;

/** The places of a page, and where the next one begins; null for the last page. */
interface CutPage {
  readonly sums: readonly StockSum[];
  readonly next: StockPosition | null;
}

/**
 * Cuts a page of whole articles, or of part of one. No page combines a part with other articles, so that each part of
 * an article is explained by the same movements.
 * @param found places after `after` in order, one more than `limit` if there are that many
 */
export function cutPage(found: readonly StockSum[], after: StockPosition | null, limit: number): CutPage {
  const [first] = found;
  if (first === undefined) return { sums: [], next: null };
  const { articleReference } = first;
  const other = found.findIndex((sum) => sum.articleReference !== articleReference);
  const own = other < 0 ? found.length : other;
  const goesOn = after !== null && after.within !== null && after.articleReference === articleReference;
  if (goesOn || own > limit) return partOf(found, Math.min(own, limit), own > limit);
  if (found.length <= limit) return { sums: found, next: null };
  const cut = found.at(-1)?.articleReference;
  return upTo(
    found,
    found.findIndex((sum) => sum.articleReference === cut),
  );
}

function partOf(found: readonly StockSum[], places: number, hasMore: boolean): CutPage {
  const { sums, next } = upTo(found, places);
  const last = sums.at(-1);
  return { sums, next: next === null || last === undefined || !hasMore ? next : { ...next, within: last } };
}

function upTo(found: readonly StockSum[], places: number): CutPage {
  const sums = found.slice(0, places);
  const last = sums.at(-1);
  if (last === undefined || places === found.length) return { sums, next: null };
  return { sums, next: { articleReference: last.articleReference, within: null } };
}
