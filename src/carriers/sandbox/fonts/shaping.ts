// Turns a line of text into glyphs in drawing order, including right-to-left scripts, joined letters and combining
// marks.
import type { Bidi } from 'bidi-js';
import type { Font } from 'fontkit';
import type { FontFile } from './font-file.ts';
import { letterOf, type Weight, widthOf } from './fonts.ts';
import { glyphBytes } from './outline.ts';

/** A glyph of a line; lengths in ems. */
export interface Glyph {
  readonly font: FontFile;
  readonly id: number;
  /** The characters that it shows. */
  readonly text: string;
  /** From the start of the line, without `dx`. */
  readonly x: number;
  readonly dx: number;
  readonly dy: number;
}

/** Returns the glyphs of a line. */
export type Shaper = (text: string, weight: Weight) => readonly Glyph[];

/**
 * The shaper for some texts. The engine for right-to-left scripts, joined letters and combining marks is loaded if a
 * text needs it, which is rare.
 */
export async function shaperFor(texts: readonly string[]): Promise<Shaper> {
  if (!texts.some(isInvolved)) return plainLine;
  const [{ create }, { default: createBidi }] = await Promise.all([import('fontkit'), import('bidi-js')]);
  if (!makesBidi(createBidi)) throw new Error('bidi-js is not what it was');
  const bidi = createBidi();
  const engines = new Map<FontFile, Font>();
  const engineOf = (file: FontFile): Font => {
    const known = engines.get(file);
    if (known !== undefined) return known;
    const font = create(file.bytes);
    if (!('layout' in font)) throw new Error(`${file.name} is a collection of fonts`);
    engines.set(file, font);
    return font;
  };
  return (text, weight) => (isInvolved(text) ? involvedLine(text, weight, bidi, engineOf) : plainLine(text, weight));
}

/** The package declares an ES module that it is not: its only export is this function. */
function makesBidi(exported: unknown): exported is () => Bidi {
  return typeof exported === 'function';
}

/** Combining marks, joiners, and the blocks of right-to-left scripts. */
const involved = /\u200c|\u200d|[\p{M}\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

function isInvolved(text: string): boolean {
  return involved.test(text);
}

function plainLine(text: string, weight: Weight): readonly Glyph[] {
  const glyphs: Glyph[] = [];
  let x = 0;
  for (const character of text) {
    const letter = letterOf(character.codePointAt(0) ?? 0, weight);
    if (letter === null) continue;
    glyphs.push({ font: letter.font, id: letter.glyph, text: character, x, dx: 0, dy: 0 });
    x += letter.advance;
  }
  return glyphs;
}

function involvedLine(text: string, weight: Weight, bidi: Bidi, engineOf: (file: FontFile) => Font): readonly Glyph[] {
  const glyphs: Glyph[] = [];
  let pen = 0;
  for (const { font, text: part, rightToLeft } of visualRuns(text, weight, bidi)) {
    if (font.table('GSUB').length === 0) {
      const characters = Array.from(part);
      for (const glyph of plainLine((rightToLeft ? characters.toReversed() : characters).join(''), weight))
        glyphs.push({ ...glyph, x: pen + glyph.x });
      pen += widthOf(part, weight);
      continue;
    }
    const { glyphs: shapes, positions } = engineOf(font).layout(
      part,
      undefined,
      undefined,
      undefined,
      rightToLeft ? 'rtl' : 'ltr',
    );
    for (const [index, { id, codePoints }] of shapes.entries()) {
      const { xAdvance = 0, xOffset = 0, yOffset = 0 } = positions[index] ?? {};
      glyphs.push({
        font,
        id,
        text: String.fromCodePoint(...codePoints),
        x: pen,
        dx: xOffset / font.unitsPerEm,
        dy: yOffset / font.unitsPerEm,
      });
      pen += xAdvance / font.unitsPerEm;
    }
  }
  const width = widthOf(text, weight);
  // The line has the width that was measured letter by letter.
  const squeeze = pen > 0 ? Math.min(1, width / pen) : 1;
  return glyphs.map((glyph) => withinLine({ ...glyph, x: glyph.x * squeeze }, width));
}

/**
 * Keeps the ink of a shaped glyph in its line: stacked marks would reach into other lines, so the uppermost are drawn
 * over one another, and marks beside the first or last letter would leave the block.
 */
function withinLine(glyph: Glyph, width: number): Glyph {
  const { font, id, x, dx, dy } = glyph;
  const bytes = glyphBytes(font, id);
  if (bytes.length === 0) return glyph;
  const [left = 0, lowest = 0, right = 0, highest = 0] = [2, 4, 6, 8].map(
    (at) => bytes.readInt16BE(at) / font.unitsPerEm,
  );
  return {
    ...glyph,
    dx: Math.max(-x - left, Math.min(dx, width - x - right)),
    dy: Math.max(font.descent / font.unitsPerEm - lowest, Math.min(dy, font.ascent / font.unitsPerEm - highest)),
  };
}

interface Run {
  readonly font: FontFile;
  readonly text: string;
  readonly rightToLeft: boolean;
}

/** Parts of one direction and one font, from left to right, each in reading order; brackets are mirrored. */
function visualRuns(text: string, weight: Weight, bidi: Bidi): readonly Run[] {
  const embedding = bidi.getEmbeddingLevels(text);
  const mirrored = bidi.getMirroredCharactersMap(text, embedding.levels);
  const runs: { font: FontFile; text: string; rightToLeft: boolean; level: number }[] = [];
  let at = 0;
  for (const character of text) {
    const letter = letterOf(character.codePointAt(0) ?? 0, weight);
    const level = embedding.levels[at] ?? 0;
    const shown = mirrored.get(at) ?? character;
    at += character.length;
    if (letter === null) continue;
    const last = runs.at(-1);
    if (last !== undefined && last.level === level && last.font === letter.font) last.text += shown;
    else runs.push({ font: letter.font, text: shown, rightToLeft: level % 2 === 1, level });
  }
  return reordered(runs);
}

/**
 * Rule L2 of the bidirectional algorithm, on runs: from the highest level down, reverses sequences of that level or
 * more.
 */
function reordered<R extends { readonly level: number }>(runs: readonly R[]): readonly R[] {
  const ordered = [...runs];
  const highest = Math.max(0, ...runs.map(({ level }) => level));
  for (let level = highest; level > 0; level -= 1) {
    for (let start = 0; start < ordered.length; start += 1) {
      let end = start;
      while ((ordered[end]?.level ?? 0) >= level) end += 1;
      if (end > start) ordered.splice(start, end - start, ...ordered.slice(start, end).reverse());
      start = Math.max(start, end - 1);
    }
  }
  return ordered;
}
