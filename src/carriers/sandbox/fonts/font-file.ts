// Reads font files: which glyph shows a character, how wide it is, and the tables of outlines.
import { readFileSync } from 'node:fs';
import { inflateSync } from 'node:zlib';

/** An open font file. Lengths are in units of the font, `unitsPerEm` to the em. */
export interface FontFile {
  /** Unique among the program's fonts, valid in a PDF. */
  readonly name: string;
  readonly unitsPerEm: number;
  readonly glyphCount: number;
  /** Highest and lowest reach of the font's letters over the baseline. */
  readonly ascent: number;
  readonly descent: number;
  /** The glyph of a code point; 0: the font has none. */
  readonly glyphOf: (codePoint: number) => number;
  readonly advanceOf: (glyph: number) => number;
  /** The bytes of a table, such as `glyf`; empty if the font has none. */
  readonly table: (tag: string) => Buffer;
  /** The whole file. */
  readonly bytes: Buffer;
}

/**
 * Opens a TrueType font, plain or as WOFF 1. Tables are read on demand.
 *
 * A reader of our own, because measuring a label must cost microseconds and no start-up time: a shaping engine takes 20
 * MB and a hundred milliseconds to load, and a hundred times as long for a line of plain text.
 * @throws Error if the file is no such font
 */
export function openFont(path: string, name: string): FontFile {
  const bytes = readFileSync(path);
  const table = tablesOf(bytes);
  const [head, hhea] = [table('head'), table('hhea')];
  if (head.length < 54 || hhea.length < 36) throw new Error(`${path} is no TrueType font`);
  const hmtx = table('hmtx');
  const lastAdvance = hhea.readUInt16BE(34) - 1;
  return {
    name,
    unitsPerEm: head.readUInt16BE(18),
    glyphCount: table('maxp').readUInt16BE(4),
    ascent: hhea.readInt16BE(4),
    descent: hhea.readInt16BE(6),
    glyphOf: characterMap(table('cmap')),
    advanceOf: (glyph) => hmtx.readUInt16BE(4 * Math.min(glyph, lastAdvance)),
    table,
    bytes,
  };
}

const none = Buffer.alloc(0);
const woffSignature = 0x774f4646;

function tablesOf(bytes: Buffer): (tag: string) => Buffer {
  const packed = bytes.readUInt32BE(0) === woffSignature;
  const [first, entry] = packed ? [44, 20] : [12, 16];
  const count = bytes.readUInt16BE(packed ? 12 : 4);
  const read = new Map<string, Buffer>();
  return (tag) => {
    const known = read.get(tag);
    if (known !== undefined) return known;
    for (let at = first; at < first + count * entry; at += entry) {
      if (bytes.toString('latin1', at, at + 4) !== tag) continue;
      const start = bytes.readUInt32BE(at + (packed ? 4 : 8));
      const stored = bytes.subarray(start, start + bytes.readUInt32BE(at + (packed ? 8 : 12)));
      const found = packed && stored.length < bytes.readUInt32BE(at + 12) ? inflateSync(stored) : stored;
      read.set(tag, found);
      return found;
    }
    return none;
  };
}

/** Reads the Unicode table with the most characters: format 12 (all planes) before format 4 (the first). */
function characterMap(cmap: Buffer): (codePoint: number) => number {
  let segments: readonly Segment[] = [];
  for (let index = 0; index < cmap.readUInt16BE(2); index += 1) {
    const platform = cmap.readUInt16BE(4 + index * 8);
    if (platform !== 0 && platform !== 3) continue;
    const table = cmap.subarray(cmap.readUInt32BE(8 + index * 8));
    const format = table.readUInt16BE(0);
    if (format === 12) segments = groups(table);
    else if (format === 4 && segments.length === 0) segments = ranges(table);
  }
  return (codePoint) => lookUp(segments, codePoint);
}

/** Consecutive characters and their glyphs. */
interface Segment {
  readonly first: number;
  readonly last: number;
  readonly glyph: (codePoint: number) => number;
}

function groups(table: Buffer): readonly Segment[] {
  return Array.from({ length: table.readUInt32BE(12) }, (_, index) => {
    const at = 16 + index * 12;
    const first = table.readUInt32BE(at);
    const start = table.readUInt32BE(at + 8);
    return { first, last: table.readUInt32BE(at + 4), glyph: (codePoint: number) => start + codePoint - first };
  });
}

function ranges(table: Buffer): readonly Segment[] {
  const doubled = table.readUInt16BE(6);
  return Array.from({ length: doubled / 2 }, (_, index) => {
    const at = 14 + index * 2;
    const first = table.readUInt16BE(at + doubled + 2);
    const delta = table.readUInt16BE(at + 2 * doubled + 2);
    const place = at + 3 * doubled + 2;
    const offset = table.readUInt16BE(place);
    const direct = (codePoint: number) => (codePoint + delta) & 0xffff;
    const indirect = (codePoint: number) => {
      const glyph = table.readUInt16BE(place + offset + 2 * (codePoint - first));
      return glyph === 0 ? 0 : (glyph + delta) & 0xffff;
    };
    return { first, last: table.readUInt16BE(at), glyph: offset === 0 ? direct : indirect };
  });
}

function lookUp(segments: readonly Segment[], codePoint: number): number {
  let [low, high] = [0, segments.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const segment = segments[middle];
    if (segment === undefined) return 0;
    if (codePoint > segment.last) low = middle + 1;
    else if (codePoint < segment.first) high = middle - 1;
    else return segment.glyph(codePoint);
  }
  return 0;
}
