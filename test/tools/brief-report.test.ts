// What somebody sees who waits for the tests: how far they are, what failed, figures of all parts, and the time.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TestEvent } from 'node:test/reporters';
import { createBriefReport } from '../../tools/brief-report.ts';

describe('the report of a run', () => {
  it('says how far it is, names each failure twice, sums up the parts, and ends with the time', () => {
    const file = '/a.test.ts';
    const lines = linesFor([
      completed({ nesting: 1, name: 'adds', file, details: { type: 'test' } }),
      completed({ nesting: 0, name: 'sums', file, details: { type: 'suite' } }),
      completed({ nesting: 0, name: 'a.test.ts', file, details: {} }),
      failed('adds', 'testCodeFailure', new Error('3 is not 2')),
      failed('sums', 'subtestsFailed', new Error('1 subtest failed')),
      ...['tests 2', 'pass 1', 'fail 1', 'tests 40', 'pass 40', 'fail 0'].map((message) => ({
        type: 'test:diagnostic',
        data: { nesting: 0, message },
      })),
    ]);
    assert.ok(lines.includes(' 125 s: 1 tests, 1 of 2 parts done'), lines.join('\n'));
    assert.equal(lines.filter((line) => /^✖ adds \(.*a\.test\.ts:7\)$/.test(line)).length, 2);
    assert.equal(lines.filter((line) => line.startsWith('    Error: 3 is not 2')).length, 1);
    assert.equal(lines.filter((line) => line.includes('sums')).length, 0);
    assert.deepEqual(lines.slice(-8), [
      'ℹ tests 42',
      'ℹ suites 0',
      'ℹ pass 41',
      'ℹ fail 1',
      'ℹ cancelled 0',
      'ℹ skipped 0',
      'ℹ todo 0',
      'ℹ took 2 min 5 s',
    ]);
  });

  it('says what no test could be told of', () => {
    const message = 'Error: A resource generated asynchronous activity after the test ended.';
    const lines = linesFor([{ type: 'test:diagnostic', data: { nesting: 0, message } }]);
    assert.equal(lines[0], message);
  });
});

const completed = (data: object): object => ({ type: 'test:complete', data });

const failed = (name: string, failureType: string, cause: Error): object => ({
  type: 'test:fail',
  data: {
    nesting: 1,
    name,
    file: '/a.test.ts',
    line: 7,
    details: { error: Object.assign(new Error(), { cause, failureType }) },
  },
});

/** Lines that are printed for the events of a run of two parts that takes 125 seconds. */
function linesFor(events: readonly object[]): readonly string[] {
  let [text, now] = ['', 0];
  const print = (more: string): void => {
    text += more;
  };
  const report = createBriefReport(2, print, () => now);
  for (const event of events) report.take(event as TestEvent);
  now = 125_000;
  report.end();
  return text.trimEnd().split('\n');
}
