// What a client hears of a query that took too long: which condition has no index, and which fields have one.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Condition, SortKey } from '../../src/model/plan.ts';
import { articleStockMovement, order, resources } from '../../src/resources/index.ts';
import { indexAdvice } from '../../src/store/index-advice.ts';

const is = (selector: string): Condition => ({ op: '==', selector, value: 'SECRET' });
const by = (field: string): SortKey => ({ field, descending: false });

describe('the advice on a query without an index', () => {
  it('names the conditions and the sort that have none, each once, but no value', () => {
    const advice = indexAdvice({
      resource: articleStockMovement,
      where: [is('articleReference'), { op: 'or', of: [is('movementCode'), is('movementCode'), is('gradeCode')] }],
      sort: [by('dateProcessed')],
    });
    assert.equal(
      advice,
      "No index serves the filter by 'movementCode', 'gradeCode' or the sort by 'dateProcessed'. One serves a " +
        "filter by a value, or by several, of one of 'articleReference', 'dateLastUpdate', 'id', or a sort by one of " +
        "'id', 'dateLastUpdate', 'movementTimestamp', 'articleReference' without a filter or with one by the same " +
        'field alone. Otherwise read the list without them, page by page, and choose from the records on your side.',
    );
  });

  it('says that it is the combination, where each part alone has one', () => {
    assert.match(
      indexAdvice({ resource: order, where: [is('orderUniqueID'), is('customerOrderID')], sort: [] }),
      /^No index serves these conditions together\./,
    );
    assert.match(
      indexAdvice({ resource: order, where: [is('orderUniqueID')], sort: [by('id')] }),
      /^No index serves these conditions and this order together\./,
    );
  });

  it('has fields to offer for every list', () => {
    for (const resource of resources)
      assert.match(
        indexAdvice({ resource, where: [is('x')], sort: [] }),
        /a sort by one of '\w+'.* without a filter or with one by the same field alone\./,
        resource.name,
      );
  });
});
