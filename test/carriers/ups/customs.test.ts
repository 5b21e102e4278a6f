// Commercial invoices of UPS: against what other clients send, the rules, and the simulator.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ups } from '../../../src/carriers/ups/ups.ts';
import { customsReasons } from '../../../src/carriers/customs/rules.ts';
import type { CustomsDeclaration } from '../../../src/model/customs.ts';
import type { LabelRequest } from '../../../src/model/shipping.ts';
import { startUpsSimulator } from '../../../simulators/ups.ts';
import { declarationWith, lineWith } from '../customs/order.ts';
import { carrierAccount, callCarrier, failureOf, labelRequest, resultOf } from '../drive.ts';

const request = labelRequest({
  modeCol: 'depot',
  modeLiv: '07',
  expAddr1: 'Acme',
  expAddr2: '3 rue des Docks',
  expCity: 'Lille',
  expZip: '59000',
  expCountry: 'FR',
  expTel1: '+33 3 20 00 00 00',
  destAddr1: 'London Office',
  destAddr2: '10 Downing St',
  destCity: 'London',
  destZip: 'SW1A 2AA',
  destCountry: 'GB',
  destTel1: '+44 20 7946 0000',
  content: 'Electronics',
  weight: '1500',
  nbPackage: '2',
});

function faults(changes: Partial<CustomsDeclaration>, wanted: Partial<LabelRequest> = {}): readonly string[] {
  const account = carrierAccount(ups, { eori: 'FR1' });
  const found = customsReasons(ups, declarationWith(changes), { ...request, ...wanted }, account);
  return found.map(({ pointer }) => pointer);
}

describe('a commercial invoice of UPS', () => {
  it('says what other clients say, and comes back from the simulator as a document', async (t) => {
    const simulator = await startUpsSimulator();
    t.after(() => simulator.close());
    const account = carrierAccount(ups, simulator.settings);
    const ask = (customs: CustomsDeclaration, changes: Partial<LabelRequest> = {}) =>
      callCarrier(
        ups.createLabel?.({ account, request: { ...request, ...changes }, customs, sequence: 1, now: 0 }) ??
          assert.fail(),
        ups.origins(account),
      );
    const board = lineWith({
      description: 'Electronics',
      quantity: 10,
      unitCents: 2500,
      hsCode: '84713000',
      originCountry: 'US',
    });
    const numbers = { eori: 'FR12345678900011', vatNumber: 'FR40303265045' };
    const driven = await ask(declarationWith({ lines: [board], incoterm: 'DDP', ...numbers }));
    const { Shipment } = JSON.parse(driven.requests[1]?.body ?? '').ShipmentRequest;
    const { Contacts, ...form } = Shipment.ShipmentServiceOptions.InternationalForms;
    // Members and spellings are those of requests that two public clients have in their tests and pages for form 01:
    // electronics to an office in Downing Street, and ten widgets of 25.00.
    assert.deepEqual(form, {
      FormType: ['01'],
      InvoiceNumber: 'INV-7',
      InvoiceDate: '20261120',
      ReasonForExport: 'SALE',
      TermsOfShipment: 'DDP',
      CurrencyCode: 'EUR',
      FreightCharges: { MonetaryValue: '4.90' },
      Comments: 'EORI FR12345678900011, VAT FR40303265045',
      Product: [
        {
          Description: ['Electronics'],
          Unit: { Number: '10', UnitOfMeasurement: { Code: 'PCS' }, Value: '25.00' },
          CommodityCode: '84713000',
          PartNumber: 'TEE-1',
          OriginCountryCode: 'US',
        },
      ],
    });
    assert.deepEqual([Contacts.SoldTo.Name, Contacts.SoldTo.Address.CountryCode], ['London Office', 'GB']);
    assert.deepEqual(
      Shipment.PaymentInformation.ShipmentCharge.map(({ Type }: { Type: string }) => Type),
      ['01', '02'],
    );
    assert.ok(resultOf(driven).outputs.some(({ name, kind }) => name === 'InvoiceUrl' && kind === 'document'));
    const many = declarationWith({ lines: Array.from({ length: 51 }, () => board) });
    assert.equal(failureOf(await ask(many)).carrierCode, '121100');
    assert.equal(failureOf(await ask(declarationWith(), { content: '' })).carrierCode, '121100');
  });

  it('declares the value of an insured package, and of one alone', async (t) => {
    const simulator = await startUpsSimulator();
    t.after(() => simulator.close());
    const account = carrierAccount(ups, simulator.settings);
    const customs = declarationWith({ lines: [lineWith({ insuredCents: 12_550 })] });
    const task = { account, request: { ...request, nbPackage: '1' }, customs, sequence: 1, now: 0 };
    const driven = await callCarrier(ups.createLabel?.(task) ?? assert.fail(), ups.origins(account));
    resultOf(driven);
    // Members are those of UPS's description (PackageServiceOptions_DeclaredValue).
    assert.deepEqual(
      JSON.parse(driven.requests[1]?.body ?? '').ShipmentRequest.Shipment.Package[0].PackageServiceOptions,
      { DeclaredValue: { CurrencyCode: 'EUR', MonetaryValue: '125.50' } },
    );
    assert.deepEqual(faults({ lines: [lineWith({ insuredCents: 1 })] }), ['/nbPackage']);
    assert.deepEqual(faults({ lines: [lineWith({ insuredCents: 1 })] }, { nbPackage: '1' }), []);
  });

  it('is refused before UPS is asked', () => {
    assert.deepEqual(faults({}), []);
    assert.deepEqual(faults({}, { content: '' }), ['/content']);
    assert.deepEqual(faults({ incoterm: 'DPU' }), ['/orderId/incotrm']);
    assert.deepEqual(faults({ lines: [lineWith({ description: '日本の茶碗' })] }), [
      '/orderId/orderEntries/0/articleBLDesignation',
    ]);
    assert.deepEqual(faults({}, { weight: '1' }), ['/weight']);
  });
});
