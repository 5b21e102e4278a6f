// Customs declarations of DHL Paket: against a request of another client's tests, the rules, and the simulator.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dhl } from '../../../src/carriers/dhl/dhl.ts';
import { customsReasons } from '../../../src/carriers/customs/rules.ts';
import type { CustomsDeclaration } from '../../../src/model/customs.ts';
import type { LabelRequest } from '../../../src/model/shipping.ts';
import { startDhlSimulator } from '../../../simulators/dhl.ts';
import { declarationWith, lineWith } from '../customs/order.ts';
import { carrierAccount, callCarrier, failureOf, labelRequest, resultOf } from '../drive.ts';

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
  const found = customsReasons(
    dhl,
    declarationWith(changes),
    { ...request, ...wanted },
    carrierAccount(dhl, { eori: 'DE1' }),
  );
  return found.map(({ pointer }) => pointer);
}

describe('a customs declaration of DHL', () => {
  it('says what a request of another client says, and is taken by the simulator', async (t) => {
    const simulator = await startDhlSimulator();
    t.after(() => simulator.close());
    const account = carrierAccount(dhl, simulator.settings);
    const ask = (customs?: CustomsDeclaration, changes: Partial<LabelRequest> = {}) =>
      callCarrier(
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
    const [shipment] = JSON.parse(driven.requests.at(-1)?.body ?? '').shipments;
    // DHL's description has shippingConditions for Europaket alone, and a service in their place.
    assert.deepEqual(shipment.services, { postalDeliveryDutyPaid: true });
    // Facts of test_create_intl_shipment_request of Karrio's dhl_parcel_de, which weighs in kilograms.
    assert.deepEqual(shipment.customs, {
      invoiceNo: 'INV-7',
      exportType: 'COMMERCIAL_GOODS',
      exportDescription: 'Red T-Shirt',
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

  it('insures the parcel, and has the terms of Europaket where the description has them', async (t) => {
    const simulator = await startDhlSimulator();
    t.after(() => simulator.close());
    const account = carrierAccount(dhl, simulator.settings);
    const shipmentOf = async (customs: CustomsDeclaration, modeLiv: string) => {
      const task = { account, request: { ...request, modeLiv }, customs, sequence: 1, now: 0 };
      const driven = await callCarrier(dhl.createLabel?.(task) ?? assert.fail(), dhl.origins(account));
      const outputs = resultOf(driven).outputs.map(({ name }) => name);
      return { ...JSON.parse(driven.requests.at(-1)?.body ?? '').shipments[0], outputs };
    };
    const insured = declarationWith({ lines: [lineWith({ insuredCents: 12_550 })] });
    const abroad = await shipmentOf(insured, 'V53WPAK');
    assert.deepEqual(abroad.services, { additionalInsurance: { currency: 'EUR', value: 125.5 } });
    assert.equal(abroad.customs.shippingConditions, undefined);
    const [{ packagedQuantity, itemValue, itemWeight }] = abroad.customs.items;
    assert.deepEqual(
      [packagedQuantity, itemValue.value, itemWeight.value],
      [2, 20.83, 180],
      'values and weights are those of one piece',
    );
    assert.deepEqual(abroad.outputs, ['PdfUrl', 'CustomsUrl']);
    const small = await shipmentOf(insured, 'V66WPI');
    assert.equal(small.services?.additionalInsurance, undefined, 'Warenpost has no insurance');
    assert.deepEqual(small.outputs, ['PdfUrl'], 'the label of Warenpost is its CN22');
    const euro = await shipmentOf({ ...insured, incoterm: 'DDP' }, 'V54EPAK');
    assert.equal(euro.customs.shippingConditions, 'DDP');
    assert.equal(euro.services.postalDeliveryDutyPaid, undefined);
  });

  it('is refused before DHL is asked', () => {
    assert.deepEqual(faults({}), []);
    assert.deepEqual(faults({ incoterm: 'EXW' }), ['/orderId/incotrm']);
    assert.deepEqual(faults({ incoterm: 'DDP' }), []);
    assert.deepEqual(faults({ incoterm: 'DDP' }, { modeLiv: 'V54EPAK' }), []);
    assert.deepEqual(faults({ incoterm: 'DDP' }, { modeLiv: 'V66WPI' }), ['/orderId/incotrm']);
    const pointer = '/orderId/orderEntries/0';
    assert.deepEqual(faults({ lines: [lineWith({ unitCents: 10_000_001 })] }), [`${pointer}/unitPriceHT`]);
    assert.deepEqual(faults({ lines: [lineWith({ insuredCents: 1 })], currency: 'CHF' }), [
      `${pointer}/articleInsuredAmount`,
    ]);
    assert.deepEqual(faults({}, { nbPackage: '2', weight: '1500' }), ['/nbPackage']);
    assert.deepEqual(faults({}, { weight: '700' }), ['/weight']);
  });
});
