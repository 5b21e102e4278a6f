// Customs declarations of Chronopost: the element of its schema, the rules, and the simulator.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chronopost } from '../../../src/carriers/chronopost/chronopost.ts';
import { customsReasons } from '../../../src/carriers/customs/rules.ts';
import type { CustomsDeclaration } from '../../../src/model/customs.ts';
import type { LabelRequest } from '../../../src/model/shipping.ts';
import { startChronopostSimulator } from '../../../simulators/chronopost/chronopost.ts';
import { declarationWith, lineWith } from '../customs/order.ts';
import { answer, carrierAccount, callCarrier, labelRequest, replay, resultOf } from '../drive.ts';

const request = labelRequest({
  modeLiv: '17',
  expAddr1: 'Acme',
  expAddr2: '3 rue des Docks',
  expCity: 'Lille',
  expZip: '59000',
  expCountry: 'FR',
  destAddr1: 'Léa Favre',
  destAddr2: '1 rue du Rhône',
  destCity: 'Genève',
  destZip: '1204',
  destCountry: 'CH',
  weight: '1250',
  nbPackage: '1',
});

describe('a customs declaration of Chronopost', () => {
  it('stands at the end of the shipment, as the schema has it, and is taken by the simulator', async (t) => {
    const simulator = await startChronopostSimulator();
    t.after(() => simulator.close());
    const account = carrierAccount(chronopost, simulator.settings);
    const customs = declarationWith({ lines: [lineWith({})], eori: 'FR1', vatNumber: 'FR403' });
    const driven = await callCarrier(
      chronopost.createLabel?.({ account, request, customs, sequence: 1, now: 0 }) ?? assert.fail(),
      chronopost.origins(account),
    );
    resultOf(driven);
    assert.ok(
      driven.requests[0]?.body?.includes(
        '<multiParcel>N</multiParcel><customsValue><articlesValue><content>T-shirt, cotton, ete</content>' +
          '<hscode>61091000</hscode><netWeight>0.360</netWeight><origin>PT</origin><position>1</position>' +
          '<quantity>2</quantity><value>41.66</value></articlesValue><currency>EUR</currency>' +
          '<description>T-shirt, cotton, ete</description><eori>FR1</eori><incoterm>DAP</incoterm>' +
          '<numberOfItems>2</numberOfItems><value>41.66</value><vatNumber>FR403</vatNumber></customsValue>',
      ),
      driven.requests[0]?.body ?? '',
    );
  });

  it('insures in cents what the product can insure, and nothing else', async (t) => {
    const simulator = await startChronopostSimulator();
    t.after(() => simulator.close());
    const account = carrierAccount(chronopost, simulator.settings);
    const bodyOf = async (insuredCents: number, changes: Partial<LabelRequest> = {}) => {
      const customs = declarationWith({ lines: [lineWith({ insuredCents })] });
      const driven = await callCarrier(
        chronopost.createLabel?.({ account, request: { ...request, ...changes }, customs, sequence: 1, now: 0 }) ??
          assert.fail(),
        chronopost.origins(account),
      );
      resultOf(driven);
      return driven.requests.at(-1)?.body ?? '';
    };
    // As the module for PrestaShop sends it: insuredValue is the amount times a hundred.
    assert.match(
      await bodyOf(12_550),
      /<evtCode>DC<\/evtCode><insuredCurrency>EUR<\/insuredCurrency><insuredValue>12550<\/insuredValue>/,
    );
    assert.doesNotMatch(await bodyOf(0), /insured/);
    const shopToShop = { modeLiv: '6B', destZip: '1204', shippingPickupPoint: '854AF' };
    assert.doesNotMatch(await bodyOf(12_550, shopToShop), /insured/);
  });

  it('is read by the simulator as the WSDL types it', async (t) => {
    const simulator = await startChronopostSimulator();
    t.after(() => simulator.close());
    const account = carrierAccount(chronopost, simulator.settings);
    const task = { account, request, customs: declarationWith(), sequence: 1, now: 0 };
    const { requests } = await replay(chronopost.createLabel?.(task) ?? assert.fail(), [answer('')]);
    const sent = requests[0] ?? assert.fail();
    const body = String(sent.body).replace('<quantity>2</quantity>', '<quantity>2.5</quantity>');
    const response = await fetch(sent.url, { method: 'POST', headers: sent.headers, body });
    assert.equal(response.status, 500);
    assert.match(await response.text(), /Unmarshalling Error: For input string: &quot;2\.5|"2\.5"/);
  });

  it('is refused before Chronopost is asked', () => {
    const faults = (changes: Partial<CustomsDeclaration>, wanted: Partial<LabelRequest> = {}) =>
      customsReasons(
        chronopost,
        declarationWith(changes),
        { ...request, ...wanted },
        carrierAccount(chronopost, {}),
      ).map(({ pointer }) => pointer);
    assert.deepEqual(faults({}), []);
    assert.deepEqual(faults({}, { nbPackage: '2' }), ['/nbPackage']);
    assert.deepEqual(faults({}, { weight: '500' }), ['/weight']);
    const insured = { lines: [lineWith({ insuredCents: 100 })], currency: 'CHF' };
    assert.deepEqual(faults(insured), ['/orderId/orderEntries/0/articleInsuredAmount']);
    assert.deepEqual(faults({ lines: [lineWith({ description: 'Рубашка' })] }), [
      '/orderId/orderEntries/0/articleBLDesignation',
    ]);
  });
});
