// Days in the pages for operators: those of the reader's calendar, whatever the time zone.
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { localDay, startOfDay } from '../../packages/console/src/operator/local-day.ts';

const own = process.env.TZ;

describe('a day', () => {
  after(() => {
    if (own === undefined) delete process.env.TZ;
    else process.env.TZ = own;
  });

  for (const [zone, at, day, start] of [
    ['UTC', '2026-11-29T01:30:00Z', '2026-11-29', '2026-11-29T00:00:00.000Z'],
    ['America/New_York', '2026-11-29T01:30:00Z', '2026-11-28', '2026-11-28T05:00:00.000Z'],
    ['Asia/Tokyo', '2026-11-28T15:00:00Z', '2026-11-29', '2026-11-28T15:00:00.000Z'],
    ['Europe/Paris', '2026-03-29T10:00:00Z', '2026-03-29', '2026-03-28T23:00:00.000Z'],
    // Where clocks go forward at midnight, the day begins an hour later.
    ['Africa/Cairo', '2026-04-24T10:00:00Z', '2026-04-24', '2026-04-23T22:00:00.000Z'],
  ] as const)
    it(`in ${zone} at ${at} is ${day}, which begins at ${start}`, () => {
      process.env.TZ = zone;
      assert.equal(localDay(new Date(at)), day);
      assert.equal(startOfDay(day), start);
    });

  it('before or after another one counts days, not hours', () => {
    process.env.TZ = 'Europe/Paris';
    const at = new Date('2026-10-25T22:30:00Z');
    assert.deepEqual([localDay(at, -1), localDay(at), localDay(at, 1)], ['2026-10-24', '2026-10-25', '2026-10-26']);
  });

  for (const text of ['', '2026-02-30', '2026-13-01', '2026-11-28T10:00:00Z', 'yesterday'])
    it(`"${text}" is left to the service`, () => assert.equal(startOfDay(text), text));
});
