// The console's filter: what is clicked together is what the interface reads, and comes back as it was clicked.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from '../contract/properties.ts';
import { comparisonsIn, filterText, type Comparison } from '../../packages/console/src/list/filter.ts';
import { csvLine } from '../../packages/console/src/list/export.ts';
import { filterFields, parseFilter } from '../../src/model/filter.ts';
import { article } from '../../src/resources/index.ts';

const value = fc
  .string({
    unit: fc.constantFrom('a', 'Z', '9', ' ', '"', "'", '\\', ';', ',', '(', ')', '=', '<', 'é', '*'),
    minLength: 1,
    maxLength: 12,
  })
  .map((text) => text.trim())
  .filter((text) => text !== '' && !text.includes('*'));
const comparison: fc.Arbitrary<Comparison> = fc.oneof(
  fc.record({ field: fc.constant('articleReference'), operator: fc.constantFrom('==', '!=', '=lt=', '=ge='), value }),
  fc.record({
    field: fc.constant('supplierCode'),
    operator: fc.constantFrom('=in=', '=out='),
    value: fc
      .array(
        value.filter((text) => !text.includes(',')),
        { minLength: 1, maxLength: 3 },
      )
      .map((all) => all.join(',')),
  }),
);

describe('the filter of the console', () => {
  it('is read by the interface, and comes back as it was clicked together', () => {
    fc.assert(
      fc.property(fc.array(comparison, { minLength: 1, maxLength: 4 }), (comparisons) => {
        const text = filterText(comparisons);
        parseFilter(text, filterFields(article));
        assert.deepEqual(
          comparisonsIn(text),
          comparisons.map((each) => ({ ...each })),
        );
      }),
    );
  });

  it('is left as text where it says more than conditions', () => {
    for (const text of ['a==1,b==2', '(a==1)', 'a==1 or b==2', 'a', 'a==', 'a=in=1'])
      assert.equal(comparisonsIn(text), null, text);
    assert.deepEqual(comparisonsIn(''), []);
    assert.deepEqual(comparisonsIn('a>=1'), [{ field: 'a', operator: '=ge=', value: '1' }]);
  });
});

describe('a line of an exported table', () => {
  it('is what RFC 4180 says, and no formula', () => {
    assert.equal(csvLine(['a', 1, true, null, 'x,"y"', '=1+1', 'é\nz']), `a,1,true,,"x,""y""",'=1+1,"é\nz"\r\n`);
  });
});
