// What GLS wants where goods are declared.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { CarrierError } from '../../../src/carriers/carrier.ts';
import { gls } from '../../../src/carriers/gls/gls.ts';
import { customsReasons } from '../../../src/carriers/customs/rules.ts';
import { startGlsSimulator } from '../../../simulators/gls.ts';
import { declarationWith, lineWith, read } from '../customs/order.ts';
import { carrierAccount, converse, failureOf, labelRequest, resultOf } from '../drive.ts';

const request = labelRequest({ expCountry: 'FR', destCountry: 'CH', weight: '1250', nbPackage: '2' });

it('goods through customs at GLS need its incoterm code, which is no term of the invoice', () => {
  const check = (settings: Readonly<Record<string, string>>, weight = '1250') =>
    customsReasons(gls, declarationWith(), { ...request, weight }, carrierAccount(gls, settings));
  assert.throws(
    () => check({}),
    (error) =>
      error instanceof CarrierError && error.kind === 'configuration' && /setting incoterm/.test(error.message),
  );
  assert.deepEqual(check({ incoterm: '20' }), []);
  assert.deepEqual(
    check({ incoterm: '20' }, '1').map(({ pointer }) => pointer),
    ['/weight'],
  );
  assert.equal(read({ incotrm: null }, { incoterm: '20' }).declaration?.incoterm, '');
});

const swiss = labelRequest({
  ...{ modeLiv: 'PARCEL', expCountry: 'FR', destAddr1: 'Léa Favre', destAddr2: '1 rue du Rhône', destZip: '1204' },
  ...{ destCity: 'Genève', destCountry: 'CH', weight: '1250', nbPackage: '1' },
});

it('GLS is told what a parcel is insured for, one parcel alone', async (t) => {
  const simulator = await startGlsSimulator();
  t.after(() => simulator.close());
  const account = carrierAccount(gls, { ...simulator.settings, incoterm: '20' });
  const customs = declarationWith({ lines: [lineWith({ description: 'T-shirts, cotton', insuredCents: 12_550 })] });
  const driven = await converse(
    gls.createLabel?.({ account, request: swiss, customs, sequence: 1, now: 0 }) ?? assert.fail(),
    gls.origins(account),
  );
  resultOf(driven);
  assert.deepEqual(JSON.parse(driven.requests.at(-1)?.body ?? '').Shipment.ShipmentUnit[0].Service, [
    {
      AddonLiability: {
        ServiceName: 'service_addonliability',
        Amount: '125.50',
        Currency: 'EUR',
        ParcelContent: 'T-shirts cotton',
      },
    },
  ]);
  const faults = customsReasons(gls, customs, { ...swiss, nbPackage: '2' }, account);
  assert.deepEqual(
    faults.map(({ pointer }) => pointer),
    ['/nbPackage'],
  );
});

it('a shipment to another customs zone without an incoterm is refused by the simulator', async (t) => {
  const simulator = await startGlsSimulator();
  t.after(() => simulator.close());
  const account = carrierAccount(gls, simulator.settings);
  const driven = await converse(
    gls.createLabel?.({ account, request: swiss, sequence: 1, now: 0 }) ?? assert.fail(),
    gls.origins(account),
  );
  assert.equal(failureOf(driven).kind, 'configuration');
});
