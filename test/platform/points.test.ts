// Pick-up points and trials of label requests over the platform interface: what is asked, what is refused, what hostile
// or huge answers become, and that a label made with a point's fields goes to that point.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { addPlatformKey } from '../../src/auth/platform-keys.ts';
import { type CarrierAccount, CarrierError, type CarrierRequest } from '../../src/carriers/carrier.ts';
import { type PickupPoint, tidyPoints } from '../../src/carriers/points.ts';
import { sandbox } from '../../src/carriers/sandbox/index.ts';
import { pointFinder } from '../../src/shipping/find-points.ts';
import { labels, problem, type Shipping, startShipping, wish } from '../api/shipping/fixture.ts';
import { engines } from '../contract/engines.ts';
import { carrierAccount } from '../carriers/drive.ts';

const near = (query: Readonly<Record<string, string>>) => `?${new URLSearchParams(query)}`;
const paris = { destCountry: 'FR', destZip: '75004', destCity: 'Paris' };

for (const engine of engines) {
  describe(`points and trials on ${engine.name}`, { skip: engine.skip }, () => {
    let world: Shipping;
    let token: string;
    before(async () => {
      world = await startShipping(engine);
      const desk = { name: 'desk', activityCodes: ['NOR'], roles: ['shipping'] } as const;
      token = (await addPlatformKey(world.running.app.store, desk, world.clock.now)).text;
    });
    after(() => world.close());
    const points = (query: Readonly<Record<string, string>>, context = 'north', carrier = 'sandbox', key = token) =>
      world.running.get(`/platform/shippings/points/${context}/${carrier}${near(query)}`, { token: key });
    const trial = (body: unknown, context = 'north', carrier = 'sandbox') =>
      world.running.send(`/platform/shippings/dry-runs/${context}/${carrier}`, body, { token });

    it('gives the points near an address, the nearest first, no more than are wanted', async () => {
      const answer = await points({ ...paris, limit: '2' });
      assert.equal(answer.status, 200, answer.body);
      const { points: found } = answer.object() as { points: PickupPoint[] };
      assert.deepEqual(
        found.map(({ distanceMeters, city }) => [distanceMeters, city]),
        [
          [180, 'Paris'],
          [420, 'Paris'],
        ],
      );
    });

    it('leaves out points that do not take the weight', async () => {
      const answer = await points({ ...paris, weight: '25000' });
      const { points: found } = answer.object() as { points: PickupPoint[] };
      assert.deepEqual(
        found.map(({ maxGrams }) => maxGrams),
        [30_000, 30_000],
      );
    });

    it('makes a label of a point with the fields that the point has', async () => {
      const answer = await points(paris);
      const [{ labelRequest }] = (answer.object() as { points: [PickupPoint] }).points;
      const made = await world.north.send(labels('north', 'sandbox'), { ...wish, ...labelRequest });
      assert.equal(made.status, 200, made.body);
      const { expeditionNumber } = made.object();
      const label = await world.running.app.store.labels.find(
        { activity: 'NOR', context: 'north', carrier: 'sandbox' },
        String(expeditionNumber),
      );
      assert.equal(JSON.parse(label?.request ?? '{}').shippingPickupPoint, labelRequest.shippingPickupPoint);
    });

    for (const [name, query, parameter] of [
      ['no country', { destZip: '75004' }, 'destCountry'],
      ['a country that is no code', { destCountry: 'France', destZip: '75004' }, 'destCountry'],
      ['no postcode', { destCountry: 'FR' }, 'destZip'],
      ['an empty postcode', { destCountry: 'FR', destZip: ' ' }, 'destZip'],
      ['a postcode with a line break', { destCountry: 'FR', destZip: '75004\nX' }, 'destZip'],
      ['a street that is too long', { ...paris, destAddr2: 'x'.repeat(256) }, 'destAddr2'],
      ['a weight that is none', { ...paris, weight: '1.5' }, 'weight'],
      ['too many points', { ...paris, limit: '26' }, 'limit'],
    ] as const)
      it(`refuses ${name}`, async () => {
        const answer = await points(query as Readonly<Record<string, string>>);
        assert.equal(problem(answer, 400, 'invalid-parameter').parameter, parameter);
      });

    it('says which field the carrier finds wrong', async () => {
      const answer = problem(await points({ ...paris, destCountry: 'ZZ' }), 400, 'validation-failed');
      assert.deepEqual(Object.keys(Object(answer.errors)), ['destCountry']);
    });

    it('gives none where there is none', async () => {
      assert.deepEqual((await points({ ...paris, destZip: '00000' })).object(), { points: [] });
    });

    it('says what to do where points are not looked for, and knows no account of others', async () => {
      assert.match(
        String(problem(await points(paris, 'north', 'karrio'), 404, 'resource-not-found').detail),
        /^Points of Karrio are not looked for here\./,
      );
      problem(await points(paris, 'south'), 404, 'resource-not-found');
      problem(await trial(wish, 'south'), 404, 'resource-not-found');
    });

    it('is for keys with the role shipping', async () => {
      const feed = { name: 'feed', activityCodes: ['NOR'], roles: ['feed'] } as const;
      const { text } = await addPlatformKey(world.running.app.store, feed, world.clock.now);
      assert.equal((await points(paris, 'north', 'sandbox', text)).status, 403);
    });

    it('tries a request: nothing is made or noted', async () => {
      const before = (await world.running.app.store.labels.list({ ...everything })).length;
      const answer = await trial(wish);
      assert.equal(answer.status, 200, answer.body);
      assert.deepEqual(answer.object(), { judgedBy: 'carrier', detail: 'The sandbox would take this request.' });
      assert.equal((await world.running.app.store.labels.list({ ...everything })).length, before);
    });

    it('says what is wrong as the making of the label would', async () => {
      for (const body of [
        { ...wish, destZip: 'x' },
        { ...wish, weight: '' },
        { ...wish, nDossier: 'SANDBOX-BAD-ADDRESS' },
        { ...wish, nDossier: 'SANDBOX-RELAY-FULL' },
        { ...wish, nDossier: 'SANDBOX-DOWN' },
        '{"modeCol":',
        '[]',
      ]) {
        const dry = await trial(body);
        const wet = await world.north.send(labels('north', 'sandbox'), body);
        assert.equal(dry.status, wet.status, dry.body);
        const [one, other] = [dry.object(), wet.object()];
        assert.deepEqual([one.type, one.errors, one.detail], [other.type, other.errors, other.detail]);
      }
    });

    it('wants the order of goods that are declared to customs, as the making of the label does', async () => {
      const abroad = { ...wish, destCountry: 'CH', destCity: 'Zürich', destZip: '8001' };
      const [dry, wet] = [
        problem(await trial(abroad, 'north', 'karrio'), 400, 'validation-failed'),
        problem(await world.north.send(labels('north', 'karrio'), abroad), 400, 'validation-failed'),
      ];
      assert.deepEqual(Object.keys(Object(dry.errors)), ['orderId']);
      assert.deepEqual(dry.errors, wet.errors);
      const unknown = '/platform/shippings/dry-runs/north/karrio?orderId=nowhere';
      problem(await world.running.send(unknown, abroad, { token }), 404, 'resource-not-found');
    });

    it('says that only its own rules were tried where the carrier judges nothing', async () => {
      const asked = world.carrier.asked().length;
      const { judgedBy, detail } = (await trial(wish, 'north', 'karrio')).object();
      assert.equal(judgedBy, 'service');
      assert.match(String(detail), /^Karrio judges no request without making a label/);
      assert.equal(world.carrier.asked().length, asked);
      const toGeneva = { ...wish, destCity: 'Genève', destZip: '1204', destCountry: 'CH' };
      assert.match(String((await trial(toGeneva, 'north', 'karrio')).object().detail), /declared to customs/);
    });
  });
}

const everything = { activity: null, context: null, unknown: false, limit: 1000 } as const;

const account: CarrierAccount = carrierAccount(sandbox, {});
const query = { destCountry: 'FR', destZip: '75004', destCity: '', destAddr2: '', weight: '', modeLiv: '' };
const task = { account, query, limit: 25, now: 0 };
const point = (number: string, changes: Partial<PickupPoint> = {}): PickupPoint => ({
  labelRequest: { modeLiv: '24R', shippingPickupPoint: number, shippingPickupPointCountry: 'FR' },
  ...{ name: 'A', street: 'B', supplement: '', zip: '75004', city: 'C', country: 'FR' },
  ...{ latitude: null, longitude: null, distanceMeters: null, maxGrams: null, openingHours: [] },
  ...changes,
});

describe('points as carriers give them', () => {
  it('are cut to what is wanted, of ten thousand too, each once, the nearest first', () => {
    const many = Array.from({ length: 10_000 }, (_, index) =>
      point(String(index % 5000), { distanceMeters: 10_000 - index }),
    );
    const tidy = tidyPoints(many, task);
    assert.equal(tidy.length, 25);
    assert.equal(tidy[0]?.distanceMeters, 5001);
    assert.equal(new Set(tidy.map(({ labelRequest }) => labelRequest.shippingPickupPoint)).size, 25);
  });

  it('lose what no label request can hold, and texts that play with screens', () => {
    const hostile = `\u202Eevil\u0000\u001b[31m\n${'x'.repeat(5000)}`;
    const [tidy, ...others] = tidyPoints(
      [
        point(''),
        point('a b'),
        point('x'.repeat(31)),
        point('é'),
        point('1', { name: hostile, city: '\t ', country: 'fr<', latitude: 91, longitude: 3 }),
      ],
      task,
    );
    assert.deepEqual(others, []);
    assert.ok((tidy?.name.length ?? 0) <= 255 && /^evil \[31m x+$/.test(tidy?.name ?? ''));
    assert.deepEqual([tidy?.city, tidy?.country, tidy?.latitude, tidy?.longitude], ['', '', null, 3]);
  });
});

describe('the search for points', () => {
  const stored = { id: 'i', activity: 'NOR', context: 'north', carrier: 'x' };
  const opened = { stored, carrier: sandbox, account } as unknown as Parameters<ReturnType<typeof pointFinder>>[0];

  it('asks once for the same question within a minute, also at once, and again after a failure', async () => {
    let [asked, now, fails] = [0, 0, true];
    const find = pointFinder({
      onFault: () => undefined,
      now: () => now,
      callCarrier: async <T>(exchange: AsyncGenerator<CarrierRequest, T> | Generator<CarrierRequest, T>) => {
        asked += 1;
        if (fails) throw new CarrierError('timeout', 'The carrier did not answer in time.');
        const step = await exchange.next();
        return step.value as T;
      },
    });
    await assert.rejects(() => find(opened, query, 5), /did not answer in time/);
    fails = false;
    const answers = await Promise.all([find(opened, query, 5), find(opened, query, 5), find(opened, query, 5)]);
    assert.equal(asked, 2);
    assert.equal(answers[0]?.length, 5);
    await find(opened, { ...query, destZip: '75005' }, 5);
    assert.equal(asked, 3);
    now = 61_000;
    await find(opened, query, 5);
    assert.equal(asked, 4);
  });
});
