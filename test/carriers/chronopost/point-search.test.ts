// Points of Chronopost overseas and of its products for shops alone: what its own modules ask for, and the simulator.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chronopost } from '../../../src/carriers/chronopost/chronopost.ts';
import { isSupported } from '../../../src/carriers/desk.ts';
import type { PointQuery } from '../../../src/carriers/points.ts';
import { xmlDescendants } from '../../../src/carriers/xml/element.ts';
import { parseXml } from '../../../src/carriers/xml/read.ts';
import { startChronopostSimulator } from '../../../simulators/chronopost/chronopost.ts';
import { answer, carrierAccount, callCarrier, labelRequest, replay, resultOf } from '../drive.ts';
import { pointsQuery } from './desk-samples.ts';

const now = Date.UTC(2026, 10, 21, 12);
const account = carrierAccount(chronopost, { accountNumber: '1234', password: 'chr0n0-pw' });
const saintDenis = { destCountry: 'RE', destZip: '97400', destCity: 'Saint-Denis', destAddr2: '' } as const;

function search(query: Partial<PointQuery>, asking = account) {
  const way = chronopost.desk.findPoints;
  assert.ok(isSupported(way));
  return way({ account: asking, query: { ...pointsQuery, ...query }, limit: 10, now });
}

/** What a search is about: the country, the kind of points and the product. */
async function asked(query: Partial<PointQuery>): Promise<readonly (string | undefined)[]> {
  const { requests } = await replay(search(query), [answer('')]);
  const body = parseXml(Buffer.from(requests[0]?.body ?? ''));
  return ['countryCode', 'type', 'productCode'].map((name) => xmlDescendants(body, name)[0]?.text);
}

describe("a search of Chronopost's points", () => {
  for (const [name, query, expected] of [
    ['in France', {}, ['FR', 'P', '86']],
    ['in Monaco', { destCountry: 'MC', destZip: '98000' }, ['MC', 'P', '86']],
    ['in Belgium', { destCountry: 'BE', destZip: '1000' }, ['BE', 'P', '49']],
    ['in Réunion', saintDenis, ['REU', 'P', '4P']],
    ['in Réunion, written as France', { ...saintDenis, destCountry: 'FR' }, ['REU', 'P', '4P']],
    ['in Guadeloupe', { destCountry: 'GP', destZip: '97110' }, ['GLP', 'P', '4P']],
    ['in Martinique', { destCountry: 'MQ', destZip: '97200' }, ['MTQ', 'P', '4P']],
    ['in French Guiana', { destCountry: 'GF', destZip: '97300' }, ['GUF', 'P', '4P']],
    ['in Mayotte', { destCountry: 'YT', destZip: '97600' }, ['MYT', 'P', '4P']],
    ['for 2Shop Direct', { modeLiv: '5X' }, ['FR', 'C', '5X']],
    ['for 2Shop Europe', { modeLiv: '6B', destCountry: 'BE', destZip: '1000' }, ['BE', 'C', '6B']],
  ] as const)
    it(`asks ${name} as Chronopost's own modules do`, async () => assert.deepEqual(await asked(query), expected));

  it('finds points overseas at the simulator, to which a parcel then goes', async (t) => {
    const simulator = await startChronopostSimulator();
    t.after(() => simulator.close());
    const own = carrierAccount(chronopost, simulator.settings);
    const [point] = resultOf(await callCarrier(search(saintDenis, own), chronopost.origins(own)));
    assert.deepEqual([point?.labelRequest.modeLiv, point?.labelRequest.shippingPickupPointCountry], ['4P', 'RE']);
    const request = labelRequest({
      ...{ modeCol: '0', modeLiv: '4P', weight: '1000', nbPackage: '1' },
      ...{ expAddr1: 'Acme', expAddr2: '3 rue des Docks', expCity: 'Lille', expZip: '59000', expCountry: 'FR' },
      ...{ ...saintDenis, destAddr1: 'Jeanne Payet', destAddr2: '1 rue de Paris', destTel1: '0692000000' },
      ...point?.labelRequest,
    });
    const task = { account: own, request, sequence: 1, now };
    const made = await callCarrier(chronopost.createLabel?.(task) ?? assert.fail(), chronopost.origins(own));
    assert.match(resultOf(made).expeditionNumber, /^XY\d{9}FR$/);
    assert.match(made.requests[0]?.body ?? '', /<cxf:rechercheDetailPointChronopost /);
  });

  it('finds no lockers at the simulator for 2Shop Direct', async (t) => {
    const simulator = await startChronopostSimulator();
    t.after(() => simulator.close());
    const own = carrierAccount(chronopost, simulator.settings);
    const lockers = async (modeLiv: string) => {
      const points = resultOf(await callCarrier(search({ modeLiv }, own), chronopost.origins(own)));
      return points.filter(({ name }) => name.startsWith('LOCKER')).length;
    };
    assert.deepEqual([await lockers('86'), await lockers('5X')], [1, 0]);
  });
});
