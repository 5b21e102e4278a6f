import assert from 'node:assert/strict';
import { test } from 'node:test';
import { textBlock } from '../../src/model/text-block.ts';

test('joins the lines of a sentence by single spaces', () => {
  assert.equal(
    textBlock`
      One sentence
      on two lines.
    `,
    'One sentence on two lines.',
  );
});

test('leaves alone what is put in, wherever it stands', () => {
  const spaced = ' a\n  b ';
  assert.equal(
    textBlock`
      ${spaced} and
      ${spaced}${7}
      ${null}
    `,
    `${spaced} and ${spaced}7 null`,
  );
});
