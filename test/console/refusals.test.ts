// Every refusal of the service is said in French in the console: each problem and each reason of the catalogues.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { frenchRefusal } from '../../packages/console/src/texts/refusals-fr.ts';
import { problems } from '../../src/model/problem.ts';
import { reasonCodes } from '../../src/model/reason-codes.ts';

const catalogues = [
  ['problem', Object.entries(problems).map(([slug, { title }]) => [slug, title] as const)],
  ['reason', Object.entries(reasonCodes)],
] as const;

describe('refusals', () => {
  it('of a service of another version are not made up', () => {
    assert.equal(frenchRefusal('reason', 'too-blue'), null);
    assert.equal(frenchRefusal('problem', 'constructor'), null);
  });

  for (const [kind, catalogue] of catalogues)
    it(`of every ${kind} are one sentence in English and one in French`, () => {
      for (const [code, english] of catalogue) {
        assert.match(english, /^[A-Z][^.]*\.$/, code);
        assert.match(frenchRefusal(kind, code) ?? '', /^[A-ZÀ-Ý][^.]*\.$/, code);
      }
    });
});
