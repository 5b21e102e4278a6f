// Reads the outline of a glyph from a font's `glyf` table.
import type { FontFile } from './font-file.ts';

/** A point of an outline, in units of the font; one off the curve bends it (quadratic). */
export interface OutlinePoint {
  readonly x: number;
  readonly y: number;
  readonly on: boolean;
}

/** Closed curves, filled inside. */
type Outline = readonly (readonly OutlinePoint[])[];

/** A part of a composite glyph, and how it is placed. */
interface Component {
  readonly glyph: number;
  /** Where its number is in the glyph's bytes. */
  readonly at: number;
  readonly matrix: readonly [number, number, number, number];
  readonly dx: number;
  readonly dy: number;
}

/** The glyph's own bytes; empty for one without ink, such as the space. */
export function glyphBytes(font: FontFile, glyph: number): Buffer {
  if (glyph < 0 || glyph >= font.glyphCount) return Buffer.alloc(0);
  const [loca, glyf] = [font.table('loca'), font.table('glyf')];
  const long = font.table('head').readInt16BE(50) === 1;
  const place = (index: number): number => (long ? loca.readUInt32BE(4 * index) : 2 * loca.readUInt16BE(2 * index));
  return glyf.subarray(place(glyph), place(glyph + 1));
}

/** The curves of a glyph. @param depth how deep composite glyphs may nest */
export function outlineOf(font: FontFile, glyph: number, depth = 5): Outline {
  const bytes = glyphBytes(font, glyph);
  if (bytes.length === 0 || depth === 0) return [];
  if (bytes.readInt16BE(0) >= 0) return curves(bytes);
  return componentsOf(bytes).flatMap(({ glyph: part, matrix: [a, b, c, d], dx, dy }) =>
    outlineOf(font, part, depth - 1).map((curve) =>
      curve.map(({ x, y, on }) => ({ x: a * x + c * y + dx, y: b * x + d * y + dy, on })),
    ),
  );
}

/** Flags of a component: its arguments are words, and a distance; how it is scaled; more follow. */
const component = { words: 0x01, distance: 0x02, scale: 0x08, more: 0x20, scales: 0x40, matrix: 0x80 } as const;

/** The parts of a composite glyph; none for a simple one. */
export function componentsOf(bytes: Buffer): readonly Component[] {
  const found: Component[] = [];
  if (bytes.length === 0 || bytes.readInt16BE(0) >= 0) return found;
  for (let at = 10; ; ) {
    const flags = bytes.readUInt16BE(at);
    const wide = (flags & component.words) !== 0;
    const [first, second] = wide
      ? [bytes.readInt16BE(at + 4), bytes.readInt16BE(at + 6)]
      : [bytes.readInt8(at + 4), bytes.readInt8(at + 5)];
    const placed = (flags & component.distance) !== 0;
    const after = at + (wide ? 8 : 6);
    const scale = (index: number): number => bytes.readInt16BE(after + 2 * index) / 0x4000;
    const [count, matrix]: readonly [number, Component['matrix']] =
      (flags & component.matrix) !== 0
        ? [4, [scale(0), scale(1), scale(2), scale(3)]]
        : (flags & component.scales) !== 0
          ? [2, [scale(0), 0, 0, scale(1)]]
          : (flags & component.scale) !== 0
            ? [1, [scale(0), 0, 0, scale(0)]]
            : [0, [1, 0, 0, 1]];
    found.push({
      glyph: bytes.readUInt16BE(at + 2),
      at: at + 2,
      matrix,
      dx: placed ? first : 0,
      dy: placed ? second : 0,
    });
    at = after + 2 * count;
    if ((flags & component.more) === 0) return found;
  }
}

/** Flags of a point: on the curve; its distances are one byte, or none; the flag stands for several points. */
const point = { on: 0x01, shortX: 0x02, shortY: 0x04, repeated: 0x08, sameX: 0x10, sameY: 0x20 } as const;

function curves(bytes: Buffer): Outline {
  const ends = Array.from({ length: bytes.readInt16BE(0) }, (_, index) => bytes.readUInt16BE(10 + 2 * index));
  const count = (ends.at(-1) ?? -1) + 1;
  let at = 10 + 2 * ends.length;
  at += 2 + bytes.readUInt16BE(at);
  const flags: number[] = [];
  while (flags.length < count) {
    const flag = bytes.readUInt8(at++);
    const times = (flag & point.repeated) === 0 ? 1 : 1 + bytes.readUInt8(at++);
    for (let time = 0; time < times; time += 1) flags.push(flag);
  }
  const along = (short: number, same: number): readonly number[] => {
    let value = 0;
    return flags.map((flag) => {
      if ((flag & short) !== 0) value += (flag & same) === 0 ? -bytes.readUInt8(at++) : bytes.readUInt8(at++);
      else if ((flag & same) === 0) {
        value += bytes.readInt16BE(at);
        at += 2;
      }
      return value;
    });
  };
  const xs = along(point.shortX, point.sameX);
  const ys = along(point.shortY, point.sameY);
  const points = flags.map((flag, index) => ({ x: xs[index] ?? 0, y: ys[index] ?? 0, on: (flag & point.on) !== 0 }));
  return ends.map((end, index) => points.slice((ends[index - 1] ?? -1) + 1, end + 1));
}
