// GET /shippings/tracking/{context}/{carrier}/{id}, under a clock that the test sets: how fresh an
// answer is, and what is said while the carrier is away.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../contract/engines.ts';
import type { Answered } from '../../contract/running-app.ts';
import {
  labels,
  numberOf,
  problem,
  type Reply,
  type Shipping,
  start,
  startShipping,
  tracking,
  wish,
} from './fixture.ts';

/** What is stored of tracking is proven on every engine below HTTP. */
const [engine = assert.fail('there is no engine')] = engines;

describe('tracking', () => {
  let shipping: Shipping;
  before(async () => {
    shipping = await startShipping(engine);
  });
  after(() => shipping.close());
  refusalTests(() => shipping);
  freshnessTests(() => shipping);
  sandboxTests(() => shipping);
});

const minute = 60_000;
let parcels = 0;
const newParcel = (): string => `PARCEL-${++parcels}`;

/** What the carrier says of a parcel now. */
function says(description: string): Reply {
  return {
    status: 200,
    body: {
      messages: [],
      tracking: { status: 'in_transit', events: [{ date: '2026-11-23', time: '08:15', description }] },
    },
  };
}

const notKnown: Reply = { status: 404, body: { messages: [{ code: '1', message: 'Skybill number not found' }] } };

function ask(world: Shipping, number: string, context = 'north', carrier = 'karrio'): Promise<Answered> {
  return world.north.get(tracking(context, number, carrier));
}

/** Asserts a good answer, its wording and its age in seconds. */
function assertSaid(answer: Answered, wording: string, age: number): void {
  assert.equal(answer.status, 200, answer.body);
  assert.deepEqual(
    [answer.object().wording1, answer.headers.age, answer.headers['cache-control']],
    [wording, String(age), 'private, max-age=300'],
  );
}

/** Runs with a carrier that replies so, and gives how often it was asked. */
async function questions({ carrier }: Shipping, reply: Reply | null, work: () => Promise<unknown>): Promise<number> {
  const before = carrier.asked().length;
  carrier.play(reply === null ? null : () => reply);
  try {
    await work();
  } finally {
    carrier.play(null);
  }
  return carrier.asked().length - before;
}

function refusalTests(world: () => Shipping): void {
  it('is refused without a token, with a parameter, by another method, and by a number that can be none', async () => {
    problem(await world().north.get(tracking('north', 'X1'), { token: null }), 401, 'missing-token');
    problem(await world().north.get(`${tracking('north', 'X1')}?lang=fr`), 400, 'unknown-parameter');
    assert.equal((await world().north.send(tracking('north', 'X1'), {})).status, 405);
    for (const number of ['%00', 'a%20b', 'x'.repeat(65), '%C3%A9', '%0D%0AX:1'])
      problem(await ask(world(), number), 404, 'resource-not-found');
  });

  it('is as unknown in somebody else’s context as in none, and the carrier is not asked', async () => {
    assert.equal(
      await questions(world(), null, async () => {
        const details = [
          await ask(world(), 'X1', 'south'),
          await ask(world(), 'X1', 'nowhere'),
          await ask(world(), 'X1', 'north%00'),
        ].map((answer) => problem(answer, 404, 'resource-not-found').detail);
        assert.equal(new Set(details).size, 1);
        const carrier = problem(await ask(world(), 'X1', 'north', 'nobody'), 404, 'resource-not-found');
        assert.match(String(carrier.detail), /not this carrier in it/);
      }),
      0,
    );
  });

  it('is unknown where the carrier does not know it: 404 with its words, asked once a minute', async () => {
    const number = newParcel();
    assert.equal(
      await questions(world(), notKnown, async () => {
        for (const later of [0, 0, 59_999]) {
          world().clock.now = start + later;
          const { carrierCode, carrierMessage } = problem(await ask(world(), number), 404, 'resource-not-found');
          assert.deepEqual([carrierCode, carrierMessage], ['1', 'Skybill number not found']);
        }
      }),
      1,
    );
    assert.equal(
      await questions(world(), says('Collected'), async () => {
        for (const [context, parcel] of [
          ['north', newParcel()],
          [await world().context(), number],
        ] as const)
          assert.equal((await ask(world(), parcel, context)).status, 200, 'another parcel, and another account');
        problem(await ask(world(), number), 404, 'resource-not-found');
      }),
      2,
    );
    world().clock.now = start + 60_000;
    await questions(world(), says('Collected'), async () => assertSaid(await ask(world(), number), 'Collected', 0));
    world().clock.now = start;
  });

  it('is no longer than the interface says, however much the carrier writes', async () => {
    const event = (index: number) => ({
      date: '2026-11-23',
      time: '08:15',
      description: `${index}\r\n${'D'.repeat(2000)}`,
      location: 'L'.repeat(1000),
    });
    // Newest first.
    const events = Array.from({ length: 1500 }, (_, index) => event(1500 - index));
    world().carrier.play(() => ({ status: 200, body: { tracking: { status: 'in_transit', events } } }));
    const answer = await ask(world(), newParcel());
    world().carrier.play(null);
    assert.equal(answer.status, 200, answer.body.slice(0, 500));
    const { steps, wording1 } = answer.object();
    assert.ok(Array.isArray(steps));
    const [first, last] = [Object(steps[0]), Object(steps.at(-1))];
    assert.equal(steps.length, 1000);
    assert.match(first.wording, /^501 D{495}…$/);
    assert.match(last.wording, /^1500 D{494}…$/);
    assert.equal(last.location, `${'L'.repeat(254)}…`);
    assert.equal(wording1, last.wording);
  });

  it('is unknown for a parcel that another activity made here', async () => {
    const number = numberOf(await world().south.send(labels('south'), wish));
    assert.equal(
      await questions(world(), null, async () => problem(await ask(world(), number), 404, 'resource-not-found')),
      0,
    );
    assert.equal((await world().south.get(tracking('south', number))).status, 200);
  });

  for (const [what, reply] of [
    ['hangs up', 'hang up'],
    ['is busy', { status: 503, body: '' }],
    ['makes no sense', { status: 200, body: [] }],
  ] as const satisfies readonly (readonly [string, Reply])[]) {
    it(`is answered 502 where nothing is known yet and the carrier ${what}`, async () => {
      await questions(world(), reply, async () => {
        const answer = await ask(world(), newParcel());
        problem(answer, 502, 'carrier-unavailable');
        assert.equal(answer.headers['retry-after'], '30');
      });
    });
  }

  it('is answered 502 where the account does not work, and the operator is told', async () => {
    const lines = world().running.logged().length;
    await questions(world(), { status: 401, body: { errors: [{ code: 'no', message: 'No.' }] } }, async () => {
      assert.match(
        String(problem(await ask(world(), newParcel()), 502, 'carrier-unavailable').detail),
        /Tell whoever runs the service/,
      );
    });
    assert.match(world().running.logged().slice(lines), /an account at a carrier does not work/);
  });
}

function freshnessTests(world: () => Shipping): void {
  const at = async (milliseconds: number, work: () => Promise<void>): Promise<void> => {
    world().clock.now = start + milliseconds;
    try {
      await work();
    } finally {
      world().clock.now = start;
    }
  };

  it('asks the carrier at most every five minutes, and says how old its answer is, in every process', async () => {
    const number = newParcel();
    const sides = [world().north, await world().northBeside()];
    assert.equal(
      await questions(world(), says('Collected'), async () => assertSaid(await ask(world(), number), 'Collected', 0)),
      1,
    );
    assert.equal(
      await questions(world(), says('Delivered'), async () => {
        for (const [milliseconds, age] of [
          [0, 0],
          [999, 0],
          [1000, 1],
          [4 * minute, 240],
          [5 * minute - 1, 299],
        ] as const) {
          await at(milliseconds, async () => {
            for (const side of sides) assertSaid(await side.get(tracking('north', number)), 'Collected', age);
          });
        }
      }),
      0,
    );
    assert.equal(
      await questions(world(), says('Delivered'), () =>
        at(5 * minute, async () => {
          for (const side of sides) assertSaid(await side.get(tracking('north', number)), 'Delivered', 0);
        }),
      ),
      1,
    );
  });

  it('gives the last answer with its age while the carrier is away, and a new one when it is back', async () => {
    const number = newParcel();
    await questions(world(), says('Collected'), () => ask(world(), number));
    const away: readonly Reply[] = [
      'hang up',
      { status: 503, body: '' },
      { status: 200, body: 'sorry' },
      { status: 401, body: {} },
      { status: 429, body: {} },
      { status: 302, body: '' },
    ];
    for (const [index, reply] of away.entries()) {
      await at((10 + index) * minute, async () => {
        assert.notEqual(
          await questions(world(), reply, async () =>
            assertSaid(await ask(world(), number), 'Collected', (10 + index) * 60),
          ),
          0,
          'the carrier is asked each time',
        );
      });
    }
    await at(
      60 * minute,
      async () =>
        void (await questions(world(), says('Delivered'), async () =>
          assertSaid(await ask(world(), number), 'Delivered', 0),
        )),
    );
  });

  it('says 404 once the carrier no longer knows the parcel', async () => {
    const number = newParcel();
    await questions(world(), says('Collected'), () => ask(world(), number));
    await at(
      10 * minute,
      async () =>
        void (await questions(world(), notKnown, async () =>
          problem(await ask(world(), number), 404, 'resource-not-found'),
        )),
    );
    await at(
      12 * minute,
      async () =>
        void (await questions(world(), 'hang up', async () =>
          problem(await ask(world(), number), 502, 'carrier-unavailable'),
        )),
    );
  });

  it('asks again where the clock went backwards, and never says a negative age', async () => {
    const number = newParcel();
    await questions(world(), says('Collected'), () => ask(world(), number));
    await at(-minute, async () => {
      await questions(world(), 'hang up', async () => assertSaid(await ask(world(), number), 'Collected', 0));
      await questions(world(), says('Sorted'), async () => assertSaid(await ask(world(), number), 'Sorted', 0));
    });
  });

  it('keeps what two contexts were told apart, also for one number', async () => {
    const [one, other, number] = [await world().context(), await world().context(), newParcel()];
    await questions(world(), says('One'), async () => assertSaid(await ask(world(), number, one), 'One', 0));
    await questions(world(), says('Other'), async () => assertSaid(await ask(world(), number, other), 'Other', 0));
    assertSaid(await ask(world(), number, one), 'One', 0);
  });

  it('asks by the account that made the label, where that is another one of the activity', async () => {
    const maker = await world().context({ settings: { carrierName: 'maker' } });
    const number = numberOf(await world().north.send(labels(maker), wish));
    const asked = world().carrier.asked().length;
    await questions(world(), says('Made'), async () => assertSaid(await ask(world(), number), 'Made', 0));
    assert.match(JSON.stringify(world().carrier.asked().slice(asked)), /maker/);
    await world().running.app.store.carrierAccounts.remove(maker, 'karrio');
    world().clock.now = start + 600_000;
    await questions(world(), says('Kept'), async () => assertSaid(await ask(world(), number), 'Kept', 0));
    world().clock.now = start;
  });

  it('forgets what nobody asked about for long, and asks again', async () => {
    const number = newParcel();
    const { tracking: stored } = world().running.app.store;
    await questions(world(), says('Collected'), () => ask(world(), number));
    await stored.forget(start);
    assertSaid(await ask(world(), number), 'Collected', 0);
    assert.notEqual(await stored.forget(start + 1), 0);
    assert.equal(
      await questions(world(), says('Sorted'), async () => assertSaid(await ask(world(), number), 'Sorted', 0)),
      1,
    );
  });

  it('answers readers, HEAD, and every media type of the interface', async () => {
    const path = tracking('north', newParcel());
    const { bytes } = await world().north.get(path);
    for (const accept of ['application/json', 'text/json', 'text/plain'])
      assert.deepEqual((await world().reader.get(path, { headers: { accept } })).bytes, bytes);
    const head = await world().north.get(path, { method: 'HEAD' });
    assert.deepEqual(
      [head.status, head.bytes.length, head.headers['content-length'], head.headers.age],
      [200, 0, String(bytes.length), '0'],
    );
  });
}

function sandboxTests(world: () => Shipping): void {
  const sandbox = async (nDossier = ''): Promise<string> =>
    numberOf(await world().north.send(labels('north', 'sandbox'), { ...wish, nDossier }));
  const at = async (hours: number, number: string): Promise<Answered> => {
    world().clock.now = start + hours * 3_600_000;
    try {
      return await ask(world(), number, 'north', 'sandbox');
    } finally {
      world().clock.now = start;
    }
  };

  it('follows a parcel of the sandbox from its registration to its delivery, its steps sorted by time', async () => {
    const number = await sandbox();
    const seen = [];
    for (const hours of [0, 12, 48]) {
      const { status, steps } = (await at(hours, number)).object();
      assert.ok(Array.isArray(steps));
      const times = steps.map(({ date, hour }) => `${date} ${hour}`);
      assert.deepEqual(times, times.toSorted());
      seen.push([status, steps.length]);
    }
    assert.deepEqual(
      seen.map(([status]) => status),
      ['80', '81', '82'],
    );
    assert.equal(seen[0]?.[1], 1);
  });

  it('knows the parcels of this context, also by the account that took the place of another one', async () => {
    problem(await ask(world(), '952000000999999', 'bare', 'sandbox'), 404, 'resource-not-found');
    const context = await world().context({ carrier: 'sandbox' });
    const number = numberOf(await world().north.send(labels(context, 'sandbox'), wish));
    await world().running.app.store.carrierAccounts.remove(context, 'sandbox');
    problem(await ask(world(), number, context, 'sandbox'), 404, 'resource-not-found');
    await world().context({ name: context, carrier: 'sandbox' });
    assert.equal((await ask(world(), number, context, 'sandbox')).object().status, '80');
  });

  it('knows the parcels of every context of its activity, and of no other activity', async () => {
    const number = await sandbox();
    assert.equal((await ask(world(), number, 'bare', 'sandbox')).object().status, '80');
    problem(await world().south.get(tracking('south', number, 'sandbox')), 404, 'resource-not-found');
  });

  it('ends as the words in the request say: unknown, away, or out of time', async () => {
    for (const [word, status, slug] of [
      ['SANDBOX-TRACKING-UNKNOWN', 404, 'resource-not-found'],
      ['SANDBOX-TRACKING-DOWN', 502, 'carrier-unavailable'],
      ['SANDBOX-TRACKING-SLOW', 504, 'carrier-timeout'],
    ] as const) {
      problem(await ask(world(), await sandbox(word), 'north', 'sandbox'), status, slug);
    }
    assert.equal((await at(48, await sandbox('SANDBOX-LOST'))).object().status, '81');
    assert.equal((await at(24 * 14, await sandbox('SANDBOX-LOST'))).object().status, '83');
  });
}
