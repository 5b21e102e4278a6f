// GLS: requests and answers as its pages show them, its errors in headers, and the simulator over a socket.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from '../../contract/properties.ts';
import { isSupported } from '../../../src/carriers/desk.ts';
import { gls } from '../../../src/carriers/gls/gls.ts';
import { glsModes, plain } from '../../../src/carriers/gls/rules.ts';
import { glsSamples, glsSenderContact, startGlsSimulator } from '../../../simulators/gls.ts';
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
import { rounds } from '../../contract/rounds.ts';
import { deskRefusals, shopPoints, shopQuery, shopRequest, shops, valid, validationRequest } from './desk-samples.ts';

const account = carrierAccount(gls, { clientId: 'app-1', clientSecret: 'top-secret-99', contactId: '1234567890' });
const request = labelRequest({
  modeCol: 'depot',
  modeLiv: 'PARCEL',
  destAddr1: 'Tim Test',
  destAddr2: 'Testallee 3',
  destCity: 'Testingen',
  destZip: '65760',
  destCountry: 'DE',
  destTel1: '004912345678910',
  destMail: 'tim.test@gls.example',
  weight: '5000',
  nbPackage: '1',
  nDossier: 'Ref-Unit-1234',
  nClient: '1234567890',
  instruction: '2. OG',
  content: 'Bücher',
});
const now = Date.UTC(2026, 10, 21, 12);
const json = (body: unknown, status = 200, headers = {}) =>
  answer(JSON.stringify(body), status, { 'content-type': 'application/json', ...headers });
const token = json({ token_type: 'Bearer', access_token: 'tok.1-2_3', expires_in: 3600 });
const tokenRequest = {
  method: 'POST',
  url: 'https://api.gls-group.net/oauth2/v2/token',
  repeat: 'safe',
  headers: {
    authorization: `Basic ${Buffer.from('app-1:top-secret-99').toString('base64')}`,
    'content-type': 'application/x-www-form-urlencoded',
  },
  body: 'grant_type=client_credentials',
} as const;
const endOfDay = (date: string) =>
  ({
    method: 'POST',
    url: `https://api.gls-group.net/shipit-farm/v1/backend/rs/shipments/endofday?date=${date}`,
    repeat: 'safe',
    headers: { accept: 'application/glsVersion1+json', authorization: 'Bearer tok.1-2_3' },
    body: null,
  }) as const;
const pdf = samplePdf(['Label']);
/** As the pages of ShipIT show it. */
const created = {
  CreatedShipment: {
    ShipmentReference: ['Ref-Unit-1234'],
    ParcelData: [
      {
        TrackID: 'TEST1234',
        ParcelNumber: '202800020052',
        Barcodes: { Primary1D: '202800020052', Primary1DPrint: true },
        RoutingInfo: { GeoTour: '1829' },
      },
    ],
    PrintData: [{ Data: pdf.toString('base64'), LabelFormat: 'PDF' }],
    CustomerID: '1234567890',
    PickupLocation: 'DE 777',
    GDPR: ['Informationen zum Datenschutz'],
  },
};
const refused = (error: string, message: string, args = '') => answer('', 400, { error, message, args });
const step = (wording: string, date: string, hour: string, location: string) => ({
  wording,
  date,
  hour,
  location,
  relayId: '',
  relayCountry: '',
});
const parcel = {
  requested: '604831862623',
  unitno: '60483186262',
  status: 'INTRANSIT',
  statusDateTime: '2024-10-11T15:24:57+0200',
  events: [
    {
      code: 'INTIAL.NORMAL',
      city: 'Berlin',
      postalCode: '10437',
      country: 'DE',
      description: 'The parcel was handed over to GLS.',
      eventDateTime: '2024-10-07T10:46:14+0200',
    },
    {
      code: 'INTIAL.PREADVICE',
      city: '',
      postalCode: '',
      country: 'DE',
      description: 'The parcel data was entered into the GLS IT system.',
      eventDateTime: '2024-10-07T09:30:00+0200',
    },
  ],
};

const ranOut = json(
  {
    fault: { faultstring: 'Access Token expired', detail: { errorcode: 'keymanagement.service.access_token_expired' } },
  },
  401,
);

const cancelRequest = {
  method: 'POST',
  url: 'https://api.gls-group.net/shipit-farm/v1/backend/rs/shipments/cancel',
  repeat: 'never',
  headers: { authorization: 'Bearer tok.1-2_3', accept: 'application/glsVersion1+json' },
  body: null,
} as const;

const subject: CarrierSubject = {
  carrier: gls,
  account,
  request,
  now,
  createLabel: {
    requests: [
      tokenRequest,
      {
        method: 'POST',
        url: 'https://api.gls-group.net/shipit-farm/v1/backend/rs/shipments',
        repeat: 'never',
        headers: {
          authorization: 'Bearer tok.1-2_3',
          'content-type': 'application/glsVersion1+json',
          accept: 'application/glsVersion1+json',
        },
        body: JSON.stringify({
          Shipment: {
            ShipmentReference: ['Ref-Unit-1234'],
            Middleware: 'LogisticsConnect',
            Product: 'PARCEL',
            Consignee: {
              ConsigneeID: '1234567890',
              Address: {
                Name1: 'Tim Test',
                CountryCode: 'DE',
                ZIPCode: '65760',
                City: 'Testingen',
                Street: 'Testallee 3',
                eMail: 'tim.test@gls.example',
                FixedLinePhonenumber: '004912345678910',
              },
            },
            Shipper: { ContactID: '1234567890' },
            ShipmentUnit: [{ Weight: 5, Note1: '2. OG', Note2: 'Bücher' }],
          },
          PrintingOptions: { ReturnLabels: { TemplateSet: 'NONE', LabelFormat: 'PDF' } },
        }),
      },
    ],
    answers: [token, json(created)],
    result: {
      expeditionNumber: '202800020052',
      outputs: [
        { name: 'PdfUrl', kind: 'document', mediaType: 'application/pdf', bytes: pdf },
        { name: 'TrackID', kind: 'text', text: 'TEST1234' },
      ],
      aliases: ['TEST1234'],
    },
  },
  fetchLabel: null,
  track: {
    expeditionNumber: '604831862623',
    requests: [
      tokenRequest,
      {
        method: 'GET',
        url: 'https://api.gls-group.net/track-and-trace-v1/tracking/simple/trackids/604831862623',
        repeat: 'safe',
        headers: { authorization: 'Bearer tok.1-2_3', 'accept-language': 'EN' },
        body: null,
      },
    ],
    answers: [token, json({ parcels: [parcel] })],
    result: {
      status: '81',
      wording1: 'The parcel was handed over to GLS.',
      wording2: 'INTRANSIT',
      relayWording: '',
      relayNumber: '',
      steps: [
        step('The parcel data was entered into the GLS IT system.', '2024-10-07', '09:30', 'DE'),
        step('The parcel was handed over to GLS.', '2024-10-07', '10:46', '10437 Berlin, DE'),
      ],
    },
  },
  probe: {
    requests: [
      tokenRequest,
      { ...validationRequest, body: /"ContactID":"1234567890".*"ShipmentUnit":\[\{"Weight":1\}\]/ },
    ],
    answers: [token, valid],
    result: 'GLS accepts client ID, secret and contact ID, and would make a label of a parcel to Germany.',
  },
  voidLabel: {
    expeditionNumber: '202800020052',
    parcelNumbers: ['202800020052', '202800020063'],
    outputs: [
      { name: 'ParcelNumber', value: '202800020052' },
      { name: 'ParcelNumber', value: '202800020063' },
      { name: 'TrackID', value: 'TEST1234' },
      { name: 'TrackID', value: 'TEST1235' },
    ],
    requests: [
      tokenRequest,
      { ...cancelRequest, url: `${cancelRequest.url}/TEST1234` },
      tokenRequest,
      { ...cancelRequest, url: `${cancelRequest.url}/TEST1235` },
    ],
    answers: [
      token,
      json({ TrackID: 'TEST1234', Result: 'CANCELLATION_PENDING' }),
      token,
      json({ TrackID: 'TEST1235', result: 'CANCELLED' }),
    ],
    result: 'GLS has voided the parcels 202800020052, 202800020063.',
  },
  findPoints: {
    query: shopQuery,
    requests: [tokenRequest, shopRequest],
    answers: [token, shops],
    result: shopPoints,
  },
  dryRun: {
    requests: [tokenRequest, validationRequest],
    answers: [token, valid],
    result: 'GLS would take this request.',
  },
  // As the pages of ShipIT show it: what is not shipped on the day of its label is on the next one.
  handOver: {
    parcelNumbers: ['202810210309', '20281021041'],
    requests: ['21', '22', '23', '24', '25'].flatMap((day) => [tokenRequest, endOfDay(`2026-11-${day}`)]),
    answers: [
      { ShipmentUnit: [{ Weight: '23.2', TrackID: 'YZDLDM5I', ParcelNumber: '20281021030' }] },
      null,
      { ShipmentUnit: [{ TrackID: 'X', ParcelNumber: '99999999999' }] },
      null,
      { ShipmentUnit: { TrackID: 'Y', ParcelNumber: 20281021041 } },
    ].flatMap((shipment) => [token, json(shipment === null ? {} : { Shipments: [shipment] })]),
    result: { detail: 'GLS has closed 2 of 2.', number: null, slip: null },
    // Of a day on which nothing is shipped the answer is not described.
    dispensable: [1, 3, 5, 7, 9],
  },
  refusals: [
    {
      name: 'parcels that it could not transmit',
      operation: 'handOver',
      answers: [
        token,
        answer('', 400, {
          error: 'COULD_NOT_TRANSMIT',
          message: 'Transmission of one or more of the following shipment units not successful: XYZ00012',
        }),
      ],
      kind: 'refused',
      carrierCode: 'COULD_NOT_TRANSMIT',
      fields: [],
    },
    {
      name: 'the end of a day of an application that it does not know',
      operation: 'handOver',
      answers: [json({ errors: [{ message: 'Invalid client', type: 'invalid_client' }] }, 401)],
      kind: 'configuration',
      carrierCode: 'invalid_client',
      fields: [],
    },
    ...deskRefusals(token),
    {
      name: 'a parcel that was scanned',
      operation: 'voidLabel',
      answers: [token, json({ TrackID: 'TEST1234', Result: 'SCANNED' })],
      kind: 'refused',
      carrierCode: 'SCANNED',
      fields: [],
    },
    {
      name: 'a parcel that it fails to cancel',
      operation: 'voidLabel',
      answers: [token, json({ TrackID: 'TEST1234', Result: 'ERROR' })],
      kind: 'refused',
      carrierCode: 'ERROR',
      fields: [],
    },
    {
      name: 'a void of a parcel that it does not know',
      operation: 'voidLabel',
      answers: [token, refused('PARCEL_NOT_FOUND', 'The parcel could not be found.')],
      kind: 'unknown',
      carrierCode: 'PARCEL_NOT_FOUND',
      fields: [],
    },
    {
      name: 'a void of a client that it does not know',
      operation: 'voidLabel',
      answers: [json({ errors: [{ message: 'Invalid client', type: 'invalid_client' }] }, 401)],
      kind: 'configuration',
      carrierCode: 'invalid_client',
      fields: [],
    },
    {
      name: 'a client that it does not know',
      operation: 'probe',
      answers: [json({ errors: [{ message: 'Invalid client top-secret-99', type: 'invalid_client' }] }, 400)],
      kind: 'configuration',
      carrierCode: 'invalid_client',
      fields: [],
    },
    {
      name: 'a wrong value',
      operation: 'createLabel',
      answers: [
        token,
        refused(
          'INVALID_FIELD_VALUE',
          'Invalid field Shipment.Consignee.Address.ZIPCode. Value 1 is not a valid value.',
          '[Shipment.Consignee.Address.ZIPCode, 1]',
        ),
      ],
      kind: 'invalid',
      carrierCode: 'INVALID_FIELD_VALUE',
      fields: ['destZip'],
    },
    {
      name: 'a parameter that is missing',
      operation: 'createLabel',
      answers: [
        token,
        refused('MANDATORY_PARAMETER_NOT_SET', 'Mandatory parameter Shipment.Consignee.Address.Street not set.'),
      ],
      kind: 'invalid',
      carrierCode: 'MANDATORY_PARAMETER_NOT_SET',
      fields: ['destAddr2'],
    },
    {
      name: 'a sender on the label',
      operation: 'createLabel',
      answers: [token, refused('NUMBER_EXCEEDS_LENGTH', 'x', '[Shipment.Shipper.AlternativeShipperAddress.Name1]')],
      kind: 'invalid',
      carrierCode: 'NUMBER_EXCEEDS_LENGTH',
      fields: ['expAddr1'],
    },
    {
      name: 'a service that is not there',
      operation: 'createLabel',
      answers: [token, refused('INVALID_SERVICE_SELECTION', 'Not in this relation.', '[Shipment.Service]')],
      kind: 'refused',
      carrierCode: 'INVALID_SERVICE_SELECTION',
      fields: ['modeLiv'],
    },
    {
      name: 'any other code',
      operation: 'createLabel',
      answers: [token, refused('INCOMPATIBLE_PARCEL', 'No.')],
      kind: 'refused',
      carrierCode: 'INCOMPATIBLE_PARCEL',
      fields: [],
    },
    {
      name: 'a contact ID that it does not know',
      operation: 'createLabel',
      answers: [
        token,
        refused('INVALID_FIELD_VALUE', 'Invalid field Shipment.Shipper.ContactID. Value 1 is not a valid value.'),
      ],
      kind: 'configuration',
      carrierCode: 'INVALID_FIELD_VALUE',
      fields: [],
    },
    {
      name: 'an exception as text',
      operation: 'createLabel',
      answers: [token, answer('Unrecognized field "ZipCode" (class Address), not marked as ignorable', 400)],
      kind: 'refused',
      carrierCode: null,
      fields: [],
    },
    {
      name: 'every token',
      operation: 'createLabel',
      answers: [token, ranOut, token, ranOut],
      kind: 'configuration',
      carrierCode: 'keymanagement.service.access_token_expired',
      fields: [],
    },
    {
      name: 'too many requests',
      operation: 'track',
      answers: [
        token,
        json({ fault: { faultstring: 'Quota', detail: { errorcode: 'policies.ratelimit.QuotaViolation' } } }, 429),
      ],
      kind: 'unavailable',
      carrierCode: 'policies.ratelimit.QuotaViolation',
      fields: [],
    },
    {
      name: 'an unknown parcel with status 200',
      operation: 'track',
      answers: [
        token,
        json({ parcels: [{ requested: '604831862623', errorCode: 'E_404_01', errorMessage: 'Resource Not Found' }] }),
      ],
      kind: 'unknown',
      carrierCode: 'E_404_01',
      fields: [],
    },
    {
      name: 'an unknown parcel with status 404',
      operation: 'track',
      answers: [token, json({ type: 'about:blank', title: 'Not Found', status: 404, detail: 'No' }, 404)],
      kind: 'unknown',
      carrierCode: 'E_404',
      fields: [],
    },
    {
      name: 'an error of theirs with status 200',
      operation: 'track',
      answers: [
        token,
        json({ parcels: [{ requested: '604831862623', errorCode: 'E_500_01', errorMessage: 'Internal' }] }),
      ],
      kind: 'unavailable',
      carrierCode: 'E_500_01',
      fields: [],
    },
  ],
};

carrierContract(subject);
simulatorContract({
  ...{ carrier: gls, start: startGlsSimulator, request, unknownNumber: '999999999999' },
  pointRequest: { ...request, modeLiv: 'SHOP' },
});

const create = (
  changes: Partial<LabelRequest>,
  answers: Parameters<typeof replay>[1] = [token, answer('', 500)],
  settings = {},
) =>
  replay(
    gls.createLabel?.({
      account: { settings: { ...account.settings, ...settings } },
      request: { ...request, ...changes },
      sequence: 1,
      now,
    }) ?? assert.fail(),
    answers,
  );
const sent = async (changes: Partial<LabelRequest>, settings = {}) =>
  JSON.parse((await create(changes, undefined, settings)).requests[1]?.body ?? '');

describe('labels of GLS', () => {
  it('names the parcels that have a number when one has none', async () => {
    const answered = {
      CreatedShipment: {
        ...created.CreatedShipment,
        ParcelData: [...created.CreatedShipment.ParcelData, { TrackID: 'TEST1235' }],
      },
    };
    const error = failureOf(await create({ nbPackage: '2' }, [token, json(answered, 201)]));
    assert.deepEqual([error.kind, error.acted], ['unavailable', 'unknown']);
    assert.match(
      error.message,
      /^The parcels 202800020052, TEST1235 exist at GLS all the same\. .*1 parcel numbers where 2 were asked for/,
    );
  });

  it('keeps the labels and the TrackIDs of the parcels that it made, if they are fewer than asked for', async () => {
    const error = failureOf(await create({ nbPackage: '2' }, [token, json(created, 201)]));
    assert.match(error.message, /^The parcel 202800020052 exists .* Whether there is another one is not known\. /);
    assert.deepEqual(error.given, {
      outputs: [
        { name: 'PdfUrl', kind: 'document', mediaType: 'application/pdf', bytes: pdf },
        { name: 'TrackID', kind: 'text', text: 'TEST1234' },
      ],
      aliases: ['TEST1234'],
    });
  });

  it('keeps the labels of some parcels alone, which are half an answer', async () => {
    const ParcelData = [1, 2, 3].map((place) => ({ TrackID: `TEST000${place}`, ParcelNumber: `20280002000${place}` }));
    const labels = (count: number) => [{ Data: Array(count).fill(pdf.toString('base64')), LabelFormat: 'PDF' }];
    const answered = (count: number) => [token, json({ CreatedShipment: { ParcelData, PrintData: labels(count) } })];
    const error = failureOf(await create({ nbPackage: '3' }, answered(2)));
    assert.deepEqual([error.kind, error.acted, error.parcels.length], ['unavailable', 'unknown', 3]);
    assert.match(error.message, /2 labels of 3 parcels\.$/);
    assert.equal(error.given?.outputs.filter(({ name }) => name === 'PdfUrl').length, 2);
    for (const whole of [1, 3]) resultOf(await create({ nbPackage: '3' }, answered(whole)));
  });

  it('knows the other spelling of a number, with and without its check digit', () => {
    assert.deepEqual(gls.otherNumbers?.('202800020052'), ['20280002005']);
    assert.ok(gls.otherNumbers?.('20280002005').includes('202800020052'));
    assert.deepEqual(gls.otherNumbers?.('TEST1234'), []);
  });

  it('cancels no parcel by a TrackID that may be that of another one', async () => {
    const { voidLabel } = gls.desk;
    assert.ok(isSupported(voidLabel));
    const parcelNumbers = ['202800020052', '202800020063'];
    const outputs = [
      ...parcelNumbers.map((value) => ({ name: 'ParcelNumber', value })),
      { name: 'TrackID', value: 'TEST1235' },
    ];
    const task = { account, expeditionNumber: '202800020052', parcelNumbers, outputs, label: null, now };
    const driven = await replay(voidLabel({ ...task, again: false }), []);
    assert.match(failureOf(driven).message, /not kept of this label: cancel it in the portal of GLS/);
  });

  it('makes the parcel with a new token where the one that was kept ran out', async () => {
    const driven = await create({}, [
      token,
      ranOut,
      json({ access_token: 'tok.2', expires_in: 3600 }),
      json(created, 201),
    ]);
    assert.equal(resultOf(driven).expeditionNumber, '202800020052');
    assert.deepEqual(
      driven.requests.map(({ token: which, headers }) => which ?? headers.Authorization),
      ['kept', 'Bearer tok.1-2_3', 'new', 'Bearer tok.2'],
    );
  });

  it('makes all parcels in one call and gives a label and a number for each', async () => {
    const parcels = [
      ['TEST1234', '202800020052'],
      ['TEST1235', '202800020063'],
    ].map(([TrackID, ParcelNumber]) => ({ TrackID, ParcelNumber }));
    const driven = await create({ nbPackage: '2', weight: '1005' }, [
      token,
      json({
        CreatedShipment: {
          ParcelData: parcels,
          PrintData: [{ Data: [pdf.toString('base64'), pdf.toString('base64')], LabelFormat: 'PDF' }],
        },
      }),
    ]);
    assert.match(driven.requests[1]?.body ?? '', /"ShipmentUnit":\[\{"Weight":0.51,.*\{"Weight":0.51,/);
    assert.deepEqual(
      resultOf(driven).outputs.map((output) =>
        output.kind === 'text' ? `${output.name} ${output.text}` : output.name,
      ),
      [
        'PdfUrl',
        'PdfUrl',
        'ParcelNumber 202800020052',
        'ParcelNumber 202800020063',
        'TrackID TEST1234',
        'TrackID TEST1235',
      ],
    );
  });

  it('never tells less than the weight, in two decimals', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 101, max: 999_999 }), async (grams) => {
        const { Weight } = (await sent({ weight: String(grams) })).Shipment.ShipmentUnit[0];
        assert.ok(Weight * 1000 >= grams - 1e-6 && Weight * 1000 < grams + 10, `${Weight} for ${grams} g`);
        assert.match(String(Weight), /^\d+(\.\d{1,2})?$/);
      }),
      { numRuns: rounds(100) },
    );
  });

  it('names the parcels whose label is not in the answer', async () => {
    const error = failureOf(
      await create({}, [token, json({ CreatedShipment: { ...created.CreatedShipment, PrintData: [] } })]),
    );
    assert.match(error.message, /^The parcel 202800020052 exists at GLS all the same\. /);
  });

  it('spells each mode as ShipIT does', async () => {
    for (const [modeLiv, { product, service }] of Object.entries(glsModes)) {
      const { Product, Service = [] } = (
        await sent({ modeLiv, shippingPickupPoint: modeLiv === 'SHOP' ? 'GLS_DE-2760238818' : '' })
      ).Shipment;
      const expected =
        service === null
          ? []
          : modeLiv === 'SHOP'
            ? [{ ShopDelivery: { ServiceName: service, ParcelShopID: 'GLS_DE-2760238818' } }]
            : modeLiv === 'RETURN'
              ? [{ ShopReturn: { ServiceName: service, NumberOfLabels: 1 } }]
              : [{ Service: { ServiceName: service } }];
      assert.deepEqual([Product, Service], [product, expected], modeLiv);
    }
  });

  it('sends cash, a sender, an incoterm and printer formats where they are asked for', async () => {
    const { Shipment, PrintingOptions } = await sent(
      {
        crtValue: '1209',
        expAddr1: 'Acme; Nord',
        expAddr2: 'Kai 1',
        expCity: 'Lille',
        expZip: '59000',
        expCountry: 'FR',
        outputType: 'ZplCode',
        outputFormat: '300dpi',
      },
      { incoterm: '10', senderOnLabel: 'request' },
    );
    assert.deepEqual(Shipment.ShipmentUnit[0].Service, [
      { Cash: { ServiceName: 'service_cash', Reason: 'Ref-Unit-1234', Amount: '12.09', Currency: 'EUR' } },
    ]);
    assert.deepEqual(Shipment.Shipper, {
      ContactID: '1234567890',
      AlternativeShipperAddress: {
        Name1: 'Acme Nord',
        CountryCode: 'FR',
        ZIPCode: '59000',
        City: 'Lille',
        Street: 'Kai 1',
      },
    });
    assert.equal(Shipment.IncotermCode, '10');
    assert.deepEqual(PrintingOptions.ReturnLabels, { TemplateSet: 'ZPL_300', LabelFormat: 'ZEBRA' });
    assert.deepEqual((await sent({ outputType: 'PngImage' })).PrintingOptions.ReturnLabels, {
      TemplateSet: 'NONE',
      LabelFormat: 'PNG',
    });
  });

  it('sends no sender but that of the contact ID, unless the account says so', async () => {
    const sender = { expAddr1: 'Acme', expAddr2: 'Kai 1', expCity: 'Lille', expZip: '59000', expCountry: 'FR' };
    assert.deepEqual((await sent(sender)).Shipment.Shipper, { ContactID: '1234567890' });
    const { Shipper } = (await sent(sender, { senderOnLabel: 'request' })).Shipment;
    assert.equal(Shipper.AlternativeShipperAddress.Name1, 'Acme');
    assert.deepEqual((await sent({}, { senderOnLabel: 'request' })).Shipment.Shipper, { ContactID: '1234567890' });
  });

  it('wraps a long street into the further lines of the name', async () => {
    const destAddr2 =
      'Gewerbepark an der alten Ziegelei 128a, Hof 3, Aufgang links, zweites Obergeschoss, Klingel Hausverwaltung';
    const { Street, Name1, Name2, Name3 } = (await sent({ destAddr2 })).Shipment.Consignee.Address;
    assert.deepEqual(
      [Street, Name2, Name3],
      ['Gewerbepark an der alten Ziegelei 128a', 'Hof 3 Aufgang links zweites Obergeschoss', 'Klingel Hausverwaltung'],
    );
    assert.equal(Name1, plain(request.destAddr1));
  });

  it('sends no character that GLS does not take', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) =>
        assert.doesNotMatch(plain(`${text}"{a},;()|\\\n${text}`), /["{},;()|\\\n]/),
      ),
    );
  });
});

describe("GLS's rules", () => {
  for (const [name, changes, expected] of [
    ['an unknown mode', { modeLiv: 'DPD' }, ['modeLiv unknown-code']],
    ['a shop without SHOP', { shippingPickupPoint: 'GLS_DE-1' }, ['shippingPickupPoint not-offered']],
    ['SHOP without a shop', { modeLiv: 'SHOP' }, ['shippingPickupPoint required']],
    [
      'a shop abroad',
      { modeLiv: 'SHOP', shippingPickupPoint: 'GLS_DE-1', shippingPickupPointCountry: 'FR' },
      ['shippingPickupPointCountry unknown-code'],
    ],
    [
      'SHOP without a way to tell',
      { modeLiv: 'SHOP', shippingPickupPoint: 'GLS_DE-1', destMail: '', destTel1: '' },
      ['destMail required'],
    ],
    ['half a sender that is not sent', { expAddr1: 'Acme' }, []],
    ['a street of one long word', { destAddr2: 'x'.repeat(41) }, ['destAddr2 too-long']],
    ['a street of four lines', { destAddr2: `${'x'.repeat(39)} `.repeat(4) }, ['destAddr2 too-long']],
    ['a street of three lines', { destAddr2: `${'x'.repeat(39)} `.repeat(3) }, []],
    ['a parcel of 100 g', { weight: '100' }, ['weight out-of-range']],
    ['a parcel of 101 g', { weight: '101' }, []],
    ['cash with several parcels', { crtValue: '1', nbPackage: '2' }, ['crtValue not-offered']],
    ['cash without a reference', { crtValue: '1', nDossier: '' }, ['nDossier required']],
    ['a reference with a comma', { nDossier: 'a,b' }, ['nDossier wrong-format']],
    ['a name of nothing but commas', { destAddr1: ',,' }, ['destAddr1 wrong-format']],
    ['a long instruction', { instruction: 'x'.repeat(51) }, ['instruction too-long']],
  ] as const) {
    it(`knows what is wrong with ${name}`, () =>
      assert.deepEqual(gls.check({ ...request, ...changes }, account).map(inBrief), expected));
  }
});

describe('the sender of GLS', () => {
  const named = carrierAccount(gls, { ...account.settings, senderOnLabel: 'request' });

  it('is whole where it is sent', () =>
    assert.deepEqual(gls.check({ ...request, expAddr1: 'Acme' }, named).map(inBrief), [
      'expAddr2 required',
      'expCity required',
      'expZip required',
      'expCountry required',
    ]));

  it('is refused by GLS where the contract does not allow it', async (t) => {
    const simulator = await startGlsSimulator();
    t.after(() => simulator.close());
    const sender = { expAddr1: 'Acme', expAddr2: 'Kai 1', expCity: 'Lille', expZip: '59000', expCountry: 'FR' };
    const made = (settings: Readonly<Record<string, string>>) => {
      const own = carrierAccount(gls, { ...simulator.settings, ...settings });
      return callCarrier(
        gls.createLabel?.({ account: own, request: { ...request, ...sender }, sequence: 1, now }) ?? assert.fail(),
        gls.origins(own),
      );
    };
    assert.equal(failureOf(await made({ senderOnLabel: 'request' })).kind, 'invalid');
    resultOf(await made({ senderOnLabel: 'request', contactId: glsSenderContact }));
    resultOf(await made({}));
  });
});

describe('returns of GLS', () => {
  const back: LabelRequest = {
    ...request,
    ...{ modeLiv: 'RETURN', expAddr1: 'Klara Huber', expAddr2: 'Leopoldstrasse 250', expZip: '80807' },
    ...{ expCity: 'Munich', expCountry: 'DE', expTel1: '004989123456', expMail: 'klara@example.com' },
  };

  it('are handed in by the sender of the request, and go to the contact ID or to the recipient instead', async (t) => {
    const simulator = await startGlsSimulator();
    t.after(() => simulator.close());
    for (const [settings, other] of [
      [{}, undefined],
      [{ senderOnLabel: 'request', contactId: glsSenderContact }, 'Tim Test'],
    ] as const) {
      const own = carrierAccount(gls, { ...simulator.settings, ...settings });
      assert.deepEqual(gls.check(back, own), []);
      const made = await callCarrier(
        gls.createLabel?.({ account: own, request: back, sequence: 1, now }) ?? assert.fail(),
        gls.origins(own),
      );
      const { expeditionNumber, outputs } = resultOf(made);
      const { Shipment } = JSON.parse(made.requests.at(-1)?.body ?? '');
      assert.equal(Shipment.Consignee.Address.Name1, 'Klara Huber');
      assert.equal(Shipment.Shipper.AlternativeShipperAddress?.Name1, other);
      assert.deepEqual(Shipment.Service, [{ ShopReturn: { ServiceName: 'service_shopreturn', NumberOfLabels: 1 } }]);
      const { voidLabel } = gls.desk;
      assert.ok(isSupported(voidLabel));
      const texts = outputs.flatMap((one) => (one.kind === 'text' ? [{ name: one.name, value: one.text }] : []));
      const task = { account: own, expeditionNumber, parcelNumbers: [expeditionNumber], outputs: texts, now };
      const voided = await callCarrier(voidLabel({ ...task, label: null, again: false }), gls.origins(own));
      assert.match(resultOf(voided), /has voided the parcel/);
    }
  });

  it('want all of who hands the parcel in, one parcel, and no money', () => {
    const none = { expAddr1: '', expAddr2: '', expZip: '', expCity: '', expCountry: '' };
    for (const [changes, expected] of [
      [none, ['expAddr1 required', 'expAddr2 required', 'expZip required', 'expCity required', 'expCountry required']],
      [{ destAddr2: '', destZip: '' }, []],
      [{ nbPackage: '2', weight: '9000' }, ['nbPackage out-of-range']],
      [{ crtValue: '100' }, ['crtValue not-offered']],
      [{ shippingPickupPoint: 'GLS_DE-1' }, ['shippingPickupPoint not-offered']],
    ] as const)
      assert.deepEqual(
        gls
          .check({ ...back, ...changes }, account)
          .map(inBrief)
          .toSorted(),
        [...expected].toSorted(),
      );
    assert.ok(gls.desk.handover.isReturn(back) && !gls.desk.handover.isReturn(request));
  });

  it('name the field of the side that GLS finds wrong', async () => {
    const refused = (path: string) =>
      replay(gls.createLabel?.({ account, request: back, sequence: 1, now }) ?? assert.fail(), [
        token,
        answer('', 400, { error: 'INVALID_FIELD_VALUE', message: `Invalid field ${path}.`, args: `[${path}]` }),
      ]);
    for (const [path, field] of [
      ['Shipment.Consignee.Address.ZIPCode', 'expZip'],
      ['Shipment.Shipper.AlternativeShipperAddress.City', 'destCity'],
      ['Shipment.ShipmentUnit.Weight', 'weight'],
    ] as const)
      assert.deepEqual(failureOf(await refused(path)).reasons.map(fieldOf), [field]);
  });
});

describe('tracking of GLS', () => {
  const track = (body: unknown, label: { readonly request: LabelRequest; readonly createdAt: number } | null = null) =>
    replay(gls.track?.({ account, expeditionNumber: '604831862623', label, now }) ?? assert.fail(), [
      token,
      json(body),
    ]);

  for (const [status, states] of Object.entries({
    80: ['PLANNEDPICKUP', 'INPICKUP', 'PREADVICE'],
    81: ['INTRANSIT', 'INWAREHOUSE', 'INDELIVERY', 'DELIVEREDPS', 'SOMETHINGNEW'],
    82: ['DELIVERED', 'FINAL'],
    83: ['NOTPICKEDUP', 'NOTDELIVERED', 'CANCELED'],
  })) {
    it(`calls ${states.join(', ')} ${status}`, async () => {
      for (const state of states)
        assert.equal(resultOf(await track({ parcels: [{ ...parcel, status: state }] })).status, status, state);
    });
  }

  it('tells of the last parcel that had the number', async () => {
    const { status } = resultOf(
      await track({
        parcels: [
          { ...parcel, status: 'DELIVERED', statusDateTime: '2019-01-01T00:00:00+0100' },
          { ...parcel, statusDateTime: '2026-01-01T00:00:00+0100' },
        ],
      }),
    );
    assert.equal(status, '81');
  });

  it('calls a parcel registered that was made here lately and that GLS has not heard of', async () => {
    const unknown = {
      parcels: [{ requested: '604831862623', errorCode: 'E_404_01', errorMessage: 'Resource Not Found' }],
    };
    assert.equal(resultOf(await track(unknown, { request, createdAt: now - 3_600_000 })).status, '80');
    assert.equal(failureOf(await track(unknown, { request, createdAt: now - 15 * 86_400_000 })).kind, 'unknown');
  });

  it('asks nobody about what cannot be a number', async () => {
    for (const expeditionNumber of ['', '1234567', '../../oauth2', '604831862623,604831862624', 'é'.repeat(11)]) {
      const { requests, error } = await replay(
        gls.track?.({ account, expeditionNumber, label: null, now }) ?? assert.fail(),
        [],
      );
      assert.deepEqual(requests, []);
      assert.ok(error instanceof Error);
    }
  });
});

describe('the simulator of GLS', () => {
  it('has a parcel in every state, refuses as GLS does, and fails on demand', async (t) => {
    const simulator = await startGlsSimulator();
    t.after(() => simulator.close());
    const own = carrierAccount(gls, simulator.settings);
    const states = await Promise.all(
      Object.keys(glsSamples).map(
        async (expeditionNumber) =>
          resultOf(
            await callCarrier(
              gls.track?.({ account: own, expeditionNumber, label: null, now }) ?? assert.fail(),
              gls.origins(own),
            ),
          ).status,
      ),
    );
    assert.deepEqual(states, ['80', '81', '81', '81', '82', '83', '83', '82']);
    const attempt = async (changes: Partial<LabelRequest>, settings = {}) => {
      const error = failureOf(
        await callCarrier(
          gls.createLabel?.({
            account: { settings: { ...own.settings, ...settings } },
            request: { ...request, ...changes },
            sequence: 1,
            now,
          }) ?? assert.fail(),
          gls.origins(own),
          timeLimitFor(changes.nDossier),
        ),
      );
      return `${error.kind} ${error.carrierCode}${error.reasons.map((reason) => ` ${fieldOf(reason)}`).join('')}`;
    };
    assert.equal(await attempt({ destZip: '00000' }), 'invalid INVALID_FIELD_VALUE destZip');
    assert.equal(await attempt({ modeLiv: 'EXPRESS', destCountry: 'FR' }), 'refused INVALID_SERVICE_SELECTION modeLiv');
    assert.equal(await attempt({ weight: '90' }), 'invalid INVALID_FIELD_VALUE weight');
    assert.equal(await attempt({ destAddr1: 'x'.repeat(41) }), 'invalid NUMBER_EXCEEDS_LENGTH destAddr1');
    assert.equal(await attempt({ destAddr2: 'x'.repeat(41) }), 'invalid NUMBER_EXCEEDS_LENGTH destAddr2');
    assert.equal(await attempt({ destCity: '' }), 'invalid MANDATORY_PARAMETER_NOT_SET destCity');
    assert.equal(await attempt({}, { contactId: 'nobody' }), 'configuration INVALID_FIELD_VALUE');
    assert.equal(await attempt({}, { clientSecret: 'wrong' }), 'configuration invalid_client');
    for (const nDossier of ['FAULT429', 'FAULT500', 'FAULT503', 'FAULTTEXT', 'FAULTEMPTY', 'FAULTSHAPE', 'FAULTHALF'])
      assert.equal(await attempt({ nDossier }), 'unavailable null', nDossier);
    assert.equal(await attempt({ nDossier: 'FAULTMUTE' }), 'timeout null');
  });
});
