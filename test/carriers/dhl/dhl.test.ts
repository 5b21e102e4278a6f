// DHL: requests and answers as its descriptions show them, its traps, and the simulator over a socket.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from '../../contract/properties.ts';
import { CarrierError } from '../../../src/carriers/carrier.ts';
import { isSupported } from '../../../src/carriers/desk.ts';
import { alpha3 } from '../../../src/carriers/dhl/countries.ts';
import { dhl } from '../../../src/carriers/dhl/dhl.ts';
import { dhlModes } from '../../../src/carriers/dhl/rules.ts';
import { startDhlSimulator } from '../../../simulators/dhl.ts';
import { dhlSamples } from '../../../simulators/dhl-tracking.ts';
import { samplePdf } from '../../../simulators/sample-label.ts';
import type { LabelRequest } from '../../../src/model/shipping.ts';
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
  inBrief,
  timeLimitFor,
} from '../drive.ts';

const account = carrierAccount(dhl, {
  clientId: 'app-1',
  clientSecret: 'top-secret-99',
  username: 'shop',
  password: 'pass word&1',
  billingNumbers: '33333333330102, 33333333335301,33333333336201',
  trackingKey: 'track-key-5',
  language: 'de',
});
const request = labelRequest({
  modeCol: 'depot',
  modeLiv: 'V01PAK',
  expAddr1: 'My Online Shop GmbH',
  expAddr2: 'Sträßchensweg 10',
  expCity: 'Bonn',
  expZip: '53113',
  expCountry: 'DE',
  expTel1: '+49 123456789',
  expMail: 'max@mustermann.example',
  destAddr1: 'Maria Musterfrau',
  destAddr2: 'Kurt-Schumacher-Str. 20',
  destCity: 'Bonn',
  destZip: '53113',
  destCountry: 'DE',
  destTel1: '+49 987654321',
  destMail: 'maria@musterfrau.example',
  weight: '500',
  nbPackage: '1',
  nDossier: 'Order No. 1234',
  nClient: 'C-77',
});
const now = Date.UTC(2026, 10, 21, 12);
const json = (body: unknown, status = 200) =>
  answer(JSON.stringify(body), status, { 'content-type': 'application/json' });
const token = json({ access_token: 'tok.1', token_type: 'Bearer', expires_in: 28_799 });
const origin = 'https://api-eu.dhl.com';
const tokenRequest = {
  method: 'POST',
  url: `${origin}/parcel/de/account/auth/ropc/v1/token`,
  repeat: 'safe',
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body: 'grant_type=password&username=shop&password=pass+word%261&client_id=app-1&client_secret=top-secret-99',
} as const;
const pdf = samplePdf(['Label']);
const number = '340434310428091700';
const ok = { title: 'OK', status: 200, statusCode: 200 };
const item = {
  shipmentNo: number,
  routingCode: '40327653113+99000943058020',
  sstatus: ok,
  shipmentRefNo: 'Order No. 1234',
  label: { b64: pdf.toString('base64'), fileFormat: 'PDF', printFormat: '910-300-400' },
  validationMessages: [],
};
const answered = (items: readonly unknown[], status = 200) =>
  json({ status: { ...ok, detail: '1 of 1 shipment successfully printed.' }, items }, status);
const wrong = (property: string, validationMessage: string, validationState = 'Error') => ({
  property,
  validationMessage,
  validationState,
});
const refused = (messages: readonly unknown[]) =>
  json(
    {
      status: { title: 'Error', statusCode: 400, detail: 'Validation failed.' },
      items: [{ sstatus: { title: 'Error', statusCode: 400 }, validationMessages: messages }],
    },
    400,
  );
const wrongItem = {
  sstatus: { title: 'Bad Request', status: 400 },
  validationMessages: [wrong('details.weight', 'Too heavy')],
};
const failedItem = { sstatus: { title: 'Internal Server Error', status: 500, detail: 'Try again later.' } };
const label = { name: 'PdfUrl', kind: 'document', mediaType: 'application/pdf', bytes: pdf } as const;
const print = 'includeDocs=include&docFormat=PDF&printFormat=910-300-400&combine=false';
const step = (wording: string, date: string, hour: string, location: string) => ({
  wording,
  date,
  hour,
  location,
  relayId: '',
  relayCountry: '',
});
const trackRequest = {
  method: 'GET',
  url: `${origin}/track/shipments?trackingNumber=7777777770&language=de`,
  repeat: 'safe',
  headers: { 'dhl-api-key': 'track-key-5' },
  body: null,
} as const;
/** As the description shows it: the code says one thing and the text another. */
const shipment = {
  id: 7777777770,
  service: 'express',
  origin: { address: { countryCode: 'NL', postalCode: '1043 AG', addressLocality: 'Oderweg 2, AMSTERDAM' } },
  status: {
    timestamp: '2018-03-02T07:53:47Z',
    location: { address: { countryCode: 'NL', postalCode: '1043 AG', addressLocality: 'Oderweg 2, AMSTERDAM' } },
    statusCode: 'pre-transit',
    status: 'DELIVERED',
    description: 'JESSICA',
    remark: 'The shipment is pending completion of customs inspection.',
    nextSteps: 'The status will be updated following customs inspection.',
  },
  events: [
    {
      timestamp: '2018-03-02T07:53:47',
      location: { address: { countryCode: 'NL', postalCode: '1043 AG', addressLocality: 'AMSTERDAM' } },
      statusCode: 'pre-transit',
      status: 'DELIVERED',
      description: 'JESSICA',
    },
    { timestamp: '2018-03-01T18:00:00+01:00', statusCode: 'pre-transit', status: 'ANNOUNCED' },
  ],
};
const noResult = json(
  {
    title: 'No result found',
    detail: 'No shipment with given tracking number found.',
    status: 404,
    instance: '/shipment/8264715546',
  },
  404,
);

const trial = (product: string) =>
  ({
    method: 'POST',
    url: `${origin}/parcel/de/shipping/v2/orders?validate=true`,
    repeat: 'safe',
    headers: { authorization: 'Bearer tok.1' },
    body: new RegExp(`^\\{"profile":"STANDARD_GRUPPENPROFIL","shipments":\\[\\{"product":"${product}",`),
  }) as const;
const validationOutcome = answered([{ sstatus: ok, validationMessages: [] }]);

const subject: CarrierSubject = {
  carrier: dhl,
  account,
  request,
  now,
  createLabel: {
    requests: [
      tokenRequest,
      {
        method: 'POST',
        url: `${origin}/parcel/de/shipping/v2/orders?${print}`,
        repeat: 'never',
        headers: { authorization: 'Bearer tok.1', 'accept-language': 'de-DE' },
        body: JSON.stringify({
          profile: 'STANDARD_GRUPPENPROFIL',
          shipments: [
            {
              product: 'V01PAK',
              billingNumber: '33333333330102',
              refNo: 'Order No. 1234',
              costCenter: 'C-77',
              shipper: {
                name1: 'My Online Shop GmbH',
                addressStreet: 'Sträßchensweg 10',
                postalCode: '53113',
                city: 'Bonn',
                country: 'DEU',
                email: 'max@mustermann.example',
              },
              consignee: {
                name1: 'Maria Musterfrau',
                addressStreet: 'Kurt-Schumacher-Str. 20',
                postalCode: '53113',
                city: 'Bonn',
                country: 'DEU',
                email: 'maria@musterfrau.example',
              },
              details: { weight: { uom: 'g', value: 500 } },
            },
          ],
        }),
      },
    ],
    answers: [token, answered([item])],
    result: { expeditionNumber: number, outputs: [label] },
  },
  fetchLabel: {
    expeditionNumber: number,
    requests: [
      tokenRequest,
      {
        method: 'GET',
        url: `${origin}/parcel/de/shipping/v2/orders?shipment=${number}&${print}`,
        repeat: 'safe',
        headers: { authorization: 'Bearer tok.1' },
        body: null,
      },
    ],
    answers: [token, answered([item])],
    result: { expeditionNumber: number, outputs: [label] },
  },
  track: {
    expeditionNumber: '7777777770',
    requests: [trackRequest],
    answers: [json({ shipments: [shipment] })],
    result: {
      status: '80',
      wording1: 'JESSICA',
      wording2: 'The shipment is pending completion of customs inspection.',
      relayWording: '',
      relayNumber: '',
      steps: [
        step('ANNOUNCED', '2018-03-01', '18:00', ''),
        step('JESSICA', '2018-03-02', '07:53', '1043 AG AMSTERDAM, NL'),
      ],
    },
  },
  probe: {
    requests: [
      tokenRequest,
      ...['V01PAK', 'V62KP', 'V53WPAK'].map(trial),
      { ...trackRequest, url: `${origin}/track/shipments?trackingNumber=00340434161094042557&language=de` },
    ],
    answers: [token, validationOutcome, validationOutcome, validationOutcome, noResult],
    result: 'DHL accepts the user for labels and the key for tracking. It would make labels of V01PAK, V62KP, V53WPAK.',
  },
  voidLabel: {
    expeditionNumber: number,
    parcelNumbers: [number, '340434310428091717'],
    requests: [
      tokenRequest,
      {
        method: 'DELETE',
        url:
          `${origin}/parcel/de/shipping/v2/orders?profile=STANDARD_GRUPPENPROFIL&shipment=${number}` +
          '&shipment=340434310428091717',
        repeat: 'never',
        headers: { authorization: 'Bearer tok.1' },
        body: null,
      },
    ],
    answers: [
      token,
      answered(
        [
          { shipmentNo: number, sstatus: ok },
          { shipmentNo: '340434310428091717', sstatus: ok },
        ],
        207,
      ),
    ],
    result: `DHL has voided the parcels ${number}, 340434310428091717.`,
  },
  dryRun: {
    requests: [tokenRequest, trial('V01PAK')],
    answers: [token, validationOutcome],
    result: 'DHL would take this request.',
  },
  handOver: {
    parcelNumbers: [number, '340434310428091717'],
    requests: [
      tokenRequest,
      {
        method: 'POST',
        url: `${origin}/parcel/de/shipping/v2/manifests`,
        repeat: 'safe',
        headers: { authorization: 'Bearer tok.1' },
        body: `{"profile":"STANDARD_GRUPPENPROFIL","shipmentNumbers":["${number}","340434310428091717"]}`,
      },
    ],
    answers: [
      token,
      answered(
        [
          { shipmentNo: number, sstatus: ok },
          { shipmentNo: '340434310428091717', sstatus: { ...ok, detail: 'The shipment was already manifested.' } },
        ],
        207,
      ),
    ],
    result: { detail: 'DHL has closed 1 of 2. 1 had been closed before.', number: null, slip: null },
  },
  refusals: [
    {
      name: 'a shipment that it failed over beside one that is wrong',
      operation: 'createLabel',
      answers: [token, answered([wrongItem, failedItem], 207)],
      kind: 'unavailable',
      carrierCode: '500',
      fields: [],
    },
    {
      name: 'a shipment that it failed over beside one that is wrong, with the status of the latter',
      operation: 'createLabel',
      answers: [token, answered([wrongItem, failedItem], 400)],
      kind: 'unavailable',
      carrierCode: '500',
      fields: [],
    },
    {
      name: 'a shipment that is well and has no number',
      operation: 'createLabel',
      answers: [token, answered([{ ...item, shipmentNo: '' }])],
      kind: 'unavailable',
      carrierCode: null,
      fields: [],
    },
    {
      name: 'a void that it failed over, of a shipment that still exists',
      operation: 'voidLabel',
      answers: [
        token,
        answered(
          [
            { shipmentNo: number, sstatus: ok },
            { ...failedItem, shipmentNo: '340434310428091717' },
          ],
          207,
        ),
        token,
        answered([{ ...item, shipmentNo: '340434310428091717' }]),
      ],
      kind: 'unavailable',
      carrierCode: '500',
      fields: [],
    },
    {
      name: 'a shipment that it failed over, and that may exist',
      operation: 'createLabel',
      answers: [
        token,
        answered([{ sstatus: { title: 'Internal Server Error', status: 500, detail: 'Try again later.' } }], 207),
      ],
      kind: 'unavailable',
      carrierCode: '500',
      fields: [],
    },
    {
      name: 'a shipment that it does not know, at the end of the day',
      operation: 'handOver',
      answers: [
        token,
        answered(
          [
            { shipmentNo: number, sstatus: ok },
            { shipmentNo: '340434310428091717', sstatus: { title: 'Bad Request', status: 400, detail: 'Unknown' } },
          ],
          207,
        ),
      ],
      kind: 'refused',
      carrierCode: '400',
      fields: [],
    },
    {
      name: 'the end of a day of a user that it does not know',
      operation: 'handOver',
      answers: [json({ title: 'Unauthorized', statusCode: 401, detail: 'Unauthorized.' }, 401)],
      kind: 'configuration',
      carrierCode: '401',
      fields: [],
    },
    {
      name: 'a trial with a wrong postcode',
      operation: 'dryRun',
      answers: [token, refused([wrong('consignee.postalCode', 'The postal code is invalid')])],
      kind: 'invalid',
      carrierCode: '400',
      fields: ['destZip'],
    },
    {
      name: 'a trial of one shipment of several that is wrong',
      operation: 'dryRun',
      answers: [
        token,
        answered(
          [
            { sstatus: ok },
            {
              sstatus: { title: 'Error', statusCode: 400 },
              validationMessages: [wrong('details.weight', 'The weight is too high')],
            },
          ],
          207,
        ),
      ],
      kind: 'invalid',
      carrierCode: '400',
      fields: ['weight'],
    },
    {
      name: 'a trial of a user that it does not know',
      operation: 'dryRun',
      answers: [json({ error: 'invalid_grant', error_description: 'Invalid user credentials' }, 401)],
      kind: 'configuration',
      carrierCode: 'invalid_grant',
      fields: [],
    },
    {
      name: 'a shipment of a closed day',
      operation: 'voidLabel',
      answers: [
        token,
        answered(
          [
            { shipmentNo: number, sstatus: ok },
            { shipmentNo: '340434310428091717', sstatus: { title: 'Bad Request', status: 400, detail: 'manifested' } },
          ],
          207,
        ),
        token,
        answered([{ ...item, shipmentNo: '340434310428091717' }]),
      ],
      kind: 'refused',
      carrierCode: '400',
      fields: [],
    },
    {
      name: 'a void of a shipment that it does not know',
      operation: 'voidLabel',
      answers: [
        token,
        answered(
          [
            { shipmentNo: number, sstatus: ok },
            { shipmentNo: '340434310428091717', sstatus: { title: 'Bad Request', status: 400, detail: 'Unknown' } },
          ],
          207,
        ),
        token,
        json({ title: 'Not Found', statusCode: 404, detail: 'Unknown shipment number.' }, 404),
      ],
      kind: 'unknown',
      carrierCode: '400',
      fields: [],
    },
    {
      name: 'a void of a user that it does not know',
      operation: 'voidLabel',
      answers: [json({ title: 'Unauthorized', statusCode: 401, detail: 'Unauthorized.' }, 401)],
      kind: 'configuration',
      carrierCode: '401',
      fields: [],
    },
    {
      name: 'a user that it does not know',
      operation: 'createLabel',
      answers: [
        json({ title: 'Unauthorized', statusCode: 401, detail: 'Unauthorized for top-secret-99 or pass word&1.' }, 401),
      ],
      kind: 'configuration',
      carrierCode: '401',
      fields: [],
    },
    {
      name: 'a grant that it does not give',
      operation: 'probe',
      answers: [json({ error: 'invalid_grant', error_description: 'Invalid user credentials' }, 400)],
      kind: 'configuration',
      carrierCode: 'invalid_grant',
      fields: [],
    },
    {
      name: 'wrong fields',
      operation: 'createLabel',
      answers: [
        token,
        refused([
          wrong('shipper.addressStreet', 'Street name is required'),
          wrong('consignee.postalCode', 'Postal code format is invalid'),
          wrong('details.weight', 'Weight is high', 'Warning'),
        ]),
      ],
      kind: 'invalid',
      carrierCode: '400',
      fields: ['expAddr2', 'destZip'],
    },
    {
      name: 'wrong fields with status 200',
      operation: 'createLabel',
      answers: [
        token,
        json({
          status: { title: 'ok', statusCode: 200 },
          items: [
            {
              shipmentNo: '340434310428091701',
              validationMessages: [wrong('consignee.city', 'City name is required')],
            },
          ],
        }),
      ],
      kind: 'invalid',
      carrierCode: '200',
      fields: ['destCity'],
    },
    {
      name: 'a billing number that it does not know',
      operation: 'createLabel',
      answers: [token, refused([wrong('billingNumber', 'Unknown')])],
      kind: 'configuration',
      carrierCode: '400',
      fields: [],
    },
    {
      name: 'anything else',
      operation: 'createLabel',
      answers: [token, json({ title: 'Bad Request', statusCode: 400, detail: 'No.' }, 400)],
      kind: 'refused',
      carrierCode: '400',
      fields: [],
    },
    {
      name: 'too many requests',
      operation: 'createLabel',
      answers: [token, json({ title: 'Too Many Requests', statusCode: 429, detail: 'Slow down.' }, 429)],
      kind: 'unavailable',
      carrierCode: '429',
      fields: [],
    },
    {
      name: 'a label of nobody',
      operation: 'fetchLabel',
      answers: [token, json({ title: 'Not Found', statusCode: 404, detail: 'Unknown shipment.' }, 404)],
      kind: 'unknown',
      carrierCode: '404',
      fields: [],
    },
    {
      name: 'a label of nobody among items',
      operation: 'fetchLabel',
      answers: [token, json({ status: ok, items: [{ sstatus: { title: 'Not Found', status: 404 } }] })],
      kind: 'unknown',
      carrierCode: '404',
      fields: [],
    },
    {
      name: 'an unknown parcel',
      operation: 'track',
      answers: [noResult],
      kind: 'unknown',
      carrierCode: '404',
      fields: [],
    },
    {
      name: 'a tracking key that it does not know',
      operation: 'track',
      answers: [json({ title: 'Unauthorized', status: 401, detail: 'Unauthorized for given resource.' }, 401)],
      kind: 'configuration',
      carrierCode: '401',
      fields: [],
    },
    {
      name: 'a quota that is used up',
      operation: 'track',
      answers: [json({ title: 'Too many requests', status: 429, detail: 'track-key-5' }, 429)],
      kind: 'unavailable',
      carrierCode: '429',
      fields: [],
    },
  ],
};

carrierContract(subject);
simulatorContract({ carrier: dhl, start: startDhlSimulator, request, unknownNumber: '340434310428099999' });

const create = (
  changes: Partial<LabelRequest>,
  answers: Parameters<typeof replay>[1] = [token, answer('', 500)],
  settings = {},
) =>
  replay(
    dhl.createLabel?.({
      account: { settings: { ...account.settings, ...settings } },
      request: { ...request, ...changes },
      sequence: 1,
      now,
    }) ?? assert.fail(),
    answers,
  );
const sent = async (changes: Partial<LabelRequest>, settings = {}) =>
  JSON.parse((await create(changes, undefined, settings)).requests[1]?.body ?? '').shipments[0];

describe('long streets of DHL', () => {
  const street = 'Gewerbepark an der alten Ziegelei 128a, Hof 3, Aufgang links, zweites Obergeschoss, Zimmer 17';

  it('go on in further lines of the name within Germany, and of the sender', async () => {
    const { consignee, shipper } = await sent({ expAddr2: street, destAddr2: street });
    for (const party of [consignee, shipper])
      assert.deepEqual(
        [party.addressStreet, party.name2, party.name3],
        ['Gewerbepark an der alten Ziegelei 128a, Hof 3,', 'Aufgang links, zweites Obergeschoss, Zimmer 17', undefined],
      );
  });

  it('go on behind the street abroad', async () => {
    const { consignee } = await sent({ modeLiv: 'V53WPAK', destCountry: 'AT', destZip: '1010', destAddr2: street });
    assert.deepEqual(
      [consignee.addressStreet, consignee.additionalAddressInformation1, consignee.name2],
      ['Gewerbepark an der alten Ziegelei 128a, Hof 3,', 'Aufgang links, zweites Obergeschoss, Zimmer 17', undefined],
    );
  });

  it('are refused where they do not fit', () => {
    const reasons = (changes: Partial<LabelRequest>) => dhl.check({ ...request, ...changes }, account).map(inBrief);
    assert.deepEqual(reasons({ destAddr2: 'x'.repeat(51) }), ['destAddr2 too-long']);
    assert.deepEqual(reasons({ expAddr2: `${'x'.repeat(49)} `.repeat(3) }), []);
    assert.deepEqual(reasons({ expAddr2: `${'x'.repeat(49)} `.repeat(4) }), ['expAddr2 too-long']);
  });
});

describe('labels of DHL', () => {
  it('keeps every digit of a number that comes without quotes', async () => {
    const body = JSON.stringify({ status: ok, items: [item] }).replace(
      `"shipmentNo":"${number}"`,
      '"shipmentNo":340434310428091701',
    );
    assert.equal(resultOf(await create({}, [token, answer(body)])).expeditionNumber, '340434310428091701');
  });

  it('knows the other spelling of a number, with and without the zeros before an SSCC', () => {
    for (const [given, others] of [
      [number, [`00${number}`]],
      [`00${number}`, [number]],
      ['22222222201019000000', []],
    ] as const)
      assert.deepEqual(dhl.otherNumbers?.(given), others);
  });

  it('makes a shipment for each parcel', async () => {
    const driven = await create({ nbPackage: '2', weight: '1001' }, [
      token,
      answered([item, { ...item, shipmentNo: '340434310428091711' }], 207),
    ]);
    assert.match(driven.requests[1]?.body ?? '', /"value":501.*"value":500/);
    assert.deepEqual(
      resultOf(driven).outputs.map((output) => (output.kind === 'text' ? output.text : output.name)),
      ['PdfUrl', 'PdfUrl', number, '340434310428091711'],
    );
  });

  it('names the parcels that exist when others were refused', async () => {
    const error = failureOf(await create({ nbPackage: '2' }, [token, answered([item, wrongItem], 207)]));
    assert.match(error.message, new RegExp(`^The parcel ${number} exists at DHL all the same\\. `));
    assert.doesNotMatch(error.message, /not known/);
    assert.deepEqual([error.kind, error.acted, error.reasons[0]?.pointer], ['invalid', 'unknown', '/weight']);
  });

  it('names the parcels that exist where the status is that of the others', async () => {
    for (const [status, others] of [
      [400, wrongItem],
      [500, failedItem],
    ] as const) {
      const error = failureOf(await create({ nbPackage: '2' }, [token, answered([item, others], status)]));
      assert.deepEqual([error.parcels, error.acted], [[number], 'unknown']);
    }
  });

  it('names a parcel that it failed over after it had a number, and says that another one may exist', async () => {
    const [first, second] = ['340434310428091711', '340434310428091721'];
    const error = failureOf(
      await create({ nbPackage: '3' }, [
        token,
        answered([{ ...item, shipmentNo: first }, { ...failedItem, shipmentNo: second }, failedItem], 207),
      ]),
    );
    assert.deepEqual(error.parcels, [first, second]);
    assert.match(
      error.message,
      /all the same\. Whether there is another one is not known\. DHL failed with status 500/,
    );
  });

  it('has voided a shipment that it failed over, and does not know any more', async () => {
    const { voidLabel } = dhl.desk;
    assert.ok(isSupported(voidLabel));
    const task = { account, expeditionNumber: number, parcelNumbers: [number], outputs: [], label: null, now };
    const driven = await replay(voidLabel({ ...task, again: false }), [
      token,
      answered([{ ...failedItem, shipmentNo: number }], 207),
      token,
      json({ title: 'Not Found', statusCode: 404, detail: 'Unknown shipment number.' }, 404),
    ]);
    assert.equal(resultOf(driven), `DHL has voided the parcel ${number}.`);
  });

  describe('voided in part', () => {
    const { voidLabel } = dhl.desk;
    assert.ok(isSupported(voidLabel));
    const other = '340434310428091717';
    const task = { account, expeditionNumber: number, outputs: [], label: null, now, again: false };
    const done = (shipmentNo: string) => ({ shipmentNo, sstatus: ok });
    const refused = { ...done(other), sstatus: { title: 'Bad Request', statusCode: 400 } };
    for (const [name, last, instead] of [
      ['a look-up of the rest fails', [done(number), refused], json({ title: 'Failed' }, 500)],
      ['a look-up gets no answer', [done(number), refused], new CarrierError('timeout', 'No answer in time.')],
      ['DHL says nothing of the rest', [done(number)], answered([{ ...item, shipmentNo: other }])],
    ] as const)
      it(`names what is void where ${name}`, async () => {
        const answers = [token, answered(last, 207), token, instead];
        const driven = await replay(voidLabel({ ...task, parcelNumbers: [number, other] }), answers);
        const error = failureOf(driven);
        assert.deepEqual([error.voided, error.acted], [[number], 'unknown']);
        assert.match(error.message, new RegExp(`^Void are ${number}, not ${other}\\. `));
      });

    it('looks at all that are not cancelled before it says what is void, and at the doubt first', async () => {
      const [third, fourth] = ['340434310428091718', '340434310428091719'];
      const doubtful = (shipmentNo: string) => ({ ...failedItem, shipmentNo });
      const there = (shipmentNo: string) => answered([{ ...item, shipmentNo }]);
      const gone = json({ title: 'Not Found', statusCode: 404 }, 404);
      const settled = failureOf(
        await replay(voidLabel({ ...task, parcelNumbers: [number, other, third] }), [
          ...[token, answered([done(number), refused, doubtful(third)], 207)],
          ...[token, there(other), token, gone],
        ]),
      );
      assert.deepEqual([settled.kind, settled.acted, settled.voided], ['refused', 'no', [number, third]]);
      assert.match(settled.message, new RegExp(`^Void are ${number}, ${third}, not ${other}\\. `));
      const open = failureOf(
        await replay(voidLabel({ ...task, parcelNumbers: [other, third, fourth] }), [
          ...[token, answered([refused, doubtful(third), doubtful(fourth)], 207)],
          ...[token, there(other), token, there(third), token, gone],
        ]),
      );
      assert.deepEqual([open.kind, open.acted, open.voided], ['unavailable', 'unknown', [fourth]]);
      assert.match(open.message, new RegExp(`^Void are ${fourth}, not ${other}, ${third}\\. DHL failed`));
    });

    it('names what is void where the next thirty fail', async () => {
      const numbers = Array.from({ length: 31 }, (_, place) => String(340434310428100000n + BigInt(place)));
      const first = answered(numbers.slice(0, 30).map(done), 207);
      const failed = new CarrierError('timeout', 'No answer in time.');
      const error = failureOf(
        await replay(voidLabel({ ...task, parcelNumbers: numbers }), [token, first, token, failed]),
      );
      assert.deepEqual(error.voided, numbers.slice(0, 30));
    });
  });

  it('names the parcels that have a number when one has none', async () => {
    const error = failureOf(await create({ nbPackage: '2' }, [token, answered([item])]));
    assert.match(
      error.message,
      new RegExp(`^The parcel ${number} exists at DHL all the same\\. .*1 parcel numbers where 2 were asked for`),
    );
    assert.equal(error.acted, 'unknown');
  });

  it('makes the parcel with a new token where the one that was kept has ended', async () => {
    const driven = await create({}, [
      token,
      json({ title: 'Unauthorized', status: 401 }, 401),
      json({ access_token: 'tok.2', expires_in: 28_799 }),
      answered([item]),
    ]);
    assert.equal(resultOf(driven).expeditionNumber, number);
    assert.deepEqual(
      driven.requests.map(({ token: which, headers }) => which ?? headers.Authorization),
      ['kept', 'Bearer tok.1', 'new', 'Bearer tok.2'],
    );
  });

  it('names the parcel whose label is not in the answer', async () => {
    assert.match(
      failureOf(
        await create({}, [token, answered([{ ...item, label: { url: 'https://api-eu.dhl.com/labels?token=x' } }])]),
      ).message,
      new RegExp(number),
    );
  });

  it('gives printer code as it comes, and further documents', async () => {
    const driven = await create({ outputType: 'ZplCode', outputFormat: '100x70mm' }, [
      token,
      answered([
        {
          ...item,
          label: { zpl2: '^XA^FDStraße^FS^XZ', fileFormat: 'ZPL2' },
          customsDoc: { b64: pdf.toString('base64') },
          codLabel: { b64: pdf.toString('base64') },
        },
      ]),
    ]);
    assert.match(driven.requests[1]?.url ?? '', /docFormat=ZPL2&printFormat=100x70mm/);
    assert.deepEqual(resultOf(driven).outputs, [
      { name: 'ZplCode', kind: 'text', text: '^XA^FDStraße^FS^XZ' },
      { ...label, name: 'CustomsUrl' },
      { ...label, name: 'CashUrl' },
    ]);
  });

  it('addresses lockers and shops', async () => {
    const locker = { modeLiv: 'V01PAK-LOCKER', shippingPickupPoint: '118', destAddr2: '12345678' };
    assert.deepEqual((await sent(locker)).consignee, {
      name: 'Maria Musterfrau',
      postNumber: '12345678',
      city: 'Bonn',
      postalCode: '53113',
      country: 'DEU',
      lockerID: 118,
    });
    assert.deepEqual(
      (await sent({ ...locker, modeLiv: 'V01PAK-RETAIL', shippingPickupPoint: '518', destAddr2: '' })).consignee,
      {
        name: 'Maria Musterfrau',
        city: 'Bonn',
        postalCode: '53113',
        country: 'DEU',
        retailID: 518,
        email: 'maria@musterfrau.example',
      },
    );
  });

  it('takes the billing number of the product, the service of the mode, and telephones only abroad', async () => {
    const abroad = await sent({ modeLiv: 'V53WPAK-CDP', destCountry: 'NL', destZip: '1071 AA' });
    assert.deepEqual(
      [abroad.product, abroad.billingNumber, abroad.services, abroad.consignee.phone, abroad.consignee.country],
      ['V53WPAK', '33333333335301', { closestDropPoint: true }, '+49 987654321', 'NLD'],
    );
  });

  it('puts a short reference on the label', async () => {
    const { refNo, costCenter } = await sent({ nDossier: 'CMD-1' });
    assert.deepEqual([refNo, costCenter], [undefined, 'CMD-1 / C-77']);
  });

  it('sends cash on delivery with the account that it goes to', async () => {
    assert.deepEqual((await sent({ crtValue: '1999' }, { cashAccount: 'MAIN' })).services, {
      cashOnDelivery: {
        amount: { currency: 'EUR', value: 19.99 },
        accountReference: 'MAIN',
        transferNote1: 'Order No. 1234',
      },
    });
  });

  it('asks nobody where the account has no half for it', async () => {
    for (const exchange of [
      dhl.createLabel?.({ account: { settings: { ...account.settings, password: '' } }, request, sequence: 1, now }),
      dhl.track?.({
        account: { settings: { ...account.settings, trackingKey: '' } },
        expeditionNumber: number,
        label: null,
        now,
      }),
      dhl.probe?.({ settings: { ...account.settings, trackingKey: '', username: '' } }, now),
    ]) {
      const driven = await replay<unknown>(exchange ?? assert.fail(), []);
      assert.equal(failureOf(driven).kind, 'configuration');
      assert.deepEqual(driven.requests, []);
    }
  });
});

describe("DHL's rules", () => {
  const locker = { modeLiv: 'V01PAK-LOCKER', shippingPickupPoint: '118', destAddr2: '12345678' } as const;
  for (const [name, changes, expected] of [
    ['an unknown product', { modeLiv: 'V99' }, ['modeLiv unknown-code']],
    ['a product without a billing number', { modeLiv: 'V66WPI' }, ['modeLiv not-configured']],
    ['a country that is none', { destCountry: 'XX' }, ['destCountry unknown-code']],
    ['a locker', locker, []],
    ['a locker without a post number', { ...locker, destAddr2: '' }, ['destAddr2 required']],
    ['a locker with a street', { ...locker, destAddr2: 'Hauptstr. 1' }, ['destAddr2 wrong-format']],
    ['a locker of two digits', { ...locker, shippingPickupPoint: '99' }, ['shippingPickupPoint out-of-range']],
    ['a shop that would be a locker', { ...locker, modeLiv: 'V01PAK-RETAIL' }, ['shippingPickupPoint out-of-range']],
    [
      'a shop without post number, with e-mail',
      { ...locker, modeLiv: 'V01PAK-RETAIL', shippingPickupPoint: '518', destAddr2: '' },
      [],
    ],
    [
      'a shop without either',
      { ...locker, modeLiv: 'V01PAK-RETAIL', shippingPickupPoint: '518', destAddr2: '', destMail: '' },
      ['destAddr2 required'],
    ],
    ['a point without a mode for it', { shippingPickupPoint: '118' }, ['shippingPickupPoint not-offered']],
    [
      'a drop point without a way to tell',
      { modeLiv: 'V53WPAK-CDP', destMail: '', destTel1: '' },
      ['destMail required'],
    ],
    ['a parcel of more than 31.5 kg', { weight: '31501' }, ['weight out-of-range']],
    ['a postcode with a slash', { destZip: '53/113' }, ['destZip wrong-format']],
    ['a postcode of two digits', { destZip: '53' }, ['destZip wrong-format']],
    ['cash without a bank account', { crtValue: '100' }, ['crtValue not-configured']],
    ['more than 30 parcels', { nbPackage: '31', weight: '31000' }, ['nbPackage out-of-range']],
  ] as const) {
    it(`knows what is wrong with ${name}`, () =>
      assert.deepEqual(dhl.check({ ...request, ...changes }, account).map(inBrief), expected));
  }

  it('names every country with three letters of its own', () => {
    const found = new Map<string, string>();
    const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
    for (const country of letters.flatMap((first) => letters.map((second) => first + second))) {
      const three = alpha3(country);
      if (three === null) continue;
      assert.match(three, /^[A-Z]{3}$/);
      assert.equal(found.get(three), undefined, three);
      found.set(three, country);
    }
    assert.equal(found.size, 249);
    assert.deepEqual(
      ['DEU', 'FRA', 'CHE', 'AUT', 'GBR', 'POL', 'SRB', 'ROU'].map((three) => found.get(three)),
      ['DE', 'FR', 'CH', 'AT', 'GB', 'PL', 'RS', 'RO'],
    );
    fc.assert(
      fc.property(fc.string(), (text) =>
        assert.equal(alpha3(text) !== null, /^[A-Z]{2}$/.test(text) && [...found.values()].includes(text)),
      ),
    );
  });
});

describe('returns of DHL', () => {
  const back = {
    ...request,
    ...{ modeLiv: 'RETURN', expAddr1: 'Maria Musterfrau', expAddr2: 'Charles-de-Gaulle Str. 20', expZip: '53113' },
    ...{ expCity: 'Bonn', expCountry: 'DE', expMail: 'maria@example.com', expTel1: '+49 123456789', nbPackage: '1' },
    ...{ weight: '1000', nDossier: 'Kundenreferenz', nClient: 'Sendungsreferenz', destTel1: '', crtValue: '' },
  };
  const own = carrierAccount(dhl, { ...account.settings, returnReceivers: 'DE=deu, AT=aut' });

  it('are asked for as the description has it, by the consumer, whose house has a number', async () => {
    const asked = async (changes: Partial<typeof back>) => {
      const driven = await replay(
        dhl.createLabel?.({ account: own, request: { ...back, ...changes }, sequence: 1, now: 0 }) ?? assert.fail(),
        [token, json({ shipmentNo: '999991587211', label: { b64: pdf.toString('base64') } }, 201)],
      );
      const { expeditionNumber, outputs } = resultOf(driven);
      assert.deepEqual([expeditionNumber, outputs.map(({ name }) => name)], ['999991587211', ['PdfUrl']]);
      const [, sent] = driven.requests;
      assert.equal(sent?.url, `${origin}/parcel/de/shipping/returns/v1/orders?labelType=SHIPMENT_LABEL`);
      assert.equal(sent.repeat, 'never');
      return JSON.parse(sent.body ?? '');
    };
    assert.deepEqual(await asked({}), {
      receiverId: 'deu',
      customerReference: 'Kundenreferenz',
      shipmentReference: 'Sendungsreferenz',
      shipper: {
        name1: 'Maria Musterfrau',
        addressStreet: 'Charles-de-Gaulle Str.',
        addressHouse: '20',
        postalCode: '53113',
        city: 'Bonn',
        email: 'maria@example.com',
        phone: '+49 123456789',
      },
      itemWeight: { uom: 'g', value: 1000 },
    });
    const { receiverId, shipper } = await asked({ expCountry: 'AT', expAddr2: '12b, rue de la Paix' });
    assert.deepEqual([receiverId, shipper.addressStreet, shipper.addressHouse], ['aut', 'rue de la Paix', '12b']);
  });

  it('name what is missing, and want one parcel without money', () => {
    for (const [changes, expected] of [
      [{}, []],
      [{ destAddr2: '', destZip: '', destCity: '' }, []],
      [{ expAddr2: 'Am Hang' }, ['expAddr2 wrong-format']],
      [{ expAddr2: '' }, ['expAddr2 required']],
      [{ expAddr1: '', expCity: '' }, ['expAddr1 required', 'expCity required']],
      [{ expCountry: 'FR' }, ['expCountry not-configured']],
      [{ nbPackage: '2' }, ['nbPackage out-of-range']],
      [{ weight: '31501' }, ['weight out-of-range']],
      [{ outputType: 'ZplCode' }, ['outputType unknown-code']],
      // Lengths of the description of Parcel DE Returns 1.0.9.
      [{ expAddr1: 'x'.repeat(51) }, ['expAddr1 too-long']],
      [{ expAddr2: `Am Hang ${'1'.repeat(11)}` }, ['expAddr2 wrong-format']],
      [{ expTel1: '1'.repeat(21) }, ['expTel1 too-long']],
      [{ nDossier: 'x'.repeat(51), nClient: 'x'.repeat(51) }, ['nDossier too-long', 'nClient too-long']],
      [{ crtValue: '100' }, ['crtValue not-offered']],
      [{ shippingPickupPoint: '118' }, ['shippingPickupPoint not-offered']],
    ] as const)
      assert.deepEqual(dhl.check({ ...back, ...changes }, own).map(inBrief), expected);
    // The description wants a declaration from there (customsDetails), which none is sent with.
    const abroad = carrierAccount(dhl, { ...account.settings, returnReceivers: 'DE=deu, CH=che, GB=gbr' });
    for (const expCountry of ['CH', 'GB'])
      assert.deepEqual(dhl.check({ ...back, expCountry }, abroad).map(inBrief), ['expCountry not-offered']);
    assert.deepEqual(dhl.check(back, account).map(inBrief), ['expCountry not-configured']);
    assert.ok(dhl.desk.handover.isReturn(back) && !dhl.desk.handover.isReturn(request));
  });

  it('work with the simulator, which refuses a receiver that it does not know; none is taken back', async (t) => {
    const simulator = await startDhlSimulator();
    t.after(() => simulator.close());
    const of = (settings: Readonly<Record<string, string>>) =>
      carrierAccount(dhl, { ...simulator.settings, ...settings });
    const made = (settings = {}) =>
      callCarrier(
        dhl.createLabel?.({ account: of(settings), request: back, sequence: 1, now: 0 }) ?? assert.fail(),
        dhl.origins(of(settings)),
      );
    const { expeditionNumber } = resultOf(await made());
    assert.equal(failureOf(await made({ returnReceivers: 'DE=nobody' })).kind, 'refused');
    assert.equal(failureOf(await made({ password: 'wrong' })).kind, 'configuration');
    const { voidLabel } = dhl.desk;
    assert.ok(isSupported(voidLabel));
    const task = { account: of({}), expeditionNumber, parcelNumbers: [expeditionNumber], outputs: [], again: false };
    const label = { request: back, createdAt: 0 };
    const error = failureOf(await callCarrier(voidLabel({ ...task, label, now: 0 }), dhl.origins(of({}))));
    assert.deepEqual([error.kind, error.acted], ['refused', 'no']);
    assert.match(error.message, /destroy the label/);
  });

  it('that have a number and no label that can be read are named', async () => {
    const { error } = await replay(
      dhl.createLabel?.({ account: own, request: back, sequence: 1, now: 0 }) ?? assert.fail(),
      [token, json({ shipmentNo: '999991587211', label: { b64: 'bm9uZQ==' } }, 201)],
    );
    assert.ok(error instanceof CarrierError);
    assert.deepEqual([error.parcels, error.acted], [['999991587211'], 'unknown']);
  });
});

describe('tracking of DHL', () => {
  const track = (
    body: typeof token,
    label: { readonly request: LabelRequest; readonly createdAt: number } | null = null,
  ) => replay(dhl.track?.({ account, expeditionNumber: '7777777770', label, now }) ?? assert.fail(), [body]);
  const withStatus = (statusCode: string, rest = {}) => ({
    ...shipment,
    ...rest,
    status: { ...shipment.status, statusCode },
  });

  for (const [statusCode, status] of Object.entries({
    'pre-transit': '80',
    unknown: '80',
    transit: '81',
    delivered: '82',
    failure: '83',
    somethingnew: '81',
  })) {
    it(`calls ${statusCode} ${status}`, async () =>
      assert.equal(resultOf(await track(json({ shipments: [withStatus(statusCode)] }))).status, status));
  }

  it('tells of the shipment that was asked for, the last where there are two', async () => {
    const old = { ...withStatus('failure'), status: { statusCode: 'failure', timestamp: '2017-01-01T00:00:00Z' } };
    assert.equal(
      resultOf(await track(json({ shipments: [withStatus('delivered', { id: '1' }), old, withStatus('transit')] })))
        .status,
      '81',
    );
  });

  it('keeps the order of DHL where times of several zones have no offset', async () => {
    const event = (timestamp: string, description: string, addressLocality: string) => ({
      timestamp,
      description,
      location: { address: { addressLocality } },
    });
    const events = [
      event('2026-11-20T17:45:00', 'Arrived', 'Anchorage'),
      event('2026-11-21T01:05:00', 'Departed', 'Shanghai'),
      event('2026-11-20T22:00:00', 'Processed', 'Shanghai'),
    ];
    for (const listed of [events, events.toReversed()])
      assert.deepEqual(
        resultOf(await track(json({ shipments: [withStatus('transit', { events: listed })] }))).steps.map(
          ({ wording }) => wording,
        ),
        ['Processed', 'Departed', 'Arrived'],
      );
  });

  it('orders times without an offset by themselves where the clocks of the countries are known', async () => {
    const event = (description: string, timestamp: string, countryCode: string | null) => ({
      ...{ timestamp: `2026-11-${timestamp}`, description },
      ...(countryCode !== null && { location: { address: { addressLocality: description, countryCode } } }),
    });
    const inFrance = [
      event('Announced', '20T07:00:00', null),
      event('Paris', '20T08:00:00', 'FR'),
      event('Roissy', '20T14:00:00+01:00', 'FR'),
      event('Lyon', '20T20:00:00', 'FR'),
    ];
    const abroad = [
      event('Tokyo', '21T03:00:00', 'JP'),
      event('Paris', '20T23:00:00', 'FR'),
      event('London', '20T22:30:00', 'GB'),
    ];
    const [announced, paris, roissy, lyon] = inFrance;
    for (const [listed, expected] of [
      [inFrance, inFrance],
      [inFrance.toReversed(), inFrance],
      [[lyon, announced, paris, roissy], inFrance],
      [abroad, abroad],
      [abroad.toReversed(), abroad],
    ] as const) {
      const { steps } = resultOf(await track(json({ shipments: [withStatus('transit', { events: listed })] })));
      assert.deepEqual(
        steps.map(({ wording }) => wording),
        expected.map(({ description }) => description),
      );
    }
  });

  it('calls a parcel registered that was made here lately and that DHL has not heard of', async () => {
    assert.equal(resultOf(await track(noResult, { request, createdAt: now - 3_600_000 })).status, '80');
    assert.equal(failureOf(await track(noResult, { request, createdAt: now - 15 * 86_400_000 })).kind, 'unknown');
  });

  it('cannot be led to another address by a number', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', minLength: 1 }), async (expeditionNumber) => {
        const { requests } = await replay(
          dhl.track?.({ account, expeditionNumber, label: null, now }) ?? assert.fail(),
          [noResult],
        );
        const url = new URL(requests[0]?.url ?? '');
        assert.equal(`${url.origin}${url.pathname}`, `${origin}/track/shipments`);
        assert.equal(url.searchParams.get('trackingNumber'), expeditionNumber.toWellFormed());
      }),
    );
  });
});

describe('the simulator of DHL', () => {
  it('has a parcel in every state, refuses as DHL does, and fails on demand', async (t) => {
    const simulator = await startDhlSimulator();
    t.after(() => simulator.close());
    const own = carrierAccount(dhl, simulator.settings);
    const states = await Promise.all(
      Object.keys(dhlSamples).map(
        async (expeditionNumber) =>
          resultOf(
            await callCarrier(
              dhl.track?.({ account: own, expeditionNumber, label: null, now }) ?? assert.fail(),
              dhl.origins(own),
            ),
          ).status,
      ),
    );
    assert.deepEqual(states, ['80', '81', '82', '83', '80']);
    const attempt = async (changes: Partial<LabelRequest>, settings = {}) => {
      const error = failureOf(
        await callCarrier(
          dhl.createLabel?.({
            account: { settings: { ...own.settings, ...settings } },
            request: { ...request, ...changes },
            sequence: 1,
            now,
          }) ?? assert.fail(),
          dhl.origins(own),
          timeLimitFor(changes.nDossier),
        ),
      );
      return `${error.kind} ${error.carrierCode}${error.reasons.map((reason) => ` ${fieldOf(reason)}`).join('')}`;
    };
    assert.equal(await attempt({ destZip: '00000' }), 'invalid 400 destZip');
    assert.equal(await attempt({ weight: '31501' }), 'invalid 400 weight');
    assert.equal(await attempt({ destAddr2: 'x'.repeat(51) }), 'invalid 400 destAddr2');
    assert.equal(await attempt({ destCity: '' }), 'invalid 400 destCity');
    assert.equal(await attempt({ destAddr1: 'HALF', nbPackage: '2' }), 'invalid 400 weight');
    assert.equal(await attempt({}, { billingNumbers: '99999999990101' }), 'configuration 400');
    assert.equal(await attempt({}, { password: 'wrong' }), 'configuration 401');
    for (const nDossier of ['FAULT429', 'FAULT500', 'FAULT503', 'FAULTTEXT', 'FAULTEMPTY', 'FAULTSHAPE', 'FAULTHALF'])
      assert.equal(await attempt({ nDossier }), 'unavailable null', nDossier);
    assert.equal(await attempt({ nDossier: 'FAULTMUTE' }), 'timeout null');
  });

  it('takes every mode', async (t) => {
    const simulator = await startDhlSimulator();
    t.after(() => simulator.close());
    const own = carrierAccount(dhl, simulator.settings);
    for (const [modeLiv, { to }] of Object.entries(dhlModes)) {
      const changes = to === 'address' ? {} : { destAddr2: '12345678', shippingPickupPoint: '518' };
      const asked = { ...request, ...changes, modeLiv, crtValue: modeLiv === 'V01PAK' ? '1999' : '' };
      assert.deepEqual(dhl.check(asked, own), [], modeLiv);
      resultOf(
        await callCarrier(
          dhl.createLabel?.({ account: own, request: asked, sequence: 1, now }) ?? assert.fail(),
          dhl.origins(own),
        ),
      );
    }
  });
});
