// Rules that carriers share: weights and parcels, amounts, lines of an address, outputs.
import type { Reason } from '../../src/model/record.ts';
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from '../contract/properties.ts';
import {
  cashOnDeliveryCents,
  inLines,
  isFrenchMobile,
  maxLength,
  outputOf,
  outputs,
  parcels,
  parcelWeights,
  within,
} from '../../src/carriers/label-rules.ts';
import { labelRequest, inBrief } from './drive.ts';

const codes = (found: readonly Reason[]) => found.map(inBrief);

describe('weights', () => {
  it('are shared among the parcels without losing a gram, none differing more than it must', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 150 }), fc.integer({ min: 150, max: 1_000_000 }), (count, grams) => {
        const weights = parcelWeights(labelRequest({ weight: String(grams), nbPackage: String(count) }));
        assert.equal(weights.length, count);
        assert.equal(
          weights.reduce((sum, weight) => sum + weight, 0),
          grams,
        );
        assert.ok(weights.slice(1).every((weight) => weight === Math.floor(grams / count)));
        assert.ok((weights[0] ?? 0) - Math.floor(grams / count) < count);
      }),
    );
  });

  it('must be digits, and enough for every parcel', () => {
    const limits = { maxParcels: 5, maxGrams: 1000, minGrams: 10 };
    const found = (weight: string, nbPackage: string) => codes(parcels(labelRequest({ weight, nbPackage }), limits));
    assert.deepEqual(found('1000', '1'), []);
    assert.deepEqual(found('5000', '5'), []);
    assert.deepEqual(found('5001', '5'), ['weight out-of-range']);
    assert.deepEqual(found('49', '5'), ['weight out-of-range']);
    assert.deepEqual(found('1.5', '1'), ['weight wrong-format']);
    assert.deepEqual(found('-1', '0'), ['nbPackage out-of-range', 'weight wrong-format']);
    assert.deepEqual(found('', ''), ['nbPackage required', 'weight required']);
    assert.deepEqual(found('１００', '1e1'), ['nbPackage wrong-format', 'weight wrong-format']);
  });
});

describe('amounts and lengths', () => {
  it('are none where nothing or zeros are given, and no number where they are no digits', () => {
    assert.deepEqual(
      ['', '0', '000', '1999'].map((crtValue) => cashOnDeliveryCents(labelRequest({ crtValue }))),
      [0, 0, 0, 1999],
    );
    assert.ok(Number.isNaN(cashOnDeliveryCents(labelRequest({ crtValue: '19.99' }))));
    assert.deepEqual(codes(within(labelRequest({ crtValue: '19.99' }), 'crtValue', 0, 10, 'cents')), [
      'crtValue wrong-format',
    ]);
  });

  it('count letters, not their bytes', () => {
    assert.deepEqual(maxLength(labelRequest({ nClient: '𝒳é'.repeat(5) }), 'nClient', 10), []);
    assert.deepEqual(codes(maxLength(labelRequest({ nClient: '𝒳é'.repeat(5) }), 'nClient', 9)), ['nClient too-long']);
  });
});

describe('lines of an address', () => {
  it('are parted at spaces, fit, and lose no word', () => {
    const words = fc
      .array(fc.stringMatching(/^[a-z]{1,12}$/), { minLength: 1, maxLength: 14 })
      .map((list) => list.join(' '));
    fc.assert(
      fc.property(words, fc.integer({ min: 1, max: 4 }), (street, most) => {
        const lines = inLines(street, 35, most);
        if (lines === null) return assert.ok(street.length > 35);
        assert.ok(lines.length <= most && lines.every((line) => line.length <= 35));
        assert.equal(lines.join(' '), street);
      }),
    );
    assert.deepEqual(inLines('', 35, 2), ['']);
    assert.equal(inLines('x'.repeat(36), 35, 2), null);
  });
});

describe('telephones', () => {
  it('of France that take messages', () => {
    for (const telephone of ['0612345678', '07 12 34 56 78', '+33612345678', '+33 (0)6 12 34 56 78', '0033712345678'])
      assert.ok(isFrenchMobile(telephone), telephone);
    for (const telephone of ['0112345678', '+4961234567', '+33112345678', '', '612345678'])
      assert.ok(!isFrenchMobile(telephone), telephone);
  });
});

describe('outputs', () => {
  const offered = { PdfUrl: ['10x15', 'A4'], ZplCode: ['200dpi'] };

  it('are the first ones where nothing is asked for', () => {
    assert.deepEqual(outputOf(labelRequest({}), offered), { type: 'PdfUrl', format: '10x15' });
    assert.deepEqual(outputOf(labelRequest({ outputType: 'ZplCode' }), offered), { type: 'ZplCode', format: '200dpi' });
  });

  it('must be offered', () => {
    const found = (outputType: string, outputFormat: string) =>
      codes(outputs(labelRequest({ outputType, outputFormat }), offered));
    assert.deepEqual(found('', 'A4'), []);
    assert.deepEqual(found('ZplCode', 'A4'), ['outputFormat unknown-code']);
    assert.deepEqual(found('pdfurl', ''), ['outputType unknown-code']);
    assert.deepEqual(found('constructor', 'x'), ['outputType unknown-code']);
  });
});
