// The letters of the labels: what is printed for a text, and what the font that is embedded in a PDF is like to others.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from '../../contract/properties.ts';
import { create } from 'fontkit';
import { letterOf, printable, widthOf } from '../../../src/carriers/sandbox/fonts/fonts.ts';
import { shaperFor } from '../../../src/carriers/sandbox/fonts/shaping.ts';
import { subsetOf } from '../../../src/carriers/sandbox/fonts/subset.ts';
import { leftToGate, rounds } from '../../contract/rounds.ts';

const scripts = [
  'Grüße, Łódź, Đặng, Þórshöfn',
  'Αθήνα',
  'Москва, Київ',
  'Երևան',
  'თბილისი',
  'שלום',
  'شارع الحبيب',
  '北京市',
  '東京都 ひらがな カタカナ',
  '서울특별시',
  'ราชดำเนิน',
  'नमस्ते',
];

describe('what is printed for a text', () => {
  const cases: readonly (readonly [name: string, text: string, printed: string])[] = [
    ['nothing', '', ''],
    ['blanks and control characters', '  a\t\r\n b\u00a0\u2028c\u0000 ', 'a b c'],
    ['accents that stand alone', 'e\u0301cole', 'école'],
    ['a mark without a letter', '\u0301a \u0302b', '◌\u0301a ◌\u0302b'],
    ['characters that turn the direction round', 'a\u202eb\u2066c', 'abc'],
    ['soft hyphens and other invisible ones', 'a\u00adb\u200bc\ufeffd\u{e0041}', 'abcd'],
    ['an invisible one between two blanks, or before an accent', 'a \u{e0000}\u0000b e\u200b\u0301', 'a b é'],
    ['joiners, which shape letters', 'می\u200cخواهم', 'می\u200cخواهم'],
    ['half a character', 'a\ud800b', 'a\ufffdb'],
    ['an emoji that a font has', '😀', '😀'],
    ['an emoji that none has', 'a 🌸', 'a [1F338]'],
    ['a character of a rare plane', '𠮷野', '[20BB7]野'],
  ];
  for (const [name, text, printed] of cases) it(name, () => assert.equal(printable(text), printed));

  it('is every script as it stands', () => {
    for (const text of scripts) assert.equal(printable(text), text);
  });

  it('is the same when it is printed again', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (text) =>
        assert.equal(printable(printable(text)), printable(text)),
      ),
      { numRuns: rounds(500) },
    );
  });
});

describe('a shaped line', () => {
  it('shows every character, and is never wider than it was measured', async () => {
    for (const text of [...scripts, 'مُحَمَّد (12) abc', 'שָׁלוֹם 3', 'a\u0323\u0301\u0302x']) {
      const glyphs = (await shaperFor([text]))(text, 'regular');
      assert.deepEqual(
        glyphs
          .map((glyph) => glyph.text)
          .join('')
          .split('')
          .toSorted()
          .map((sign) => (sign === ')' ? '(' : sign)),
        text
          .split('')
          .toSorted()
          .map((sign) => (sign === ')' ? '(' : sign)),
        text,
      );
      for (const { font, id, x } of glyphs)
        assert.ok(x >= 0 && x + font.advanceOf(id) / font.unitsPerEm <= widthOf(text, 'regular') + 0.001, text);
    }
  });

  it('joins Arabic letters and runs from right to left', async () => {
    const text = 'باب 12';
    const glyphs = (await shaperFor([text]))(text, 'regular');
    assert.deepEqual(
      glyphs.map((glyph) => glyph.text),
      ['1', '2', ' ', 'ب', 'ا', 'ب'],
    );
    assert.notEqual(glyphs[3]?.id, glyphs[5]?.id, 'the letter at the end of a word has another shape');
  });
});

describe('a font that is cut down', () => {
  for (const [name, text] of [
    ['DejaVu Sans Condensed', 'Aéẫ ﬁ'],
    ['Unifont', '北京 ก'],
  ] as const) {
    it(`has the outlines of ${name}, as another reads them`, { skip: leftToGate }, () => {
      const letters = Array.from(text).flatMap((character) => letterOf(character.codePointAt(0) ?? 0, 'regular') ?? []);
      const [font] = letters.map((letter) => letter.font);
      assert.ok(font !== undefined);
      const own = letters.filter((letter) => letter.font === font);
      const read = create(subsetOf(font, [0, ...own.map(({ glyph }) => glyph)]));
      const whole = create(
        name === 'Unifont'
          ? subsetOf(
              font,
              Array.from({ length: font.glyphCount }, (_, glyph) => glyph),
            )
          : font.bytes,
      );
      assert.ok('getGlyph' in read && 'getGlyph' in whole);
      for (const [index, { glyph, advance }] of own.entries()) {
        assert.deepEqual(read.getGlyph(index + 1).path.commands, whole.getGlyph(glyph).path.commands);
        assert.equal(read.getGlyph(index + 1).advanceWidth / font.unitsPerEm, advance);
      }
    });
  }
});
