// Reduces a font to the glyphs that a document uses, as a TrueType file to embed in a PDF.
import type { FontFile } from './font-file.ts';
import { componentsOf, glyphBytes } from './outline.ts';

/**
 * The file of a font with some of its glyphs, numbered in the given order; the parts of composite glyphs follow them.
 * Hinting instructions are left out: they make up half of a font, and printers ignore them.
 * @param glyphs glyphs of the font; the first must be 0, which stands for missing ones
 */
export function subsetOf(font: FontFile, glyphs: readonly number[]): Buffer {
  const { outlines, order } = renumbered(font, glyphs);
  const loca = Buffer.alloc(4 * (outlines.length + 1));
  const hmtx = Buffer.alloc(4 * outlines.length);
  let end = 0;
  for (const [index, outline] of outlines.entries()) {
    hmtx.writeUInt16BE(font.advanceOf(order[index] ?? 0), 4 * index);
    if (outline.length >= 10) hmtx.writeInt16BE(outline.readInt16BE(2), 4 * index + 2);
    end += outline.length;
    loca.writeUInt32BE(end, 4 * (index + 1));
  }
  const [head, hhea, maxp] = [
    Buffer.from(font.table('head')),
    Buffer.from(font.table('hhea')),
    Buffer.from(font.table('maxp')),
  ];
  head.writeInt16BE(1, 50);
  hhea.writeUInt16BE(outlines.length, 34);
  maxp.writeUInt16BE(outlines.length, 4);
  return fontFile([
    ['glyf', Buffer.concat(outlines)],
    ['head', head],
    ['hhea', hhea],
    ['hmtx', hmtx],
    ['loca', loca],
    ['maxp', maxp],
  ]);
}

/** The outlines with renumbered parts, each padded to a multiple of four bytes, and their original glyphs. */
function renumbered(
  font: FontFile,
  glyphs: readonly number[],
): { readonly outlines: readonly Buffer[]; readonly order: readonly number[] } {
  const order = [...glyphs];
  const outlines: Buffer[] = [];
  for (let index = 0; index < order.length; index += 1) {
    const bytes = withoutInstructions(glyphBytes(font, order[index] ?? 0));
    for (const { glyph, at } of componentsOf(bytes)) {
      const known = order.indexOf(glyph);
      bytes.writeUInt16BE(known < 0 ? order.push(glyph) - 1 : known, at);
    }
    outlines.push(bytes);
  }
  return { outlines, order };
}

const instructionFlag = 0x0100;

/** A copy of a glyph's bytes without instructions, padded to a multiple of four. */
function withoutInstructions(bytes: Buffer): Buffer {
  if (bytes.length === 0) return Buffer.alloc(0);
  const contours = bytes.readInt16BE(0);
  if (contours >= 0) {
    const at = 10 + 2 * contours;
    return padded([bytes.subarray(0, at), Buffer.alloc(2), bytes.subarray(at + 2 + bytes.readUInt16BE(at))]);
  }
  const copy = padded([bytes]);
  for (const { at } of componentsOf(bytes)) copy.writeUInt16BE(copy.readUInt16BE(at - 2) & ~instructionFlag, at - 2);
  return copy;
}

function padded(parts: readonly Buffer[]): Buffer {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  return Buffer.concat(parts, Math.ceil(length / 4) * 4);
}

/** Tables as a TrueType file. @param tables by tag, in the order of the tags */
function fontFile(tables: readonly (readonly [string, Buffer])[]): Buffer {
  const directory = Buffer.alloc(12 + 16 * tables.length);
  const power = Math.floor(Math.log2(tables.length));
  directory.writeUInt32BE(0x00010000, 0);
  for (const [index, value] of [tables.length, 16 * 2 ** power, power, 16 * (tables.length - 2 ** power)].entries())
    directory.writeUInt16BE(value, 4 + 2 * index);
  const parts: Buffer[] = [directory];
  let offset = directory.length;
  for (const [index, [tag, bytes]] of tables.entries()) {
    const [at, table] = [12 + 16 * index, padded([bytes])];
    directory.write(tag, at, 'latin1');
    directory.writeUInt32BE(checksum(table), at + 4);
    directory.writeUInt32BE(offset, at + 8);
    directory.writeUInt32BE(bytes.length, at + 12);
    parts.push(table);
    offset += table.length;
  }
  return Buffer.concat(parts);
}

function checksum(table: Buffer): number {
  let sum = 0;
  for (let at = 0; at < table.length; at += 4) sum = (sum + table.readUInt32BE(at)) >>> 0;
  return sum;
}
