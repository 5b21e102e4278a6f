// How long a record can be as it is published, told by its definition.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from '../contract/properties.ts';
import { createChecker } from '../../src/model/check.ts';
import { longestRecord } from '../../src/model/longest-record.ts';
import { createRenderer } from '../../src/model/render.ts';
import { article, resources } from '../../src/resources/index.ts';
import { rounds } from '../contract/rounds.ts';
import { incomingRecord } from './record-arbitrary.ts';

const assign = {
  number: () => 1_000_000_000_000_000,
  uuid: () => '01a1ff40-2822-7082-a8ba-c1dde0776c77',
  now: Date.parse('2026-03-02T08:00:00Z'),
};

describe('the longest record', () => {
  for (const resource of resources)
    it(`of ${resource.name} is longer than any text that is stored`, () => {
      const check = createChecker(resource);
      const render = createRenderer(resource);
      fc.assert(
        fc.property(incomingRecord(resource), (input) => {
          const checked = check(input, { activity: 'AUR', activityName: 'Aurora' });
          assert.ok(checked.ok);
          const { body } = render(checked.record, assign, null);
          assert.ok(Buffer.byteLength(body) <= longestRecord(resource), body);
        }),
        { numRuns: rounds(200) },
      );
    });

  it('is told where there are no lists of records', () => {
    assert.equal(longestRecord(article), Infinity);
    assert.ok(resources.some((resource) => longestRecord(resource) < 100_000));
  });
});
