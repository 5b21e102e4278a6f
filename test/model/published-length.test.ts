// How long a record is as it is published, told before it is written.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createChecker } from '../../src/model/check.ts';
import { publishedLength, shortestNested } from '../../src/model/published-length.ts';
import { createRenderer } from '../../src/model/render.ts';
import { article, order, resources } from '../../src/resources/index.ts';
import { rounds } from '../contract/rounds.ts';
import { incomingRecord } from './record-arbitrary.ts';

const assign = {
  number: () => 1_000_000_000_000_000,
  uuid: () => '01a1ff40-2822-7082-a8ba-c1dde0776c77',
  now: Date.parse('2026-03-02T08:00:00Z'),
};

describe('the published length', () => {
  for (const resource of resources)
    it(`of ${resource.name} is that of the text which is stored`, () => {
      const check = createChecker(resource);
      const render = createRenderer(resource);
      fc.assert(
        fc.property(incomingRecord(resource), (input) => {
          const checked = check(input, { activity: 'AUR', activityName: 'Aurora' });
          assert.ok(checked.ok);
          const { body } = render(checked.record, assign, null);
          assert.equal(publishedLength(resource)(checked.record.value), Buffer.byteLength(body));
        }),
        { numRuns: rounds(200) },
      );
    });

  it('of nothing in a list is that of its shortest record', () => {
    const { barcodes } = article.fields;
    assert.equal(
      shortestNested(article),
      JSON.stringify(Object.fromEntries(Object.keys(barcodes.fields).map((name) => [name, null]))).length + 34,
    );
    assert.ok(shortestNested(order) > 100);
  });
});
