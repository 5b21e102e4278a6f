// Karrio: requests and answers of its server's own tests, written anew, as the simulator and the adapter read them.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { karrio } from '../../../src/carriers/karrio/karrio.ts';
import { isSupported } from '../../../src/carriers/desk.ts';
import { startKarrioSimulator } from '../../../simulators/karrio.ts';
import { samplePdf } from '../../../simulators/sample-label.ts';
import { answer, carrierAccount, callCarrier, failureOf, fieldOf, labelRequest, replay, resultOf } from '../drive.ts';

const account = carrierAccount(karrio, { baseUrl: 'http://karrio', apiKey: 'key_1', carrierName: 'canadapost' });
const request = labelRequest({
  ...{ modeCol: 'depot', modeLiv: 'canadapost_priority', weight: '1000', nbPackage: '1' },
  ...{ expAddr1: 'B corp.', expAddr2: '5840 Oak St', expCity: 'Vancouver', expZip: 'V6M2V9', expCountry: 'CA' },
  ...{ destAddr1: 'John', destAddr2: '125 Church St', destCity: 'Moncton', destZip: 'E1C4Z8', destCountry: 'CA' },
});
const json = (body: unknown, status = 200) =>
  answer(JSON.stringify(body), status, { 'content-type': 'application/json' });

/** The shipment of test_shipments (manager) and test_shipping (proxy): what is asked for. */
const asked = {
  recipient: {
    ...{ address_line1: '125 Church St', person_name: 'John', company_name: 'A corp.', phone_number: '514 000 0000' },
    ...{ city: 'Moncton', country_code: 'CA', postal_code: 'E1C4Z8', residential: false, state_code: 'NB' },
  },
  shipper: {
    ...{ address_line1: '5840 Oak St', person_name: 'Jane', company_name: 'B corp.', phone_number: '514 000 9999' },
    ...{ city: 'Vancouver', country_code: 'CA', postal_code: 'V6M2V9', residential: false, state_code: 'BC' },
  },
  parcels: [{ weight: 1, weight_unit: 'KG', package_preset: 'canadapost_corrugated_small_box' }],
  payment: { currency: 'CAD', paid_by: 'sender' },
} as const;

/** The same, paid for: an address of tracking that is none outside of the server, and no document. */
const purchased = {
  ...{ id: 'shp_1', object_type: 'shipment', status: 'purchased', label_type: 'PDF', label_url: '/v1/labels/shp_1' },
  ...{ carrier_name: 'canadapost', carrier_id: 'canadapost', service: 'canadapost_priority', invoice_url: null },
  ...{ tracking_number: '123456789012', shipment_identifier: '123456789012', tracker_id: 'trk_1', messages: [] },
  tracking_url: '/v1/trackers/canadapost/123456789012',
  selected_rate: { service: 'canadapost_priority', total_charge: 106.71, currency: 'CAD', transit_days: 2 },
  meta: { ext: 'canadapost', carrier: 'canadapost', service_name: 'CANADAPOST PRIORITY' },
  test_mode: true,
};
const parcel = { account, expeditionNumber: '123456789012', label: null, now: 0 } as const;

describe("what Karrio's own tests have", () => {
  it('is a request that the simulator takes, whose every member the adapter calls the same', async (t) => {
    const simulator = await startKarrioSimulator();
    t.after(() => simulator.close());
    const own = carrierAccount(karrio, simulator.settings);
    const task = { account: own, request: { ...request, modeLiv: 'chronopost_13' }, sequence: 1, now: 0 };
    const driven = await callCarrier(karrio.createLabel?.(task) ?? assert.fail(), karrio.origins(own));
    resultOf(driven);
    const [sent] = driven.requests;
    const { shipper, recipient, parcels, payment, service } = JSON.parse(sent?.body ?? '');
    const names = (value: object) => Object.keys(value);
    assert.deepEqual(
      names(shipper).filter((name) => !names(asked.shipper).includes(name)),
      [],
    );
    assert.deepEqual(
      names(recipient).filter((name) => !names(asked.recipient).includes(name)),
      [],
    );
    assert.deepEqual([names(parcels[0]), payment], [['weight', 'weight_unit'], { paid_by: 'sender' }]);
    const response = await fetch(sent?.url ?? '', {
      method: 'POST',
      headers: sent?.headers ?? {},
      body: JSON.stringify({ ...asked, service, carrier_ids: ['chronopost'] }),
    });
    assert.equal(response.status, 201);
  });

  it('is a shipment whose document is asked for, and whose address of tracking is not handed on', async () => {
    const label = { category: 'label', format: 'PDF', url: null, base64: samplePdf(['Label']).toString('base64') };
    const driven = await replay(karrio.createLabel?.({ account, request, sequence: 1, now: 0 }) ?? assert.fail(), [
      json(purchased, 201),
      json(label),
    ]);
    const { expeditionNumber, outputs } = resultOf(driven);
    assert.deepEqual([expeditionNumber, outputs.map(({ name }) => name)], ['123456789012', ['PdfUrl']]);
    assert.equal(driven.requests[1]?.url, 'http://karrio/v1/shipments/shp_1/documents/label');
  });

  it('is a draft with rates alone, which is no label', async () => {
    const draft = {
      ...purchased,
      status: 'draft',
      tracking_number: null,
      shipment_identifier: null,
      tracking_url: null,
    };
    const driven = await replay(karrio.createLabel?.({ account, request, sequence: 1, now: 0 }) ?? assert.fail(), [
      json({ ...draft, selected_rate: null, rates: [purchased.selected_rate] }, 201),
    ]);
    assert.equal(failureOf(driven).kind, 'unavailable');
  });

  it('is a cancelled shipment, which has lost its number', async () => {
    const way = karrio.desk.voidLabel;
    assert.ok(isSupported(way));
    const task = { ...parcel, parcelNumbers: [parcel.expeditionNumber], outputs: [], again: false };
    const driven = await replay(way(task), [
      json({ count: 1, next: null, previous: null, results: [purchased] }),
      json({ ...purchased, status: 'cancelled', tracking_number: null, selected_rate: null }),
    ]);
    assert.equal(resultOf(driven), 'Karrio has voided the parcel 123456789012.');
  });

  it('is tracking with members that are null', async () => {
    const event = {
      ...{ date: '2010-08-30', time: '10:39', code: 'KB', description: 'UPS INTERNAL ACTIVITY CODE', location: 'BONN' },
      ...{ latitude: null, longitude: null, reason: null, status: null, timestamp: null },
    };
    const tracking = {
      ...{ id: 'trk_1', carrier_name: 'ups', carrier_id: 'ups_package', tracking_number: '1Z12345E6205277936' },
      ...{ delivered: null, status: 'in_transit', images: null, events: [event], messages: [], meta: { ext: 'ups' } },
    };
    const driven = await replay(karrio.track?.(parcel) ?? assert.fail(), [json({ messages: [], tracking })]);
    assert.deepEqual(resultOf(driven), {
      ...{ status: '81', wording1: 'UPS INTERNAL ACTIVITY CODE', wording2: 'in_transit' },
      ...{ relayWording: '', relayNumber: '' },
      steps: [
        {
          ...{ wording: 'UPS INTERNAL ACTIVITY CODE', date: '2010-08-30', hour: '10:39', location: 'BONN' },
          ...{ relayId: '', relayCountry: '' },
        },
      ],
    });
  });

  it('is an error with a level, and one without a shipment', async () => {
    const gone = { errors: [{ code: 'not_found', message: 'Shipment not found', level: 'warning' }] };
    const driven = await replay(karrio.fetchLabel?.(parcel) ?? assert.fail(), [
      json({ results: [purchased] }),
      json(gone, 404),
    ]);
    assert.deepEqual([failureOf(driven).kind, failureOf(driven).carrierCode], ['unknown', 'not_found']);
  });

  it('takes long streets, and a fault of their second line is told of the street', async (t) => {
    const simulator = await startKarrioSimulator();
    t.after(() => simulator.close());
    const own = carrierAccount(karrio, simulator.settings);
    const destAddr2 = `${'x'.repeat(90)} ${'y'.repeat(90)}`;
    const task = { account: own, request: { ...request, modeLiv: 'chronopost_13', destAddr2 }, sequence: 1, now: 0 };
    resultOf(await callCarrier(karrio.createLabel?.(task) ?? assert.fail(), karrio.origins(own)));
    const details = { recipient: { address_line2: ['Too long.'] } };
    const refused = await replay(karrio.createLabel?.(task) ?? assert.fail(), [
      json({ errors: [{ code: 'invalid', message: 'Invalid input.', details }] }, 400),
    ]);
    assert.deepEqual(failureOf(refused).reasons.map(fieldOf), ['destAddr2']);
  });
});
