// The labels of the sandbox as others read them: symbols decoded, text copied, pages counted, nothing where nothing may be.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CarrierLabel, CarrierOutput } from '../../../src/carriers/carrier.ts';
import { sandbox } from '../../../src/carriers/sandbox/index.ts';
import type { LabelRequest } from '../../../src/model/shipping.ts';
import { replay, resultOf } from '../drive.ts';
import { readPng, strayDots } from './pictures.ts';
import { noPoppler, pageTexts, pdfFacts, printedPdf, printedZpl, symbolsIn } from './readers.ts';
import { long, manyScripts, task, toHome, toPoint } from './samples.ts';

async function labelOf(request: LabelRequest, sequence = 17): Promise<CarrierLabel> {
  assert.deepEqual(sandbox.faults(request, { settings: {} }), []);
  const conversation = sandbox.createLabel?.(task(request, { sequence }));
  assert.ok(conversation !== undefined);
  return resultOf(await replay(conversation, []));
}

function bytesOf(output: CarrierOutput | undefined): Buffer {
  assert.ok(output?.kind === 'document');
  return output.bytes;
}

/** Every parcel of a label as a picture of 203 dpi, whatever the output. */
async function picturesOf(request: LabelRequest, outputType: string): Promise<readonly Buffer[]> {
  const { outputs } = await labelOf({ ...request, outputType });
  assert.ok(outputs.every(({ name }) => name === outputType));
  if (outputType === 'PngImage') return outputs.map(bytesOf);
  assert.equal(outputs.length, 1);
  return outputType === 'PdfUrl' ? printedPdf(bytesOf(outputs[0])) : printedZpl(bytesOf(outputs[0]).toString('utf8'));
}

const requests = { 'to a pick-up point': toPoint, 'to a home': toHome, 'with long texts': { ...long, nbPackage: '3' }, 'in many scripts': manyScripts } as const;

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
          assert.equal(container.text.slice(0, -1), `0009520000000017${String(index + 1).padStart(2, '0')}${'0'}`.slice(0, -1).padEnd(19, '0').slice(0, 19));
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
