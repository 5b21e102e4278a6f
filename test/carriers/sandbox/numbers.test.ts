// The numbers of sandbox parcels: unique, with the check digit that GS1 gives them.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import bwip from 'bwip-js/node';
import fc from '../../contract/properties.ts';
import { CarrierError } from '../../../src/carriers/carrier.ts';
import {
  expeditionNumber,
  readableExpedition,
  readableSscc,
  parcelSscc,
} from '../../../src/carriers/sandbox/numbers.ts';
import { rounds } from '../../contract/rounds.ts';

const prefix = fc.integer({ min: 1_000_000, max: 999_999_999 }).map(String);
const sequence = fc.integer({ min: 1, max: 999_999 });
const parcel = fc.integer({ min: 1, max: 99 });

describe('the serial shipping container code', () => {
  it('is the example of the GS1 General Specifications', () => {
    // 00 0 3012345 000000042, check digit 0: the same digits from another sequence.
    assert.equal(parcelSscc('3012345', 0, 42), '030123450000000420');
  });

  it('has 18 digits and a check digit that GS1 takes', () => {
    fc.assert(
      fc.property(prefix, sequence, parcel, (company, number, index) => {
        const code = parcelSscc(company, number, index);
        assert.match(code, /^\d{18}$/);
        assert.equal([...code].reduce((sum, digit, at) => sum + Number(digit) * (at % 2 === 0 ? 3 : 1), 0) % 10, 0);
        assert.equal(code.slice(1, 1 + company.length), company);
      }),
    );
  });

  it('is taken by the encoder, which refuses every other check digit', () => {
    fc.assert(
      fc.property(prefix, sequence, parcel, fc.integer({ min: 1, max: 9 }), (company, number, index, off) => {
        const code = parcelSscc(company, number, index);
        assert.ok(bwip.raw({ bcid: 'gs1-128', text: `(00)${code}` }).length > 0);
        const wrong = code.slice(0, -1) + String((Number(code.slice(-1)) + off) % 10);
        assert.throws(() => bwip.raw({ bcid: 'gs1-128', text: `(00)${wrong}` }), /checksum/i);
      }),
      { numRuns: rounds(30) },
    );
  });

  it('is another one for every parcel of every shipment of every company', () => {
    const one = fc.tuple(prefix, sequence, parcel);
    fc.assert(
      fc.property(one, one, (a, b) => {
        fc.pre(a.join() !== b.join() && a[0].length === b[0].length);
        assert.notEqual(parcelSscc(...a), parcelSscc(...b));
      }),
    );
  });

  it('goes on with the extension digit, and says when there is none left', () => {
    assert.match(parcelSscc('9520000', 10_000_001, 1), /^19520000000000101\d$/);
    assert.throws(
      () => parcelSscc('9520000', 100_000_000, 1),
      (error) => error instanceof CarrierError && error.kind === 'configuration' && /used up/.test(error.message),
    );
  });

  it('is readable in its parts', () =>
    assert.equal(readableSscc('095200000000017019', '9520000'), '(00) 0 9520000 000001701 9'));
});

describe('the expedition number', () => {
  it('has at least 8 digits and is another one for every shipment and company', () => {
    const one = fc.tuple(prefix, sequence);
    fc.assert(
      fc.property(one, one, (a, b) => {
        fc.pre(a.join() !== b.join() && a[0].length === b[0].length);
        assert.match(expeditionNumber(...a), /^\d{15,17}$/);
        assert.notEqual(expeditionNumber(...a), expeditionNumber(...b));
      }),
    );
  });

  it('is readable in its parts', () =>
    assert.equal(readableExpedition('952000000000172', '9520000'), '9520000 0000017 2'));
});
