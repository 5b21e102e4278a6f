// The labels of the sandbox as others read them: symbols decoded, text copied, pages counted, nothing where nothing may
// be.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from '../../contract/properties.ts';
import type { CarrierLabel, CarrierOutput } from '../../../src/carriers/carrier.ts';
import { sandbox } from '../../../src/carriers/sandbox/index.ts';
import { contentsOf } from '../../../src/carriers/sandbox/label/content.ts';
import { marksOf } from '../../../src/carriers/sandbox/label/layout.ts';
import type { LabelRequest } from '../../../src/model/shipping.ts';
import { replay, resultOf } from '../drive.ts';
import { readPng, strayDots } from './pictures.ts';
import { noPoppler, pageTexts, pdfFacts, printedPdf, printedZpl, symbolsIn } from './readers.ts';
import { long, manyScripts, task, toHome, toPoint } from './samples.ts';
import { leftToGate, rounds } from '../../contract/rounds.ts';

async function labelOf(request: LabelRequest, sequence = 17): Promise<CarrierLabel> {
  assert.deepEqual(sandbox.check(request, { settings: {} }), []);
  const exchange = sandbox.createLabel?.(task(request, { sequence }));
  assert.ok(exchange !== undefined);
  return resultOf(await replay(exchange, []));
}

function bytesOf(output: CarrierOutput | undefined): Buffer {
  assert.ok(output?.kind === 'document');
  return output.bytes;
}

function numbersOf(outputs: readonly CarrierOutput[]): readonly string[] {
  return outputs.flatMap((output) => (output.name === 'ParcelNumber' && output.kind === 'text' ? [output.text] : []));
}

/** Every parcel of a label as a picture of 203 dpi, whatever the output. */
async function picturesOf(request: LabelRequest, outputType: string): Promise<readonly Buffer[]> {
  const { outputs: all } = await labelOf({ ...request, outputType });
  const outputs = all.filter(({ name }) => name !== 'ParcelNumber');
  assert.ok(outputs.every(({ name }) => name === outputType));
  if (outputType === 'PngImage') return outputs.map(bytesOf);
  assert.equal(outputs.length, 1);
  return outputType === 'PdfUrl' ? printedPdf(bytesOf(outputs[0])) : printedZpl(bytesOf(outputs[0]).toString('utf8'));
}

const requests = {
  'to a pick-up point': toPoint,
  'to a home': toHome,
  'with long texts': { ...long, nbPackage: '3', weight: '300000' },
  'in many scripts': manyScripts,
} as const;

for (const outputType of ['PdfUrl', 'ZplCode', 'PngImage']) {
  describe(`the label as ${outputType}`, { skip: outputType === 'PdfUrl' ? noPoppler : false }, () => {
    for (const [name, request] of Object.entries(requests)) {
      it(`says its numbers to a scanner: ${name}`, async () => {
        const pictures = await picturesOf(request, outputType);
        assert.equal(pictures.length, Number(request.nbPackage));
        for (const [index, picture] of pictures.entries()) {
          const [container, expedition, ...others] = await symbolsIn(picture);
          assert.deepEqual(others, []);
          assert.equal(container?.identifier, ']C1', 'GS1-128');
          assert.match(container.text, new RegExp(`^000952000000000170${index + 1}\\d$`));
          assert.deepEqual(expedition, { identifier: ']Q1', text: '952000000000172' });
        }
      });

      it(`is 10 by 15 cm with every dot in its block: ${name}`, async () => {
        const [picture] = await picturesOf({ ...request, nbPackage: '1', weight: '2000' }, outputType);
        assert.ok(picture !== undefined);
        const seen = readPng(picture);
        assert.deepEqual([seen.width, seen.height], [800, 1200]);
        assert.deepEqual(strayDots(seen), []);
      });
    }
  });
}

describe('the symbols', () => {
  it('are read whatever number they hold', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 9_999_999 }), async (sequence) => {
        const {
          outputs: [output],
          expeditionNumber,
        } = await labelOf({ ...toPoint, outputType: 'PngImage' }, sequence);
        const [container, expedition] = await symbolsIn(bytesOf(output));
        assert.equal(container?.text.slice(0, -1), `0009520000${String(sequence).padStart(7, '0')}01`);
        assert.deepEqual(expedition, { identifier: ']Q1', text: expeditionNumber });
      }),
      { numRuns: rounds(25) },
    );
  });
});

describe('the label as text', () => {
  it('can be copied from the PDF, page by page', { skip: noPoppler }, async () => {
    const {
      outputs: [output],
    } = await labelOf({ ...toPoint, nbPackage: '2' });
    const pages = pageTexts(bytesOf(output));
    assert.equal(pages.length, 2);
    for (const [index, page] of pages.entries()) {
      for (const line of [
        'SANDBOX — NOT VALID FOR SHIPPING',
        'Boulangerie Éclair & Fils SARL',
        '12 rue de l’Église',
        '59000 Lille',
        'Zoë Müller-Lefèvre',
        '33000 Bordeaux',
        'FRANCE',
        'Tel. +33 6 12 34 56 78',
        '24R',
        'Pick-up point FR 066974',
        `${index + 1} / 2`,
        '1.250 kg',
        'of all parcels',
        '2026-11-21',
        '49.90 EUR',
        'WEB-2026-00042',
        'C-000421',
        'Sonner deux fois.',
        '9520000 0000017 2',
      ]) {
        assert.ok(page.includes(line), `${line} is not in\n${page}`);
      }
      assert.match(page, new RegExp(`\\(00\\) 0 9520000 00000170${index + 1} \\d`));
    }
  });

  it('is embedded with its fonts, cut down to what is used', { skip: noPoppler }, async () => {
    const {
      outputs: [output],
    } = await labelOf(manyScripts);
    const { fonts, info } = pdfFacts(bytesOf(output));
    for (const name of ['DejaVuSansCondensed', 'DejaVuSansCondensed-Bold', 'Unifont'])
      assert.match(fonts, new RegExp(`LABELS\\+${name} +CID TrueType +Identity-H +yes yes yes`));
    assert.match(info, /Page size: +283\.46\d* x 425\.19\d* pts/);
    assert.ok(bytesOf(output).length < 100_000);
  });

  for (const [format, size] of [
    ['A4', '595.275 x 841.889'],
    ['A5', '419.527 x 595.275'],
  ] as const) {
    it(`is on ${format} when that is asked for, at its own size`, { skip: noPoppler }, async () => {
      const {
        outputs: [output],
      } = await labelOf({ ...toPoint, outputFormat: format });
      assert.match(pdfFacts(bytesOf(output)).info, new RegExp(`Page size: +${size} pts`));
      const [page] = printedPdf(bytesOf(output));
      assert.ok(page !== undefined);
      assert.deepEqual(
        (await symbolsIn(page)).map(({ identifier }) => identifier),
        [']C1', ']Q1'],
      );
    });
  }

  it("is in the printer's own letters where it has them, else a picture of the line", async () => {
    const {
      outputs: [output],
    } = await labelOf({ ...manyScripts, outputType: 'ZplCode' });
    const zpl = bytesOf(output).toString('utf8');
    assert.match(zpl, /^\^XA\^CI28/);
    assert.match(zpl, /\^FD12 rue de l’Église\^FS/);
    assert.ok(zpl.includes('^FH_^FDA_5EB_7EC_5FD\\E|{}>;^FS'), 'signs of the language itself');
    assert.equal(zpl.match(/\^GFA,/g)?.length, 5);
    assert.doesNotMatch(zpl, /[Α-ω]|[А-я]|[ء-ي]|[א-ת]|[一-龥]/);
  });

  it('is the same picture from a printer as on the PNG where its letters are sent as one', async () => {
    const [[printed], [drawn]] = await Promise.all([
      picturesOf(manyScripts, 'ZplCode'),
      picturesOf(manyScripts, 'PngImage'),
    ]);
    assert.ok(printed !== undefined && drawn !== undefined);
    const [there, here] = [readPng(printed), readPng(drawn)];
    const lines = contentsOf(task(manyScripts))
      .flatMap(marksOf)
      .flatMap((mark) => (mark.kind === 'text' && /[Α-ω]|[א-ת]|[一-龥]|ễ/.test(mark.text) ? [mark] : []));
    assert.equal(lines.length, 4);
    for (const { text, x, y, width, size } of lines) {
      let [dark, different] = [0, 0];
      for (let row = y - Math.floor(size * 0.9); row < y + Math.floor(size * 0.2); row += 1) {
        for (let column = x; column < x + Math.floor(width); column += 1) {
          if (here.isDark(column, row)) dark += 1;
          if (here.isDark(column, row) !== there.isDark(column, row)) different += 1;
        }
      }
      assert.ok(dark > 500, text);
      assert.equal(different, 0, text);
    }
  });

  it('is one document, and one label for each parcel, of ninety-nine too', {
    skip: noPoppler || leftToGate,
  }, async () => {
    const all = { ...toPoint, nbPackage: '99', weight: '99000' };
    const [pdf, zpl, png] = await Promise.all(
      ['PdfUrl', 'ZplCode', 'PngImage'].map((outputType) => labelOf({ ...all, outputType })),
    );
    assert.equal(pageTexts(bytesOf(pdf?.outputs[0])).length, 99);
    assert.equal(
      bytesOf(zpl?.outputs[0])
        .toString('utf8')
        .match(/\^XA[\s\S]*?\^XZ/g)?.length,
      99,
    );
    assert.equal(png?.outputs.filter(({ name }) => name === 'PngImage').length, 99);
    for (const label of [pdf, zpl, png]) assert.equal(new Set(numbersOf(label?.outputs ?? [])).size, 99);
  });

  it('comes with the number of each parcel, where there are several: what its bar code says', async () => {
    const { expeditionNumber, outputs } = await labelOf({ ...toPoint, nbPackage: '3', outputType: 'PngImage' });
    const scanned = [];
    for (const output of outputs.filter(({ name }) => name === 'PngImage'))
      scanned.push((await symbolsIn(bytesOf(output)))[0]?.text.slice(2));
    assert.equal(scanned.length, 3);
    assert.deepEqual(numbersOf(outputs), scanned);
    assert.ok(!scanned.includes(expeditionNumber));
    assert.deepEqual(numbersOf((await labelOf({ ...toPoint, nbPackage: '1' })).outputs), []);
  });

  it('is the same, byte for byte, when it is made again', async () => {
    for (const outputType of ['PdfUrl', 'ZplCode', 'PngImage'])
      assert.deepEqual(await labelOf({ ...toPoint, outputType }), await labelOf({ ...toPoint, outputType }));
  });
});
