// Numbers that are longer than a double can hold: which ones are, and that nothing else of a JSON text changes.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isLongNumber, mayHaveLongNumbers, quoteLongNumbers } from '../../src/model/long-numbers.ts';

describe('long numbers of a JSON text', () => {
  it('are put in quotes, and nothing else is', () => {
    for (const [given, wanted] of [
      ['[9007199254740993]', '["9007199254740993"]'],
      ['{"a":-12345678901234567.5}', '{"a":"-12345678901234567.5"}'],
      ['[9007199254740991,1.12345678901234567,12345678901234567e2]', null],
      ['["a\\"12345678901234567","\\\\",12345678901234567]', '["a\\"12345678901234567","\\\\","12345678901234567"]'],
    ] as const) {
      assert.ok(mayHaveLongNumbers(given));
      assert.equal(quoteLongNumbers(given), wanted ?? given);
    }
  });

  it('may have millions of digits', () => {
    const digits = '1'.repeat(15_000_000);
    assert.ok(isLongNumber(digits));
    assert.ok(quoteLongNumbers(`[${digits}]`) === `["${digits}"]`);
  });
});
