// Cuts lines of columns with a fixed width into cells.
import type { CellReader } from './csv.ts';
import type { FormatRule } from './mapping-file.ts';

export type FixedRule = Extract<FormatRule, { readonly kind: 'fixed' }>;

/** Cuts lines at the places that the mapping names; one that ends before its last column has no cells. */
export function fixedCells({ columns, shortLines }: FixedRule): CellReader {
  const length = Math.max(...columns.map(({ start, length: own }) => start + own - 1));
  return {
    push: (lines) =>
      lines.map(({ line, text, fault }) => {
        const slice = sliceOf(text);
        return {
          line,
          lines: 1,
          text,
          fault,
          // A character at the last place, or none.
          cells:
            slice(length - 1, length) === '' && shortLines !== 'pad'
              ? null
              : columns.map(({ start, length: own }) => slice(start - 1, start - 1 + own)),
        };
      }),
    flush: () => [],
    end: () => [],
    isOpen: () => false,
  };
}

/** Slices a text by its characters; a character outside the basic plane has two units of a string. */
function sliceOf(text: string): (from: number, to: number) => string {
  if (!/[\ud800-\udbff]/.test(text)) return (from, to) => text.slice(from, to);
  const characters = Array.from(text);
  return (from, to) => characters.slice(from, to).join('');
}
