// What GLS wants where goods are declared.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CarrierError, type CarrierLabel } from '../../../src/carriers/carrier.ts';
import { gls } from '../../../src/carriers/gls/gls.ts';
import { customsReasons } from '../../../src/carriers/customs/rules.ts';
import type { CustomsDeclaration } from '../../../src/model/customs.ts';
import type { LabelRequest } from '../../../src/model/shipping.ts';
import { startGlsSimulator } from '../../../simulators/gls.ts';
import { declarationWith, lineWith, read } from '../customs/order.ts';
import {
  answer,
  carrierAccount,
  callCarrier,
  type Driven,
  failureOf,
  labelRequest,
  replay,
  resultOf,
} from '../drive.ts';

const request = labelRequest({ expCountry: 'FR', destCountry: 'CH', weight: '1250', nbPackage: '2' });

it('goods through customs at GLS need its incoterm code, which is no term of the invoice', () => {
  const check = (settings: Readonly<Record<string, string>>, weight = '1250') =>
    customsReasons(gls, declarationWith(), { ...request, weight }, carrierAccount(gls, settings));
  assert.throws(
    () => check({}),
    (error) =>
      error instanceof CarrierError && error.kind === 'configuration' && /setting incoterm/.test(error.message),
  );
  assert.deepEqual(check({ incoterm: '20' }), []);
  assert.deepEqual(
    check({ incoterm: '20' }, '1').map(({ pointer }) => pointer),
    ['/weight'],
  );
  assert.equal(read({ incotrm: null }, { incoterm: '20' }).declaration?.incoterm, '');
});

const swiss = labelRequest({
  ...{ modeLiv: 'PARCEL', expCountry: 'FR', destAddr1: 'Léa Favre', destAddr2: '1 rue du Rhône', destZip: '1204' },
  ...{ destCity: 'Genève', destCountry: 'CH', weight: '1250', nbPackage: '1' },
});

it('GLS is told what a parcel is insured for, one parcel alone', async (t) => {
  const simulator = await startGlsSimulator();
  t.after(() => simulator.close());
  const account = carrierAccount(gls, { ...simulator.settings, incoterm: '20' });
  const customs = declarationWith({ lines: [lineWith({ description: 'T-shirts, cotton', insuredCents: 12_550 })] });
  const driven = await callCarrier(
    gls.createLabel?.({ account, request: swiss, customs, sequence: 1, now: 0 }) ?? assert.fail(),
    gls.origins(account),
  );
  resultOf(driven);
  assert.deepEqual(JSON.parse(driven.requests.at(-1)?.body ?? '').Shipment.ShipmentUnit[0].Service, [
    {
      AddonLiability: {
        ServiceName: 'service_addonliability',
        Amount: '125.50',
        Currency: 'EUR',
        ParcelContent: 'T-shirts cotton',
      },
    },
  ]);
  const faults = customsReasons(gls, customs, { ...swiss, nbPackage: '2' }, account);
  assert.deepEqual(
    faults.map(({ pointer }) => pointer),
    ['/nbPackage'],
  );
});

it('a shipment to another customs zone without an incoterm is refused by the simulator', async (t) => {
  const simulator = await startGlsSimulator();
  t.after(() => simulator.close());
  const account = carrierAccount(gls, simulator.settings);
  const driven = await callCarrier(
    gls.createLabel?.({ account, request: swiss, sequence: 1, now: 0 }) ?? assert.fail(),
    gls.origins(account),
  );
  assert.equal(failureOf(driven).kind, 'configuration');
});

/** What the Customs API takes: codes of eight digits, a street of the sender, a contact on both sides. */
const goods = declarationWith({
  lines: [lineWith({ unitGrossGrams: 200 })],
  eori: 'FR12345678900011',
  vatNumber: 'FR40303265045',
});
const declared = {
  ...swiss,
  ...{ expAddr1: 'Acme Home', expAddr2: '4 rue des Entrepôts', expCity: 'Lesquin', expZip: '59810' },
  ...{ expTel1: '+33 (0)3 20 00 00 00', destMail: 'lea.favre@example.ch', nDossier: 'CMD-1' },
};
const apiSettings = { incoterm: '20', customsApi: 'yes' } as const;

/** The texts of a label beside those of its parcels. */
function saidIn(driven: Driven<CarrierLabel>): readonly string[] {
  return resultOf(driven).outputs.flatMap((output) =>
    output.kind === 'text' && /^(CustomsConsignment|Warning)$/.test(output.name)
      ? [`${output.name} ${output.text}`]
      : [],
  );
}

describe('the Customs API of GLS', () => {
  const pointers = (
    customs: CustomsDeclaration,
    changes: Partial<LabelRequest>,
    settings: Readonly<Record<string, string>> = {},
  ) =>
    customsReasons(gls, customs, { ...declared, ...changes }, carrierAccount(gls, { ...apiSettings, ...settings })).map(
      ({ pointer }) => pointer,
    );

  it('is asked for nothing that is missing or too long: it is named before', () => {
    assert.deepEqual(pointers(goods, {}), []);
    assert.deepEqual(pointers(goods, { expAddr2: '' }), ['/expAddr2']);
    assert.deepEqual(pointers(goods, { expTel1: '' }), ['/expMail']);
    assert.deepEqual(pointers(goods, { destMail: '' }), ['/destMail']);
    assert.deepEqual(pointers(goods, { destMail: `${'x'.repeat(50)}@example.ch` }), ['/destMail']);
    assert.deepEqual(pointers(goods, { expAddr1: 'x'.repeat(51) }), ['/expAddr1']);
    assert.deepEqual(pointers(goods, { weight: '399' }), ['/weight']);
    assert.deepEqual(pointers(declarationWith(), {}), ['/orderId/orderEntries/1/articleCN23CustomsCode']);
    assert.deepEqual(pointers({ ...goods, currency: 'HUF' }, {}, { incoterm: '50' }), ['/orderId/paymentCurrency']);
    assert.throws(() => pointers(goods, {}, { incoterm: '18' }), /setting ioss/);
    // Who has not asked for it, and whoever sends a return, is not held to what it wants.
    assert.deepEqual(pointers(declarationWith(), { expAddr2: '', expTel1: '' }, { customsApi: 'no' }), []);
    assert.deepEqual(pointers(declarationWith(), { modeLiv: 'RETURN' }), []);
  });

  const ask = async (
    baseUrl: string,
    { customs = goods, changes = {}, customsApi = 'yes' as string, contactId = '276a45e7ZY' } = {},
  ) => {
    const settings = { clientId: 'simulator', clientSecret: 'simulator-secret', contactId, baseUrl };
    const account = carrierAccount(gls, { ...settings, ...apiSettings, customsApi });
    const task = { account, request: { ...declared, ...changes }, customs, sequence: 1, now: 0 };
    return callCarrier(gls.createLabel?.(task) ?? assert.fail(), gls.origins(account));
  };

  it('is told the goods of parcels that ShipIT has made, and its key is an output', async (t) => {
    const simulator = await startGlsSimulator();
    t.after(() => simulator.close());
    const driven = await ask(simulator.url);
    assert.deepEqual(saidIn(driven), ['CustomsConsignment 6OEco7YAwmaKke2aCAOEdQ']);
    const last = driven.requests.at(-1);
    assert.equal(last?.repeat, 'never');
    // Members are those of GLS's description; two public clients (Karrio, a Go program) send the same ones.
    assert.deepEqual(JSON.parse(last?.body ?? ''), {
      customerReference: 'CMD-1',
      parcelNumbers: ['STND0001'],
      glsIncotermCode: '20',
      isExportDeclarationRequested: false,
      saveAsDraft: false,
      totalGrossWeight: { amount: 1.25, unit: 'KGM' },
      exporter: {
        address: {
          ...{ name1: 'Acme Home', street1: '4 rue des Entrepôts', postcode: '59810', city1: 'Lesquin' },
          countryCode: 'FR',
        },
        contactPerson: { name: 'Acme Home', phoneCountryPrefix: '+33', phoneNumber: '320000000' },
        eoriNumber: 'FR12345678900011',
        taxId: 'FR40303265045',
        isCommercial: true,
      },
      importer: {
        address: {
          ...{ name1: 'Léa Favre', street1: '1 rue du Rhône', postcode: '1204', city1: 'Genève', countryCode: 'CH' },
        },
        contactPerson: { name: 'Léa Favre', emailAddress: 'lea.favre@example.ch' },
        isCommercial: false,
      },
      invoice: {
        invoiceNumber: 'INV-7',
        invoiceDate: '2026-11-20',
        totalGoodsValue: { amount: 41.66, currency: 'EUR' },
      },
      lineItems: [
        {
          quantity: { amount: 2, unit: 'PCE' },
          commodityCode: '61091000',
          goodsDescription: 'T-shirt, cotton, été',
          countryOfOrigin: 'PT',
          valueInInvoiceCurrency: 41.66,
          grossWeight: { amount: 0.4, unit: 'KGM' },
          netWeight: { amount: 0.36, unit: 'KGM' },
        },
      ],
    });
  });

  it('gets a draft where the account or the value of an export wants one', async (t) => {
    const simulator = await startGlsSimulator();
    t.after(() => simulator.close());
    const dear = { ...goods, lines: [lineWith({ unitCents: 60_000 })] };
    for (const driven of [
      await ask(simulator.url, { customsApi: 'draft' }),
      await ask(simulator.url, { customs: dear }),
    ]) {
      assert.equal(JSON.parse(driven.requests.at(-1)?.body ?? '').saveAsDraft, true);
      assert.match(
        saidIn(driven).join('\n'),
        /^CustomsConsignment \S+\nWarning The declaration of the goods is a draft/,
      );
    }
  });

  it('that does not take a declaration costs no label: a warning says what to do', async (t) => {
    const simulator = await startGlsSimulator();
    t.after(() => simulator.close());
    const refused = await ask(simulator.url, { customs: { ...goods, invoiceDate: 'today' } });
    assert.match(
      saidIn(refused).join('\n'),
      /^Warning GLS has not taken .* by the number of the parcel\. INVALID_DATA: invoice\/invoiceDate: /,
    );
    const forbidden = await ask(simulator.url, { changes: { destAddr1: 'FORBIDDEN' } });
    assert.match(saidIn(forbidden).join('\n'), /^Warning GLS has not taken .*Credential not allowed to access API$/);
    assert.deepEqual(saidIn(await ask(simulator.url, { customsApi: 'no' })), []);
  });

  it('that does not answer leaves a warning that nobody knows, and no secret in it', async () => {
    const account = carrierAccount(gls, {
      ...{ clientId: 'id', clientSecret: 'gls-secret-4711', contactId: '276a45e7ZY' },
      ...apiSettings,
    });
    const token = answer('{"access_token":"token-0815"}');
    const made = answer(
      JSON.stringify({
        CreatedShipment: {
          ParcelData: [{ ParcelNumber: '20280002001', TrackID: 'ZQ5YA6PX' }],
          PrintData: [{ Data: [Buffer.from('%PDF-1.4 x %%EOF').toString('base64')] }],
        },
      }),
      201,
    );
    const task = { account, request: declared, customs: goods, sequence: 1, now: 0 };
    const lost = new CarrierError('timeout', 'The carrier did not answer in time.');
    for (const given of [lost, answer('<html>away</html>', 503), answer('{}', 201), answer('gls-secret-4711', 502)]) {
      const driven = await replay(gls.createLabel?.(task) ?? assert.fail(), [token, made, token, given]);
      const said = saidIn(driven).join('\n');
      assert.match(said, /^Warning Whether GLS has taken the declaration of the goods is not known\./);
      assert.doesNotMatch(said, /4711|0815/);
    }
    const echoed = answer('{"errors":[{"field":"x","code":"C","message":"gls-secret-4711 token-0815"}]}', 400);
    const driven = await replay(gls.createLabel?.(task) ?? assert.fail(), [token, made, token, echoed]);
    assert.match(saidIn(driven).join('\n'), /C: x: … …$/);
  });
});
