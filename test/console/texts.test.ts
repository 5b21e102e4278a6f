// Texts of the console with places in them: values as they are, and numbers with the form that goes with them.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  frenchElementMeanings,
  frenchMeaning,
  frenchMeanings,
} from '../../packages/console/src/article/field-meanings-fr.ts';
import { articleFieldFacts, articleListFacts } from '../../packages/console/src/generated/article-fields.ts';
import { english } from '../../packages/console/src/texts/en.ts';
import { french } from '../../packages/console/src/texts/fr.ts';
import { filled, localeOf, textsIn } from '../../packages/console/src/texts/texts.ts';

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

describe('the form of numbers and dates', () => {
  it('is that of the language which the browser prefers, and the plain one where it prefers none', () => {
    assert.equal(localeOf('en', ['de-DE', 'en-GB', 'en-US', 'fr']), 'en-GB');
    assert.equal(localeOf('fr', ['en-GB', 'fr-CH']), 'fr-CH');
    assert.equal(localeOf('fr', ['fr']), 'fr');
    assert.equal(localeOf('en', ['de-DE', 'enm']), 'en');
  });

  it('is none that a browser without a locale of its own tells, and with which nothing can be formatted', () => {
    assert.equal(localeOf('en', ['en-US@posix']), 'en');
  });
});

describe('what a clock showed at some place', () => {
  it('is written as dates are, in no other zone, and as it was told where it is no date', () => {
    const { clock } = textsIn('fr');
    assert.match(clock('2026-11-26', '09:01'), /^26 nov\. 2026,? (à )?09:01$/);
    assert.equal(clock('2026-11-26', ''), '26 nov. 2026');
    assert.equal(clock('lately', '9 h'), 'lately 9 h');
    assert.equal(clock('', ''), '');
  });
});

describe('a size and a share', () => {
  it('have the units and signs of the language', () => {
    const plain = (text: string): string => text.replaceAll(/\s/g, ' ');
    const inEnglish = textsIn('en');
    const inFrench = textsIn('fr');
    assert.deepEqual([209, 20_900_000].map(inEnglish.bytes), ['209 bytes', '20.9 MB']);
    assert.deepEqual([209, 20_900_000].map(inFrench.bytes).map(plain), ['209 octets', '20,9 Mo']);
    assert.equal(inEnglish.percent(0.125), '12.5%');
    assert.equal(plain(inFrench.percent(0.125)), '12,5 %');
  });
});

describe('a name and its value', () => {
  it('are parted as the language does', () => {
    assert.equal(textsIn('en').pair('Version', '1'), 'Version: 1');
    assert.equal(textsIn('fr').pair('Version', '1'), 'Version\u00a0: 1');
  });
});

describe('the French meanings of the fields of an article', () => {
  it('are of fields that there are, and end as sentences', () => {
    const named = new Set(articleFieldFacts.map(({ name }) => name));
    const unknown = Object.keys(frenchMeanings).filter((name) => !named.has(name) && !named.has(`${name}1`));
    assert.deepEqual(unknown, []);
    for (const list of ['barcodes', 'logisticalVariants'] as const) {
      const fields = articleListFacts[list].map(({ name }) => name);
      assert.deepEqual(
        Object.keys(frenchElementMeanings[list]).filter((name) => !fields.includes(name)),
        [],
      );
    }
    const meanings = [
      ...articleFieldFacts.map((field) => frenchMeaning(field, null)),
      ...articleListFacts.barcodes.map((field) => frenchMeaning(field, 'barcodes')),
      ...articleListFacts.logisticalVariants.map((field) => frenchMeaning(field, 'logisticalVariants')),
    ];
    for (const meaning of meanings) assert.match(meaning ?? 'L’usage.', /^[A-ZÀ-Ü].*\.$/);
  });

  it('tell apart fields for free use by what they hold, and prices not by their number', () => {
    const of = (name: string): string | undefined =>
      frenchMeaning(articleFieldFacts.find((field) => field.name === name) ?? { name: '', kind: 'text' }, null);
    assert.deepEqual(['customField1', 'customField3', 'customField12', 'articlePrice4', 'articleColor'].map(of), [
      'Date d’usage libre.',
      'Texte d’usage libre.',
      'Nombre d’usage libre.',
      'Prix d’usage libre.',
      undefined,
    ]);
  });
});
