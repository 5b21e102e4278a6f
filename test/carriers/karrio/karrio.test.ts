// Karrio: requests and answers as its interface describes them, its traps, and the simulator over a socket.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from '../../contract/properties.ts';
import { CarrierError } from '../../../src/carriers/carrier.ts';
import { isSupported } from '../../../src/carriers/desk.ts';
import { karrio } from '../../../src/carriers/karrio/karrio.ts';
import { karrioSamples, startKarrioSimulator } from '../../../simulators/karrio.ts';
import { samplePdf } from '../../../simulators/sample-label.ts';
import { carrierContract, type CarrierSubject, simulatorContract } from '../contract.ts';
import {
  answer,
  carrierAccount,
  callCarrier,
  failureOf,
  labelRequest,
  replay,
  resultOf,
  fieldOf,
  timeLimitFor,
} from '../drive.ts';

const baseUrl = 'http://karrio.example:5002';
const account = carrierAccount(karrio, {
  baseUrl,
  apiKey: 'key_d1f5a2c38b0e4c47',
  carrierName: 'chronopost',
  carrierId: 'chrono-main',
});
const request = labelRequest({
  modeCol: 'depot',
  modeLiv: 'chronopost_13',
  expAddr1: 'Entrepôt Nord',
  expAddr2: '3 rue des Docks',
  expCity: 'Lille',
  expZip: '59000',
  expCountry: 'FR',
  expTel1: '0320000000',
  expMail: 'depot@example.com',
  destAddr1: 'Hélène Dupré',
  destAddr2: '8 place Bellecour',
  destCity: 'Lyon',
  destZip: '69002',
  destCountry: 'FR',
  destTel1: '0600000000',
  destMail: 'helene@example.com',
  weight: '1001',
  nbPackage: '2',
  nDossier: 'CMD-1',
  nClient: 'C-77',
  instruction: '2e étage',
  content: 'Livres',
});
const pdf = samplePdf(['Label']);
const json = (body: unknown, status = 200) =>
  answer(JSON.stringify(body), status, { 'content-type': 'application/json' });

const shipment = {
  id: 'shp_5f8a',
  object_type: 'shipment',
  status: 'created',
  tracking_number: 'XY123456789FR',
  shipment_identifier: 'XY123456789FR',
  tracking_url: 'https://www.chronopost.fr/tracking?listeNumerosLT=XY123456789FR',
  carrier_name: 'chronopost',
  carrier_id: 'chrono-main',
  label_type: 'PDF',
  label_url: '/v1/shipments/shp_5f8a/label.pdf',
  shipping_documents: [{ category: 'label', format: 'PDF', url: '/v1/shipments/shp_5f8a/label.pdf', base64: null }],
  messages: [],
  test_mode: true,
  created_at: '2026-11-20T10:00:00Z',
};
/** What Karrio says of anything that a connector did not expect (`fail_safe` of its SDK). */
const connectorFailure = {
  messages: [
    { code: 'SHIPPING_SDK_INTERNAL_ERROR', message: 'The read operation timed out', carrier_name: 'chronopost' },
  ],
};
const label = { category: 'label', format: 'PDF', print_format: null, url: null, base64: pdf.toString('base64') };
const outputs = [
  { name: 'PdfUrl', kind: 'document', mediaType: 'application/pdf', bytes: pdf },
  { name: 'TrackingUrl', kind: 'text', text: shipment.tracking_url },
] as const;
const tracking = {
  messages: [],
  tracking: {
    carrier_name: 'chronopost',
    carrier_id: 'chrono-main',
    tracking_number: 'XY123456789FR',
    test_mode: false,
    delivered: true,
    status: 'delivered',
    events: [
      { date: '2023-03-09', description: 'Livraison effectuée', code: 'D', time: '16:25 PM', location: 'LYON' },
      { date: '2023-03-09', description: 'En cours de livraison', code: 'TA', time: '09:38 AM', location: 'LYON' },
      { date: '2023-03-08', description: 'Tri effectué', code: 'SC', time: '12:05 AM', location: 'ROISSY' },
      { date: '2023-03-07', description: "Prêt chez l'expéditeur", code: 'DC', time: '10:39' },
    ],
  },
};
const step = (wording: string, date: string, hour: string, location: string) => ({
  wording,
  date,
  hour,
  location,
  relayId: '',
  relayCountry: '',
});

const subject: CarrierSubject = {
  carrier: karrio,
  account,
  request,
  createLabel: {
    requests: [
      {
        method: 'POST',
        url: `${baseUrl}/v1/shipments`,
        repeat: 'never',
        headers: { authorization: 'Token key_d1f5a2c38b0e4c47', 'content-type': 'application/json' },
        body: JSON.stringify({
          service: 'chronopost_13',
          carrier_ids: ['chrono-main'],
          shipper: {
            company_name: 'Entrepôt Nord',
            address_line1: '3 rue des Docks',
            city: 'Lille',
            postal_code: '59000',
            country_code: 'FR',
            phone_number: '0320000000',
            email: 'depot@example.com',
          },
          recipient: {
            person_name: 'Hélène Dupré',
            address_line1: '8 place Bellecour',
            city: 'Lyon',
            postal_code: '69002',
            country_code: 'FR',
            phone_number: '0600000000',
            email: 'helene@example.com',
          },
          parcels: [
            { weight: 501, weight_unit: 'G', content: 'Livres' },
            { weight: 500, weight_unit: 'G', content: 'Livres' },
          ],
          payment: { paid_by: 'sender' },
          options: { recipient_instructions: '2e étage' },
          label_type: 'PDF',
          reference: 'CMD-1',
          order_id: 'C-77',
        }),
      },
      { method: 'POST', url: `${baseUrl}/v1/shipments/shp_5f8a/documents/label`, repeat: 'safe', body: null },
    ],
    answers: [json(shipment, 201), json(label)],
    result: { expeditionNumber: 'XY123456789FR', outputs },
  },
  fetchLabel: {
    expeditionNumber: 'XY123456789FR',
    requests: [
      { method: 'GET', url: `${baseUrl}/v1/shipments?tracking_number=XY123456789FR`, repeat: 'safe', body: null },
      { method: 'POST', url: `${baseUrl}/v1/shipments/shp_5f8a/documents/label`, repeat: 'safe', body: null },
    ],
    answers: [json({ count: 1, next: null, previous: null, results: [shipment] }), json(label)],
    result: { expeditionNumber: 'XY123456789FR', outputs },
  },
  track: {
    expeditionNumber: 'XY123456789FR',
    requests: [
      {
        method: 'POST',
        url: `${baseUrl}/v1/proxy/tracking`,
        repeat: 'safe',
        body: '{"tracking_number":"XY123456789FR","carrier_name":"chronopost","carrier_id":"chrono-main"}',
      },
    ],
    answers: [json(tracking)],
    result: {
      status: '82',
      wording1: 'Livraison effectuée',
      wording2: 'delivered',
      relayWording: '',
      relayNumber: '',
      steps: [
        step("Prêt chez l'expéditeur", '2023-03-07', '10:39', ''),
        step('Tri effectué', '2023-03-08', '00:05', 'ROISSY'),
        step('En cours de livraison', '2023-03-09', '09:38', 'LYON'),
        step('Livraison effectuée', '2023-03-09', '16:25', 'LYON'),
      ],
    },
  },
  probe: {
    requests: [{ method: 'GET', url: `${baseUrl}/v1/shipments?limit=1`, repeat: 'safe', body: null }],
    answers: [json({ count: 0, next: null, previous: null, results: [] })],
    result:
      'Karrio accepts the API key. Whether the carrier behind it accepts its own credentials shows only with a label.',
  },
  voidLabel: {
    expeditionNumber: shipment.tracking_number,
    requests: [
      {
        method: 'GET',
        url: `${baseUrl}/v1/shipments?tracking_number=${shipment.tracking_number}`,
        repeat: 'safe',
        body: null,
      },
      { method: 'POST', url: `${baseUrl}/v1/shipments/${shipment.id}/cancel`, repeat: 'never', body: null },
    ],
    answers: [json({ results: [shipment] }), json({ ...shipment, status: 'cancelled' })],
    result: `Karrio has voided the parcel ${shipment.tracking_number}.`,
  },
  refusals: [
    {
      name: 'the carrier behind it does not take the parcel back',
      operation: 'voidLabel',
      answers: [
        json({ results: [shipment] }),
        json({ messages: [{ code: '2', message: 'le colis a été pris en charge' }] }, 424),
      ],
      kind: 'refused',
      carrierCode: '2',
      fields: [],
    },
    {
      name: 'the carrier behind it did not answer whether it takes the parcel back',
      operation: 'voidLabel',
      answers: [json({ results: [shipment] }), json(connectorFailure, 424)],
      kind: 'unavailable',
      carrierCode: 'SHIPPING_SDK_INTERNAL_ERROR',
      fields: [],
    },
    {
      name: 'a shipment that went on meanwhile',
      operation: 'voidLabel',
      answers: [
        json({ results: [shipment] }),
        json(
          {
            errors: [
              { code: 'state_error', message: "The shipment is 'delivered' and can not be cancelled anymore..." },
            ],
          },
          409,
        ),
      ],
      kind: 'refused',
      carrierCode: 'state_error',
      fields: [],
    },
    {
      name: 'a void with a key that it does not know',
      operation: 'voidLabel',
      answers: [json({ errors: [{ code: 'authentication_failed', message: 'Invalid token.' }] }, 401)],
      kind: 'configuration',
      carrierCode: 'authentication_failed',
      fields: [],
    },
    {
      name: 'the carrier behind it says no',
      operation: 'createLabel',
      answers: [
        json(
          {
            messages: [
              { code: '15', message: 'Code postal incorrect', carrier_name: 'chronopost', carrier_id: 'chrono-main' },
            ],
          },
          424,
        ),
      ],
      kind: 'refused',
      carrierCode: '15',
      fields: [],
    },
    {
      name: 'the carrier behind it did not answer in time, and may have made a parcel',
      operation: 'createLabel',
      answers: [json(connectorFailure, 424)],
      kind: 'unavailable',
      carrierCode: 'SHIPPING_SDK_INTERNAL_ERROR',
      fields: [],
    },
    {
      name: 'a connector that failed over a shipment, which stayed a draft',
      operation: 'createLabel',
      answers: [json({ ...shipment, status: 'draft', tracking_number: null, ...connectorFailure }, 201)],
      kind: 'unavailable',
      carrierCode: 'SHIPPING_SDK_INTERNAL_ERROR',
      fields: [],
    },
    {
      name: 'a shipment that stayed a draft',
      operation: 'createLabel',
      answers: [
        json(
          { ...shipment, status: 'draft', tracking_number: null, messages: [{ code: '3', message: 'Compte inconnu' }] },
          201,
        ),
      ],
      kind: 'refused',
      carrierCode: '3',
      fields: [],
    },
    {
      name: 'a service that is not offered',
      operation: 'createLabel',
      answers: [
        json(
          {
            errors: [
              { code: 'service_unavailable', message: 'The service you selected is not available for this shipment.' },
            ],
          },
          400,
        ),
      ],
      kind: 'refused',
      carrierCode: 'service_unavailable',
      fields: ['modeLiv'],
    },
    {
      name: 'fields that are wrong',
      operation: 'createLabel',
      answers: [
        json(
          {
            errors: [
              {
                code: 'invalid',
                message: 'Invalid input.',
                details: {
                  recipient: { postal_code: ['Too long.'] },
                  parcels: [{ weight: ['A valid number is required.'] }],
                  customs: ['?'],
                },
              },
            ],
          },
          400,
        ),
      ],
      kind: 'invalid',
      carrierCode: 'invalid',
      fields: ['destZip', 'weight'],
    },
    {
      name: 'no connection of the carrier',
      operation: 'createLabel',
      answers: [
        json(
          { errors: [{ code: 'not_found', message: 'No active carrier connection found to process the request' }] },
          404,
        ),
      ],
      kind: 'configuration',
      carrierCode: 'not_found',
      fields: [],
    },
    {
      name: 'a wrong key, which the answer repeats',
      operation: 'createLabel',
      answers: [
        json({ errors: [{ code: 'authentication_failed', message: 'Invalid token key_d1f5a2c38b0e4c47.' }] }, 401),
      ],
      kind: 'configuration',
      carrierCode: 'authentication_failed',
      fields: [],
    },
    {
      name: 'a wrong key, in a test of the account',
      operation: 'probe',
      answers: [json({ errors: [{ code: 'authentication_failed', message: 'Invalid token.' }] }, 401)],
      kind: 'configuration',
      carrierCode: 'authentication_failed',
      fields: [],
    },
    {
      name: 'too many requests',
      operation: 'track',
      answers: [answer('', 429)],
      kind: 'unavailable',
      carrierCode: null,
      fields: [],
    },
    {
      name: 'an unknown parcel',
      operation: 'track',
      answers: [json({ messages: [{ code: '404', message: 'No result' }] }, 404)],
      kind: 'unknown',
      carrierCode: '404',
      fields: [],
    },
    {
      name: 'an unknown parcel with status 200',
      operation: 'track',
      answers: [json({ messages: [{ code: '404', message: 'No result' }], tracking: null })],
      kind: 'unknown',
      carrierCode: '404',
      fields: [],
    },
    ...[200, 404].map((status) => ({
      name: `a carrier behind it that cannot be asked for a parcel, with status ${status}`,
      operation: 'track' as const,
      answers: [json({ ...connectorFailure, tracking: null }, status)],
      kind: 'unavailable' as const,
      carrierCode: 'SHIPPING_SDK_INTERNAL_ERROR',
      fields: [],
    })),
    {
      name: 'tracking without a connection',
      operation: 'track',
      answers: [
        json(
          { errors: [{ code: 'not_found', message: 'No active carrier connection found to process the request' }] },
          404,
        ),
      ],
      kind: 'configuration',
      carrierCode: 'not_found',
      fields: [],
    },
    {
      name: 'a shipment that is gone when its document is asked for',
      operation: 'fetchLabel',
      answers: [
        json({ results: [shipment] }),
        json({ errors: [{ code: 'not_found', message: 'No Shipment matches the given query.' }] }, 404),
      ],
      kind: 'unknown',
      carrierCode: 'not_found',
      fields: [],
    },
    {
      name: 'a label of nobody',
      operation: 'fetchLabel',
      answers: [json({ count: 0, results: [] })],
      kind: 'unknown',
      carrierCode: null,
      fields: [],
    },
  ],
};

carrierContract(subject);
simulatorContract({
  carrier: karrio,
  start: startKarrioSimulator,
  request: { ...request, nbPackage: '1' },
  unknownNumber: 'XX999999999FR',
});

describe('labels through Karrio', () => {
  const create = (changes: Partial<typeof request>, answers: Parameters<typeof replay>[1]) => {
    const { createLabel } = karrio;
    assert.ok(createLabel !== null);
    return replay(createLabel({ account, request: { ...request, ...changes }, sequence: 1, now: 0 }), answers);
  };

  it('wraps a long street into the second line of the address', async () => {
    const [first, second] = ['x'.repeat(99), 'y'.repeat(40)];
    const { requests } = await create({ destAddr2: `${first} ${second}`, expAddr2: first }, [json({}, 500)]);
    const { shipper, recipient } = JSON.parse(requests[0]?.body ?? '');
    assert.deepEqual([recipient.address_line1, recipient.address_line2], [first, second]);
    assert.deepEqual([shipper.address_line1, shipper.address_line2], [first, undefined]);
  });

  it('tells of the parcel when only its document could not be had', async () => {
    const error = failureOf(
      await create({}, [json(shipment, 201), new CarrierError('timeout', 'The carrier did not answer in time.')]),
    );
    assert.equal(error.kind, 'timeout');
    assert.equal(
      error.message,
      'The parcel XY123456789FR exists at Karrio all the same. The carrier did not answer in time.',
    );
  });

  it('tells of every parcel when only their document could not be had', async () => {
    const numbers = [shipment.tracking_number, 300_000_000_001];
    const { parcels } = failureOf(
      await create({}, [
        json({ ...shipment, meta: { tracking_numbers: numbers } }, 201),
        new CarrierError('timeout', 'The carrier did not answer in time.'),
      ]),
    );
    assert.deepEqual(parcels, ['XY123456789FR', '300000000001']);
  });

  it('leaves a doubt where a connector failed: the carrier may have made a parcel', async () => {
    assert.equal(failureOf(await create({}, [json(connectorFailure, 424)])).acted, 'unknown');
  });

  it('takes the document that is there already', async () => {
    const { requests } = await create({}, [json({ ...shipment, shipping_documents: [label] }, 201)]);
    assert.equal(requests.length, 1);
  });

  it('asks for printer code and gives it as text', async () => {
    const driven = await create({ outputType: 'ZplCode' }, [
      json({ ...shipment, label_type: 'ZPL' }, 201),
      json({ ...label, format: 'ZPL', base64: Buffer.from('^XA^FDé^FS^XZ').toString('base64') }),
    ]);
    assert.match(driven.requests[0]?.body ?? '', /"label_type":"ZPL"/);
    assert.deepEqual(resultOf(driven).outputs[0], { name: 'ZplCode', kind: 'text', text: '^XA^FDé^FS^XZ' });
  });

  it('takes a page in place of a PDF for no label', async () => {
    assert.equal(
      failureOf(
        await create({}, [json(shipment, 201), json({ ...label, base64: Buffer.from('<html>').toString('base64') })]),
      ).kind,
      'unavailable',
    );
  });

  it('sends cash in the currency of the account, and the pick-up point in the option that it names', async () => {
    const withOption = { settings: { ...account.settings, pickupOption: 'dpd_parcel_shop_id' } };
    const driven = await replay(
      karrio.createLabel?.({
        account: withOption,
        request: { ...request, crtValue: '1999', shippingPickupPoint: 'FR4711' },
        sequence: 1,
        now: 0,
      }) ?? assert.fail(),
      [json(shipment, 201), json(label)],
    );
    assert.deepEqual(JSON.parse(driven.requests[0]?.body ?? '').options, {
      cash_on_delivery: 19.99,
      currency: 'EUR',
      recipient_instructions: '2e étage',
      dpd_parcel_shop_id: 'FR4711',
    });
    assert.deepEqual(
      karrio
        .check({ ...request, shippingPickupPoint: 'FR4711' }, account)
        .map((reason) => [fieldOf(reason), reason.code]),
      [['shippingPickupPoint', 'not-offered']],
    );
    assert.deepEqual(karrio.check({ ...request, shippingPickupPoint: 'FR4711' }, withOption), []);
  });

  it('gives the number of every parcel, where Karrio tells several', async () => {
    const numbers = [shipment.tracking_number, 'XY123456790FR'];
    const driven = await replay(
      karrio.createLabel?.({ account, request: { ...request, nbPackage: '2' }, sequence: 1, now: 0 }) ?? assert.fail(),
      [json({ ...shipment, meta: { tracking_numbers: numbers } }, 201), json(label)],
    );
    const { expeditionNumber, outputs: given } = resultOf(driven);
    assert.equal(expeditionNumber, numbers[0]);
    assert.deepEqual(
      given.flatMap((output) => (output.name === 'ParcelNumber' && output.kind === 'text' ? [output.text] : [])),
      numbers,
    );
  });

  it('divides any weight among the parcels without losing a gram', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 99 }), fc.integer({ min: 99, max: 900_000 }), async (count, grams) => {
        const { requests } = await create({ nbPackage: String(count), weight: String(grams) }, []);
        const { parcels }: { readonly parcels: readonly { readonly weight: number }[] } = JSON.parse(
          requests[0]?.body ?? '',
        );
        assert.equal(parcels.length, count);
        assert.equal(
          parcels.reduce((sum, { weight }) => sum + weight, 0),
          grams,
        );
        assert.ok(parcels.every(({ weight }) => weight >= 1));
      }),
      { numRuns: 50 },
    );
  });

  it('finds no other shipment whose number only contains the one that is asked for', async () => {
    const other = { ...shipment, tracking_number: 'XY123456789FR-2' };
    const driven = await replay(
      karrio.fetchLabel?.({ account, expeditionNumber: 'XY123456789FR', label: null, now: 0 }) ?? assert.fail(),
      [json({ results: [other] })],
    );
    assert.equal(failureOf(driven).kind, 'unknown');
  });
});

it('takes a shipment that somebody else cancelled a moment ago for void', async () => {
  const { voidLabel } = karrio.desk;
  assert.ok(isSupported(voidLabel));
  const task = { account, expeditionNumber: shipment.tracking_number, parcelNumbers: [shipment.tracking_number] };
  const driven = await replay(voidLabel({ ...task, outputs: [], label: null, again: false, now: 0 }), [
    json({ results: [shipment] }),
    json({ ...shipment, status: 'cancelled' }, 202),
  ]);
  assert.equal(resultOf(driven), `Karrio has voided the parcel ${shipment.tracking_number}.`);
});

describe('tracking through Karrio', () => {
  const track = (body: unknown) =>
    replay(karrio.track?.({ account, expeditionNumber: 'XY1', label: null, now: 0 }) ?? assert.fail(), [json(body)]);

  for (const [state, status] of Object.entries({
    pending: '80',
    unknown: '80',
    picked_up: '81',
    in_transit: '81',
    out_for_delivery: '81',
    ready_for_pickup: '81',
    delivered: '82',
    on_hold: '83',
    delivery_delayed: '83',
    delivery_failed: '83',
    return_to_sender: '83',
    cancelled: '83',
  })) {
    it(`calls ${state} ${status}`, async () =>
      assert.equal(resultOf(await track({ tracking: { status: state, events: [] } })).status, status));
  }

  it('goes by delivery and steps where Karrio adds a state', async () => {
    assert.equal(resultOf(await track({ tracking: { status: 'teleported', delivered: true } })).status, '82');
    assert.equal(
      resultOf(await track({ tracking: { status: 'teleported', events: [{ date: '2026-01-01', description: 'x' }] } }))
        .status,
      '81',
    );
  });

  it('calls a parcel registered that was made here lately and that the carrier has not heard of', async () => {
    const [now, missing] = [Date.UTC(2026, 10, 21, 12), { messages: [{ code: '1', message: 'Not found yet' }] }];
    const asked = (createdAt: number, status: number) =>
      replay(
        karrio.track?.({ account, expeditionNumber: 'XY1', label: { request, createdAt }, now }) ?? assert.fail(),
        [json(missing, status)],
      );
    for (const status of [200, 404]) {
      assert.equal(resultOf(await asked(now - 3_600_000, status)).status, '80');
      assert.equal(failureOf(await asked(now - 15 * 86_400_000, status)).kind, 'unknown');
    }
    assert.equal(failureOf(await asked(now - 3_600_000, 424)).kind, 'unavailable');
  });

  it('shows no step that Karrio made up itself', async () => {
    const { steps, wording1, status } = resultOf(
      await track({
        tracking: {
          status: 'pending',
          events: [
            { date: '2026-11-20', description: 'Awaiting update from carrier...', code: 'UNKNOWN', time: '08:00 AM' },
          ],
        },
      }),
    );
    assert.deepEqual({ steps, wording1, status }, { steps: [], wording1: '', status: '80' });
  });

  it('keeps steps with days and hours that are none', async () => {
    const { steps } = resultOf(
      await track({
        tracking: {
          status: 'in_transit',
          events: [
            { date: '2026-02-30', time: '10:00', description: 'a' },
            { date: '2026-01-02', time: '99:99', description: 'b' },
            { date: 7, description: null, location: {} },
          ],
        },
      }),
    );
    assert.deepEqual(steps.map(({ wording, date, hour }) => [wording, date, hour]).toSorted(), [
      ['', '', ''],
      ['a', '', ''],
      ['b', '2026-01-02', ''],
    ]);
  });
});

describe('the simulator of Karrio', () => {
  it('gives each of its sample parcels its state, and fails on demand', async (t) => {
    const simulator = await startKarrioSimulator();
    t.after(() => simulator.close());
    const own = carrierAccount(karrio, simulator.settings);
    const origins = karrio.origins(own);
    const states = await Promise.all(
      Object.keys(karrioSamples).map(
        async (expeditionNumber) =>
          resultOf(
            await callCarrier(
              karrio.track?.({ account: own, expeditionNumber, label: null, now: 0 }) ?? assert.fail(),
              origins,
            ),
          ).status,
      ),
    );
    assert.deepEqual(states, ['81', '81', '81', '82', '83', '83', '83']);
    for (const [nDossier, kind] of [
      ['FAULT429', 'unavailable'],
      ['FAULT500', 'unavailable'],
      ['FAULTTEXT', 'unavailable'],
      ['FAULTEMPTY', 'unavailable'],
      ['FAULTSHAPE', 'unavailable'],
      ['FAULTHALF', 'unavailable'],
      ['FAULTMUTE', 'timeout'],
    ] as const) {
      const driven = await callCarrier(
        karrio.createLabel?.({ account: own, request: { ...request, nDossier }, sequence: 1, now: 0 }) ?? assert.fail(),
        origins,
        timeLimitFor(nDossier),
      );
      assert.equal(failureOf(driven).kind, kind, nDossier);
    }
  });

  it('refuses as Karrio does', async (t) => {
    const simulator = await startKarrioSimulator();
    t.after(() => simulator.close());
    const attempt = async (changes: Partial<typeof request>, settings: Readonly<Record<string, string>> = {}) => {
      const own = carrierAccount(karrio, { ...simulator.settings, ...settings });
      const { kind, carrierCode } = failureOf(
        await callCarrier(
          karrio.createLabel?.({ account: own, request: { ...request, ...changes }, sequence: 1, now: 0 }) ??
            assert.fail(),
          karrio.origins(own),
        ),
      );
      return [kind, carrierCode];
    };
    assert.deepEqual(await attempt({ destZip: '00000' }), ['refused', '15']);
    assert.deepEqual(await attempt({ destZip: '99999' }), ['unavailable', 'SHIPPING_SDK_INTERNAL_ERROR']);
    assert.deepEqual(await attempt({ modeLiv: 'ups_standard' }), ['refused', 'service_unavailable']);
    assert.deepEqual(await attempt({ destAddr1: 'x'.repeat(101) }), ['invalid', 'validation_error']);
    assert.deepEqual(await attempt({}, { carrierId: 'other' }), ['configuration', 'not_found']);
    assert.deepEqual(await attempt({}, { apiKey: 'key_wrong' }), ['configuration', 'authentication_failed']);
  });
});
