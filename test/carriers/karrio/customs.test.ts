// Customs declarations through Karrio: what its description names, and its simulator.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { karrio } from '../../../src/carriers/karrio/karrio.ts';
import { customsReasons } from '../../../src/carriers/customs/rules.ts';
import type { CustomsDeclaration } from '../../../src/model/customs.ts';
import type { LabelRequest } from '../../../src/model/shipping.ts';
import { samplePdf } from '../../../simulators/sample-label.ts';
import { startKarrioSimulator } from '../../../simulators/karrio.ts';
import { declarationWith, lineWith } from '../customs/order.ts';
import { answer, carrierAccount, callCarrier, failureOf, labelRequest, replay, resultOf } from '../drive.ts';

const request = labelRequest({
  modeCol: 'depot',
  modeLiv: 'chronopost_13',
  expAddr1: 'Acme',
  expCity: 'Lille',
  expZip: '59000',
  expCountry: 'FR',
  destAddr1: 'Léa Favre',
  destAddr2: '1 rue du Rhône',
  destCity: 'Genève',
  destZip: '1204',
  destCountry: 'CH',
  weight: '1500',
  nbPackage: '1',
});

describe('a customs declaration through Karrio', () => {
  it('has the members of its description, and is taken by the simulator', async (t) => {
    const simulator = await startKarrioSimulator();
    t.after(() => simulator.close());
    const account = carrierAccount(karrio, simulator.settings);
    const customs = declarationWith({ lines: [lineWith({})], eori: 'FR1', ioss: 'IM2500000000' });
    const driven = await callCarrier(
      karrio.createLabel?.({ account, request, customs, sequence: 1, now: 0 }) ?? assert.fail(),
      karrio.origins(account),
    );
    resultOf(driven);
    assert.deepEqual(JSON.parse(driven.requests[0]?.body ?? '').customs, {
      commodities: [
        {
          description: 'T-shirt, cotton, été',
          quantity: 2,
          sku: 'TEE-1',
          hs_code: '61091000',
          value_amount: 20.83,
          value_currency: 'EUR',
          weight: 0.18,
          weight_unit: 'KG',
          origin_country: 'PT',
        },
      ],
      duty: { paid_by: 'recipient', currency: 'EUR', declared_value: 41.66 },
      content_type: 'merchandise',
      content_description: 'T-shirt, cotton, été',
      incoterm: 'DAP',
      invoice: 'INV-7',
      invoice_date: '2026-11-20',
      commercial_invoice: true,
      options: { eori_number: 'FR1', ioss: 'IM2500000000' },
    });
  });

  it("says what the international shipment of Karrio's own tests says, which the simulator takes too", async (t) => {
    const simulator = await startKarrioSimulator();
    t.after(() => simulator.close());
    const account = carrierAccount(karrio, simulator.settings);
    const [unitGrams, unitGrossGrams] = [400, 400];
    const shirt = {
      ...lineWith({ description: 'Red T-Shirt', quantity: 1, unitCents: 1000 }),
      unitGrams,
      unitGrossGrams,
    };
    const customs = declarationWith({ lines: [{ ...shirt, hsCode: '123456', originCountry: 'FR' }] });
    const driven = await callCarrier(
      karrio.createLabel?.({ account, request, customs, sequence: 1, now: 0 }) ?? assert.fail(),
      karrio.origins(account),
    );
    resultOf(driven);
    const sent = JSON.parse(driven.requests[0]?.body ?? '');
    // Facts of IntlShipmentPayload in the tests of Karrio's connector dhl_parcel_de: a piece of 10 EUR and 0.4 kg.
    const { description, quantity, hs_code, origin_country, value_amount, weight, weight_unit } =
      sent.customs.commodities[0];
    assert.deepEqual(
      [description, quantity, hs_code, origin_country, value_amount, weight, weight_unit, sent.customs.duty.currency],
      ['Red T-Shirt', 1, '123456', 'FR', 10, 0.4, 'KG', 'EUR'],
    );
    // As it stands there: without terms, an invoice or who pays, and with a number of the duty's own.
    const bare = {
      duty: { currency: 'EUR', declared_value: 1 },
      commodities: [{ description, quantity, hs_code, origin_country, value_amount, weight, weight_unit }],
    };
    const response = await fetch(driven.requests[0]?.url ?? '', {
      method: 'POST',
      headers: driven.requests[0]?.headers ?? {},
      body: JSON.stringify({ ...sent, customs: bare }),
    });
    assert.equal(response.status, 201);
  });

  it('names the insured amount among the options, and the server refuses halves of a piece', async (t) => {
    const simulator = await startKarrioSimulator();
    t.after(() => simulator.close());
    const account = carrierAccount(karrio, simulator.settings);
    const ask = (customs: CustomsDeclaration) =>
      callCarrier(
        karrio.createLabel?.({ account, request, customs, sequence: 1, now: 0 }) ?? assert.fail(),
        karrio.origins(account),
      );
    const driven = await ask(declarationWith({ lines: [lineWith({ insuredCents: 12_550 })] }));
    resultOf(driven);
    assert.deepEqual(JSON.parse(driven.requests[0]?.body ?? '').options, { insurance: 125.5, currency: 'EUR' });
    assert.equal(failureOf(await ask(declarationWith({ lines: [lineWith({ quantity: 1.5 })] }))).kind, 'invalid');
    assert.equal(failureOf(await ask(declarationWith({ lines: [] }))).kind, 'invalid');
  });

  it('has the sender pay the duties of DDP', async () => {
    const account = carrierAccount(karrio, { baseUrl: 'http://karrio', apiKey: 'key', carrierName: 'dhl_express' });
    const task = { account, request, customs: declarationWith({ incoterm: 'DDP' }), sequence: 1, now: 0 };
    const { requests } = await replay(karrio.createLabel?.(task) ?? assert.fail(), [answer('', 500)]);
    assert.equal(JSON.parse(requests[0]?.body ?? '').customs.duty.paid_by, 'sender');
  });

  it('gives the invoice that the carrier behind it prints', async () => {
    const account = carrierAccount(karrio, { baseUrl: 'http://karrio', apiKey: 'key', carrierName: 'dhl_express' });
    const base64 = samplePdf(['x']).toString('base64');
    const documents = ['label', 'invoice'].map((category) => ({ category, format: 'PDF', base64 }));
    const made = { tracking_number: 'A1', status: 'created', label_type: 'PDF', shipping_documents: documents };
    const customs: CustomsDeclaration = declarationWith();
    const driven = await replay(
      karrio.createLabel?.({ account, request, customs, sequence: 1, now: 0 }) ?? assert.fail(),
      [answer(JSON.stringify(made), 201)],
    );
    assert.deepEqual(
      resultOf(driven).outputs.map(({ name }) => name),
      ['PdfUrl', 'InvoiceUrl'],
    );
  });

  it('is refused before Karrio is asked', () => {
    const faults = (changes: Partial<CustomsDeclaration>, wanted: Partial<LabelRequest> = {}) =>
      customsReasons(karrio, declarationWith(changes), { ...request, ...wanted }, carrierAccount(karrio, {})).map(
        ({ pointer }) => pointer,
      );
    assert.deepEqual(faults({}), []);
    assert.deepEqual(faults({ incoterm: 'DPU' }), ['/orderId/incotrm']);
    assert.deepEqual(faults({ lines: [lineWith({ unitGrams: 800 })] }), ['/weight']);
    const insured = [lineWith({ insuredCents: 100 })];
    assert.deepEqual(faults({ lines: insured }, { nbPackage: '2' }), ['/nbPackage']);
    assert.deepEqual(faults({ lines: insured, currency: 'CHF' }, { crtValue: '500' }), [
      '/orderId/orderEntries/0/articleInsuredAmount',
    ]);
    assert.deepEqual(faults({ lines: insured, currency: 'CHF' }), []);
  });
});
