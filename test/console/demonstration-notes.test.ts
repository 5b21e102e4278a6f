// What the demonstration tells of itself is said in French too: everything that it tells in a week of all faults.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { frenchNote } from '../../packages/console/src/operator/demonstration/notes-fr.ts';
import { demoFaults, isDemoFault } from '../../src/demo/faults.ts';
import { sentenceOf } from '../../src/demo/notes.ts';
import { createWarehouse } from '../../src/demo/warehouse.ts';

const hourMs = 3_600_000;
/** A Tuesday. */
const filledAt = Date.parse('2026-03-03T10:02:30Z');

describe('what the demonstration tells', () => {
  it('is not made up where it is not known', () => {
    assert.equal(frenchNote('the roof leaks'), null);
    assert.equal(frenchNote('order ACM-1 arrives soon'), null);
  });

  it('is known in French, of every fault and of all that comes next', () => {
    const world = createWarehouse(filledAt);
    world.advance(filledAt);
    for (const fault of Object.keys(demoFaults).filter(isDemoFault))
      world.take({ kind: 'fault', activity: 'ACM', fault });
    const told = new Set<string>();
    for (let hour = 1; hour <= 7 * 24; hour += 1) {
      for (const note of world.upcoming(1000)) told.add(sentenceOf(note));
      world.advance(filledAt + hour * hourMs);
    }
    for (const note of world.notes()) told.add(sentenceOf(note));
    assert.deepEqual(
      [...told].filter((text) => frenchNote(text) === null),
      [],
    );
    for (const part of ['is lost', 'is damaged', 'is sent twice', 'come back', 'is launched', 'of ACM'])
      assert.ok(
        [...told].some((text) => text.includes(part)),
        `nothing told has "${part}"`,
      );
    assert.deepEqual(
      [...told].map((text) => frenchNote(text) ?? '').filter((text) => text.includes('$') || text.includes(' of ')),
      [],
    );
  });
});
