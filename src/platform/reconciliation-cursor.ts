// The position of a reconciliation, as opaque text that fits one question only.
import { hashQuery } from '../model/cursor.ts';
import { invalidParameter } from '../model/parameters.ts';
import type { StockPosition } from '../store/stock-sums-contract.ts';

/** Length of the longest cursor: 310 characters of a place, plus overhead. */
export const maxCursorLength = 3000;

/** @param question that the position is valid for; any JSON value */
export function writeReconciliationCursor({ articleReference, within }: StockPosition, question: unknown): string {
  const place =
    within === null
      ? [articleReference]
      : [articleReference, within.stockUnitID, within.articleLotNumber, within.gradeCode];
  return Buffer.from(JSON.stringify([hashQuery(question), ...place])).toString('base64url');
}

/**
 * Parses a position. It is not signed, because a forged one yields nothing that the question would not.
 * @throws Problem `invalid-parameter` unless it is what `writeReconciliationCursor` makes for this question
 */
export function readReconciliationCursor(text: string, question: unknown): StockPosition {
  const position = text.length > maxCursorLength ? null : positionIn(parsed(text));
  if (position === null || writeReconciliationCursor(position, question) !== text)
    invalidParameter(
      'after',
      "Parameter 'after': expected 'after' of an answer with the same activity, from, to and all, unchanged.",
    );
  return position;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch {
    return null;
  }
}

function positionIn(value: unknown): StockPosition | null {
  if (!Array.isArray(value)) return null;
  const [, articleReference, ...rest]: unknown[] = value;
  if (!isStorable(articleReference)) return null;
  if (rest.length === 0) return { articleReference, within: null };
  const [stockUnitID, articleLotNumber, gradeCode] = rest;
  if (!isStorableOrNull(stockUnitID) || !isStorableOrNull(articleLotNumber) || !isStorableOrNull(gradeCode))
    return null;
  return { articleReference, within: { stockUnitID, articleLotNumber, gradeCode } };
}

function isStorableOrNull(value: unknown): value is string | null {
  return value === null || isStorable(value);
}

/** Text that both engines accept as a value. */
function isStorable(value: unknown): value is string {
  return typeof value === 'string' && value.isWellFormed() && !value.includes('\0');
}
