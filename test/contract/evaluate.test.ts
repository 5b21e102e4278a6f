// The plain evaluation that engines are compared with, checked on its own.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from './properties.ts';
import type { Condition, ListPlan, StoredValue } from '../../src/model/plan.ts';
import { sortFields } from '../../src/model/sort.ts';
import { articleStockMovement, order } from '../../src/resources/index.ts';
import { storedValue, writtenSort } from './arbitrary.ts';
import { evaluatePlan, holds } from './evaluate.ts';
import type { EvaluatedRecord } from './evaluate.ts';
import { rounds } from './rounds.ts';

type Columns = Readonly<Record<string, StoredValue | null | readonly (StoredValue | null)[]>>;

function record(changeNumber: number, columns: Columns, activity = 'ABC'): EvaluatedRecord {
  return { activity, changeNumber, writtenAt: changeNumber * 1000, columns: new Map(Object.entries(columns)) };
}

function listPlan(other: Partial<ListPlan>): ListPlan {
  return {
    resource: order,
    activities: ['ABC', 'XY'],
    where: [],
    sort: [],
    after: null,
    updatedSince: null,
    limit: 100,
    imageAt: null,
    walkStarts: null,
    ...other,
  };
}

const numbers = (plan: ListPlan, records: readonly EvaluatedRecord[]): readonly number[] =>
  evaluatePlan(plan, records).records.map((found) => found.changeNumber);

describe('a condition', () => {
  const held = record(1, { ref: 'B', none: null, 'lines.ref': ['A', null, 'C'], 'bare.ref': [] });
  const cases: readonly (readonly [condition: Condition, holds: boolean])[] = [
    [{ op: '!=', selector: 'none', value: 'A' }, false],
    [{ op: 'out', selector: 'none', values: ['A'] }, false],
    [{ op: 'not-prefix', selector: 'none', value: 'A' }, false],
    [{ op: 'not-range', selector: 'none', from: 0, to: 1 }, false],
    [{ op: 'null', selector: 'none', is: true }, true],
    [{ op: 'null', selector: 'ref', is: true }, false],
    [{ op: 'in', selector: 'ref', values: [] }, false],
    [{ op: '==', selector: 'lines.ref', value: 'C' }, true],
    [{ op: '!=', selector: 'lines.ref', value: 'C' }, true],
    [{ op: 'null', selector: 'lines.ref', is: true }, true],
    [{ op: 'null', selector: 'bare.ref', is: true }, false],
    [{ op: 'null', selector: 'bare.ref', is: false }, false],
    [
      {
        op: 'and',
        of: [
          { op: '==', selector: 'lines.ref', value: 'A' },
          { op: '==', selector: 'lines.ref', value: 'C' },
        ],
      },
      true,
    ],
    [{ op: '<', selector: 'ref', value: 'a' }, true],
    [{ op: 'prefix', selector: 'ref', value: '' }, true],
  ];
  for (const [condition, expected] of cases)
    it(`${JSON.stringify(condition)}: ${expected}`, () => assert.equal(holds(condition, held), expected));
});

describe('an order', () => {
  it('of text is by code point', () => {
    const records = ['😀', '\uffff', 'é', 'z', 'Z', '', 'a'].map((ref, index) =>
      record(index + 1, { ref, id: String(index) }),
    );
    const sorted = evaluatePlan(listPlan({ sort: [{ field: 'ref', descending: false }] }), records).records.map(
      (found) => found.columns.get('ref'),
    );
    assert.deepEqual(sorted, ['', 'Z', 'a', 'z', 'é', '\uffff', '😀']);
  });

  it('puts nulls last both ways, then goes by activity, and by id as the last key runs', () => {
    const records = [
      record(1, { n: null, id: 'e' }),
      record(2, { n: 1, id: 'a' }, 'XY'),
      record(3, { n: 2, id: 'd' }),
      record(4, { n: 1, id: 'c' }),
      record(2, { n: 1, id: 'b' }),
    ];
    assert.deepEqual(numbers(listPlan({ sort: [{ field: 'n', descending: false }] }), records), [2, 4, 2, 3, 1]);
    assert.deepEqual(numbers(listPlan({ sort: [{ field: 'n', descending: true }] }), records), [3, 4, 2, 2, 1]);
  });

  it('by change goes through one activity after another', () => {
    const records = [record(3, {}, 'XY'), record(2, {}), record(1, {}, 'XY'), record(9, {}), record(5, {}, 'ZZZ')];
    assert.deepEqual(numbers(listPlan({}), records), [2, 9, 1, 3]);
    assert.deepEqual(numbers(listPlan({ after: { ABC: 2, XY: 1 } }), records), [9, 3]);
    assert.deepEqual(numbers(listPlan({ updatedSince: 3000 }), records), [9, 3]);
  });
});

describe('pages', () => {
  it('joined are the whole list, whatever the order', () => {
    const fields = sortFields(articleStockMovement);
    const columns = fc.record(
      Object.fromEntries([...fields].map(([name, field]) => [name, fc.option(storedValue(field))])),
    );
    const records = fc
      .uniqueArray(fc.tuple(fc.constantFrom('ABC', 'XY'), fc.integer({ min: 1, max: 50 })), {
        selector: ([activity, change]) => `${activity}${change}`,
      })
      .chain((keys) =>
        fc.tuple(
          ...keys.map(([activity, change]) => columns.map((some) => record(change, { ...some, id: change }, activity))),
        ),
      );
    fc.assert(
      fc.property(records, writtenSort(articleStockMovement), fc.integer({ min: 1, max: 5 }), (rows, sort, limit) => {
        const plan = listPlan({ sort: sort.keys });
        const collected: EvaluatedRecord[] = [];
        let page = evaluatePlan({ ...plan, limit }, rows);
        collected.push(...page.records);
        while (page.more) {
          page = evaluatePlan({ ...plan, limit, after: page.next }, rows);
          collected.push(...page.records);
        }
        assert.deepEqual(collected, evaluatePlan(plan, rows).records);
        assert.equal(collected.length, rows.length);
      }),
      { numRuns: rounds(200) },
    );
  });
});
