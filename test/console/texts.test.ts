// Texts of the console with places in them: values as they are, and numbers with the form that goes with them.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { english } from '../../packages/console/src/texts/en.ts';
import { french } from '../../packages/console/src/texts/fr.ts';
import { filled } from '../../packages/console/src/texts/texts.ts';

describe('a text with places', () => {
  it('says one record, two records, and none as the language does', () => {
    const inEnglish = (count: number): string => filled(english.loaded, { count }, 'en');
    const inFrench = (count: number): string => filled(french.loaded, { count }, 'fr');
    assert.deepEqual([0, 1, 2, 1234].map(inEnglish), ['0 records', '1 record', '2 records', '1,234 records']);
    assert.deepEqual([0, 1, 2].map(inFrench), ['0 enregistrement', '1 enregistrement', '2 enregistrements']);
    assert.match(inFrench(1234), /^1\s234 enregistrements$/);
  });

  it('leaves a value as it is, and nothing where there is none', () => {
    assert.equal(filled('{name} is there, {other}.', { name: 'ACM|x' }, 'en'), 'ACM|x is there, .');
  });
});
