// An article while it is edited in the form of the console: what is sent of it, and where each fault is shown.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type Edited,
  changesWithout,
  elementsOf,
  faultsOf,
  inputOf,
  isFaulty,
  newElement,
  overtakenNames,
} from '../../packages/console/src/article/edited.ts';
import { articleFieldFacts } from '../../packages/console/src/generated/article-fields.ts';

const read = {
  articleReference: 'A-1',
  articlePrice1: 1e21,
  alcool: { degree: 4.5 },
  barcodes: [
    { code: '1', id: 'id-1', addedLater: 1 },
    { code: '2', id: 'id-2', addedLater: 2 },
  ],
  logisticalVariants: [{ logisticalVariantCode: 'PCB', id: 'id-3', barcodes: [{ code: '3', id: 'id-4' }] }],
};
const unchanged: Edited = { from: read, values: {}, lists: {} };

describe('an article that is edited', () => {
  it('is sent as it was read where nothing was changed, also what no form shows or can show exactly', () => {
    assert.deepEqual(inputOf(unchanged, articleFieldFacts), read);
    const typed = { ...unchanged, values: { articlePrice1: '1e+21', articleFamily: '' } };
    assert.deepEqual(inputOf(typed, articleFieldFacts), read);
  });

  it('has its elements in the order in which they were put, with what the form does not show, and without ids', () => {
    const [first, second] = elementsOf(unchanged, 'barcodes');
    assert.ok(first !== undefined && second !== undefined);
    const changed = { ...first, values: { barcodeQuantity: '2,5', disabled: 'true' } };
    const lists = { barcodes: [second, changed, newElement({ code: '9' })] };
    assert.deepEqual(inputOf({ ...unchanged, lists }, articleFieldFacts).barcodes, [
      { code: '2', addedLater: 2 },
      { code: '1', addedLater: 1, barcodeQuantity: 2.5, disabled: true },
      { code: '9' },
    ]);
  });

  it('has no ids in a list that was changed, at any depth, because the barcodes may be others by now', () => {
    const [variant] = elementsOf(unchanged, 'logisticalVariants');
    assert.ok(variant !== undefined);
    const lists = { logisticalVariants: [{ ...variant, values: { netWeight: '2' } }] };
    assert.deepEqual(inputOf({ ...unchanged, lists }, articleFieldFacts).logisticalVariants, [
      { logisticalVariantCode: 'PCB', netWeight: 2, barcodes: [{ code: '3' }] },
    ]);
  });

  it('is overtaken where somebody else changed the same to something else, and nowhere else', () => {
    const [first, second] = elementsOf(unchanged, 'barcodes');
    assert.ok(first !== undefined && second !== undefined);
    const changes = { values: { articlePrice1: '5', articleFamily: 'F' }, lists: { barcodes: [second, first] } };
    const again = read.barcodes.map((barcode) => ({ ...barcode, id: `new-${barcode.id}` }));
    const others = { ...read, longArticleDescription: 'theirs', alcool: { degree: 5 }, barcodes: again };
    assert.deepEqual(overtakenNames([read], others, changes), []);
    const theirs = { ...others, articlePrice1: 25, articleFamily: 'F', barcodes: [{ code: '7', id: 'id-7' }] };
    assert.deepEqual(overtakenNames([read], theirs, changes), ['articlePrice1', 'barcodes']);
    // What was written already, although its answer was lost.
    const mine = { ...others, articlePrice1: 5, barcodes: again.toReversed() };
    assert.deepEqual(overtakenNames([read], mine, changes), []);
    // And to which more was typed since.
    const more = { values: { articlePrice1: '55' }, lists: { barcodes: [] } };
    assert.deepEqual(overtakenNames([read], mine, more), ['articlePrice1', 'barcodes']);
    assert.deepEqual(overtakenNames([read, mine], mine, more), []);
    assert.deepEqual(overtakenNames([read, mine], theirs, more), ['articlePrice1', 'barcodes']);
    const left = changesWithout(changes, ['articlePrice1', 'barcodes']);
    assert.deepEqual(left, { values: { articleFamily: 'F' }, lists: {} });
  });

  it('has each fault at the element it is of, also after that one was moved', () => {
    const [variant] = elementsOf(unchanged, 'logisticalVariants');
    assert.ok(variant !== undefined);
    const added = newElement({});
    const edited: Edited = { ...unchanged, lists: { logisticalVariants: [added, variant] } };
    const fault = (pointer: string) => ({ pointer, code: 'required', detail: 'is required' });
    const errors = {
      '/0': [
        fault('/0/shortArticleDescription'),
        fault('/0/logisticalVariants/0/logisticalVariantCode'),
        fault('/0/logisticalVariants/1/barcodes/0/code'),
        fault('/0/logisticalVariants/1'),
        fault('/0/barcodes'),
        fault('/0/alcool/degree'),
        fault('/0'),
      ],
    };
    const faults = faultsOf({ status: 422, operationId: '', errors, passed: [] }, edited);
    assert.deepEqual(Object.keys(faults), [
      'shortArticleDescription',
      `logisticalVariants/${added.key}/logisticalVariantCode`,
      'logisticalVariants/0/barcodes/0/code',
      'logisticalVariants/0',
      'barcodes',
      'alcool/degree',
      '',
    ]);
    assert.equal(isFaulty(faults, `logisticalVariants/${added.key}`), true);
    assert.equal(isFaulty(faults, 'barcodes/0'), false);
  });
});
