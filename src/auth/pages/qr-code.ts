// Renders text as a QR code: an inline image that loads nothing.
import { html, type Markup } from './markup.ts';

/**
 * The library is loaded with the first code: it takes several megabytes in every process, and few servers ever need it.
 * @param label text alternative for people who cannot see it
 */
export async function qrCode(text: string, label: string): Promise<Markup> {
  const { default: bwip } = await import('bwip-js/node');
  const [symbol] = bwip.raw('qrcode', text, 'eclevel=M');
  if (symbol === undefined || !('pixs' in symbol)) throw new Error('bwip-js gave no modules');
  const { pixs, pixx } = symbol;
  const path = Array.from({ length: pixx }, (_, row) => rowPath(row, pixs.slice(row * pixx, (row + 1) * pixx))).join(
    '',
  );
  const side = String(pixx + 2 * quiet);
  // On white in dark mode too: some cameras cannot read inverted codes.
  return html`<svg class="code" viewBox="0 0 ${side} ${side}" role="img" aria-label="${label}" \
shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${side}v${side}H0z"/><path fill="#000" d="${path}"/></svg>`;
}

/** Width of the quiet zone in modules (ISO/IEC 18004). */
const quiet = 4;

/** The dark runs of one row. */
function rowPath(row: number, modules: readonly number[]): string {
  let path = '';
  for (let start = 0; start < modules.length; start += 1) {
    if (modules[start] !== 1) continue;
    let end = start;
    while (modules[end] === 1) end += 1;
    path += `M${start + quiet} ${row + quiet}h${end - start}v1h${start - end}z`;
    start = end;
  }
  return path;
}
