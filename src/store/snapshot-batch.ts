// How much a snapshot reads at a time, whichever the engine.
import type { Row } from './engine.ts';

/** Characters of text: rows of many megabytes are read one by one. */
export const maxBatchLength = 1_000_000;

/** Length of a row, in characters of text. */
export function lengthOf(row: Row): number {
  return row.reduce<number>((sum, cell) => sum + (typeof cell === 'string' ? cell.length : 8), 0);
}
