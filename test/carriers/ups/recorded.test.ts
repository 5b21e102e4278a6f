// UPS: requests and answers in the tests of Karrio's connector ups, written anew, as the simulator and the adapter read
// them.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ups } from '../../../src/carriers/ups/ups.ts';
import { startUpsSimulator } from '../../../simulators/ups.ts';
import { sampleGif } from '../../../simulators/sample-label.ts';
import { answer, carrierAccount, callCarrier, failureOf, labelRequest, replay, resultOf } from '../drive.ts';

const now = Date.UTC(2026, 10, 21, 12);
const account = carrierAccount(ups, { clientId: 'app-1', clientSecret: 'secret-1', accountNumber: 'A1B2C3' });
const request = labelRequest({
  ...{ modeCol: 'depot', modeLiv: '11', weight: '10000', nbPackage: '1', outputType: 'GifImage' },
  ...{ expAddr1: 'Acme', expAddr2: '3 rue des Docks', expCity: 'Lille', expZip: '59000', expCountry: 'FR' },
  ...{ destAddr1: 'Tim Test', destAddr2: 'Testallee 3', destCity: 'Berlin', destZip: '10437', destCountry: 'DE' },
  ...{ expTel1: '1234567890', destTel1: '1234567890', nDossier: 'CMD-1', content: 'Books' },
});
const json = (body: unknown, status = 200) =>
  answer(JSON.stringify(body), status, { 'content-type': 'application/json' });
const token = json({ token_type: 'Bearer', access_token: 'tok.1', expires_in: '14399', status: 'approved' });

/** A side of test_create_package_shipment_request, at an address that there is. */
const party = (name: string, address: object) => ({
  ...{ Name: name, AttentionName: `${name} Attn`, CompanyDisplayableName: name, Phone: { Number: '1234567890' } },
  Address: address,
});
const from = party('Acme', {
  ...{ AddressLine: ['3 rue des Docks'], City: 'Lille', PostalCode: '59000', CountryCode: 'FR' },
});
const to = party('Tim Test', {
  ...{ AddressLine: ['Testallee 3'], City: 'Berlin', PostalCode: '10437', CountryCode: 'DE' },
});
const payer = { BillShipper: { AccountNumber: 'A1B2C3' } };
/** What that test asks for. */
const asked = {
  ShipmentRequest: {
    LabelSpecification: {
      LabelImageFormat: { Code: 'PNG', Description: 'lable format' },
      LabelStockSize: { Height: '6', Width: '4' },
    },
    Request: {
      ...{ RequestOption: 'validate', SubVersion: 'v2205' },
      TransactionReference: { CustomerContext: 'Your Customer Context' },
    },
    Shipment: {
      Description: 'Description',
      InvoiceLineTotal: { CurrencyCode: 'USD', MonetaryValue: '1.0' },
      NumOfPiecesInShipment: '0',
      Package: [
        {
          Description: 'Description',
          Dimensions: {
            ...{ Height: '2.0', Length: '7.0', Width: '5.0' },
            UnitOfMeasurement: { Code: 'IN', Description: 'Dimension' },
          },
          PackageWeight: { UnitOfMeasurement: { Code: 'LBS', Description: 'Weight' }, Weight: '10.0' },
          Packaging: { Code: '02', Description: 'Packaging Type' },
        },
      ],
      PaymentInformation: {
        ShipmentCharge: [
          { ...payer, Type: '01' },
          { ...payer, Type: '02' },
        ],
      },
      RatingMethodRequestedIndicator: 'Y',
      ReferenceNumber: [{ Code: 'FR', Value: 'Your Customer Context' }],
      Service: { Code: '11', Description: 'ups_standard' },
      ShipFrom: { ...from, TaxIdentificationNumber: '123456' },
      ShipTo: to,
      ShipmentRatingOptions: { NegotiatedRatesIndicator: 'Y' },
      ShipmentServiceOptions: {
        Notification: [{ EMail: { EMailAddress: 'test@mail.com' }, NotificationCode: '8' }],
      },
      Shipper: { ...from, ShipperNumber: 'A1B2C3', TaxIdentificationNumber: '123456' },
      TaxInformationIndicator: 'Y',
    },
  },
} as const;

/** Where each value stands; places in lists do not count. */
function pathsOf(value: unknown, path = ''): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((one) => pathsOf(one, `${path}[]`));
  if (typeof value !== 'object' || value === null) return [path];
  return Object.entries(value).flatMap(([name, member]) => pathsOf(member, path === '' ? name : `${path}.${name}`));
}

/** The answer to it, cut to one charge. */
const shipped = (packages: unknown) =>
  json({
    ShipmentResponse: {
      Response: {
        ResponseStatus: { Code: '1', Description: 'Success' },
        Alert: [
          { Code: '121524', Description: 'The payer of Duty and Tax charges is not required.' },
          { Code: '120900', Description: 'User Id and Shipper Number combination is not qualified' },
        ],
        TransactionReference: { CustomerContext: 'testing', TransactionIdentifier: 'iewssoat2643k31L9059jT' },
      },
      ShipmentResults: {
        Disclaimer: { Code: '01', Description: 'Taxes are included in the shipping cost.' },
        ShipmentCharges: { TotalCharges: { CurrencyCode: 'CAD', MonetaryValue: '135.15' } },
        BillingWeight: { UnitOfMeasurement: { Code: 'LBS', Description: 'Pounds' }, Weight: '10.0' },
        ShipmentIdentificationNumber: '1ZXXXXXXXXXXXXXXXX',
        PackageResults: packages,
      },
    },
  });

describe("what the tests of Karrio's connector for UPS have", () => {
  it('is a shipment that the simulator takes, and whose members the adapter calls the same', async (t) => {
    const simulator = await startUpsSimulator();
    t.after(() => simulator.close());
    const own = carrierAccount(ups, simulator.settings);
    const driven = await callCarrier(
      ups.createLabel?.({ account: own, request, sequence: 1, now }) ?? assert.fail(),
      ups.origins(own),
    );
    resultOf(driven);
    const sent = driven.requests[1];
    const theirs = new Set(pathsOf(asked));
    assert.deepEqual(
      pathsOf(JSON.parse(sent?.body ?? '')).filter((path) => !theirs.has(path)),
      // For pictures, by UPS's description.
      ['ShipmentRequest.LabelSpecification.HTTPUserAgent'],
    );
    const response = await fetch(sent?.url ?? '', {
      method: 'POST',
      headers: sent?.headers ?? {},
      body: JSON.stringify(asked),
    });
    assert.equal(response.status, 200);
  });

  it('is an answer with a lone parcel outside of a list, beside alerts that stop nothing', async () => {
    const label = {
      ImageFormat: { Code: 'GIF', Description: 'GIF' },
      GraphicImage: sampleGif().toString('base64'),
    };
    const parcel = { TrackingNumber: '1ZXXXXXXXXXXXXXXXX', ShippingLabel: label };
    const driven = await replay(ups.createLabel?.({ account, request, sequence: 1, now }) ?? assert.fail(), [
      token,
      shipped(parcel),
    ]);
    const { expeditionNumber, outputs } = resultOf(driven);
    assert.deepEqual([expeditionNumber, outputs.map(({ name }) => name)], ['1ZXXXXXXXXXXXXXXXX', ['GifImage']]);
  });

  const track = (body: unknown, status = 200) =>
    replay(ups.track?.({ account, expeditionNumber: '1Z023E2X0214323462', label: null, now }) ?? assert.fail(), [
      token,
      json(body, status),
    ]);

  it('is tracking by the example of UPS itself: an exception at customs', async () => {
    const state = {
      ...{ code: 'SR', statusCode: '003', type: 'X', simplifiedTextDescription: 'Delivered' },
      description: 'Your package was released by the customs agency.',
    };
    const place = { city: 'Wayne', country: 'US', countryCode: 'US', postalCode: '07470', stateProvince: 'NJ' };
    const activity = [{ date: '20210210', time: '071356', location: { address: place, slic: '8566' }, status: state }];
    const parcel = { activity, currentStatus: state, packageCount: 2, trackingNumber: 'string' };
    const warnings = [{ code: 'string', message: 'string' }];
    const shipment = [{ inquiryNumber: '1Z023E2X0214323462', package: [parcel], warnings }];
    assert.deepEqual(resultOf(await track({ trackResponse: { shipment } })), {
      ...{ status: '83', wording1: state.description, wording2: state.description },
      ...{ relayWording: '', relayNumber: '' },
      steps: [
        {
          ...{ wording: state.description, date: '2021-02-10', hour: '07:13', location: '07470 Wayne, NJ, US' },
          ...{ relayId: '', relayCountry: '' },
        },
      ],
    });
  });

  it('is a number that cannot be one, one that nobody knows, and access that is refused', async () => {
    const failed = (code: string, message: string) => ({ response: { errors: [{ code, message }] } });
    const warnings = [{ code: 'TW0001', message: 'Tracking Information Not Found' }];
    const said = async (body: unknown, status?: number) => {
      const { kind, carrierCode } = failureOf(await track(body, status));
      return `${kind} ${carrierCode}`;
    };
    assert.equal(await said(failed('TV1002', 'Invalid inquiry number'), 400), 'unknown TV1002');
    assert.equal(await said({ trackResponse: { shipment: [{ warnings }] } }), 'unknown TW0001');
    assert.equal(await said(failed('250003', 'Invalid Access License number'), 403), 'configuration 250003');
  });
});
