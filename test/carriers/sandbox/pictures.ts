// Looks at pictures of labels: which dots are dark, and whether any lie where nothing may be.
import { inflateSync } from 'node:zlib';
import {
  blocks,
  containerBars,
  dotsPerMillimetre,
  expeditionCode,
} from '../../../src/carriers/sandbox/label/blocks.ts';

/** A picture in shades of grey. */
interface Picture {
  readonly width: number;
  readonly height: number;
  readonly isDark: (x: number, y: number) => boolean;
}

/** Reads a PNG without interlacing, of one or eight bits (ISO/IEC 15948). */
export function readPng(png: Buffer): Picture {
  const header = png.subarray(16, 29);
  const [width, height, depth, kind] = [
    header.readUInt32BE(0),
    header.readUInt32BE(4),
    header.readUInt8(8),
    header.readUInt8(9),
  ];
  const channels = new Map([
    [0, 1],
    [2, 3],
    [4, 2],
    [6, 4],
  ]).get(kind);
  if (channels === undefined || (depth !== 1 && depth !== 8))
    throw new Error(`a PNG of kind ${kind} with ${depth} bits is not read here`);
  const parts: Buffer[] = [];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT')
      parts.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  }
  const bytesPerDot = Math.max(1, (channels * depth) / 8);
  const stride = Math.ceil((width * channels * depth) / 8);
  const rows = unfiltered(inflateSync(Buffer.concat(parts)), stride, bytesPerDot);
  return {
    width,
    height,
    isDark: (x, y) =>
      depth === 1 ? ((rows[y]?.[x >> 3] ?? 0) & (0x80 >> (x & 7))) === 0 : (rows[y]?.[x * channels] ?? 0) < 128,
  };
}

/** Dark dots outside of all blocks and symbols, quiet zones included: there must be none. */
export function strayDots({ width, height, isDark }: Picture): readonly string[] {
  const allowed = allowedBoxes();
  const found: string[] = [];
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      if (
        isDark(x, y) &&
        !allowed.some((box) => x >= box.x && x < box.x + box.width && y >= box.y && y < box.y + box.height)
      )
        found.push(`${x},${y}`);
    }
  }
  return found;
}

/** In dots, with one dot around for what a renderer smooths. */
function allowedBoxes() {
  const box = (x: number, y: number, width: number, height: number) => ({
    x: x * dotsPerMillimetre - 1,
    y: y * dotsPerMillimetre - 1,
    width: width * dotsPerMillimetre + 2,
    height: height * dotsPerMillimetre + 2,
  });
  const side = (module: number, modules: number): number => (module * modules) / dotsPerMillimetre;
  return [
    ...Object.values(blocks).map(({ x, y, width, height }) => box(x, y, width, height)),
    box(containerBars.x, containerBars.y, side(containerBars.module, containerBars.modules), containerBars.height),
    box(
      expeditionCode.x,
      expeditionCode.y,
      side(expeditionCode.module, expeditionCode.modules),
      side(expeditionCode.module, expeditionCode.modules),
    ),
  ];
}

function unfiltered(data: Buffer, stride: number, step: number): readonly Buffer[] {
  const rows: Buffer[] = [];
  for (let start = 0; start < data.length; start += stride + 1) {
    const [filter, row, above] = [
      data[start] ?? 0,
      Buffer.from(data.subarray(start + 1, start + 1 + stride)),
      rows.at(-1),
    ];
    for (let at = 0; at < row.length; at += 1) {
      const [left, up, corner] = [
        at < step ? 0 : (row[at - step] ?? 0),
        above?.[at] ?? 0,
        at < step ? 0 : (above?.[at - step] ?? 0),
      ];
      const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter] ?? 0;
      row[at] = ((row[at] ?? 0) + guess) & 0xff;
    }
    rows.push(row);
  }
  return rows;
}

function paeth(left: number, up: number, corner: number): number {
  const guess = left + up - corner;
  const [toLeft, toUp, toCorner] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
  if (toLeft <= toUp && toLeft <= toCorner) return left;
  return toUp <= toCorner ? up : corner;
}
