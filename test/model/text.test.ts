// Text: what brings it in canonical form looks at its length first, and never at a long run of combining marks.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from '../contract/properties.ts';
import { passwordFault, passwordMatches } from '../../src/auth/passwords.ts';
import { readLabelRequest } from '../../src/shipping/label-request.ts';
import { clientFaults } from '../../src/auth/client-faults.ts';
import { platformKeyFaults } from '../../src/auth/platform-keys.ts';
import { checkLines } from '../../src/feeds/check-records.ts';
import { openSeenKeys } from '../../src/store/seen-keys.ts';
import { fileNameOf } from '../../src/http/file-name.ts';
import { submissionReader } from '../../src/model/submission.ts';
import { readText } from '../../src/model/filter-values.ts';
import { parseFilter, filterFields } from '../../src/model/filter.ts';
import { readListQuery } from '../../src/model/list-parameters.ts';
import { Problem } from '../../src/model/problem.ts';
import {
  characters,
  composed,
  hasTooManyMarks,
  isBeyond,
  maxMarksInRow,
  withoutMarkRuns,
} from '../../src/model/text.ts';
import { article, order } from '../../src/resources/index.ts';

/** Every code point but surrogates. */
function* codePoints(): Generator<string> {
  for (let code = 0; code < 0x11_0000; code++) if (code < 0xd800 || code > 0xdfff) yield String.fromCodePoint(code);
}

/** Marks below and above in turn: what an engine has to sort. */
const marks = (count: number): string => '\u0316\u0301'.repeat(count / 2);

/** The longest run of marks, and the longest text, that was normalized during `work`. */
async function normalized(work: () => unknown): Promise<{ readonly run: number; readonly length: number }> {
  const own = String.prototype.normalize;
  let [run, length] = [0, 0];
  String.prototype.normalize = function counted(form?: string): string {
    const text = String(this);
    length = Math.max(length, text.length);
    for (const [found] of text.matchAll(/[\p{M}\uff9e\uff9f]+/gu)) run = Math.max(run, characters(found));
    return own.call(this, form);
  };
  try {
    await work();
  } finally {
    String.prototype.normalize = own;
  }
  return { run, length };
}

describe('text in canonical form', () => {
  it('of so many characters has never had more units than the check of lengths lets through', () => {
    for (const character of codePoints()) {
      const whole = character.normalize('NFC');
      // Whatever is composed to this character is no longer than what it decomposes to, or than itself.
      assert.ok(!isBeyond(character.normalize('NFD'), characters(whole)), character.codePointAt(0)?.toString(16));
      assert.ok(!isBeyond(character, characters(whole)));
    }
  });

  it('has its runs of marks found whatever form they are given in', () => {
    for (const character of codePoints()) {
      const [first = ''] = character.normalize('NFKD');
      // Two vowels of Thai and Lao decompose to a mark that needs no sorting, and to a letter.
      if (!/^\p{M}$/u.test(first) || character === '\u0e33' || character === '\u0eb3') continue;
      assert.ok(hasTooManyMarks(character.repeat(maxMarksInRow + 1)), character.codePointAt(0)?.toString(16));
    }
  });

  it('may have thirty marks in a row, not thirty-one', () => {
    for (const before of ['', 'a', 'é', '😀', ' ', `a${marks(30)}b`]) {
      assert.equal(composed(before + marks(30)), (before + marks(30)).normalize('NFC'));
      assert.equal(composed(`${before}${marks(30)}\u0301`), null);
      assert.equal(composed(`${before}${marks(30)}\u0301 after`), null);
    }
  });

  it('is counted in code points', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', 'é', '😀', '\ud800', '\udc00', '\u0301') }), (text) =>
        assert.equal(characters(text), [...text].length),
      ),
    );
  });

  it('loses only the marks beyond the thirtieth of a run', () => {
    assert.equal(withoutMarkRuns(`x${marks(40)}y${marks(30)}z`), `x${marks(30)}y${marks(30)}z`);
    assert.equal(withoutMarkRuns('déjà vu'), 'déjà vu');
  });
});

describe('a text of very many combining marks', () => {
  const long = `a${marks(256_000)}`;
  const short = `a${marks(200)}`;
  const activities = new Map([['AUR', 'Aurora']]);
  const item = (text: string): unknown => ({
    activityCode: 'AUR',
    articleReference: 'A1',
    longArticleDescription: text,
    shortArticleDescription: 'x',
    customField3: text,
  });
  const label = (text: string): Buffer => Buffer.from(JSON.stringify({ destAddr1: text, instruction: text }));
  const quiet = (work: () => unknown) => (): void => {
    try {
      work();
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
    }
  };
  const latin1 = (text: string): string => Buffer.from(text).toString('latin1');
  const ways: Readonly<Record<string, (text: string) => unknown>> = {
    'an article': (text) => submissionReader(article, activities, 1)(item(text), 0),
    'an import': (text) => {
      const seen = openSeenKeys();
      checkLines(
        article,
        { activity: 'AUR', activityName: 'Aurora' },
        seen,
      )({ ok: true, line: 1, text: '', value: item(text) });
      seen.close();
    },
    'a label': (text) => quiet(() => readLabelRequest(label(text), {}))(),
    'a filter': (text) => quiet(() => parseFilter(`orderUniqueID=="${text}"`, filterFields(order)))(),
    'a parameter': (text) => quiet(() => readListQuery(order, [['orderUniqueID', text]], 0))(),
    'a path': (text) => readText(text),
    'a file name': (text) => fileNameOf(new Map([['filename', latin1(text)]])),
    'a file name in the extended form': (text) =>
      fileNameOf(new Map([['filename*', `UTF-8''${encodeURIComponent(text)}`]])),
    'a password at sign-in': (text) => passwordMatches(text, null),
    'a new password': (text) => passwordFault(text, 'someone'),
    'the name of a client': (text) =>
      clientFaults({ name: text, redirectUris: [], activityCodes: [], readOnly: false, confidential: false }),
    'the name of a platform key': (text) => platformKeyFaults({ name: text, activityCodes: null, roles: ['outbox'] }),
  };
  for (const [way, take] of Object.entries(ways)) {
    it(`is not normalized as ${way}`, async () => {
      for (const text of [long, short]) {
        const { run, length } = await normalized(() => take(text));
        assert.ok(run <= maxMarksInRow + 1, `a run of ${run} marks was normalized`);
        assert.ok(length <= 16_384 || run === 0, `${length} units were normalized`);
      }
    });
  }

  it('is refused with its length, or for its marks', () => {
    const reasonsOf = (text: string): readonly unknown[] =>
      submissionReader(article, activities, 1)(item(text), 0).reasons;
    assert.deepEqual(reasonsOf(long), [
      {
        code: 'too-long',
        pointer: '/0/longArticleDescription',
        detail: 'longArticleDescription has 256001 characters; at most 60 are allowed.',
      },
      {
        code: 'too-long',
        pointer: '/0/customField3',
        detail: 'customField3 has 256001 characters; at most 256 are allowed.',
      },
    ]);
    const detail = 'has more than 30 combining marks in a row: take those out that nobody can read.';
    assert.deepEqual(reasonsOf(short), [
      { code: 'bad-text', pointer: '/0/longArticleDescription', detail: `longArticleDescription ${detail}` },
      { code: 'bad-text', pointer: '/0/customField3', detail: `customField3 ${detail}` },
    ]);
  });

  it('that fits when it is composed is taken, however many units it had', () => {
    // Each of these decomposes to four code points.
    const text = '\u1f82'.repeat(60);
    const read = submissionReader(
      article,
      activities,
      1,
    )(
      {
        activityCode: 'AUR',
        articleReference: 'A1',
        longArticleDescription: text.normalize('NFD'),
        shortArticleDescription: 'x',
      },
      0,
    );
    assert.deepEqual(read.reasons, []);
    assert.equal(read.accepted?.record.value.longArticleDescription, text);
  });

  it('does not hold up the process: 256,000 marks, nine times', () => {
    const began = performance.now();
    for (let time = 0; time < 9; time++) submissionReader(article, activities, 1)(item(long), 0);
    // Ten minutes before; some 50 ms now. Far from both, so that no busy machine comes near it.
    assert.ok(performance.now() - began < 60_000);
  });
});
