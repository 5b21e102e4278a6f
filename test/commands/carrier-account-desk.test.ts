// Points and trials on the command line: what is refused, what is shown, and what the carrier itself says.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { startColissimoSimulator } from '../../simulators/colissimo/colissimo.ts';
import type { PickupPoint } from '../../src/carriers/points.ts';
import { wish } from '../api/shipping/fixture.ts';
import { json, type Place, run, succeed, temporaryFolder } from './fixture.ts';

const named = (carrier: string) => ['--context', 'paris', '--carrier', carrier];

async function placeWith(t: TestContext, carrier: string, set: readonly string[] = [], secrets = {}) {
  const place: Place = { folder: temporaryFolder(t) };
  await succeed(place, 'activity', 'add', 'ACM', 'Acme');
  await succeed(
    { ...place, stdin: JSON.stringify(secrets) },
    ...['carrier-account', 'add', '--activity', 'ACM', ...named(carrier)],
    ...(set.length === 0 ? [] : ['--set', ...set]),
  );
  return place;
}

async function placeAtColissimo(t: TestContext): Promise<Place> {
  const simulator = await startColissimoSimulator();
  t.after(() => simulator.close());
  const { apiKey, baseUrl } = simulator.settings;
  return placeWith(t, 'colissimo', [`baseUrl=${baseUrl}`], { apiKey });
}

describe('carrier-account points', () => {
  const points = (carrier: string, ...near: readonly string[]) => [
    ...['carrier-account', 'points', ...named(carrier), '--near'],
    ...near,
  ];

  it('lists points with the fields of a label request', async (t) => {
    const place = await placeWith(t, 'sandbox');
    const line = [...points('sandbox', 'destCountry=FR', 'destZip=75004', 'destCity=Paris'), '--limit', '2'];
    const table = await succeed(place, ...line);
    assert.match(table, /^METERS\tMODELIV\tPOINT\tCOUNTRY\tNAME\tADDRESS\tMOST GRAMS\tOPEN$/m);
    assert.match(
      table,
      /^180\t24R\t75004-1\tFR\tSandbox bakery\t1 rue du Moulin, 75004 Paris\t20000\tmon 09:00-12:30/m,
    );
    const listed = await json<readonly PickupPoint[]>(place, ...line);
    assert.deepEqual(
      listed.map(({ labelRequest }) => labelRequest.shippingPickupPoint),
      ['75004-1', '75004-2'],
    );
  });

  for (const [name, near, said] of [
    ['a field that no place has', ['expZip=1'], /--near takes FIELD=VALUE with one of destCountry, destZip/],
    ['no value', ['destZip'], /--near takes FIELD=VALUE/],
    ['no postcode', ['destCountry=FR'], /'destZip': expected the postcode/],
    ['a country that is none', ['destCountry=fr', 'destZip=1'], /'destCountry': expected a country/],
  ] as const)
    it(`refuses ${name}`, async (t) => {
      const { code, stderr } = await run(await placeWith(t, 'sandbox'), ...points('sandbox', ...near));
      assert.equal(code, 2);
      assert.match(stderr, said);
    });

  it('says what the carrier finds wrong, and what it gives', async (t) => {
    const place = await placeAtColissimo(t);
    const { code, stderr } = await run(place, ...points('colissimo', 'destCountry=FR', 'destZip=75009'));
    assert.equal(code, 1);
    assert.match(stderr, /Colissimo looks for points in a town/);
    assert.match(
      await succeed(place, ...points('colissimo', 'destCountry=FR', 'destZip=75009', 'destCity=Paris')),
      /^350\tHD\t486066\tFR\tTABAC DE LA GARE\t/m,
    );
  });

  it('says that points are not looked for where they are not', async (t) => {
    const place = await placeWith(t, 'laposte', [], { apiKey: 'k' });
    const { code, stderr } = await run(place, ...points('laposte', 'destCountry=FR', 'destZip=75009'));
    assert.equal(code, 1);
    assert.match(stderr, /its points are those of Colissimo and Chronopost/);
  });
});

describe('carrier-account try', () => {
  it('says field by field what the carrier would refuse, and makes nothing', async (t) => {
    const place = await placeAtColissimo(t);
    const trying = ['carrier-account', 'try', 'request.json', ...named('colissimo')];
    const write = (changes: object) =>
      writeFileSync(join(place.folder, 'request.json'), JSON.stringify({ ...wish, modeLiv: 'DOM', ...changes }));
    write({});
    assert.equal(await succeed(place, ...trying), 'Colissimo would take this request.\n');
    assert.equal((await json<{ judgedBy: string }>(place, ...trying)).judgedBy, 'carrier');
    write({ destZip: '00000' });
    const { code, stderr } = await run(place, ...trying);
    assert.equal(code, 1);
    assert.match(stderr, /Colissimo says of destZip|Colissimo finds the shipment wrong/);
    write({ destZip: 'x', weight: '' });
    const own = await run(place, ...trying);
    assert.match(own.stderr, /weight/);
    assert.deepEqual(await json(place, 'label', 'list'), []);
  });

  it('takes a request from standard input, and refuses what is none', async (t) => {
    const place = await placeWith(t, 'sandbox');
    const trying = ['carrier-account', 'try', '-', ...named('sandbox')];
    assert.equal(
      await succeed({ ...place, stdin: JSON.stringify(wish) }, ...trying),
      'The sandbox would take this request.\n',
    );
    assert.match((await run({ ...place, stdin: '[1]' }, ...trying)).stderr, /must be one JSON object/);
    assert.match((await run(place, ...trying.with(2, 'nowhere.json'))).stderr, /nowhere\.json cannot be read/);
  });
});
