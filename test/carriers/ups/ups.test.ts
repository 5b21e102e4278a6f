// UPS: requests and answers as its descriptions show them, its traps, and the simulator over a socket.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from '../../contract/properties.ts';
import { CarrierError } from '../../../src/carriers/carrier.ts';
import { isSupported } from '../../../src/carriers/desk.ts';
import { sampleGif, samplePdf } from '../../../simulators/sample-label.ts';
import { startUpsSimulator, upsSamples } from '../../../simulators/ups.ts';
import { ups } from '../../../src/carriers/ups/ups.ts';
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
  inBrief,
  timeLimitFor,
} from '../drive.ts';
import { rounds } from '../../contract/rounds.ts';

const account = carrierAccount(ups, {
  clientId: 'app-1',
  clientSecret: 'top-secret-99',
  accountNumber: 'A1B2C3',
  locale: 'fr_FR',
});
const request = labelRequest({
  modeCol: 'depot',
  modeLiv: '11',
  expAddr1: 'Entrepôt Nord',
  expAddr2: '3 rue des Docks',
  expCity: 'Lille',
  expZip: '59000',
  expCountry: 'FR',
  expTel1: '+33 3 20 00 00 00',
  expMail: 'depot@example.com',
  destAddr1: 'Tim Test',
  destAddr2: 'Testallee 3, Gebäude der alten Spinnerei',
  destCity: 'Berlin',
  destZip: '10437',
  destCountry: 'DE',
  destTel1: '0049 123 456',
  destMail: 'tim@example.com',
  weight: '1001',
  nbPackage: '1',
  nDossier: 'CMD-1',
  nClient: 'C-77',
  content: 'Books',
});
const now = Date.UTC(2026, 10, 21, 12);
const json = (body: unknown, status = 200) =>
  answer(JSON.stringify(body), status, { 'content-type': 'application/json' });
const failed = (code: string, message: string, status = 400) =>
  json({ response: { errors: [{ code, message }] } }, status);
const token = json({
  token_type: 'Bearer',
  issued_at: '1763730000000',
  client_id: 'app-1',
  access_token: 'tok.1',
  expires_in: '14399',
  status: 'approved',
});
const origin = 'https://onlinetools.ups.com';
const tokenRequest = {
  method: 'POST',
  url: `${origin}/security/v1/oauth/token`,
  repeat: 'safe',
  headers: {
    authorization: `Basic ${Buffer.from('app-1:top-secret-99').toString('base64')}`,
    'content-type': 'application/x-www-form-urlencoded',
  },
  body: 'grant_type=client_credentials',
} as const;
const [pdf, gif] = [samplePdf(['Label']), sampleGif()];
const number = '1ZA1B2C31100000015';
/** The first parcel is void; what is said of the others. */
const partlyVoided = (...others: readonly unknown[]) =>
  json({
    VoidShipmentResponse: {
      SummaryResult: { Status: { Code: '1', Description: 'Partially Voided' } },
      PackageLevelResult: [{ TrackingNumber: number, Status: { Code: '1', Description: 'Voided' } }, ...others],
    },
  });
const shipped = (packages: unknown) =>
  json({
    ShipmentResponse: {
      Response: { ResponseStatus: { Code: '1', Description: 'Success' } },
      ShipmentResults: { ShipmentIdentificationNumber: number, PackageResults: packages },
    },
  });
const parcel = {
  TrackingNumber: number,
  ShippingLabel: { ImageFormat: { Code: 'GIF' }, GraphicImage: gif.toString('base64'), HTMLImage: 'PGh0bWw+' },
};
const recovered = json({
  LabelRecoveryResponse: {
    Response: { ResponseStatus: { Code: '1' } },
    ShipmentIdentificationNumber: number,
    LabelResults: {
      TrackingNumber: number,
      LabelImage: { LabelImageFormat: { Code: 'PDF' }, GraphicImage: pdf.toString('base64') },
    },
  },
});
const recovery = {
  method: 'POST',
  url: `${origin}/api/labels/v1/recovery`,
  repeat: 'safe',
  body: JSON.stringify({
    LabelRecoveryRequest: {
      LabelSpecification: {
        HTTPUserAgent: 'Mozilla/4.5',
        LabelImageFormat: { Code: 'PDF' },
        LabelStockSize: { Height: '6', Width: '4' },
      },
      TrackingNumber: number,
    },
  }),
} as const;
const activity = (type: string, description: string, date: string, time: string, address: unknown) => ({
  date,
  time,
  location: { address },
  status: { type, code: 'XX', description, statusCode: '003' },
});
const tracked = (parcels: unknown, rest = {}) =>
  json({
    trackResponse: {
      shipment: [{ inquiryNumber: number, ...(parcels === undefined ? {} : { package: parcels }), ...rest }],
    },
  });
const missing = tracked(undefined, { warnings: [{ code: 'TW0001', message: 'Tracking Information Not Found' }] });
const step = (wording: string, date: string, hour: string, location: string) => ({
  wording,
  date,
  hour,
  location,
  relayId: '',
  relayCountry: '',
});

/** Both sides as a price names them. */
const rated = {
  from: {
    Name: 'Entrepôt Nord',
    Address: { AddressLine: ['3 rue des Docks'], City: 'Lille', PostalCode: '59000', CountryCode: 'FR' },
  },
  to: {
    Name: 'Tim Test',
    Address: {
      AddressLine: ['Testallee 3, Gebäude der alten', 'Spinnerei'],
      ...{ City: 'Berlin', PostalCode: '10437', CountryCode: 'DE' },
    },
  },
};

const subject: CarrierSubject = {
  carrier: ups,
  account,
  request,
  now,
  createLabel: {
    requests: [
      tokenRequest,
      {
        method: 'POST',
        url: `${origin}/api/shipments/v2409/ship`,
        repeat: 'never',
        headers: { authorization: 'Bearer tok.1', transid: `${now}-1`, transactionsrc: 'logistics-connect' },
        body: JSON.stringify({
          ShipmentRequest: {
            Request: { RequestOption: 'nonvalidate' },
            Shipment: {
              Description: 'Books',
              Shipper: {
                Name: 'Entrepôt Nord',
                AttentionName: 'Entrepôt Nord',
                Phone: { Number: '33320000000' },
                EMailAddress: 'depot@example.com',
                Address: { AddressLine: ['3 rue des Docks'], City: 'Lille', PostalCode: '59000', CountryCode: 'FR' },
                ShipperNumber: 'A1B2C3',
              },
              ShipTo: {
                Name: 'Tim Test',
                AttentionName: 'Tim Test',
                Phone: { Number: '0049123456' },
                EMailAddress: 'tim@example.com',
                Address: {
                  AddressLine: ['Testallee 3, Gebäude der alten', 'Spinnerei'],
                  City: 'Berlin',
                  PostalCode: '10437',
                  CountryCode: 'DE',
                },
              },
              PaymentInformation: { ShipmentCharge: [{ Type: '01', BillShipper: { AccountNumber: 'A1B2C3' } }] },
              ReferenceNumber: [{ Value: 'CMD-1' }, { Value: 'C-77' }],
              Service: { Code: '11' },
              Package: [
                { Packaging: { Code: '02' }, PackageWeight: { UnitOfMeasurement: { Code: 'KGS' }, Weight: '1.1' } },
              ],
            },
            LabelSpecification: {
              LabelImageFormat: { Code: 'GIF' },
              HTTPUserAgent: 'Mozilla/4.5',
              LabelStockSize: { Height: '6', Width: '4' },
            },
          },
        }),
      },
      tokenRequest,
      recovery,
    ],
    answers: [token, shipped([parcel]), token, recovered],
    result: {
      expeditionNumber: number,
      outputs: [{ name: 'PdfUrl', kind: 'document', mediaType: 'application/pdf', bytes: pdf }],
    },
    dispensable: [2, 3],
  },
  fetchLabel: {
    expeditionNumber: number,
    requests: [tokenRequest, recovery],
    answers: [token, recovered],
    result: {
      expeditionNumber: number,
      outputs: [{ name: 'PdfUrl', kind: 'document', mediaType: 'application/pdf', bytes: pdf }],
    },
  },
  track: {
    expeditionNumber: number,
    requests: [
      tokenRequest,
      {
        method: 'GET',
        url: `${origin}/api/track/v1/details/${number}?locale=fr_FR`,
        repeat: 'safe',
        headers: { authorization: 'Bearer tok.1', transid: `${now}-track`, transactionsrc: 'logistics-connect' },
        body: null,
      },
    ],
    answers: [
      token,
      tracked([
        {
          trackingNumber: number,
          currentStatus: { code: '011', description: 'Delivered', statusCode: '011', type: 'D' },
          activity: [
            activity('D', 'DELIVERED', '20260316', '140500', {
              city: 'Berlin',
              countryCode: 'DE',
              country: 'DE',
              postalCode: '10437',
            }),
            activity('I', 'Out For Delivery Today', '20260316', '083000', { city: 'Berlin', countryCode: 'DE' }),
            activity('M', 'Shipper created a label, UPS has not received the package yet.', '20260313', '', {
              country: 'FR',
            }),
          ],
        },
      ]),
    ],
    result: {
      status: '82',
      wording1: 'DELIVERED',
      wording2: 'Delivered',
      relayWording: '',
      relayNumber: '',
      steps: [
        step('Shipper created a label, UPS has not received the package yet.', '2026-03-13', '', 'FR'),
        step('Out For Delivery Today', '2026-03-16', '08:30', 'Berlin, DE'),
        step('DELIVERED', '2026-03-16', '14:05', '10437 Berlin, DE'),
      ],
    },
  },
  probe: {
    requests: [tokenRequest],
    answers: [token],
    result:
      'UPS accepts the client ID and secret. Whether it accepts the account number shows with a dry run or a label.',
  },
  dryRun: {
    requests: [
      tokenRequest,
      {
        method: 'POST',
        url: `${origin}/api/rating/v2409/Rate`,
        repeat: 'safe',
        headers: { authorization: 'Bearer tok.1', transid: `${now}-rate`, transactionsrc: 'logistics-connect' },
        // Members are those of test_rate in Karrio's connector ups.
        body: JSON.stringify({
          RateRequest: {
            Request: { RequestOption: 'Rate', TransactionReference: { CustomerContext: 'CMD-1' } },
            Shipment: {
              Shipper: { ...rated.from, ShipperNumber: 'A1B2C3' },
              ShipTo: rated.to,
              ShipFrom: rated.from,
              PaymentDetails: { ShipmentCharge: [{ Type: '01', BillShipper: { AccountNumber: 'A1B2C3' } }] },
              Service: { Code: '11' },
              NumOfPieces: '1',
              Package: [
                { PackagingType: { Code: '02' }, PackageWeight: { UnitOfMeasurement: { Code: 'KGS' }, Weight: '1.1' } },
              ],
            },
          },
        }),
      },
    ],
    answers: [
      token,
      // As those tests have it of a shipment within France, cut to what is read.
      json({
        RateResponse: {
          Response: { ResponseStatus: { Code: '1', Description: 'Success' } },
          RatedShipment: [
            { Service: { Code: '11', Description: '' }, TotalCharges: { CurrencyCode: 'EUR', MonetaryValue: '11.25' } },
          ],
        },
      }),
    ],
    result: 'UPS would take this request.',
  },
  voidLabel: {
    expeditionNumber: number,
    requests: [
      tokenRequest,
      {
        method: 'DELETE',
        url: `${origin}/api/shipments/v2409/void/cancel/${number}`,
        repeat: 'never',
        headers: { transactionsrc: 'logistics-connect' },
        body: null,
      },
    ],
    answers: [
      token,
      // As a program wrote it down that reads it, apart from the number.
      json({
        VoidShipmentResponse: {
          Response: { ResponseStatus: { Code: '1', Description: 'Success' } },
          SummaryResult: { Status: { Code: '1', Description: 'Voided' } },
          PackageLevelResult: { TrackingNumber: number, Status: { Code: '1', Description: 'Already Voided' } },
        },
      }),
    ],
    result: `UPS has voided the parcel ${number}.`,
  },
  refusals: [
    {
      name: 'a price of no service there',
      operation: 'dryRun',
      answers: [token, failed('111210', 'The requested service is unavailable between the selected locations.')],
      kind: 'refused',
      carrierCode: '111210',
      fields: [],
    },
    {
      name: 'prices for an application without the product Rating',
      operation: 'dryRun',
      answers: [token, failed('250002', 'tok.1', 401), token, failed('250002', 'Invalid Authentication', 401)],
      kind: 'configuration',
      carrierCode: '250002',
      fields: [],
    },
    {
      name: 'a shipment whose time is over',
      operation: 'voidLabel',
      answers: [token, failed('190101', 'Time for voiding has expired.')],
      kind: 'refused',
      carrierCode: '190101',
      fields: [],
    },
    {
      name: 'a part of a shipment that it does not void',
      operation: 'voidLabel',
      answers: [token, partlyVoided({ TrackingNumber: '1Z2', Status: { Code: '0', Description: 'Not Voided' } })],
      kind: 'refused',
      carrierCode: '1',
      fields: [],
    },
    {
      name: 'a void of a shipment that it does not know',
      operation: 'voidLabel',
      answers: [token, failed('190100', 'Invalid ShipmentIdentificationNumber.')],
      kind: 'unknown',
      carrierCode: '190100',
      fields: [],
    },
    {
      name: 'a void of a client that it does not know',
      operation: 'voidLabel',
      answers: [failed('10401', 'ClientId is Invalid', 401)],
      kind: 'configuration',
      carrierCode: '10401',
      fields: [],
    },
    {
      name: 'a client that it does not know',
      operation: 'probe',
      answers: [failed('10401', 'ClientId top-secret-99 is Invalid', 401)],
      kind: 'configuration',
      carrierCode: '10401',
      fields: [],
    },
    {
      name: 'a client that it does not know, as a page',
      operation: 'track',
      answers: [answer('<html>', 401)],
      kind: 'configuration',
      carrierCode: null,
      fields: [],
    },
    {
      name: 'no service there',
      operation: 'createLabel',
      answers: [token, failed('111210', 'The requested service is unavailable between the selected locations.')],
      kind: 'refused',
      carrierCode: '111210',
      fields: [],
    },
    {
      name: 'a fault in the older form',
      operation: 'createLabel',
      answers: [
        token,
        json(
          {
            Fault: {
              detail: {
                Errors: {
                  ErrorDetail: {
                    PrimaryErrorCode: { Code: '120217', Description: 'Missing or invalid ship to phone number' },
                  },
                },
              },
            },
          },
          400,
        ),
      ],
      kind: 'refused',
      carrierCode: '120217',
      fields: [],
    },
    {
      name: 'an account number that it does not know',
      operation: 'createLabel',
      answers: [token, failed('120100', 'Missing or invalid shipper number')],
      kind: 'configuration',
      carrierCode: '120100',
      fields: [],
    },
    {
      name: 'a token that ended, and no other one',
      operation: 'createLabel',
      answers: [
        token,
        failed('250002', 'Invalid Authentication Information.', 401),
        failed('10401', 'ClientId is Invalid', 401),
      ],
      kind: 'configuration',
      carrierCode: '10401',
      fields: [],
    },
    {
      name: 'every token, also where it repeats it',
      operation: 'track',
      answers: [token, failed('250002', 'tok.1', 401), token, failed('250002', 'tok.1 is invalid', 401)],
      kind: 'configuration',
      carrierCode: '250002',
      fields: [],
    },
    {
      name: 'access that it blocks',
      operation: 'createLabel',
      answers: [token, failed('250003', 'Blocked Merchant', 403)],
      kind: 'configuration',
      carrierCode: '250003',
      fields: [],
    },
    {
      name: 'too many requests',
      operation: 'createLabel',
      answers: [token, failed('10429', 'Too Many Requests', 429)],
      kind: 'unavailable',
      carrierCode: '10429',
      fields: [],
    },
    {
      name: 'a label of nobody',
      operation: 'fetchLabel',
      answers: [token, failed('300100', 'Label could not be found.')],
      kind: 'unknown',
      carrierCode: '300100',
      fields: [],
    },
    {
      name: 'an unknown parcel with status 200',
      operation: 'track',
      answers: [token, missing],
      kind: 'unknown',
      carrierCode: 'TW0001',
      fields: [],
    },
    {
      name: 'a number that cannot be one',
      operation: 'track',
      answers: [token, failed('TV1002', 'Invalid inquiry number')],
      kind: 'unknown',
      carrierCode: 'TV1002',
      fields: [],
    },
    {
      name: 'an unknown parcel with status 404',
      operation: 'track',
      answers: [token, failed('TW0001', 'Not found', 404)],
      kind: 'unknown',
      carrierCode: 'TW0001',
      fields: [],
    },
  ],
};

carrierContract(subject);
simulatorContract({ carrier: ups, start: startUpsSimulator, request, unknownNumber: '1Z9999999999999999' });

const create = (changes: Partial<LabelRequest>, answers: Parameters<typeof replay>[1] = [token, answer('', 500)]) =>
  replay(
    ups.createLabel?.({ account, request: { ...request, ...changes }, sequence: 1, now }) ?? assert.fail(),
    answers,
  );
const names = (driven: Awaited<ReturnType<typeof create>>) =>
  resultOf(driven).outputs.map((output) => (output.kind === 'text' ? `${output.name} ${output.text}` : output.name));

it('names the parcels that UPS has voided, if it has not voided all of a shipment', async () => {
  const { voidLabel } = ups.desk;
  assert.ok(isSupported(voidLabel));
  const task = { account, expeditionNumber: number, parcelNumbers: [number, '1Z2', '1Z3'], outputs: [], label: null };
  const driven = await replay(voidLabel({ ...task, now, again: false }), [
    token,
    partlyVoided(
      { TrackingNumber: '1Z2', Status: { Code: '0', Description: 'Not Voided' } },
      { TrackingNumber: '1Z3', Status: { Code: '1', Description: 'Already Voided' } },
    ),
  ]);
  assert.deepEqual(failureOf(driven).voided, [number, '1Z3']);
});

describe('labels of UPS', () => {
  it('gives pictures where the PDF cannot be had: the parcel exists', async () => {
    for (const instead of [
      failed('300100', 'No'),
      new CarrierError('timeout', 'The carrier did not answer in time.'),
      answer('', 503),
    ]) {
      assert.deepEqual(names(await create({}, [token, shipped([parcel]), token, instead])), ['GifImage']);
    }
  });

  it('names the parcels that have a number when one has none', async () => {
    const error = failureOf(await create({ outputType: 'GifImage', nbPackage: '2' }, [token, shipped([parcel])]));
    assert.match(
      error.message,
      new RegExp(`^The parcel ${number} exists at UPS all the same\\. .*1 parcel numbers where 2 were asked for`),
    );
    assert.equal(error.acted, 'unknown');
  });

  it('makes the parcel with a new token where the one that was kept has ended', async () => {
    const other = json({ token_type: 'Bearer', access_token: 'tok.2', expires_in: '14399' });
    const driven = await create({ outputType: 'GifImage' }, [
      token,
      failed('250002', 'Invalid Authentication Information.', 401),
      other,
      shipped([parcel]),
    ]);
    assert.deepEqual(names(driven), ['GifImage']);
    const [, first, , second] = driven.requests;
    assert.deepEqual(
      [first?.headers.Authorization, second?.headers.Authorization, first?.body === second?.body],
      ['Bearer tok.1', 'Bearer tok.2', true],
    );
  });

  it('asks for pictures and printer code at once', async () => {
    for (const [outputType, outputFormat, specification] of [
      [
        'GifImage',
        '',
        {
          LabelImageFormat: { Code: 'GIF' },
          HTTPUserAgent: 'Mozilla/4.5',
          LabelStockSize: { Height: '6', Width: '4' },
        },
      ],
      ['ZplCode', '8x4', { LabelImageFormat: { Code: 'ZPL' }, LabelStockSize: { Height: '8', Width: '4' } }],
      ['EplCode', '', { LabelImageFormat: { Code: 'EPL' }, LabelStockSize: { Height: '6', Width: '4' } }],
    ] as const) {
      const code = { ImageFormat: { Code: outputType }, GraphicImage: Buffer.from('^XA^XZ').toString('base64') };
      const given = outputType === 'GifImage' ? parcel : { ...parcel, ShippingLabel: code };
      const driven = await create({ outputType, outputFormat }, [token, shipped([given])]);
      assert.deepEqual(JSON.parse(driven.requests[1]?.body ?? '').ShipmentRequest.LabelSpecification, specification);
      assert.equal(resultOf(driven).outputs[0]?.name, outputType);
    }
  });

  it('reads a lone parcel without a list, and all parcels of several', async () => {
    assert.deepEqual(names(await create({ outputType: 'GifImage' }, [token, shipped(parcel)])), ['GifImage']);
    const second = { ...parcel, TrackingNumber: '1ZA1B2C31100000024' };
    assert.deepEqual(
      names(await create({ outputType: 'GifImage', nbPackage: '2' }, [token, shipped([parcel, second])])),
      ['GifImage', 'GifImage', `ParcelNumber ${number}`, 'ParcelNumber 1ZA1B2C31100000024'],
    );
  });

  it('has the number of its first parcel where UPS gives none of the shipment', async () => {
    const answered = json({ ShipmentResponse: { ShipmentResults: { PackageResults: [parcel] } } });
    assert.equal(resultOf(await create({ outputType: 'GifImage' }, [token, answered])).expeditionNumber, number);
  });

  it('names the shipment whose label is not in the answer', async () => {
    const error = failureOf(await create({}, [token, shipped([{ TrackingNumber: number }])]));
    assert.match(error.message, new RegExp(`^The parcel ${number} exists at UPS all the same\\. `));
    assert.equal(error.acted, 'unknown');
  });

  it('never tells less than the weight, in five characters', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 70_000 }), async (grams) => {
        const { Weight } = JSON.parse((await create({ weight: String(grams) })).requests[1]?.body ?? '').ShipmentRequest
          .Shipment.Package[0].PackageWeight;
        assert.match(Weight, /^\d{1,3}\.\d$/);
        assert.ok(
          Number(Weight) * 1000 >= grams - 1e-6 && Number(Weight) * 1000 < grams + 100,
          `${Weight} for ${grams} g`,
        );
      }),
      { numRuns: rounds(100) },
    );
  });
});

describe("UPS's rules", () => {
  for (const [name, changes, expected] of [
    ['an unknown service', { modeLiv: '99' }, ['modeLiv unknown-code']],
    ['a state that cannot be told', { destCountry: 'US', destZip: '10001' }, ['destCountry not-offered']],
    ['another country without telephones', { expTel1: '', destTel1: '' }, ['expTel1 required', 'destTel1 required']],
    ['the same country without telephones', { expTel1: '', destTel1: '', destCountry: 'FR' }, []],
    ['another country without a description', { modeLiv: '65', content: '' }, ['content required']],
    ['UPS Standard without a description', { content: '' }, []],
    ['an access point', { shippingPickupPoint: 'U1' }, ['shippingPickupPoint not-offered']],
    ['cash', { crtValue: '100' }, ['crtValue not-offered']],
    ['no cash', { crtValue: '0' }, []],
    ['an instruction', { instruction: 'x' }, ['instruction not-offered']],
    ['a parcel of more than 70 kg', { weight: '70001' }, ['weight out-of-range']],
    ['a telephone of 16 digits', { destTel1: '1234567890123456' }, ['destTel1 wrong-format']],
    ['a street of one long word', { destAddr2: 'x'.repeat(36) }, ['destAddr2 too-long']],
    ['a street of four lines', { destAddr2: `${'x'.repeat(34)} `.repeat(4) }, ['destAddr2 too-long']],
  ] as const) {
    it(`knows what is wrong with ${name}`, () =>
      assert.deepEqual(ups.check({ ...request, ...changes }, account).map(inBrief), expected));
  }
});

describe('tracking of UPS', () => {
  const track = (
    body: typeof token,
    label: { readonly request: LabelRequest; readonly createdAt: number } | null = null,
  ) => replay(ups.track?.({ account, expeditionNumber: number, label, now }) ?? assert.fail(), [token, body]);

  for (const [status, types] of Object.entries({
    80: ['M', 'MP', 'NA'],
    81: ['P', 'I', 'W', 'DO', 'DD', 'O', 'U', '??'],
    82: ['D'],
    83: ['MV', 'X', 'RS'],
  })) {
    it(`calls ${types.join(', ')} ${status}`, async () => {
      for (const type of types)
        assert.equal(
          resultOf(
            await track(
              tracked([
                {
                  trackingNumber: number,
                  currentStatus: { type },
                  activity: [activity(type, 'x', '20260101', '120000', {})],
                },
              ]),
            ),
          ).status,
          status,
          type,
        );
    });
  }

  it('goes by the latest activity where the current status has no type', async () => {
    const activities = [activity('I', 'x', '20260101', '120000', {}), activity('D', 'y', '20260102', '080000', {})];
    assert.equal(
      resultOf(
        await track(
          tracked([{ trackingNumber: number, currentStatus: { description: 'Delivered' }, activity: activities }]),
        ),
      ).status,
      '82',
    );
  });

  /** From Shanghai to Anchorage, newest first: the clock there shows the day before. */
  const overTheDateLine = [
    ['Arrived at Facility', 'D', '20261120', '174500', 'Anchorage', '20261121', '02:45:00', '-09:00'],
    ['Departed from Facility', 'I', '20261121', '010500', 'Shanghai', '20261120', '17:05:00', '+08:00'],
    ['Export Scan', 'I', '20261120', '084740', 'Shanghai', '20261120', '4740', '+08:00'],
    ['Shipper created a label', 'M', '20261120', '074740', 'Shanghai', '20261119', '234740', '+08:00'],
  ] as const;
  for (const [name, more] of Object.entries({
    'the time in UTC': (gmtDate: string, gmtTime: string) => ({ gmtDate, gmtTime: gmtTime.padStart(5, '0') }),
    'the offset': (_date: string, _time: string, gmtOffset: string) => ({ gmtOffset }),
    'neither, by the order of UPS': () => ({}),
  })) {
    it(`orders activities of several time zones by ${name}`, async () => {
      const activities = overTheDateLine.map(([description, type, date, time, city, gmtDate, gmtTime, gmtOffset]) => ({
        ...activity(type, description, date, time, { city }),
        ...more(gmtDate, gmtTime, gmtOffset),
      }));
      const parcel = { trackingNumber: number, currentStatus: { description: 'On the Way' }, activity: activities };
      const { status, wording1, steps } = resultOf(await track(tracked([parcel])));
      assert.deepEqual(
        steps.map(({ wording, date, hour }) => `${wording} ${date} ${hour}`),
        [
          'Shipper created a label 2026-11-20 07:47',
          'Export Scan 2026-11-20 08:47',
          'Departed from Facility 2026-11-21 01:05',
          'Arrived at Facility 2026-11-20 17:45',
        ],
      );
      assert.deepEqual([status, wording1], ['82', 'Arrived at Facility']);
    });
  }

  it('finds the parcel among those of the shipment', async () => {
    const other = { trackingNumber: '1ZOTHER0000000000', currentStatus: { type: 'X' } };
    assert.equal(
      resultOf(await track(tracked([other, { trackingNumber: number, currentStatus: { type: 'D' } }]))).status,
      '82',
    );
  });

  it('calls a parcel registered that was made here lately and that UPS has not heard of', async () => {
    assert.equal(resultOf(await track(missing, { request, createdAt: now - 3_600_000 })).status, '80');
    assert.equal(
      resultOf(await track(failed('TW0001', 'Not found', 404), { request, createdAt: now - 3_600_000 })).status,
      '80',
    );
    assert.equal(failureOf(await track(missing, { request, createdAt: now - 15 * 86_400_000 })).kind, 'unknown');
  });

  it('keeps activities with days and hours that are none', async () => {
    const { steps } = resultOf(
      await track(
        tracked([
          {
            trackingNumber: number,
            activity: [activity('I', 'a', '20260230', '120000', null), activity('I', 'b', '20260102', '259999', [])],
          },
        ]),
      ),
    );
    assert.deepEqual(steps.map(({ wording, date, hour }) => `${wording} ${date} ${hour}`).toSorted(), [
      'a  ',
      'b 2026-01-02 ',
    ]);
  });
});

describe('the simulator of UPS', () => {
  it('has a parcel in every state, refuses as UPS does, and fails on demand', async (t) => {
    const simulator = await startUpsSimulator();
    t.after(() => simulator.close());
    const own = carrierAccount(ups, simulator.settings);
    const states = await Promise.all(
      Object.keys(upsSamples).map(
        async (expeditionNumber) =>
          resultOf(
            await callCarrier(
              ups.track?.({ account: own, expeditionNumber, label: null, now }) ?? assert.fail(),
              ups.origins(own),
            ),
          ).status,
      ),
    );
    assert.deepEqual(states, ['80', '81', '81', '81', '82', '83', '83', '83']);
    const attempt = async (changes: Partial<LabelRequest>, settings = {}) => {
      const error = failureOf(
        await callCarrier(
          ups.createLabel?.({
            account: { settings: { ...own.settings, ...settings } },
            request: { ...request, ...changes },
            sequence: 1,
            now,
          }) ?? assert.fail(),
          ups.origins(own),
          timeLimitFor(changes.nDossier),
        ),
      );
      return `${error.kind} ${error.carrierCode}`;
    };
    assert.equal(await attempt({ destZip: '00000' }), 'refused 111210');
    assert.equal(await attempt({ destTel1: '' }), 'refused 120217');
    assert.equal(await attempt({ destCity: '' }), 'refused 120001');
    assert.equal(await attempt({}, { accountNumber: 'ZZZZZZ' }), 'configuration 120100');
    assert.equal(await attempt({}, { clientSecret: 'wrong' }), 'configuration 10401');
    for (const nDossier of ['FAULT429', 'FAULT500', 'FAULT503', 'FAULTTEXT', 'FAULTEMPTY', 'FAULTSHAPE', 'FAULTHALF'])
      assert.equal(await attempt({ nDossier }), 'unavailable null', nDossier);
    assert.equal(await attempt({ nDossier: 'FAULTMUTE' }), 'timeout null');
    const without = await callCarrier(
      ups.createLabel?.({
        account: own,
        request: { ...request, destAddr1: 'NOPDF', nbPackage: '2' },
        sequence: 1,
        now,
      }) ?? assert.fail(),
      ups.origins(own),
    );
    assert.deepEqual(
      resultOf(without).outputs.map(({ name }) => name),
      ['GifImage', 'GifImage', 'ParcelNumber', 'ParcelNumber'],
    );
  });
});
