// How sandbox parcels move: a function of their label, of when it was made, and of now.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from '../../contract/properties.ts';
import { histories } from '../../../src/carriers/sandbox/histories.ts';
import { sandbox } from '../../../src/carriers/sandbox/index.ts';
import { type TrackedParcel, trackingOf } from '../../../src/carriers/sandbox/tracking.ts';
import { toHome, toPoint } from './samples.ts';
import { rounds } from '../../contract/rounds.ts';

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];

/** Friday 20 November 2026, 10:30 in Paris. */
const friday = Date.UTC(2026, 10, 20, 9, 30);

function parcel(change: Partial<TrackedParcel> = {}): TrackedParcel {
  return {
    expeditionNumber: '952000000000172',
    request: toHome,
    createdAt: friday,
    now: friday + 30 * day,
    speed: 1,
    ...change,
  };
}

describe('the way of a parcel', () => {
  it('begins as registered', () => {
    assert.deepEqual(trackingOf(parcel({ now: friday })), {
      status: '80',
      wording1: 'Registered',
      wording2: 'The carrier waits for the parcel.',
      relayWording: '',
      relayNumber: '',
      steps: [
        { wording: 'Registered', date: '2026-11-20', hour: '10:30', location: 'Lille', relayId: '', relayCountry: '' },
      ],
    });
  });

  it('leads to a home on the next working day', () => {
    const { status, wording1, steps } = trackingOf(parcel());
    assert.deepEqual([status, wording1], ['82', 'Delivered']);
    assert.deepEqual(
      steps.map(({ wording, date, location }) => `${date} ${wording}, ${location}`),
      [
        '2026-11-20 Registered, Lille',
        '2026-11-20 Collected, Lille',
        steps[2]?.date === '2026-11-20'
          ? '2026-11-20 Sorted at the hub, Sandbox hub'
          : '2026-11-21 Sorted at the hub, Sandbox hub',
        '2026-11-21 Arrived at the depot, Sandbox depot Bordeaux',
        '2026-11-21 Out for delivery, Sandbox depot Bordeaux',
        '2026-11-21 Delivered, Bordeaux',
      ],
    );
  });

  it('leads to a pick-up point, which is named', () => {
    const { status, wording1, relayWording, relayNumber, steps } = trackingOf(
      parcel({ request: toPoint, now: friday + 1.5 * day }),
    );
    assert.deepEqual(
      [status, wording1, relayWording, relayNumber],
      ['81', 'Available at the pick-up point', 'Sandbox pick-up point 066974', '066974'],
    );
    assert.deepEqual(
      steps.map(({ relayId, relayCountry }) => relayId + relayCountry),
      ['', '', '', '', '066974FR'],
    );
    assert.equal(trackingOf(parcel({ request: toPoint })).status, '82');
  });

  it('starts on a working day, and on the next one for what is registered in the evening', () => {
    const collectedOn = (createdAt: number) =>
      trackingOf(parcel({ createdAt, now: createdAt + 9 * day })).steps[1]?.date;
    assert.equal(collectedOn(friday + 8 * hour), '2026-11-21');
    assert.equal(collectedOn(friday + day + 8 * hour), '2026-11-23', 'Saturday evening');
    assert.equal(collectedOn(friday + 2 * day), '2026-11-23', 'Sunday');
  });

  it('is told in the time of France, in summer as in winter and when the clock is changed', () => {
    for (const createdAt of [
      Date.UTC(2026, 6, 1, 8),
      Date.UTC(2026, 0, 14, 8),
      Date.UTC(2026, 2, 28, 12),
      Date.UTC(2026, 9, 24, 12),
    ]) {
      const { steps } = trackingOf(parcel({ createdAt, now: createdAt + 20 * day }));
      for (const { wording, hour: time } of steps) {
        if (wording === 'Collected') assert.ok(time >= '17:20' && time <= '18:10', time);
        if (wording === 'Out for delivery') assert.ok(time >= '08:00' && time <= '08:45', time);
      }
    }
    assert.equal(
      trackingOf(parcel({ now: Date.UTC(2026, 6, 1, 22, 30), createdAt: Date.UTC(2026, 6, 1, 22, 30) })).steps[0]?.date,
      '2026-07-02',
    );
  });

  const ends: Readonly<Record<string, readonly [home: string, point: string]>> = {
    'SANDBOX-NOT-HANDED-OVER': ['80 Registered', '80 Registered'],
    'SANDBOX-DELAYED': ['82 Delivered', '82 Collected by the recipient'],
    'SANDBOX-LOST': ['83 Lost', '83 Lost'],
    'SANDBOX-DAMAGED': ['83 Returned to the sender', '83 Returned to the sender'],
    'SANDBOX-ABSENT': ['82 Delivered', '82 Collected by the recipient'],
    'SANDBOX-WRONG-ADDRESS': ['83 Returned to the sender', '82 Collected by the recipient'],
    'SANDBOX-REFUSED': ['83 Returned to the sender', '82 Collected by the recipient'],
    'SANDBOX-UNCLAIMED': ['82 Delivered', '83 Returned to the sender'],
  };

  for (const { word } of histories) {
    it(`ends as documented: ${word}`, () => {
      const end = (request: TrackedParcel['request']) => {
        const { status, wording1 } = trackingOf(parcel({ request: { ...request, nDossier: word } }));
        return `${status} ${wording1}`;
      };
      assert.deepEqual([end(toHome), end(toPoint)], ends[word]);
    });
  }

  it('goes through an incident on its way to the recipient', () => {
    const { steps } = trackingOf(parcel({ request: { ...toHome, destAddr2: 'SANDBOX-ABSENT 3' } }));
    assert.deepEqual(steps.map(({ wording }) => wording).slice(4), [
      'Out for delivery',
      'Recipient absent',
      'Arrived at the depot',
      'Out for delivery',
      'Delivered',
    ]);
  });

  const anyParcel = fc
    .record({
      createdAt: fc.integer({ min: Date.UTC(2020, 0, 1), max: Date.UTC(2040, 0, 1) }),
      speed: fc.constantFrom(1, 60, 1440, 99_999),
      word: fc.constantFrom('', ...histories.map(({ word }) => word)),
      home: fc.boolean(),
      number: fc.integer({ min: 1, max: 9_999_999 }).map(String),
      passed: fc.integer({ min: 0, max: 60 * 24 * 30 }),
    })
    .map(({ createdAt, speed, word, home, number, passed }) =>
      parcel({
        createdAt,
        speed,
        request: { ...(home ? toHome : toPoint), nDossier: word },
        expeditionNumber: number,
        now: createdAt + passed * minute,
      }),
    );

  it('only ever grows: what was told stays, in its order, and nothing lies in the future', () => {
    fc.assert(
      fc.property(anyParcel, fc.integer({ min: 0, max: 20 * 24 * 60 }), (now, later) => {
        const [before, after] = [trackingOf(now), trackingOf({ ...now, now: now.now + later * minute })];
        assert.deepEqual(after.steps.slice(0, before.steps.length), before.steps);
        const times = after.steps.map(({ date, hour: time }) => `${date} ${time}`);
        // On the night when the clock is set back, an hour comes twice.
        if (!times.some((time) => /-10-(2[5-9]|3[01]) 0[23]/.test(time))) assert.deepEqual(times, times.toSorted());
        for (const time of times) assert.match(time, /^\d{4}-\d\d-\d\d [0-2]\d:[0-5]\d$/);
        assert.deepEqual(trackingOf(now), before);
      }),
      { numRuns: rounds(300) },
    );
  });

  it('is as many times faster as the account says', () => {
    const usual = trackingOf(parcel({ now: friday + day }));
    assert.deepEqual(
      trackingOf(parcel({ now: friday + minute, speed: 1440 })).steps.map(({ wording }) => wording),
      usual.steps.map(({ wording }) => wording),
    );
    assert.equal(trackingOf(parcel({ now: friday + 5 * minute, speed: 1440 })).status, '82');
  });
});

describe('the account', () => {
  const label = { request: toHome, createdAt: friday };
  const track = async (settings: Readonly<Record<string, string>>, now: number) => {
    if (sandbox.track === null) assert.fail();
    const task = { account: { settings }, expeditionNumber: '952002100000045', label, now };
    const { value } = await sandbox.track(task).next();
    return value !== undefined && 'status' in value ? value.status : assert.fail();
  };

  it('may have the clock of the demonstration warehouse, by which the parcels with its prefix move', async () => {
    const now = friday + minute;
    assert.equal(await track({}, now), '80');
    const ahead = (prefix: string, speed: number): string => `${prefix} ${friday} ${friday + 10 * hour} ${speed}`;
    assert.equal(await track({ warehouseClock: ahead('9520021', 1) }, now), '81');
    assert.equal(await track({ warehouseClock: ahead('9520021', 3600) }, now), '82');
    assert.equal(await track({ warehouseClock: ahead('9520022', 3600) }, now), '80');
  });

  it('may say that the carrier cannot be reached until an instant', async () => {
    const downUntil = String(friday + hour);
    await assert.rejects(track({ downUntil }, friday), { kind: 'unavailable', acted: 'no' });
    assert.equal(await track({ downUntil }, friday + hour), '80');
  });
});
