// The quantity of an article after each of its movements, calculated from the newest stock image.
import type { ArticleStock, ArticleStockMovement } from '../../../client/src/index.ts';

interface BalancePoint {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** After the movement. */
  readonly balance: number;
}

/**
 * @param stock places of the newest image
 * @param movements in any order; those without instant, quantity or direction are ignored
 * @returns oldest first
 */
export function runningBalance(
  stock: readonly Pick<ArticleStock, 'stockImageExtractionDate' | 'totalStockQuantity'>[],
  movements: readonly Pick<ArticleStockMovement, 'movementTimestamp' | 'movedQuantity' | 'movementDirection'>[],
): readonly BalancePoint[] {
  const changes = movements
    .flatMap(({ movementTimestamp, movedQuantity, movementDirection }) => {
      const at = Date.parse(movementTimestamp ?? '');
      const sign = signOf(movementDirection);
      return Number.isNaN(at) || movedQuantity === null || sign === 0 ? [] : [{ at, change: sign * movedQuantity }];
    })
    .toSorted((left, right) => left.at - right.at);
  const imageAt = Math.max(...stock.map((place) => Date.parse(place.stockImageExtractionDate ?? '')).filter(isTime));
  const inStock = stock.reduce((sum, { totalStockQuantity }) => sum + (totalStockQuantity ?? 0), 0);
  // Without an image there is no stock now, and everything that moved has gone again.
  const until = changes
    .filter(({ at }) => !isTime(imageAt) || at <= imageAt)
    .reduce((sum, { change }) => sum + change, 0);
  let balance = inStock - until;
  return changes.map(({ at, change }) => {
    balance += change;
    return { at, balance };
  });
}

/** Codes of the warehouse systems that are used here. Any other code has no meaning. */
function signOf(direction: string | null): -1 | 0 | 1 {
  if (direction === null) return 0;
  if (['I', 'E', '+'].includes(direction)) return 1;
  return ['O', 'S', '-'].includes(direction) ? -1 : 0;
}

function isTime(at: number): boolean {
  return Number.isFinite(at);
}
