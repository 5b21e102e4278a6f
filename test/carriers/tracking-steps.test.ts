// Steps of a parcel's way: day and hour of the clock of the place, oldest first whatever the carrier does.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from '../contract/properties.ts';
import { zonesOf } from '../../src/model/zone-clock.ts';
import { isAwaited, oldestFirst, stepTime, type TimedStep } from '../../src/carriers/tracking-steps.ts';
import { labelRequest } from './drive.ts';

const timed = (wording: string, at: number | null): TimedStep => ({
  step: { wording, date: '', hour: '', location: '', relayId: '', relayCountry: '' },
  at,
});
const wordings = (steps: readonly TimedStep[], listing: 'newest first' | 'oldest first' = 'newest first') =>
  oldestFirst(steps, listing).map(({ wording }) => wording);

describe('the time of a step', () => {
  it('is the one of the place, whatever offset stands behind it', () => {
    for (const [text, date, hour, utc] of [
      ['2023-03-09T09:38:00+01:00', '2023-03-09', '09:38', '2023-03-09T08:38:00Z'],
      ['2024-10-07T10:46:14+0200', '2024-10-07', '10:46', '2024-10-07T08:46:14Z'],
      ['2026-01-01T00:30:00.123-05', '2026-01-01', '00:30', '2026-01-01T05:30:00Z'],
      ['2018-03-02T07:53:47', '2018-03-02', '07:53', '2018-03-02T07:53:47Z'],
      ['2018-03-02 07:53', '2018-03-02', '07:53', '2018-03-02T07:53:00Z'],
      ['2018-03-02T07:53:47Z', '2018-03-02', '07:53', '2018-03-02T07:53:47Z'],
      [' 2018-03-02 ', '2018-03-02', '', '2018-03-02T00:00:00Z'],
    ] as const)
      assert.deepEqual(stepTime(text), { date, hour, at: Date.parse(utc) }, text);
  });

  it('is converted where it is written in UTC and the zone of the place is known', () => {
    const paris = ['Europe/Paris'];
    for (const [text, zones, date, hour] of [
      ['2026-07-01T22:30:00Z', paris, '2026-07-02', '00:30'],
      ['2026-12-31T23:30:00.000+00:00', paris, '2027-01-01', '00:30'],
      ['2026-03-29T00:59:00+0000', paris, '2026-03-29', '01:59'],
      ['2026-03-29T01:00:00+00', paris, '2026-03-29', '03:00'],
      ['2026-07-01T10:00:00Z', zonesOf('DE'), '2026-07-01', '12:00'],
      ['2026-07-01T10:00:00Z', zonesOf('GB'), '2026-07-01', '11:00'],
      // The Canaries have another clock than Madrid: nobody can tell which one counts.
      ['2026-07-01T10:00:00Z', zonesOf('ES'), '2026-07-01', '10:00'],
      ['2026-07-01T10:00:00Z', zonesOf('Germany'), '2026-07-01', '10:00'],
      ['2026-07-01T10:00:00Z', zonesOf('ZZ'), '2026-07-01', '10:00'],
      ['2026-07-01T10:00:00+04:00', paris, '2026-07-01', '10:00'],
      ['2026-07-01T10:00:00', paris, '2026-07-01', '10:00'],
      ['2026-07-01', paris, '2026-07-01', ''],
    ] as const) {
      const found = stepTime(text, zones);
      assert.deepEqual([found.date, found.hour], [date, hour], `${text} ${zones.join()}`);
      assert.equal(found.at, stepTime(text).at, 'the moment stays the same');
    }
  });

  it('has no hour where the hour is none, and no day where the day is none', () => {
    assert.deepEqual(stepTime('2026-01-02T24:00:00'), {
      date: '2026-01-02',
      hour: '',
      at: Date.parse('2026-01-02T00:00:00Z'),
    });
    assert.deepEqual(stepTime('2026-01-02T10:61:00'), {
      date: '2026-01-02',
      hour: '',
      at: Date.parse('2026-01-02T00:00:00Z'),
    });
    for (const text of [
      '',
      '2026-02-30',
      '2026-13-01T10:00:00',
      '2026-1-2',
      '09/03/2023',
      'yesterday',
      '20260102',
      '2026-01-02T',
    ])
      assert.deepEqual(stepTime(text), { date: '', hour: '', at: null }, text);
  });

  it('never fails, and is in form', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
        ),
        (text) => {
          const { date, hour } = stepTime(text);
          assert.match(`${date} ${hour}`, /^(\d{4}-\d\d-\d\d)? (\d\d:\d\d)?$/);
        },
      ),
    );
  });
});

describe('the order of steps', () => {
  it('is by time, and is the same however the carrier lists them', () => {
    const moments = fc.uniqueArray(fc.integer({ min: 0, max: 1_000_000 }), { maxLength: 20 });
    fc.assert(
      fc.property(moments, (times) => {
        const steps = times.map((at) => timed(String(at), at));
        const expected = times.toSorted((left, right) => left - right).map(String);
        assert.deepEqual(wordings(steps), expected);
        assert.deepEqual(wordings(steps.toReversed()), expected);
      }),
    );
  });

  it('keeps the order of the way within a moment', () => {
    assert.deepEqual(wordings([timed('c', 2), timed('b', 1), timed('a', 1)]), ['a', 'b', 'c']);
    assert.deepEqual(wordings([timed('a', 1), timed('b', 1), timed('c', 2)]), ['a', 'b', 'c']);
    assert.deepEqual(wordings([timed('b', 1), timed('a', 1)]), ['a', 'b']);
    assert.deepEqual(wordings([timed('a', 1), timed('b', 1)], 'oldest first'), ['a', 'b']);
  });

  it('leaves a step without a time where it stands', () => {
    assert.deepEqual(wordings([timed('d', 3), timed('c', null), timed('b', 2), timed('a', 1)]), ['a', 'b', 'c', 'd']);
    assert.deepEqual(wordings([timed('b', null), timed('a', null)]), ['a', 'b']);
    assert.deepEqual(wordings([]), []);
  });
});

describe('the order of steps at several clocks', () => {
  const hour = 3_600_000;
  const local = (wording: string, hours: number, location: string): TimedStep => {
    const { step } = timed(wording, null);
    return { step: { ...step, location }, at: hours * hour, isLocal: true };
  };

  it('is that of the listing, though a clock shows an earlier time', () => {
    assert.deepEqual(wordings([local('c', 18, 'W'), local('b', 25, 'E')]), ['b', 'c']);
    assert.deepEqual(wordings([local('b', 25, 'E'), local('c', 18, 'W')], 'oldest first'), ['b', 'c']);
  });

  it('is the other way round if a clock would go back, or differ by more than clocks can', () => {
    assert.deepEqual(wordings([local('a', 1, 'E'), local('b', 2, 'E'), local('c', 0, 'W')]), ['a', 'b', 'c']);
    assert.deepEqual(wordings([local('a', 0, 'E'), local('b', 27, 'W')]), ['a', 'b']);
    assert.deepEqual(wordings([local('b', 26, 'E'), local('a', 0, 'W')], 'oldest first'), ['b', 'a']);
  });

  it('is by time where neither way is possible', () => {
    assert.deepEqual(wordings([local('b', 30, 'E'), local('a', 1, 'E'), local('c', 60, 'W')]), ['a', 'b', 'c']);
  });

  it('does not count steps without a time', () => {
    const none = { ...local('b', 0, 'E'), at: null };
    assert.deepEqual(wordings([local('c', 2, 'W'), none, local('a', 3, 'E')]), ['a', 'b', 'c']);
  });
});

describe('a parcel that the carrier does not know', () => {
  const now = Date.UTC(2026, 10, 21);
  const task = (createdAt: number | null) => ({
    account: { settings: {} },
    expeditionNumber: '1',
    now,
    label: createdAt === null ? null : { request: labelRequest({}), createdAt },
  });

  it('is awaited for two weeks after its label was made here', () => {
    assert.equal(isAwaited(task(null)), false);
    assert.equal(isAwaited(task(now)), true);
    assert.equal(isAwaited(task(now - 14 * 86_400_000 + 1)), true);
    assert.equal(isAwaited(task(now - 14 * 86_400_000)), false);
  });
});
