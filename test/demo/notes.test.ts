// What the demonstration tells: sentences with codes that programs know, all of them documented.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { parseSummary } from '../../src/demo/summary.ts';
import { sentences, noteText, sentenceOf } from '../../src/demo/notes.ts';
import { demonstrationSchemas } from '../../src/platform/demonstration-schemas.ts';

const namesIn = (sentence: string): readonly string[] =>
  [...sentence.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name).filter((name) => name !== 'activityCode');

describe('what the demonstration tells', () => {
  it('is a sentence with its values, whatever they hold', () => {
    const what = noteText('piece-missing', { articleReference: '{slug} $1 $&', orderUniqueID: 'ACM-1' });
    assert.equal(sentenceOf({ ...what, activityCode: 'ACM' }), 'a piece of {slug} $1 $& is not found for order ACM-1');
    assert.equal(
      sentenceOf({ ...noteText('image-taken', {}), activityCode: 'BEL' }),
      'the stock image of BEL is taken',
    );
  });

  it('has in the guide the code, values and sentence of each', () => {
    const guide = readFileSync(new URL('../../docs/demonstration.md', import.meta.url), 'utf8');
    const rows = [...guide.matchAll(/^\| `([a-z-]+)` \| ([^|]*) \| ([^|]*) \|$/gm)]
      .map(([, code = '', names = '', sentence = '']) => [code, names.replaceAll('`', ''), sentence])
      .filter(([, , sentence = '']) => Object.values<string>(sentences).includes(sentence));
    assert.deepEqual(
      rows,
      Object.entries(sentences).map(([code, sentence]) => [code, namesIn(sentence).join(', ') || '–', sentence]),
    );
  });

  it('has a schema for each value', () => {
    const described = JSON.stringify(demonstrationSchemas.Demonstration);
    for (const name of Object.values(sentences).flatMap(namesIn)) assert.ok(described.includes(`"${name}":`), name);
  });

  it('is left out where another version of the program has stored it otherwise', () => {
    const known = { at: 1, activityCode: 'ACM', code: 'wave-launched', fields: { prepOrderGroupID: 'W1' } };
    const others = [
      { at: 1, text: 'order ACM-1 arrives' },
      { ...known, code: 'walls-painted' },
      { ...known, code: 'toString' },
      { ...known, fields: null },
      { ...known, activityCode: 7 },
      { ...known, at: '1' },
    ];
    const stored = JSON.stringify({ faults: [], happened: others, next: [...others, known] });
    assert.deepEqual(parseSummary(stored), { faults: [], happened: [], next: [known] });
  });
});
