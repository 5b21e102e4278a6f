// The text form of PostgreSQL arrays: what the server reads back is what was sent, whatever the texts contain.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from '../contract/properties.ts';
import { arrayText } from '../../src/store/engine.ts';

describe('the text form of an array', () => {
  it('escapes quotes and backslashes, and nothing else, in texts of every kind', () => {
    const text = fc
      .array(fc.oneof(fc.constantFrom(...specialCharacters), fc.string({ unit: 'binary' })))
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(fc.array(text), (texts) => {
        const quoted = texts.map((each) => `"${each.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`);
        assert.equal(arrayText(texts), `{${quoted.join(',')}}`);
      }),
    );
  });

  it('has numbers and missing values without quotes, and the text null with them', () => {
    assert.equal(arrayText([1, null, 2.5, 'null', '']), '{1,null,2.5,"null",""}');
  });
});

/** What some escaping knows: of arrays, of JSON, and halves of surrogate pairs. */
const specialCharacters = ['"', '\\', ',', '{', '\n', '\t', '\u0000', '\u2028', '\ud800', '\udfff', '\ud83d'];
