// No text of a stranger costs more than some microseconds of processor time per byte, whatever it is made of.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readers } from './readers.ts';
import { search, type Shape, textOf, timeOf } from './search.ts';

/** Ten times what the costliest text costs on a busy machine; what grew by the square cost hundreds. */
const maxMicrosecondsPerByte = 10;

/**
 * Texts that were costly once: by the square of their length, or by a library that looks at each character for itself.
 */
const found: readonly (readonly [reader: string, shape: Shape])[] = [
  ['Content-Type', { before: 'application/json;', pump: ' ', after: '@' }],
  ['Content-Type', { before: ';;', pump: '\t', after: ' ,;a=' }],
  ['header with parameters', { before: 'a;', pump: '\t', after: ',' }],
  ['Accept', { before: '', pump: ',/', after: '' }],
  ['Accept', { before: '"', pump: ',', after: '' }],
  ['Accept-Encoding', { before: '', pump: ',', after: '' }],
  ['Accept-Language', { before: '"', pump: ',', after: '' }],
  ['articles', { before: 'a', pump: '\u0316\u0301', after: '' }],
  ['label request', { before: '{"destAddr1":"a', pump: '\u0316\u0301', after: '"}' }],
  ['imported record', { before: '{"deliveryAddressCity":"a', pump: '\u0316\u0301', after: '"}' }],
  ['password', { before: 'a', pump: '\u0316\u0301', after: '' }],
  ['file name', { before: 'a', pump: '\xcc\x96\xcc\x81', after: '' }],
  ['repeated properties', { before: '{', pump: '"a":1,', after: '"a":1}' }],
  ['JSON array', { before: '[{', pump: '"a":1,', after: '"a":1}]' }],
  ['beginning of a PDF', { before: '<<'.repeat(256), pump: '/Linearized', after: '' }],
  ['list query', { before: '', pump: 'x1=&', after: '' }],
  ['XML of a carrier', { before: '<a>', pump: 'a', after: '</a>' }],
  ['XML of a carrier', { before: '<a>', pump: '&lt;', after: '</a>' }],
  ['XML of a carrier', { before: '<a ', pump: ' b="c"', after: '/>' }],
  ['JSON of a carrier', { before: '[', pump: '1,', after: '1234567890123456]' }],
];

describe('the cost of a text that was costly once', () => {
  for (const [name, shape] of found) {
    const [before, pump] = [shape.before.slice(0, 20), shape.pump].map((text) => JSON.stringify(text));
    it(`grows with its length: ${name}, ${before} and ${pump} over and over`, async () => {
      const reader = readers.find((each) => each.name === name);
      assert.ok(reader, name);
      for (const length of [reader.longest / 4, reader.longest]) {
        const text = textOf(shape, length);
        const cost = await timeOf(reader, text);
        assert.ok((1000 * cost) / text.length < maxMicrosecondsPerByte, `${cost} ms for ${text.length} characters`);
      }
    });
  }
});

describe('the cost of a text', () => {
  // GROWTH_SECONDS searches longer, GROWTH_SEED elsewhere.
  const { GROWTH_SECONDS = '0.2', GROWTH_SEED = '1' } = process.env;
  for (const reader of readers) {
    it(`grows with its length, whatever it is made of: ${reader.name}`, async () => {
      const [worst] = await search(reader, Number(GROWTH_SECONDS) * 1000, Number(GROWTH_SEED));
      if (worst === undefined) return;
      assert.ok(
        (1000 * worst.whole) / worst.bytes < maxMicrosecondsPerByte,
        `${JSON.stringify(worst)}: add it to the texts above, and mend it`,
      );
    });
  }
});
