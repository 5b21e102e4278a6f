// The machine-readable symbols as modules, by bwip-js, which also checks the container code's check digit.
import bwip from 'bwip-js/node';

/** Widths in modules: bar, space, bar, … of an SSCC as GS1-128. @throws Error for a wrong check digit */
export function containerModules(sscc: string): readonly number[] {
  const [symbol] = bwip.raw({ bcid: 'gs1-128', text: `(00)${sscc}` });
  if (symbol === undefined || !('sbs' in symbol)) throw new Error('bwip-js gave no bars');
  return Array.from(symbol.sbs);
}

/** Rows of modules, true where dark, of digits as QR code of version 1, error level M. */
export function codeModules(digits: string): readonly (readonly boolean[])[] {
  // Trying all eight masks takes most of the time; readers accept any of them.
  const [symbol] = bwip.raw('qrcode', digits, 'eclevel=M version=1 mask=3');
  if (symbol === undefined || !('pixs' in symbol)) throw new Error('bwip-js gave no modules');
  const { pixs, pixx } = symbol;
  return Array.from({ length: pixx }, (_, row) =>
    Array.from({ length: pixx }, (_module, column) => pixs[row * pixx + column] === 1),
  );
}

/** Dark runs of a row of modules: where each starts and how long it is. */
export function darkRuns(row: readonly boolean[]): readonly { readonly start: number; readonly length: number }[] {
  const runs: { start: number; length: number }[] = [];
  for (const [index, dark] of row.entries()) {
    const last = runs.at(-1);
    if (dark && last !== undefined && last.start + last.length === index) last.length += 1;
    else if (dark) runs.push({ start: index, length: 1 });
  }
  return runs;
}
