// What the reference page tells of making labels is what the service does.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createLabelText } from '../../../src/api/descriptions/labels.ts';
import { sandbox } from '../../../src/carriers/sandbox/index.ts';
import { demoActivities } from '../../../src/demo/demo.ts';

describe('the description of making a label', () => {
  it('names every output of the built-in carrier, and the sizes of its PDF', () => {
    for (const type of Object.keys(sandbox.outputs)) assert.ok(createLabelText.includes(`\`${type}\``), type);
    for (const format of sandbox.outputs.PdfUrl ?? []) assert.ok(createLabelText.includes(`\`${format}\``), format);
  });

  it('names the contexts of the demonstration', () => {
    for (const { code } of demoActivities) assert.ok(createLabelText.includes(`\`${code.toLowerCase()}\``), code);
  });

  it('has a table whose rows have three cells each', () => {
    const rows = createLabelText.split('\n').filter((line) => line.startsWith('|'));
    assert.ok(rows.length > 20);
    for (const row of rows) assert.equal(row.split('|').length, 5, row);
  });
});
