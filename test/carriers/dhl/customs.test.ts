// Customs declarations of DHL Paket: against a request of another client's tests, the rules, and the simulator.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dhl } from '../../../src/carriers/dhl/dhl.ts';
import type { CustomsDeclaration } from '../../../src/model/customs.ts';
import type { LabelRequest } from '../../../src/model/shipping.ts';
import { startDhlSimulator } from '../../../simulators/dhl.ts';
import { declarationWith, lineWith } from '../customs/order.ts';
import { carrierAccount, converse, failureOf, labelRequest, resultOf } from '../drive.ts';

const request = labelRequest({
  modeCol: 'depot',
  modeLiv: 'V53WPAK',
  expAddr1: 'My Online Shop GmbH',
  expAddr2: 'Sträßchensweg 10',
  expCity: 'Bonn',
  expZip: '53113',
  expCountry: 'DE',
  destAddr1: 'Joe Black',
  destAddr2: '10 Downing Street',
  destCity: 'London',
  destZip: 'SW1A 1AA',
  destCountry: 'GB',
  weight: '1500',
  nbPackage: '1',
});

function faults(changes: Partial<CustomsDeclaration>, wanted: Partial<LabelRequest> = {}): readonly string[] {
  const found = dhl.customs?.check(
    declarationWith(changes),
    { ...request, ...wanted },
    carrierAccount(dhl, { eori: 'DE1' }),
  );
  return (found ?? assert.fail()).map(({ pointer }) => pointer);
}

describe('a customs declaration of DHL', () => {
  it('says what a request of another client says, and is taken by the simulator', async (t) => {
    const simulator = await startDhlSimulator();
    t.after(() => simulator.close());
    const account = carrierAccount(dhl, simulator.settings);
    const ask = (customs?: CustomsDeclaration, changes: Partial<LabelRequest> = {}) =>
      converse(
        dhl.createLabel?.({
          account,
          request: { ...request, ...changes },
          ...(customs === undefined ? {} : { customs }),
          sequence: 1,
          now: 0,
        }) ?? assert.fail(),
        dhl.origins(account),
      );
    const shirt = lineWith({
      description: 'Red T-Shirt',
      quantity: 1,
      hsCode: '123456',
      originCountry: 'FR',
      unitCents: 1000,
      unitGrams: 400,
    });
    const driven = await ask(
      declarationWith({ lines: [shirt], incoterm: 'DDP', eori: 'DE73282932000074', shippingCents: 450 }),
    );
    // Facts of test_create_intl_shipment_request of Karrio's dhl_parcel_de, which weighs in kilograms.
    assert.deepEqual(JSON.parse(driven.requests.at(-1)?.body ?? '').shipments[0].customs, {
      invoiceNo: 'INV-7',
      exportType: 'COMMERCIAL_GOODS',
      exportDescription: 'Red T-Shirt',
      shippingConditions: 'DDP',
      postalCharges: { currency: 'EUR', value: 4.5 },
      shipperCustomsRef: 'DE73282932000074',
      items: [
        {
          itemDescription: 'Red T-Shirt',
          countryOfOrigin: 'FRA',
          hsCode: '123456',
          packagedQuantity: 1,
          itemValue: { currency: 'EUR', value: 10 },
          itemWeight: { uom: 'g', value: 400 },
        },
      ],
    });
    assert.deepEqual(
      resultOf(driven).outputs.map(({ name }) => name),
      ['PdfUrl', 'CustomsUrl'],
    );
    assert.match(String(failureOf(await ask()).carrierMessage), /Customs information is required/);
    const heavy = declarationWith({ lines: [{ ...shirt, unitGrams: 1501 }] });
    assert.match(String(failureOf(await ask(heavy)).carrierMessage), /weigh more/);
    const within = await ask(undefined, { destCountry: 'AT', destZip: '1010', destCity: 'Wien' });
    assert.equal(resultOf(within).outputs.length, 1);
  });

  it('is refused before DHL is asked', () => {
    assert.deepEqual(faults({}), []);
    assert.deepEqual(faults({ incoterm: 'EXW' }), ['/orderId/incotrm']);
    assert.deepEqual(faults({}, { nbPackage: '2', weight: '1500' }), ['/nbPackage']);
    assert.deepEqual(faults({}, { weight: '700' }), ['/weight']);
  });
});
