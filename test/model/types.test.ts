// The types that are read off the definitions; what must not compile is marked, so a type that grows too wide fails the
// type check.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RecordOf } from '../../src/model/types.ts';
import { article, articleStockMovement, orderReport } from '../../src/resources/index.ts';

describe('RecordOf', () => {
  it('is the type of the example records', () => {
    const movement: RecordOf<typeof articleStockMovement> = articleStockMovement.example;
    const report: RecordOf<typeof orderReport> = orderReport.example;
    const cider: RecordOf<typeof article> = article.example;
    assert.equal(movement.movedQuantity, 2);
    assert.equal(report.parcels[0]?.entries[0]?.properties[0]?.name, 'lotNumber');
    assert.equal(cider.alcool?.degree, 4.5);
  });

  it('refuses null where a response never has it, unknown names and wrong types', () => {
    const movement: RecordOf<typeof articleStockMovement> = articleStockMovement.example;
    // @ts-expect-error id is never null
    const withoutId: typeof movement = { ...movement, id: null };
    // @ts-expect-error movedQuantity is a number
    const text: typeof movement = { ...movement, movedQuantity: '2' };
    // @ts-expect-error articleReference may be null (interface 2.1)
    const reference: string = movement.articleReference;
    // @ts-expect-error there is no such field
    assert.equal(movement.colour, undefined);
    assert.deepEqual([withoutId.id, text.movedQuantity, reference], [null, '2', 'TEE-ORG-NVY-M']);
  });
});
