// The layout of labels with random texts in many scripts: nothing leaves its block, nothing is lost, in any output.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from '../../contract/properties.ts';
import { sandbox } from '../../../src/carriers/sandbox/index.ts';
import { printable, widthOf } from '../../../src/carriers/sandbox/fonts/fonts.ts';
import { shaperFor } from '../../../src/carriers/sandbox/fonts/shaping.ts';
import { type BlockName, blocks, caption, dotsPerMillimetre } from '../../../src/carriers/sandbox/label/blocks.ts';
import { contentsOf } from '../../../src/carriers/sandbox/label/content.ts';
import { createTextDrawer } from '../../../src/carriers/sandbox/label/glyph-image.ts';
import { marksOf, type TextMark, textsOfMarks } from '../../../src/carriers/sandbox/label/layout.ts';
import { setLines } from '../../../src/carriers/sandbox/label/lines.ts';
import { pdfLabels } from '../../../src/carriers/sandbox/label/pdf.ts';
import { rasterOf } from '../../../src/carriers/sandbox/label/raster.ts';
import { zplLabels } from '../../../src/carriers/sandbox/label/zpl.ts';
import type { LabelField, LabelRequest } from '../../../src/model/shipping.ts';
import { noPoppler, pageTexts } from './readers.ts';
import { account, long, manyScripts, now, randomRequest, task, toPoint } from './samples.ts';
import { inBrief } from '../drive.ts';
import { rounds } from '../../contract/rounds.ts';

const blank = /[\s\p{Cf}]/gu;

/** The text of a block as it is set, captions aside, without blanks. */
function setText(marks: readonly TextMark[], block: BlockName): string {
  return marks
    .filter((mark) => mark.block === block && mark.text !== blocks[block].caption)
    .map(({ text }) => text)
    .join('')
    .replaceAll(blank, '');
}

function textMarks(request: LabelRequest): readonly TextMark[] {
  const [content] = contentsOf(task(request));
  assert.ok(content !== undefined);
  return marksOf(content).flatMap((mark) => (mark.kind === 'text' ? [mark] : []));
}

/** Requests whose label the sandbox prints; the others are refused because a text is too long, and for nothing else. */
function printableOnly(request: LabelRequest): boolean {
  const faults = sandbox.check(request, account);
  assert.deepEqual(
    faults.filter(({ code }) => code !== 'too-long'),
    [],
    JSON.stringify(request),
  );
  return faults.length === 0;
}

const printed = randomRequest.filter(printableOnly);

describe('the layout of a label', () => {
  it('keeps every line in its block, and under the one before', () => {
    fc.assert(
      fc.property(printed, (request) => {
        const bottoms = new Map<BlockName, number>();
        for (const { block: name, x, y, width, size, text, left, right, weight } of textMarks(request)) {
          const block = blocks[name];
          const [top, bottom] = [block.y * dotsPerMillimetre, (block.y + block.height) * dotsPerMillimetre];
          assert.ok(x >= left && x + width <= right, `${name}: ${text}`);
          assert.ok(left >= block.x * dotsPerMillimetre && right <= (block.x + block.width) * dotsPerMillimetre, name);
          assert.ok(
            Math.abs(width - widthOf(text, weight) * size) < 1 || text === block.caption,
            'the width is that of the text',
          );
          assert.ok(y - size * 0.93 >= top - 1 && y + size * 0.24 <= bottom, `${name}: ${text} at ${y}`);
          if (text === block.caption) continue;
          assert.ok(y - size * 0.93 >= (bottoms.get(name) ?? top) - 2, `${name}: ${text} stands on the line above`);
          bottoms.set(name, y + size * 0.24);
        }
      }),
      { numRuns: rounds(100), examples: [[long], [manyScripts]] },
    );
  });

  it('leaves out no character of any text', () => {
    const shown: Readonly<Partial<Record<BlockName, readonly LabelField[]>>> = {
      sender: ['expAddr1', 'expAddr2', 'expZip', 'expCity', 'expTel1'],
      recipient: ['destAddr1', 'destAddr2', 'destZip', 'destCity', 'destTel1'],
      instruction: ['instruction'],
      reference: ['nDossier'],
      customer: ['nClient'],
    };
    fc.assert(
      fc.property(printed, (request) => {
        const marks = textMarks(request);
        for (const [name, fields] of Object.entries(shown)) {
          const block = Object.keys(blocks).find((key): key is BlockName => key === name);
          assert.ok(block !== undefined);
          const set = setText(marks, block);
          for (const field of fields)
            assert.ok(
              set.includes(printable(request[field]).replaceAll(blank, '')),
              `${field} ${JSON.stringify(request[field])} is not in ${set}`,
            );
        }
      }),
      { numRuns: rounds(100), examples: [[long], [manyScripts]] },
    );
  });

  it('draws no dot of a text outside of its block', async () => {
    await fc.assert(
      fc.asyncProperty(printed, async (request) => {
        const marks = textMarks(request);
        const drawText = createTextDrawer(await shaperFor(textsOfMarks(marks)));
        for (const name of ['sender', 'recipient', 'instruction', 'reference'] as const) {
          const block = blocks[name];
          const { bytes, stride } = rasterOf(
            marks.filter((mark) => mark.block === name),
            drawText,
          );
          for (const [at, byte] of bytes.entries()) {
            if (byte === 0) continue;
            const [y, x] = [Math.floor(at / stride), (at % stride) * 8];
            const [first, last] = [x + Math.clz32(byte) - 24, x + 7 - Math.log2(byte & -byte)];
            assert.ok(
              y >= block.y * dotsPerMillimetre && y < (block.y + block.height) * dotsPerMillimetre,
              `${name}: row ${y}`,
            );
            assert.ok(
              first >= block.x * dotsPerMillimetre && last < (block.x + block.width) * dotsPerMillimetre,
              `${name}: column ${x}`,
            );
          }
        }
      }),
      { numRuns: rounds(30), examples: [[manyScripts]] },
    );
  });

  it('keeps the direction of a text in every line of it', async () => {
    const first = async (text: string): Promise<readonly string[]> => {
      const lines =
        setLines([{ text, weight: 'regular', scale: 1 }], { width: 300, height: 200, largest: 24, smallest: 24 }) ?? [];
      assert.ok(lines.length > 1, text);
      const shape = await shaperFor(lines.map((line) => line.text));
      return lines.map(
        (line) =>
          shape(line.text, 'regular')
            .filter(({ text: sign }) => /[^\s\p{Cf}]/u.test(sign))
            .toSorted((left, right) => left.x - right.x)[0]?.text ?? '',
      );
    };
    assert.deepEqual(
      await first('شارع الحبيب بورقيبة Tower B الطابق'),
      ['ة', 'ق'],
      'the second line begins on its right, with Tower',
    );
    assert.deepEqual(
      await first('Tower B, entrance north, 3 شارع Habib'),
      ['T', 'ع'],
      'the second line begins on its left, with the street',
    );
  });

  it('has captions that fit', () => {
    for (const { caption: text, width } of Object.values(blocks))
      assert.ok(widthOf(text, caption.weight) * caption.size <= width * dotsPerMillimetre - 16, text);
  });

  it('refuses what does not fit in letters that can be read, by the name of the field', () => {
    const faultsOf = (change: Partial<LabelRequest>) => sandbox.check({ ...toPoint, ...change }, account).map(inBrief);
    assert.deepEqual(faultsOf({ destAddr1: 'W'.repeat(255), destAddr2: 'W'.repeat(254), destCity: 'W'.repeat(253) }), [
      'destAddr1 too-long',
    ]);
    assert.deepEqual(faultsOf({ instruction: '北'.repeat(500) }), ['instruction too-long']);
    assert.deepEqual(faultsOf({ instruction: 'a b '.repeat(100) }), []);
    assert.deepEqual(faultsOf({ nDossier: 'W'.repeat(50), nClient: '北'.repeat(50) }), []);
  });
});

describe('the text of the outputs', () => {
  const samples = fc.sample(printed, { numRuns: rounds(100), seed: 7 });

  it('is all in the PDF, whatever it is', { skip: noPoppler }, async () => {
    const contents = samples.flatMap((request) => contentsOf(task(request)).slice(0, 1));
    const pages = pageTexts(await pdfLabels(contents, '10x15', now));
    assert.equal(pages.length, samples.length);
    for (const [index, content] of contents.entries()) {
      const expected = textsOfMarks(marksOf(content)).join('');
      assert.deepEqual(letters(pages[index] ?? ''), letters(expected), JSON.stringify(samples[index]));
    }
  });

  it('is all in the ZPL, as letters or as a picture, whatever it is', async () => {
    for (const request of samples) {
      const [content] = contentsOf(task(request));
      assert.ok(content !== undefined);
      const zpl = await zplLabels([content]);
      const fields = [...zpl.matchAll(/(\^FH_)?\^FD([^^]*)\^FS/g)].map(([, escaped, data = '']) =>
        escaped === undefined
          ? data
          : data.replaceAll(/_([0-9A-F]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
      );
      const texts = textsOfMarks(marksOf(content));
      const written = texts.filter((text) => fields.includes(text)).length;
      assert.equal(written + (zpl.match(/\^GFA,/g)?.length ?? 0), texts.length);
      assert.doesNotMatch(
        fields.join(''),
        /[\u0100-\u0151\u0154-\u015f\u0179-\u017c\u0370-\u1fff\u3000-\uffff]/,
        'the printer has no such letters',
      );
    }
  });
});

/** The characters of a text in code-point order; brackets stand mirrored in what is copied from right-to-left lines. */
function letters(text: string): string {
  const mirrored: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{', '>': '<', '»': '«' };
  return Array.from(text.normalize('NFD').replaceAll(blank, ''), (letter) => mirrored[letter] ?? letter)
    .toSorted()
    .join('');
}
