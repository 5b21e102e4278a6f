// What becomes of the items of one request: their keys, what is refused of them, and what is to be written.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from '../contract/properties.ts';
import { createChecker } from '../../src/model/check.ts';
import type { IncomingRecord } from '../../src/model/record.ts';
import { createRenderer } from '../../src/model/render.ts';
import {
  resolve,
  readOnlyKeeper,
  type SubmissionMode,
  type SubmittedItem,
  submissionReader,
} from '../../src/model/submission.ts';
import { article } from '../../src/resources/index.ts';
import { incomingRecord } from './record-arbitrary.ts';
import { rounds } from '../contract/rounds.ts';

const activities = new Map([
  ['AUR', 'Aurora Outfitters'],
  ['NOR', 'North Trading'],
]);
const replace: SubmissionMode = { onExisting: 'replace', atomic: false };

describe('the items of a request', () => {
  it('are named by activity and reference, and by their place where these cannot be read', () => {
    const items = read([
      item('A1'),
      item('A1', { activityCode: 'NOR' }),
      item('A/1'),
      { ...item('A2'), colour: 1 },
      item('A3', { activityCode: 'SOU' }),
      item('A4', { activityCode: 'AURA' }),
      item(''),
      null,
    ]);
    assert.deepEqual(
      items.map(({ key }) => key),
      ['AUR/A1', 'NOR/A1', 'AUR/A/1', 'AUR/A2', 'SOU/A3', '#5', '#6', '#7'],
    );
    assert.deepEqual(
      items.map(({ accepted }) => accepted?.activity),
      ['AUR', 'NOR', 'AUR', undefined, undefined, undefined, undefined, undefined],
    );
  });

  it('are refused from the second occurrence on, with their place as key and their other errors', () => {
    const items = read([item('A1'), item('A1'), { ...item('A1'), colour: 1 }, item('a1')]);
    assert.deepEqual(
      items.map(({ key, reasons }) => [key, reasons.map(({ code, pointer }) => `${code} ${pointer}`)]),
      [
        ['AUR/A1', []],
        ['#1', ['duplicate-in-request /1']],
        ['#2', ['unknown-property /2/colour', 'duplicate-in-request /2']],
        ['AUR/a1', []],
      ],
    );
    assert.match(items[1]?.reasons[0]?.detail ?? '', /\/0/);
  });

  it('are refused from the second occurrence on also where the first is refused, or is somebody else’s', () => {
    const items = read([
      { ...item('A1'), colour: 1 },
      item('A1'),
      item('B1', { activityCode: 'SOU' }),
      item('B1', { activityCode: 'SOU' }),
    ]);
    assert.deepEqual(
      items.map(({ key }) => key),
      ['AUR/A1', '#1', 'SOU/B1', '#3'],
    );
    assert.ok(items.every(({ accepted }) => accepted === null));
  });

  it('never share a key, whatever slashes are in it', () => {
    const items = read([item('B/C', { activityCode: 'A' }), item('C', { activityCode: 'A/B' })]);
    assert.deepEqual(
      items.map(({ key, reasons }) => [key, reasons.map(({ code }) => code)]),
      [
        ['A/B/C', ['activity-forbidden']],
        ['#1', ['activity-forbidden']],
      ],
    );
  });

  it('are refused for what was wrong with them before they were read', () => {
    const fault = { code: 'duplicate-property' as const, pointer: '/0/colour', detail: 'Twice.' };
    assert.deepEqual(submissionReader(article, activities, 1)(item('A1'), 0, [fault]), {
      key: 'AUR/A1',
      activity: 'AUR',
      reasons: [fault],
      unlisted: 0,
      accepted: null,
    });
    // Whoever reads of it in the audit trail must have the activity, refused or not; one that is not the caller's is
    // nobody's.
    assert.equal(submissionReader(article, activities, 1)(item('A1', { activityCode: 'ZZZ' }), 0).activity, null);
  });

  it('that are the same text composed or not are the same article', () => {
    const items = read([item('\u00c9'), item('E\u0301')]);
    assert.deepEqual(
      items.map(({ key }) => key),
      ['AUR/\u00c9', '#1'],
    );
  });
});

describe('the resolution', () => {
  const items = read([item('A1'), item('A2'), { ...item('A3'), colour: 1 }, item('A4', { activityCode: 'NOR' })]);
  const stored = new Map([
    [
      'AUR',
      new Map([
        ['["A2"]', '{}'],
        ['["A4"]', '{}'],
      ]),
    ],
  ]);
  const cases: readonly (readonly [
    mode: SubmissionMode,
    errors: Record<string, string>,
    passed: readonly string[],
    written: readonly string[],
  ])[] = [
    [replace, { 'AUR/A3': 'unknown-property' }, ['AUR/A1', 'AUR/A2', 'NOR/A4'], ['["A1"]', '["A2"]', '["A4"]']],
    [
      { onExisting: 'reject', atomic: false },
      { 'AUR/A2': 'exists', 'AUR/A3': 'unknown-property' },
      ['AUR/A1', 'NOR/A4'],
      ['["A1"]', '["A4"]'],
    ],
    [
      { onExisting: 'skip', atomic: false },
      { 'AUR/A3': 'unknown-property' },
      ['AUR/A1', 'AUR/A2', 'NOR/A4'],
      ['["A1"]', '["A4"]'],
    ],
    [
      { onExisting: 'replace', atomic: true },
      { 'AUR/A1': 'not-attempted', 'AUR/A2': 'not-attempted', 'AUR/A3': 'unknown-property', 'NOR/A4': 'not-attempted' },
      [],
      [],
    ],
    [
      { onExisting: 'reject', atomic: true },
      { 'AUR/A1': 'not-attempted', 'AUR/A2': 'exists', 'AUR/A3': 'unknown-property', 'NOR/A4': 'not-attempted' },
      [],
      [],
    ],
  ];
  for (const [mode, errors, passed, written] of cases) {
    it(`with onExisting=${mode.onExisting} and atomic=${mode.atomic}`, () => {
      const resolution = resolve(article, items, stored, mode);
      assert.deepEqual(
        [...resolution.errors].map(([key, reasons]) => [key, reasons.map(({ code }) => code).join()]),
        Object.entries(errors),
      );
      assert.deepEqual(resolution.passed, passed);
      assert.deepEqual(
        resolution.writes.map(({ record }) => record.naturalKey),
        written,
      );
    });
  }

  it('of an atomic request without errors lets all pass', () => {
    const resolution = resolve(
      article,
      items.filter(({ reasons }) => reasons.length === 0),
      stored,
      { onExisting: 'skip', atomic: true },
    );
    assert.deepEqual([resolution.errors.size, resolution.passed.length, resolution.writes.length], [0, 3, 2]);
  });
});

describe('what only the warehouse may say of a record', () => {
  const check = createChecker(article);
  const render = createRenderer(article);
  const assign = { number: () => 1, uuid: () => '019b9c3e-5c00-7a41-8d2f-6b1e0f3a9c00', now: 1_772_460_000_000 };
  const imported = (input: unknown): IncomingRecord => {
    const checked = check(input, { activity: 'AUR', activityName: 'Aurora Outfitters' });
    assert.ok(checked.ok, JSON.stringify(checked));
    return checked.record;
  };

  it('is kept, so that the same record again is no change', () => {
    fc.assert(
      fc.property(incomingRecord(article), (input) => {
        const before = imported(input);
        const { alcool: _, ...sent } = input;
        const again = imported(sent);
        assert.deepEqual(readOnlyKeeper(article)(again, render(before, assign, null).body), before);
      }),
      { numRuns: rounds(200) },
    );
  });

  it('is nothing where the stored record has nothing of it', () => {
    const record = imported(item('A1'));
    assert.equal(readOnlyKeeper(article)(record, render(record, assign, null).body), record);
    assert.deepEqual(readOnlyKeeper(article)(record, '{"articleReference":"A1"}'), record);
  });

  it('is not read out of other text that looks like it', () => {
    const before = imported({ ...item('A1'), longArticleDescription: '"alcool":null', alcool: { degree: 4.5 } });
    const kept = readOnlyKeeper(article)(imported(item('A1')), render(before, assign, null).body);
    assert.deepEqual(kept.value.alcool, before.value.alcool);
  });
});

function item(articleReference: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    activityCode: 'AUR',
    articleReference,
    longArticleDescription: 'Long',
    shortArticleDescription: 'Short',
    ...more,
  };
}

function read(inputs: readonly unknown[]): readonly SubmittedItem[] {
  const reader = submissionReader(article, activities, inputs.length);
  return inputs.map((input, index) => reader(input, index));
}
