// Counting the lines of a piece of a file.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { lineFeeds } from '../../src/model/json-scan.ts';
import fc from '../contract/properties.ts';

describe('the line feeds of some bytes', () => {
  it('are counted whether lines are empty, short, or as long as what is searched', () => {
    const line = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 5 }), fc.integer({ min: 55, max: 140 }));
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12 }), fc.integer({ min: 0, max: 70 }), (lengths, rest) => {
        const text = lengths.map((length) => `${'x'.repeat(length)}\n`).join('') + 'x'.repeat(rest);
        assert.equal(lineFeeds(Buffer.from(text)), lengths.length);
      }),
    );
  });
});
