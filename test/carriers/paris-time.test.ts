// The time of France, in summer, in winter and on the nights between.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dayAndHour, instantOf, parisTime, wallClock } from '../../src/carriers/paris-time.ts';

describe('the time of France', () => {
  for (const [name, instant, date, time] of [
    ['in winter', Date.UTC(2026, 0, 14, 8, 5, 9), '2026-01-14', '09:05:09'],
    ['in summer', Date.UTC(2026, 6, 1, 22, 30), '2026-07-02', '00:30:00'],
    ['at the end of the year', Date.UTC(2026, 11, 31, 23, 0), '2027-01-01', '00:00:00'],
    ['before the clock is set forward', Date.UTC(2026, 2, 29, 0, 59, 59), '2026-03-29', '01:59:59'],
    ['when it is', Date.UTC(2026, 2, 29, 1), '2026-03-29', '03:00:00'],
    ['before it is set back', Date.UTC(2026, 9, 25, 0, 59), '2026-10-25', '02:59:00'],
    ['when it is', Date.UTC(2026, 9, 25, 1), '2026-10-25', '02:00:00'],
    ['long ago', 0, '1970-01-01', '01:00:00'],
  ] as const) {
    it(`${name}: ${date} ${time}`, () => {
      assert.deepEqual(parisTime(instant), { date, time });
      assert.deepEqual(dayAndHour(instant), { date, hour: time.slice(0, 5) });
    });
  }

  it('is found again as an instant: the first of two, and of none an hour later', () => {
    assert.equal(instantOf(Date.UTC(2026, 6, 1, 12)), Date.UTC(2026, 6, 1, 10));
    assert.equal(instantOf(Date.UTC(2026, 9, 25, 2, 30)), Date.UTC(2026, 9, 25, 0, 30));
    assert.equal(wallClock(instantOf(Date.UTC(2026, 2, 29, 2, 30))), Date.UTC(2026, 2, 29, 3, 30));
  });
});
