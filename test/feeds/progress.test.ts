// What a person sees of an import, on a terminal and elsewhere.
import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { describe, it } from 'node:test';
import { reportProgress, summaryJson, summaryText } from '../../src/feeds/progress.ts';
import type { ImportSummary } from '../../src/feeds/import.ts';

const summary: ImportSummary = {
  resource: 'orders',
  activity: 'ACM',
  message: 'ACM:12',
  read: 12_345,
  new: 12_000,
  changed: 300,
  unchanged: 40,
  refused: 5,
  warned: 0,
  warnings: [],
  seconds: 2.34567,
  rowsPerSecond: 5262.883,
  written: true,
  truncated: false,
  damaged: false,
  refusedFile: '/in/orders.ndjson.refused.ndjson',
  images: null,
};
const progress = (read: number, bytes: number, totalBytes: number | null) =>
  ({ pass: 'importing', read, refused: 2, bytes, totalBytes }) as const;

function output(isTTY: boolean): {
  readonly stream: PassThrough & { readonly isTTY: boolean };
  readonly text: () => string;
} {
  const stream = Object.assign(new PassThrough(), { isTTY });
  let text = '';
  stream.on('data', (chunk: Buffer) => {
    text += chunk.toString('utf8');
  });
  return { stream, text: () => text };
}

describe('progress', () => {
  it('is a plain line every five seconds where there is no terminal', () => {
    const { stream, text } = output(false);
    let now = 0;
    const report = reportProgress(stream, 'orders of ACM', () => now);
    for (const at of [1000, 4999, 5000, 6000, 9999, 10_001]) {
      now = at;
      report.update(progress(at * 10, at, 20_000));
    }
    report.stop();
    assert.equal(
      text(),
      'orders of ACM: importing, 50,000 read, 2 refused, 25 %\norders of ACM: importing, 100,010 read, 2 refused, ' +
        '50 %\n',
    );
  });

  it('gives no share where the length is not known', () => {
    const { stream, text } = output(false);
    let now = 0;
    const report = reportProgress(stream, 'orders of ACM', () => now);
    now = 5000;
    report.update(progress(7, 100, null));
    assert.equal(text(), 'orders of ACM: importing, 7 read, 2 refused\n');
  });

  it('is a bar on a terminal, gone at the end', () => {
    const { stream, text } = output(true);
    const report = reportProgress(stream, 'orders of ACM');
    report.update(progress(1000, 50, 100));
    report.stop();
    assert.match(text(), /orders of ACM .*50 % \| 1,000 read, 2 refused/);
  });

  it('on a terminal has no bar where the length is not known', () => {
    const { stream, text } = output(true);
    const report = reportProgress(stream, 'orders of ACM');
    report.update(progress(1000, 50, null));
    report.stop();
    assert.match(text(), /orders of ACM \| 1,000 read, 2 refused/);
  });

  it('may end before it began', () => {
    for (const terminal of [true, false]) {
      const { stream, text } = output(terminal);
      reportProgress(stream, 'orders of ACM').stop();
      assert.equal(text(), '');
    }
  });
});

describe('the summary', () => {
  it('tells every count, the speed, and where the refused lines are', () => {
    assert.equal(
      summaryText(summary),
      [
        'orders of ACM: 12,345 read, 12,000 new, 300 changed, 40 unchanged, 5 refused',
        'message ACM:12, 2.3 s, 5,263 rows per second',
        'Refused lines, with their reasons: /in/orders.ndjson.refused.ndjson',
        '',
      ].join('\n'),
    );
  });

  it('says when nothing was written, and when the file was cut off', () => {
    const text = summaryText({ ...summary, written: false, truncated: true, refusedFile: null });
    assert.match(text, /Nothing was written\./);
    assert.match(text, /The file was cut off/);
  });

  it('says when there was nothing to read', () => {
    assert.match(summaryText({ ...summary, read: 0, refusedFile: null }), /The file holds no records\./);
  });

  it('tells of every image', () => {
    const images = [{ at: '2026-03-02T04:00:00.000Z', rows: 1234, outcome: 'changed' }] as const;
    assert.match(summaryText({ ...summary, images }), /image of 2026-03-02T04:00:00\.000Z: 1,234 rows, changed/);
  });

  it('is one line of JSON for programs', () => {
    const text = summaryJson(summary);
    assert.equal(text.indexOf('\n'), text.length - 1);
    const { refusedFile: rejected } = summary;
    assert.deepEqual(JSON.parse(text), { ...summary, rejected, seconds: 2.346, rowsPerSecond: 5263 });
  });
});
