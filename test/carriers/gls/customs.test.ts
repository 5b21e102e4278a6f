// What GLS wants where goods are declared.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { CarrierError } from '../../../src/carriers/carrier.ts';
import { gls } from '../../../src/carriers/gls/gls.ts';
import { declarationWith, read } from '../customs/order.ts';
import { carrierAccount, labelRequest } from '../drive.ts';

const request = labelRequest({ expCountry: 'FR', destCountry: 'CH', weight: '1250', nbPackage: '2' });

it('goods through customs at GLS need its incoterm code, which is no term of the invoice', () => {
  const check = (settings: Readonly<Record<string, string>>, weight = '1250') =>
    gls.customs?.check(declarationWith(), { ...request, weight }, carrierAccount(gls, settings));
  assert.throws(
    () => check({}),
    (error) =>
      error instanceof CarrierError && error.kind === 'configuration' && /setting incoterm/.test(error.message),
  );
  assert.deepEqual(check({ incoterm: '20' }), []);
  assert.deepEqual(
    check({ incoterm: '20' }, '1')?.map(({ pointer }) => pointer),
    ['/weight'],
  );
  assert.equal(read({ incotrm: null }, { incoterm: '20' }).declaration?.incoterm, '');
});
