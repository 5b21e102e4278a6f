// Pictures in ZPL: the graphic field with its run-length compression.
import type { Bitmap } from './bitmap.ts';

/** A picture as `^GFA`: half-bytes in hexadecimal, runs and repeated rows shortened. */
export function graphicField({ stride, height, bytes }: Bitmap): string {
  const rows = Array.from({ length: height }, (_, row) =>
    bytes
      .subarray(row * stride, (row + 1) * stride)
      .toString('hex')
      .toUpperCase(),
  );
  const data = rows.map((row, index) => (row === rows[index - 1] ? ':' : shortened(row))).join('');
  return `^GFA,${stride * height},${stride * height},${stride},${data}`;
}

/**
 * A row: a comma if it is white to its end, an exclamation mark if it is black, any other run a count and the
 * half-byte.
 */
function shortened(row: string): string {
  const [, start = '', rest = ''] = /^(.*?)(0*|F*)$/.exec(row) ?? [];
  const end = rest === '' ? '' : rest.startsWith('0') ? ',' : '!';
  return start.replace(/(.)\1{2,}/g, (run, digit: string) => `${count(run.length)}${digit}`) + end;
}

/**
 * `G` to `Y` are 1 to 19, `g` to `z` are 20, 40, … 400; they add up.
 * @param length at most 419: more than a label is wide
 */
function count(length: number): string {
  const [twenties, ones] = [Math.floor(length / 20), length % 20];
  return (
    (twenties === 0 ? '' : String.fromCharCode(0x66 + twenties)) + (ones === 0 ? '' : String.fromCharCode(0x46 + ones))
  );
}
