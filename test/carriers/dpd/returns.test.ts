// Returns of DPD France: what is asked for, what its rules are, and the simulator over a socket.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dpd } from '../../../src/carriers/dpd/dpd.ts';
import { startDpdSimulator } from '../../../simulators/dpd/dpd.ts';
import { samplePdf } from '../../../simulators/sample-label.ts';
import type { LabelRequest } from '../../../src/model/shipping.ts';
import { answer, carrierAccount, callCarrier, failureOf, inBrief, labelRequest, replay, resultOf } from '../drive.ts';

const account = carrierAccount(dpd, {
  userId: 'acme-ws',
  password: 'dpd-pw-4711',
  centerNumber: '77',
  customerNumber: '18028',
});
const request = labelRequest({
  modeCol: 'depot',
  modeLiv: 'RETURN',
  expAddr1: 'Victor Hugo',
  expAddr2: '6 Place des Vosges',
  expCity: 'Paris',
  expZip: '75004',
  expCountry: 'FR',
  expTel1: '+33600000000',
  destAddr1: 'Akretion',
  destAddr2: '27 rue Henri Rolland',
  destCity: 'Villeurbanne',
  destZip: '69100',
  destCountry: 'FR',
  destTel1: '+33482538457',
  weight: '1200',
  nbPackage: '1',
  nDossier: 'CMD-1',
});
const now = Date.UTC(2025, 0, 1, 12);
const operation = 'CreateReverseInverseShipmentWithLabelsBc';
const pdf = samplePdf(['Label']);

/** In the order of the schema that the service shows of this operation. */
const asked =
  `<${operation} xmlns="http://www.cargonet.software"><request>` +
  '<receiveraddress><countryPrefix>FR</countryPrefix><zipCode>69100</zipCode><city>Villeurbanne</city><street>' +
  '27 rue Henri Rolland</street><name>Akretion</name><phoneNumber>+33482538457</phoneNumber></receiveraddress>' +
  '<shipperaddress><countryPrefix>FR</countryPrefix><zipCode>75004</zipCode><city>Paris</city><street>' +
  '6 Place des Vosges</street><name>Victor Hugo</name><phoneNumber>+33600000000</phoneNumber></shipperaddress>' +
  '<customer_countrycode>250</customer_countrycode><customer_centernumber>77</customer_centernumber>' +
  '<customer_number>18028</customer_number><shippingdate>01/01/2025</shippingdate>' +
  '<weight>1.2</weight><expire_offset>60</expire_offset><referencenumber>CMD-1</referencenumber>' +
  '<labelType><type>PDF_A6</type></labelType><refasbarcode>false</refasbarcode>' +
  `</request></${operation}>`;
const made = answered(
  'the schema of the service',
  (shipment, label) => `<Shipment>${shipment}</Shipment><Labels>${label}</Labels>`,
);
/** As programs in use and their tests have it: OpenStudio's DpdLabel for Thelia, Karrio's connector dpd_france. */
const alsoSeen = [
  answered('DpdLabel', (shipment, label) => `<shipment>${shipment}</shipment><labels>${label}</labels>`),
  answered(
    'Karrio',
    (shipment, label) => `<shipments><ShipmentBc>${shipment}</ShipmentBc></shipments><labels>${label}</labels>`,
  ),
];

/** The answer to a return, as a source has it. */
function answered(source: string, result: (shipment: string, label: string) => string) {
  const shipment =
    '<Shipment><BarcodeId>10774000248387</BarcodeId><BarcodeSource>902</BarcodeSource></Shipment><Type>REVERSE</Type>';
  const label = `<Label><type>BIC3</type><label>${pdf.toString('base64')}</label></Label>`;
  return {
    source,
    ...answer(
      '<?xml version="1.0" encoding="utf-8"?><soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/">' +
        `<soap:Body><${operation}Response xmlns="http://www.cargonet.software"><${operation}Result>` +
        `${result(shipment, label)}</${operation}Result></${operation}Response></soap:Body></soap:Envelope>`,
      200,
      { 'content-type': 'text/xml; charset=utf-8' },
    ),
  };
}

describe('returns of DPD France', () => {
  it('ask for a label alone, from the consumer to the sender', async () => {
    const driven = await replay(dpd.createLabel?.({ account, request, sequence: 1, now }) ?? assert.fail(), [made]);
    const [sent] = driven.requests;
    assert.match(sent?.headers.SOAPAction ?? '', new RegExp(`/${operation}"$`));
    assert.ok(sent?.body?.includes(asked), sent?.body ?? '');
    assert.deepEqual(resultOf(driven), {
      expeditionNumber: '10774000248387',
      outputs: [{ name: 'PdfUrl', kind: 'document', mediaType: 'application/pdf', bytes: pdf }],
    });
  });

  for (const { source, ...seen } of alsoSeen)
    it(`are read as ${source} has them`, async () => {
      const driven = await replay(dpd.createLabel?.({ account, request, sequence: 1, now }) ?? assert.fail(), [seen]);
      const { expeditionNumber, outputs } = resultOf(driven);
      assert.deepEqual([expeditionNumber, outputs.length], ['10774000248387', 1]);
    });

  it('are known as returns, so that the sender of a context is whom they go to', () => {
    assert.equal(dpd.desk.handover.isReturn(request), true);
    assert.equal(dpd.desk.handover.isReturn({ ...request, modeLiv: 'CLASSIC' }), false);
  });

  const fields = (changes: Partial<LabelRequest>) => dpd.check({ ...request, ...changes }, account).map(inBrief);
  for (const [name, changes, expected] of [
    ['nothing that is needed', {}, []],
    ['an instruction', { instruction: 'Ring twice' }, ['instruction not-offered']],
    ['a point', { shippingPickupPoint: 'P32500' }, ['shippingPickupPoint not-offered']],
    ['no telephone of the consumer', { expTel1: '' }, ['expTel1 required']],
    ['a reference that is too long', { nDossier: 'x'.repeat(36) }, ['nDossier too-long']],
  ] as const)
    it(`know what is wrong with ${name}`, () => assert.deepEqual(fields(changes), expected));

  it('are made at the simulator, printed again, and taken back', async (t) => {
    const simulator = await startDpdSimulator();
    t.after(() => simulator.close());
    const own = carrierAccount(dpd, simulator.settings);
    const at = dpd.origins(own);
    const task = { account: own, request: { ...request, nbPackage: '2' }, sequence: 1, now };
    const { expeditionNumber, outputs } = resultOf(
      await callCarrier(dpd.createLabel?.(task) ?? assert.fail('no labels'), at),
    );
    assert.deepEqual(
      outputs.map(({ name }) => name),
      ['PdfUrl', 'PdfUrl', 'ParcelNumber', 'ParcelNumber'],
    );
    const again = { account: own, expeditionNumber, label: { request, createdAt: now }, now };
    assert.equal(
      resultOf(await callCarrier(dpd.fetchLabel?.(again) ?? assert.fail('no reprint'), at)).expeditionNumber,
      expeditionNumber,
    );
  });

  it('are refused by the simulator where the service has no room for them', async (t) => {
    const simulator = await startDpdSimulator();
    t.after(() => simulator.close());
    const own = carrierAccount(dpd, simulator.settings);
    const attempt = async (changes: Partial<LabelRequest>) => {
      const task = { account: own, request: { ...request, ...changes }, sequence: 1, now };
      const { kind, carrierCode } = failureOf(
        await callCarrier(dpd.createLabel?.(task) ?? assert.fail('no labels'), dpd.origins(own)),
      );
      return `${kind} ${carrierCode}`;
    };
    assert.equal(await attempt({ nDossier: 'x'.repeat(36) }), 'invalid InvalidInput');
    assert.equal(await attempt({ weight: '40000' }), 'invalid InvalidWeight');
    const {
      requests: [right],
    } = await replay(dpd.createLabel?.({ account: own, request, sequence: 1, now }) ?? assert.fail(), [made]);
    const said = async (changed: string) => {
      const response = await fetch(right?.url ?? '', {
        method: 'POST',
        headers: { 'Content-Type': 'text/xml; charset=utf-8', SOAPAction: right?.headers.SOAPAction ?? '' },
        body: changed,
      });
      return `${response.status} ${/<ErrorId>(\w+)</.exec(await response.text())?.[1] ?? ''}`;
    };
    const body = right?.body ?? '';
    assert.equal(await said(body), '200 ');
    assert.equal(
      await said(body.replace('<expire_offset>60</expire_offset>', '<expire_offset>6</expire_offset>')),
      '500 InvalidInput',
    );
    assert.equal(await said(body.replace('<expire_offset>60</expire_offset>', '')), '500 InvalidInput');
    assert.equal(await said(body.replace('<refasbarcode>false</refasbarcode>', '')), '500 InvalidInput');
  });
});
