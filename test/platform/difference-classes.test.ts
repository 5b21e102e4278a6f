// Halves of movements that have no other half, among thousands that are alike.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { unpairedHalves } from '../../src/platform/difference-classes.ts';
import type { PlacedMovement } from '../../src/store/stock-sums-contract.ts';

const half = (quantity: number, gradeCode: string | null): PlacedMovement => ({
  articleReference: 'A1',
  stockUnitID: 'U1',
  articleLotNumber: null,
  gradeCode,
  at: 0,
  quantity,
  code: 'GRADE',
});
const always = (): boolean => true;

describe('the halves of movements', () => {
  it('are paired with one of the opposite quantity in another grade, each once', () => {
    const [out, back, into, again] = [half(-1, 'A'), half(1, 'A'), half(1, 'B'), half(1, 'C')];
    assert.deepEqual(unpairedHalves([out, back, into, again], always), [back, again]);
    assert.deepEqual(unpairedHalves([out, back], always), [out, back]);
    assert.deepEqual(unpairedHalves([half(-1, null), half(1, 'B')], always), []);
    assert.deepEqual(unpairedHalves([], always), []);
  });

  it('are each looked at a few times, though all are alike', () => {
    let looks = 0;
    const counted = (quantity: number): PlacedMovement => ({
      ...half(quantity, 'A'),
      get gradeCode() {
        looks += 1;
        return 'A';
      },
    });
    const each = 2000;
    const movements = [
      ...Array.from({ length: each }, () => counted(1)),
      ...Array.from({ length: each }, () => counted(-1)),
    ];
    assert.equal(unpairedHalves(movements, always).length, 2 * each);
    assert.ok(looks <= 4 * movements.length, `${looks} looks at ${movements.length} movements`);
  });
});
