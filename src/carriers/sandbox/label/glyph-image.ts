// Draws text as dots: fills the outlines of a font's glyphs, and draws lines of text with them.
import { LRUCache } from 'lru-cache';
import type { FontFile } from '../fonts/font-file.ts';
import { outlineOf, type OutlinePoint } from '../fonts/outline.ts';
import type { Shaper } from '../fonts/shaping.ts';
import { type Bitmap, blankBitmap, drawImage } from './bitmap.ts';
import type { TextMark } from './layout.ts';

/** A glyph as dots, and the position of its upper left corner relative to the pen. */
interface GlyphImage {
  readonly image: Bitmap;
  readonly left: number;
  readonly top: number;
}

/** Draws the text of a mark onto a bitmap. */
export type TextDrawer = (bitmap: Bitmap, mark: TextMark) => void;

export function createTextDrawer(shape: Shaper): TextDrawer {
  return (bitmap, { text, weight, size, x, y, white }) => {
    for (const { font, id, x: at, dx, dy } of shape(text, weight)) {
      const { image, left, top } = imageOf(font, id, size);
      drawImage(bitmap, image, x + Math.round((at + dx) * size) + left, y + top - Math.round(dy * size), !white);
    }
  };
}

/**
 * Filling a glyph takes a hundred times as long as drawing it; labels share the same few hundred, so they are cached.
 */
const filled = new LRUCache<string, GlyphImage>({ max: 4000 });

function imageOf(font: FontFile, glyph: number, size: number): GlyphImage {
  const key = `${font.name} ${glyph} ${size}`;
  const known = filled.get(key);
  if (known !== undefined) return known;
  const image = fillGlyph(font, glyph, size);
  filled.set(key, image);
  return image;
}

function fillGlyph(font: FontFile, glyph: number, size: number): GlyphImage {
  const scale = size / font.unitsPerEm;
  const curves = outlineOf(font, glyph).map((curve) =>
    flattened(curve.map(({ x, y, on }) => ({ x: x * scale, y: -y * scale, on }))),
  );
  const places = curves.flat();
  if (places.length === 0) return { image: blankBitmap(0, 0), left: 0, top: 0 };
  const [left, top] = [
    Math.floor(Math.min(...places.map(({ x }) => x))),
    Math.floor(Math.min(...places.map(({ y }) => y))),
  ];
  const image = blankBitmap(
    Math.ceil(Math.max(...places.map(({ x }) => x))) - left,
    Math.ceil(Math.max(...places.map(({ y }) => y))) - top,
  );
  const edges = curves.flatMap((curve) => curve.map((to, index): Edge => ({ from: curve.at(index - 1) ?? to, to })));
  for (let row = 0; row < image.height; row += 1) fillRow(image, row, edges, left, top + row);
  return { image, left, top };
}

interface Place {
  readonly x: number;
  readonly y: number;
}
interface Edge {
  readonly from: Place;
  readonly to: Place;
}

/** A curve as straight edges. Between two points off the curve, the midpoint is on it. */
function flattened(curve: readonly OutlinePoint[]): readonly Place[] {
  const whole = curve.flatMap((here, index) => {
    const before = curve.at(index - 1);
    return before === undefined || before.on || here.on
      ? [here]
      : [{ x: (before.x + here.x) / 2, y: (before.y + here.y) / 2, on: true }, here];
  });
  return whole.flatMap((here, index) => {
    if (here.on) return [here];
    const [from, to] = [whole.at(index - 1) ?? here, whole[(index + 1) % whole.length] ?? here];
    return [0.25, 0.5, 0.75].map((t) => ({ x: bent(from.x, here.x, to.x, t), y: bent(from.y, here.y, to.y, t) }));
  });
}

function bent(from: number, over: number, to: number, t: number): number {
  return (1 - t) * (1 - t) * from + 2 * t * (1 - t) * over + t * t * to;
}

/** Lines across a row of dots that measure how much of each dot is inside. */
const scanLines = 4;

/** Blackens the dots of a row that are at least half filled. @param y of the row's upper edge, where the glyph is */
function fillRow(image: Bitmap, row: number, edges: readonly Edge[], left: number, y: number): void {
  const shares = new Float64Array(image.width);
  const near = edges.filter(({ from, to }) => Math.min(from.y, to.y) < y + 1 && Math.max(from.y, to.y) > y);
  for (let line = 0; line < scanLines; line += 1) {
    let winding = 0;
    let start = 0;
    for (const { x, turn } of crossings(near, y + (line + 0.5) / scanLines)) {
      if (winding === 0) start = x;
      winding += turn;
      if (winding === 0) addSpan(shares, start - left, x - left);
    }
  }
  for (const [column, share] of shares.entries()) {
    const at = row * image.stride + (column >> 3);
    if (share >= scanLines / 2) image.bytes[at] = (image.bytes[at] ?? 0) | (0x80 >> (column & 7));
  }
}

/** Where edges cross a level, from left to right, and whether upwards or downwards. */
function crossings(edges: readonly Edge[], level: number): readonly { readonly x: number; readonly turn: number }[] {
  return edges
    .filter(({ from, to }) => from.y <= level !== to.y <= level)
    .map(({ from, to }) => ({
      x: from.x + ((level - from.y) / (to.y - from.y)) * (to.x - from.x),
      turn: from.y < to.y ? 1 : -1,
    }))
    .sort((a, b) => a.x - b.x);
}

function addSpan(shares: Float64Array, from: number, to: number): void {
  for (let column = Math.floor(from); column < to; column += 1) {
    shares[column] = (shares[column] ?? 0) + Math.min(to, column + 1) - Math.max(from, column);
  }
}
