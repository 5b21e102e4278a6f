// An overload that lasts is told from a burst, and bounded by how fast the server does its work.
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { createOverloadBound } from '../../src/http/sustained-overload.ts';

/** An overload on a clock that is moved by hand. */
function overloaded(t: TestContext) {
  let clock = 5000;
  t.mock.method(performance, 'now', () => clock);
  const overload = createOverloadBound({ most: 250, least: 64 });
  let total = 0;
  const open = (count: number): void => {
    for (let left = count; left > 0; left -= 1) overload.opened(total++);
  };
  const end = (count: number): void => {
    for (let left = count; left > 0; left -= 1) {
      total -= 1;
      overload.ended();
    }
  };
  return {
    open,
    end,
    pass: (ms: number) => (clock += ms),
    /** As many come as end, so many a second. */
    work: (perSecond: number, ms: number): void => {
      for (let passed = 0; passed < ms; passed += 10) {
        clock += 10;
        end(perSecond / 100);
        open(perSecond / 100);
      }
    },
    most: (clients = 6) => overload.mostOpen(total, clients),
  };
}

describe('an overload that lasts', () => {
  it('is none before a quarter of a second, nor where less than half are open', (t) => {
    const { open, end, pass, most } = overloaded(t);
    open(125);
    pass(249);
    assert.equal(most(), null);
    end(1);
    open(1);
    pass(249);
    assert.equal(most(), null);
    pass(1);
    assert.notEqual(most(), null);
  });

  it('has as many open as are done in 50 ms, between a least and a most', (t) => {
    for (const [perSecond, expected] of [
      [1000, 64],
      [1800, 90],
      [3000, 150],
      [6000, 250],
    ] as const) {
      const { open, work, most } = overloaded(t);
      open(500);
      work(perSecond, 400);
      assert.notEqual(most(), null);
      work(perSecond, 1500);
      assert.equal(most(), expected);
      t.mock.restoreAll();
    }
  });

  it('may have the most where it is of one client alone', (t) => {
    const { open, work, most } = overloaded(t);
    open(250);
    work(1800, 400);
    assert.equal(most(1), 250);
    assert.equal(most(2), 90);
  });

  it('does not make the server look slow for a moment without a processor', (t) => {
    const { open, work, pass, end, most } = overloaded(t);
    open(500);
    work(3000, 400);
    assert.notEqual(most(), null);
    work(3000, 600);
    pass(600);
    end(1);
    assert.equal(most(), 150);
  });

  it('is over when less than half of what may be open is, and counts anew then', (t) => {
    const { open, end, work, most } = overloaded(t);
    open(500);
    work(1800, 400);
    assert.equal(most(), 90);
    end(456);
    open(1);
    assert.equal(most(), null);
    open(200);
    assert.equal(most(), null, 'a burst');
  });
});
