// Customs declarations of Chronopost: the element of its schema, the rules, and the simulator.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chronopost } from '../../../src/carriers/chronopost/chronopost.ts';
import type { CustomsDeclaration } from '../../../src/model/customs.ts';
import type { LabelRequest } from '../../../src/model/shipping.ts';
import { startChronopostSimulator } from '../../../simulators/chronopost/chronopost.ts';
import { declarationWith, lineWith } from '../customs/order.ts';
import { carrierAccount, converse, labelRequest, resultOf } from '../drive.ts';

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
    const driven = await converse(
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

  it('is refused before Chronopost is asked', () => {
    const faults = (changes: Partial<CustomsDeclaration>, wanted: Partial<LabelRequest> = {}) =>
      chronopost.customs
        ?.check(declarationWith(changes), { ...request, ...wanted }, carrierAccount(chronopost, {}))
        .map(({ pointer }) => pointer);
    assert.deepEqual(faults({}), []);
    assert.deepEqual(faults({}, { nbPackage: '2' }), ['/nbPackage']);
    assert.deepEqual(faults({}, { weight: '500' }), ['/weight']);
    assert.deepEqual(faults({ lines: [lineWith({ description: 'Рубашка' })] }), [
      '/orderId/orderEntries/0/articleBLDesignation',
    ]);
  });
});
