// DPD France: requests and answers as recorded, its faults, and the simulator over a socket.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import fc from '../../contract/properties.ts';
import { CarrierError } from '../../../src/carriers/carrier.ts';
import { dpd } from '../../../src/carriers/dpd/dpd.ts';
import { startDpdSimulator } from '../../../simulators/dpd/dpd.ts';
import { samplePdf, samplePng } from '../../../simulators/sample-label.ts';
import { xmlDescendants } from '../../../src/carriers/xml/element.ts';
import { parseXml } from '../../../src/carriers/xml/read.ts';
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

const account = carrierAccount(dpd, {
  userId: 'acme-ws',
  password: 'dpd-pw-4711',
  centerNumber: '77',
  customerNumber: '18028',
});
const request = labelRequest({
  modeCol: 'depot',
  modeLiv: 'CLASSIC',
  expAddr1: 'Akrétion',
  expAddr2: '27 rue Henri Rolland, Batiment B',
  expCity: 'Villeurbanne',
  expZip: '69100',
  expCountry: 'FR',
  expTel1: '+33482538457',
  destAddr1: 'Hügǒ',
  destAddr2: '6 Place des Vôsges',
  destCity: 'Paris',
  destZip: '75004',
  destCountry: 'FR',
  destTel1: '+33600000000',
  destMail: 'hugo.victor@example.com',
  weight: '1200',
  nbPackage: '1',
  nDossier: 'CMD-1',
  nClient: 'Parcel 1',
});
const now = Date.UTC(2025, 0, 1, 12);
const pdf = samplePdf(['Label']);
const service = 'https://e-station.cargonet.software/dpd-eprintwebservice/eprintwebservice.asmx';
const label = { name: 'PdfUrl', kind: 'document', mediaType: 'application/pdf', bytes: pdf } as const;

const called = (operation: string, content: string) =>
  '<?xml version="1.0" encoding="utf-8"?><soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/">' +
  '<soap:Header><UserCredentials xmlns="http://www.cargonet.software"><userid>acme-ws</userid><password>' +
  'dpd-pw-4711</password></UserCredentials></soap:Header>' +
  `<soap:Body><${operation} xmlns="http://www.cargonet.software"><request>${content}</request></${operation}>` +
  '</soap:Body></soap:Envelope>';
/** As it was recorded, with references of our own and without what may be left out. */
const order = called(
  'CreateShipmentWithLabelsBc',
  '<receiveraddress><countryPrefix>FR</countryPrefix><zipCode>75004</zipCode><city>Paris</city><street>' +
    '6 Place des Vôsges</street><name>Hügǒ</name><phoneNumber>+33600000000</phoneNumber></receiveraddress>' +
    '<receiverinfo/>' +
    '<shipperaddress><countryPrefix>FR</countryPrefix><zipCode>69100</zipCode><city>Villeurbanne</city><street>' +
    '27 rue Henri Rolland, Batiment B</street><name>Akrétion</name><phoneNumber>+33482538457</phoneNumber>' +
    '</shipperaddress>' +
    '<customer_countrycode>250</customer_countrycode><customer_centernumber>77</customer_centernumber>' +
    '<customer_number>18028</customer_number><shippingdate>01/01/2025</shippingdate>' +
    '<services><contact><sms>+33600000000</sms><email>hugo.victor@example.com</email><type>No</type></contact>' +
    '</services><weight>1.2</weight><referencenumber>CMD-1</referencenumber><reference2>Parcel 1</reference2>' +
    '<labelType><type>PDF_A6</type></labelType>',
);
const reprint = (number: string, type = 'PDF_A6') =>
  called(
    'GetLabelBc',
    `<labelType><type>${type}</type></labelType><shipmentNumber>${number}</shipmentNumber><customer><centernumber>` +
      '77</centernumber><number>18028</number><countrycode>250</countrycode></customer>',
  );

const envelope = (content: string, status = 200) =>
  answer(
    '<?xml version="1.0" encoding="utf-8"?><soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/" ' +
      'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xsd="http://www.w3.org/2001/XMLSchema"><soap:Body>' +
      `${content}</soap:Body></soap:Envelope>`,
    status,
    { 'content-type': 'text/xml; charset=utf-8' },
  );
const labels = (...contents: readonly string[]) =>
  `<labels>${contents.map((content) => `<Label><type>BIC3</type><label>${content}</label></Label>`).join('')}</labels>`;
const made = (number: string, ...contents: readonly string[]) =>
  envelope(
    '<CreateShipmentWithLabelsBcResponse xmlns="http://www.cargonet.software"><CreateShipmentWithLabelsBcResult>' +
      `<shipments><ShipmentBc><Shipment><BarcodeId>${number}</BarcodeId><BarcodeSource>902</BarcodeSource><BarCode>` +
      '%007501110774000248387337902</BarCode></Shipment><Type>EPRINT</Type></ShipmentBc></shipments>' +
      `${labels(...contents)}</CreateShipmentWithLabelsBcResult></CreateShipmentWithLabelsBcResponse>`,
  );
const printed = (number: string, content: string) =>
  envelope(
    `<GetLabelBcResponse xmlns="http://www.cargonet.software"><GetLabelBcResult>${labels(content)}<shipment>` +
      `<BarcodeId>${number}</BarcodeId><BarcodeSource>902</BarcodeSource></shipment></GetLabelBcResult>` +
      '</GetLabelBcResponse>',
  );
const fault = (id: string, message: string) =>
  envelope(
    `<soap:Fault><faultcode>soap:Server</faultcode><faultstring>${message}</faultstring><detail><Error><ErrorId>` +
      `${id}</ErrorId><ErrorMessage>${message}</ErrorMessage></Error></detail></soap:Fault>`,
    500,
  );
const bareFault = (code: string, message: string) =>
  envelope(
    `<soap:Fault><faultcode>${code}</faultcode><faultstring>${message}</faultstring><detail /></soap:Fault>`,
    500,
  );
/** In the order of the schema that DPD hands out. */
const traceQuestion =
  '<?xml version="1.0" encoding="utf-8"?><soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/">' +
  '<soap:Header><UserCredentials xmlns="http://www.cargonet.software/"><userid>acme-ws</userid><password>' +
  'dpd-pw-4711</password></UserCredentials></soap:Header><soap:Body>' +
  '<GetShipmentTrace xmlns="http://www.cargonet.software/"><request><Customer><centernumber>77</centernumber>' +
  '<number>18028</number><countrycode>250</countrycode></Customer><Language>FR</Language>' +
  '<ShipmentNumber>10774000248387</ShipmentNumber><ExpandContainerMode>MasterOnly</ExpandContainerMode>' +
  '<GetImages>false</GetImages><GetPhotos>false</GetPhotos><GetParsedInfo>false</GetParsedInfo>' +
  '<GetServices>false</GetServices></request></GetShipmentTrace></soap:Body></soap:Envelope>';
const traceAnswer = (content: string) =>
  envelope(
    '<GetShipmentTraceResponse xmlns="http://www.cargonet.software/"><GetShipmentTraceResult>' +
      `${content}</GetShipmentTraceResult></GetShipmentTraceResponse>`,
  );
const traced = (...scans: readonly string[]) =>
  traceAnswer(
    '<ShipmentTrace><ShipmentNumber>10774000248387</ShipmentNumber><Weight>1.2</Weight>' +
      `<Traces>${scans.join('')}</Traces></ShipmentTrace>`,
  );
const scan = (date: string, time: string, status: number, wording: string, centre: string) =>
  `<clsTrace><ScanDate>${date}</ScanDate><ScanTime>${time}</ScanTime><StatusNumber>${status}</StatusNumber>` +
  `<StatusDescription>${wording}</StatusDescription><CenterName>${centre}</CenterName></clsTrace>`;
const stepAt = (wording: string, date: string, hour: string, location: string) => ({
  wording,
  date,
  hour,
  location,
  relayId: '',
  relayCountry: '',
});
/** As Karrio's connector for DPD France has it: no envelope around it. */
const blocked = answer(
  '<?xml version="1.0"?><Error><ErrorId>IpPermissionDenied</ErrorId><ErrorMessage>Caller IP not whitelisted' +
    '</ErrorMessage></Error>',
);
const base64 = pdf.toString('base64');
const headers = { 'content-type': 'text/xml; charset=utf-8' };

const subject: CarrierSubject = {
  carrier: dpd,
  account,
  request,
  now,
  createLabel: {
    requests: [
      {
        method: 'POST',
        url: service,
        repeat: 'never',
        headers: { ...headers, soapaction: '"http://www.cargonet.software/CreateShipmentWithLabelsBc"' },
        body: order,
      },
    ],
    answers: [made('10774000248387', base64)],
    result: { expeditionNumber: '10774000248387', outputs: [label] },
  },
  fetchLabel: {
    expeditionNumber: '10774000248387',
    requests: [
      {
        method: 'POST',
        url: service,
        repeat: 'safe',
        headers: { ...headers, soapaction: '"http://www.cargonet.software/GetLabelBc"' },
        body: reprint('10774000248387'),
      },
    ],
    answers: [printed('10774000248387', base64)],
    result: { expeditionNumber: '10774000248387', outputs: [label] },
  },
  track: {
    expeditionNumber: '10774000248387',
    requests: [
      {
        method: 'POST',
        url: 'https://webtrace.dpd.fr/trace-service/Webtrace_Service.asmx',
        repeat: 'safe',
        headers: { ...headers, soapaction: '"http://www.cargonet.software/GetShipmentTrace"' },
        body: traceQuestion,
      },
    ],
    answers: [
      traced(
        scan('17.04.2026', '09:05', 40, 'Votre colis est livré', 'MENTON'),
        scan('16.04.2026', '14:32', 30, 'Votre colis est en cours de livraison', 'MENTON'),
        scan('15.04.2026', '09:15', 10, 'Votre colis a été pris en charge', 'TOULON'),
      ),
    ],
    result: {
      status: '82',
      wording1: 'Votre colis est livré',
      wording2: '',
      relayWording: '',
      relayNumber: '',
      steps: [
        stepAt('Votre colis a été pris en charge', '2026-04-15', '09:15', 'TOULON'),
        stepAt('Votre colis est en cours de livraison', '2026-04-16', '14:32', 'MENTON'),
        stepAt('Votre colis est livré', '2026-04-17', '09:05', 'MENTON'),
      ],
    },
  },
  probe: {
    requests: [
      {
        method: 'POST',
        url: service,
        repeat: 'safe',
        headers: { soapaction: '"http://www.cargonet.software/GetLabelBc"' },
        body: reprint('00000000000000'),
      },
    ],
    answers: [fault('InvalidInput', 'shipment not found')],
    result:
      'DPD France accepts the user ID and the password. Whether it accepts the customer number shows only with a ' +
      'label.',
  },
  voidLabel: {
    expeditionNumber: '10774000248387',
    requests: [
      {
        method: 'POST',
        url: service,
        repeat: 'never',
        headers: { soapaction: '"http://www.cargonet.software/TerminateShipment"' },
        body: called(
          'TerminateShipment',
          '<customer><centernumber>77</centernumber><number>18028</number><countrycode>250</countrycode></customer>' +
            '<BarcodeSource xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:nil="true"/>' +
            '<BarcodeId>10774000248387</BarcodeId>',
        ),
      },
    ],
    // As Karrio's connector for DPD France has recorded it.
    answers: [envelope('<TerminateShipmentResponse xmlns="http://www.cargonet.software"/>')],
    result: 'DPD France has voided the parcel 10774000248387.',
  },
  refusals: [
    {
      name: 'a parcel that it does not take back',
      operation: 'voidLabel',
      answers: [fault('InvalidInput', 'shipment is already shipped')],
      kind: 'refused',
      carrierCode: 'InvalidInput',
      fields: [],
    },
    {
      name: 'a void of a parcel that it does not know',
      operation: 'voidLabel',
      answers: [fault('InvalidInput', 'shipment not found')],
      kind: 'unknown',
      carrierCode: 'InvalidInput',
      fields: [],
    },
    {
      name: 'a void from an address that it does not let in',
      operation: 'voidLabel',
      answers: [blocked],
      kind: 'configuration',
      carrierCode: 'IpPermissionDenied',
      fields: [],
    },
    {
      name: 'a weight, as recorded',
      operation: 'createLabel',
      answers: [fault('InvalidWeight', 'Invalid weight - Maximum supported weight is 31,5')],
      kind: 'invalid',
      carrierCode: 'InvalidWeight',
      fields: ['weight'],
    },
    {
      name: 'a country, as recorded',
      operation: 'createLabel',
      answers: [fault('InvalidCountryPrefix', 'CountryPrefix is invalid')],
      kind: 'invalid',
      carrierCode: 'InvalidCountryPrefix',
      fields: ['expCountry', 'destCountry'],
    },
    {
      name: 'a telephone, as recorded',
      operation: 'createLabel',
      answers: [fault('InvalidInput', 'no sms number given')],
      kind: 'invalid',
      carrierCode: 'InvalidInput',
      fields: ['destTel1'],
    },
    {
      name: 'another input',
      operation: 'createLabel',
      answers: [fault('InvalidInput', 'something else')],
      kind: 'invalid',
      carrierCode: 'InvalidInput',
      fields: [],
    },
    {
      name: 'an account, as recorded',
      operation: 'createLabel',
      answers: [fault('PermissionDenied', 'Permission denied')],
      kind: 'configuration',
      carrierCode: 'PermissionDenied',
      fields: [],
    },
    {
      name: 'an account, with its password',
      operation: 'createLabel',
      answers: [fault('PermissionDenied', 'Permission denied for dpd-pw-4711')],
      kind: 'configuration',
      carrierCode: 'PermissionDenied',
      fields: [],
    },
    ...(['createLabel', 'fetchLabel', 'track', 'probe'] as const).flatMap((operation) => [
      {
        name: `an address that is not let in (${operation})`,
        operation,
        answers: [fault('IpPermissionDenied', 'Caller IP not whitelisted')],
        kind: 'configuration' as const,
        carrierCode: 'IpPermissionDenied',
        fields: [],
      },
      {
        name: `an address that is not let in, without an envelope (${operation})`,
        operation,
        answers: [blocked],
        kind: 'configuration' as const,
        carrierCode: 'IpPermissionDenied',
        fields: [],
      },
      {
        name: `a customer that is somebody else's (${operation})`,
        operation,
        answers: [fault('CustomerPermissionDenied', 'Permission denied')],
        kind: 'configuration' as const,
        carrierCode: 'CustomerPermissionDenied',
        fields: [],
      },
    ]),
    {
      name: 'a parcel that nobody knows',
      operation: 'track',
      answers: [traceAnswer('')],
      kind: 'unknown',
      carrierCode: null,
      fields: [],
    },
    {
      name: 'a parcel that a fault says is unknown',
      operation: 'track',
      answers: [fault('InvalidInput', 'shipment not found')],
      kind: 'unknown',
      carrierCode: 'InvalidInput',
      fields: [],
    },
    {
      name: 'an identifier that nobody has seen',
      operation: 'createLabel',
      answers: [fault('NoRoute', 'x')],
      kind: 'refused',
      carrierCode: 'NoRoute',
      fields: [],
    },
    {
      name: 'an identifier that objects have',
      operation: 'createLabel',
      answers: [fault('constructor', 'x')],
      kind: 'refused',
      carrierCode: 'constructor',
      fields: [],
    },
    {
      name: 'a request that it could not read',
      operation: 'createLabel',
      answers: [bareFault('soap:Client', 'Server was unable to read request.')],
      kind: 'unavailable',
      carrierCode: 'Client',
      fields: [],
    },
    {
      name: 'a service that failed',
      operation: 'createLabel',
      answers: [bareFault('soap:Server', 'Server was unable to process request. ---> Timeout expired.')],
      kind: 'unavailable',
      carrierCode: 'Server',
      fields: [],
    },
    {
      name: 'a reprint of nobody',
      operation: 'fetchLabel',
      answers: [fault('InvalidInput', 'x')],
      kind: 'unknown',
      carrierCode: 'InvalidInput',
      fields: [],
    },
    {
      name: 'a reprint for somebody else',
      operation: 'fetchLabel',
      answers: [fault('PermissionDenied', 'Permission denied')],
      kind: 'configuration',
      carrierCode: 'PermissionDenied',
      fields: [],
    },
    {
      name: 'a probe without access',
      operation: 'probe',
      answers: [fault('PermissionDenied', 'Permission denied')],
      kind: 'configuration',
      carrierCode: 'PermissionDenied',
      fields: [],
    },
  ],
};

carrierContract(subject);
simulatorContract({ carrier: dpd, start: startDpdSimulator, request, unknownNumber: '10774999999999' });
simulatorContract({
  name: 'dpd, with several parcels to a relay,',
  carrier: dpd,
  start: startDpdSimulator,
  request: {
    ...request,
    modeLiv: 'RELAIS',
    shippingPickupPoint: 'p32500',
    nbPackage: '2',
    outputType: 'ZplCode',
    instruction: 'Sonner deux fois',
  },
  unknownNumber: '10774999999999',
});

const create = (
  changes: Partial<LabelRequest>,
  answers: Parameters<typeof replay>[1],
  settings: Readonly<Record<string, string>> = {},
) =>
  replay(
    dpd.createLabel?.({
      account: { settings: { ...account.settings, ...settings } },
      request: { ...request, ...changes },
      sequence: 1,
      now,
    }) ?? assert.fail(),
    answers,
  );
const sent = async (changes: Partial<LabelRequest>, settings: Readonly<Record<string, string>> = {}) =>
  parseXml(Buffer.from((await create(changes, [answer('')], settings)).requests[0]?.body ?? ''));
const texts = async (name: string, changes: Partial<LabelRequest>, settings: Readonly<Record<string, string>> = {}) =>
  xmlDescendants(await sent(changes, settings), name)
    .filter(({ children }) => children.length === 0)
    .map(({ text }) => text);

describe('labels of DPD France', () => {
  for (const [code, what] of [
    ['PermissionDenied', /user ID, password, customer number or the address of this server/],
    ['IpPermissionDenied', /does not know the address of this server/],
    ['CustomerPermissionDenied', /depot, customer number or country/],
    ['OtherPermissionDenied', /user ID, password, customer number or the address of this server/],
  ] as const) {
    it(`says who is denied by ${code}`, async () => {
      const { kind, message } = failureOf(await create({}, [fault(code, 'Permission denied')]));
      assert.equal(kind, 'configuration');
      assert.match(message, what);
    });
  }

  it('asks for each parcel by itself, and loses no weight', async () => {
    const driven = await create(
      { nbPackage: '3', weight: '1000' },
      ['A', 'B', 'C'].map((letter) => made(`1077400024838${letter}`, base64)),
    );
    assert.deepEqual(
      driven.requests.map(({ body }) => /<weight>([\d.]+)</.exec(body ?? '')?.[1]),
      ['0.34', '0.34', '0.34'],
    );
    const { expeditionNumber, outputs } = resultOf(driven);
    assert.equal(expeditionNumber, '1077400024838A');
    assert.deepEqual(
      outputs.map((output) => (output.kind === 'text' ? output.text : output.name)),
      ['PdfUrl', 'PdfUrl', 'PdfUrl', '1077400024838A', '1077400024838B', '1077400024838C'],
    );
  });

  it('names the parcels that exist when a later one fails', async () => {
    for (const [next, kind] of [
      [fault('InvalidWeight', 'x'), 'invalid'],
      [fault('PermissionDenied', 'x'), 'configuration'],
      [new CarrierError('timeout', 'The carrier did not answer in time.'), 'timeout'],
      [answer('<a/>'), 'unavailable'],
    ] as const) {
      const error = failureOf(await create({ nbPackage: '2' }, [made('10774000248387', base64), next]));
      assert.deepEqual([error.kind, error.acted], [kind, 'unknown']);
      assert.match(error.message, /^The parcel 10774000248387 exists at DPD France all the same\. /);
      const leavesDoubt = kind === 'timeout' || kind === 'unavailable';
      assert.equal(error.message.includes('Whether there is another one is not known.'), leavesDoubt, kind);
    }
  });

  it('names the parcel whose label is not in the answer, or is none', async () => {
    for (const contents of [[], [''], ['%%%'], [Buffer.from('<html>').toString('base64')]])
      assert.match(failureOf(await create({}, [made('10774000248387', ...contents)])).message, /10774000248387 exists/);
  });

  it('hands on every label of a parcel', async () => {
    assert.deepEqual(resultOf(await create({}, [made('10774000248387', base64, base64)])).outputs, [label, label]);
  });

  it('knows that nothing was made where the request could not be read, and does not know it elsewhere', async () => {
    assert.equal(failureOf(await create({}, [bareFault('soap:Client', 'x')])).acted, 'no');
    assert.equal(failureOf(await create({}, [bareFault('soap:Server', 'x')])).acted, 'unknown');
    assert.equal(failureOf(await create({}, [fault('PermissionDenied', 'x')])).acted, 'no');
  });

  it('asks for every type of label that its formats stand for', async () => {
    const asked = [];
    for (const [outputType, formats] of Object.entries(dpd.outputs))
      for (const outputFormat of formats) asked.push((await texts('type', { outputType, outputFormat }))[1]);
    assert.deepEqual(asked, ['PDF_A6', 'PDF', 'ZPL', 'ZPL300', 'ZPL_A6', 'ZPL300_A6', 'EPL', 'Default']);
  });

  it('gives pictures as documents and printer code as text', async () => {
    assert.deepEqual(
      resultOf(await create({ outputType: 'PngImage' }, [made('1', samplePng().toString('base64'))])).outputs,
      [{ name: 'PngImage', kind: 'document', mediaType: 'image/png', bytes: samplePng() }],
    );
    assert.deepEqual(
      resultOf(
        await create({ outputType: 'ZplCode' }, [made('1', Buffer.from('^XA\r\n^CI28\r\n^XZ\r\n').toString('base64'))]),
      ).outputs,
      [{ name: 'ZplCode', kind: 'text', text: '^XA\r\n^CI28\r\n^XZ\r\n' }],
    );
  });

  it('sends the relay, as recorded', async () => {
    const { requests } = await create({ modeLiv: 'RELAIS', shippingPickupPoint: 'p32500' }, [answer('')]);
    const relay = '<parcelshop><shopaddress><shopid>P32500</shopid></shopaddress></parcelshop>';
    assert.ok(requests[0]?.body?.includes(`<type>No</type></contact>${relay}</services>`));
  });

  for (const [notification, changes, type] of [
    ['No', { modeLiv: 'PREDICT' }, 'Predict'],
    ['AutomaticMail', { modeLiv: 'PREDICT' }, 'Predict'],
    ['AutomaticSMS', {}, 'AutomaticSMS'],
    ['AutomaticSMS', { destTel1: '' }, 'No'],
    ['AutomaticMail', {}, 'AutomaticMail'],
    ['AutomaticMail', { destMail: '' }, 'No'],
  ] as const) {
    it(`tells recipients ${type} with ${notification} and ${JSON.stringify(changes)}`, async () =>
      assert.equal((await texts('type', changes, { notification }))[0], type));
  }

  it('parts an instruction at a space', async () => {
    const instruction = 'Déposer chez le gardien, deuxième porte à gauche';
    assert.deepEqual(
      [...(await texts('vinfo1', { instruction })), ...(await texts('vinfo2', { instruction }))],
      ['Déposer chez le gardien, deuxième', 'porte à gauche'],
    );
  });

  it('never sends less than the weight', async () => {
    for (const [weight, kilograms] of [
      ['1', '0.01'],
      ['1250', '1.25'],
      ['1251', '1.26'],
      ['31500', '31.5'],
    ] as const)
      assert.deepEqual(await texts('weight', { weight }), [kilograms]);
  });

  it('counts the day as it is in France', async () => {
    const driven = await replay(
      dpd.createLabel?.({ account, request, sequence: 1, now: Date.UTC(2026, 5, 30, 22, 30) }) ?? assert.fail(),
      [answer('')],
    );
    assert.match(driven.requests[0]?.body ?? '', /<shippingdate>01\/07\/2026</);
  });

  it('prints a label again in the format that it was made in', async () => {
    const driven = await replay(
      dpd.fetchLabel?.({
        account,
        expeditionNumber: '10774000248387',
        label: { request: { ...request, outputType: 'ZplCode', outputFormat: 'ZPL_A6' }, createdAt: now },
        now,
      }) ?? assert.fail(),
      [printed('10774000248387', Buffer.from('^XA^XZ').toString('base64'))],
    );
    assert.equal(driven.requests[0]?.body, reprint('10774000248387', 'ZPL_A6'));
    assert.deepEqual(resultOf(driven).outputs, [{ name: 'ZplCode', kind: 'text', text: '^XA^XZ' }]);
  });

  it('asks nobody about what cannot be a number', async () => {
    for (const expeditionNumber of ['', '1'.repeat(29), '<a/>', '1 2'])
      assert.deepEqual(
        (await replay(dpd.fetchLabel?.({ account, expeditionNumber, label: null, now }) ?? assert.fail(), [])).requests,
        [],
      );
  });

  it('writes whatever a request holds as a request that can be read again', async () => {
    const word = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(word, word, async (destCity, nDossier) => {
        const values = { ...request, destCity, nDossier };
        if (dpd.check(values, account).length > 0) return;
        assert.deepEqual(
          [
            (await texts('city', { destCity, nDossier }))[0],
            (await texts('referencenumber', { destCity, nDossier }))[0],
          ],
          [destCity, nDossier],
        );
      }),
    );
  });
});

describe("DPD France's rules", () => {
  const fields = (changes: Partial<LabelRequest>) => dpd.check({ ...request, ...changes }, account).map(inBrief);

  for (const [name, changes, expected] of [
    ['no mode', { modeLiv: '' }, ['modeLiv required']],
    ['an unknown mode', { modeLiv: 'EXPRESS' }, ['modeLiv unknown-code']],
    ['PREDICT without a telephone', { modeLiv: 'PREDICT', destTel1: '' }, ['destTel1 required']],
    ['a relay without a point', { modeLiv: 'RELAIS' }, ['shippingPickupPoint required']],
    ['a point that is none', { modeLiv: 'RELAIS', shippingPickupPoint: 'FR-1' }, ['shippingPickupPoint wrong-format']],
    ['a point without a relay', { shippingPickupPoint: 'P32500' }, ['shippingPickupPoint not-offered']],
    ['a sender without a telephone', { expTel1: '' }, ['expTel1 required']],
    ['a recipient without a telephone', { destTel1: '' }, []],
    ['a telephone that is none', { destTel1: 'call me' }, ['destTel1 wrong-format']],
    ['a parcel of more than 31.5 kg', { weight: '31501' }, ['weight out-of-range']],
    ['two parcels of 31.5 kg', { weight: '63000', nbPackage: '2' }, []],
    ['a weight of nothing', { weight: '0' }, ['weight out-of-range']],
    ['too many parcels', { nbPackage: '11' }, ['nbPackage out-of-range']],
    ['cash on delivery', { crtValue: '100' }, ['crtValue not-offered']],
    ['a place to hand in', { pickupPoint: 'P32500' }, ['pickupPoint not-offered']],
    ['a name that is too long', { destAddr1: 'x'.repeat(36) }, ['destAddr1 too-long']],
    ['a street that is too long', { destAddr2: 'x'.repeat(71) }, ['destAddr2 too-long']],
    ['no street', { destAddr2: '' }, ['destAddr2 required']],
    ['a postcode that is none', { destZip: '7500' }, ['destZip wrong-format']],
    ['a country that is none', { destCountry: 'FRA' }, ['destCountry wrong-format']],
    ['an instruction of three lines', { instruction: 'x'.repeat(35).concat(' ').repeat(3) }, ['instruction too-long']],
    ['a line break', { instruction: 'a\nb' }, ['instruction wrong-format']],
    ['half a character', { destCity: '\udc00' }, ['destCity wrong-format']],
    ['a reference that is too long', { nClient: 'x'.repeat(36) }, ['nClient too-long']],
    ['a format that it does not have', { outputFormat: '10x15' }, ['outputFormat unknown-code']],
    ['an output that it does not have', { outputType: 'DplCode' }, ['outputType unknown-code']],
    ['a version that it does not have', { apiVersion: '2' }, ['apiVersion unknown-code']],
  ] as const) {
    it(`knows what is wrong with ${name}`, () => assert.deepEqual(fields(changes), expected));
  }
});

describe('tracking of DPD France', () => {
  const track = (
    answers: Parameters<typeof replay>[1],
    label: { request: LabelRequest; createdAt: number } | null = null,
  ) => replay(dpd.track?.({ account, expeditionNumber: '10774000248387', label, now }) ?? assert.fail(), answers);

  for (const [status, codes] of [
    ['80', [8]],
    ['81', [8, 10]],
    ['81', [28]],
    ['81', [89]],
    ['81', [999]],
    ['82', [10, 40]],
    ['82', [10, 400]],
    ['82', [40, 75]],
  ] as const)
    it(`is ${status} after ${codes.join(', ')}`, async () => {
      const scans = codes.map((code, index) => scan(`1${index}.04.2026`, '08:00', code, 'x', 'LYON')).toReversed();
      assert.equal(resultOf(await track([traced(...scans)])).status, status);
    });

  it('reads the days of both forms, and the parcel outside of a list', async () => {
    const { steps } = resultOf(
      await track([
        traceAnswer(
          '<ShipmentNumber>250123456789012345</ShipmentNumber><Traces>' +
            scan('2026-04-15', '09:15:00', 10, 'Picked up by driver', 'TOULON') +
            scan('2026-04-16', '14:32:00', 50, 'Delivered to recipient', 'MENTON') +
            '</Traces>',
        ),
      ]),
    );
    assert.deepEqual(steps, [
      stepAt('Picked up by driver', '2026-04-15', '09:15', 'TOULON'),
      stepAt('Delivered to recipient', '2026-04-16', '14:32', 'MENTON'),
    ]);
  });

  it('names the point where the parcel waits', async () => {
    const waiting = scan('16.04.2026', '14:32', 89, 'x', 'LYON').replace(
      '</clsTrace>',
      '<RelaisInfo><ID>P32500</ID><Name>TABAC DU CENTRE</Name></RelaisInfo></clsTrace>',
    );
    const { relayWording, relayNumber, steps } = resultOf(
      await track([
        traceAnswer(
          '<ShipmentTrace><ShipmentNumber>1</ShipmentNumber><PointRelaisName>TABAC DU CENTRE</PointRelaisName>' +
            `<Traces>${waiting}</Traces></ShipmentTrace>`,
        ),
      ]),
    );
    assert.deepEqual([relayWording, relayNumber, steps[0]?.relayId], ['TABAC DU CENTRE', 'P32500', 'P32500']);
  });

  it('is registered where the label was made here and DPD has not heard of it', async () => {
    for (const unheard of [traceAnswer(''), fault('InvalidInput', 'shipment not found')])
      assert.equal(resultOf(await track([unheard], { request, createdAt: now })).status, '80');
    const denied = await track([fault('PermissionDenied', 'x')], { request, createdAt: now });
    assert.equal(failureOf(denied).kind, 'configuration');
  });

  it('asks nobody about a number that can be none', async () => {
    const driven = await replay(
      dpd.track?.({ account, expeditionNumber: '1/2', label: null, now }) ?? assert.fail(),
      [],
    );
    assert.equal(failureOf(driven).kind, 'unknown');
    assert.deepEqual(driven.requests, []);
  });

  it('has a parcel in every state at the simulator', async (t) => {
    const simulator = await startDpdSimulator();
    t.after(() => simulator.close());
    const own = carrierAccount(dpd, simulator.settings);
    const states = [];
    for (const expeditionNumber of ['10774000000010', '10774000000027', '10774000000034', '10774000000041']) {
      const task = { account: own, expeditionNumber, label: null, now };
      states.push(resultOf(await callCarrier(dpd.track?.(task) ?? assert.fail(), dpd.origins(own))).status);
    }
    assert.deepEqual(states, ['80', '81', '81', '82']);
  });
});

describe('the simulator of DPD France', () => {
  it('refuses as DPD does, and fails on demand', async (t) => {
    const simulator = await startDpdSimulator();
    t.after(() => simulator.close());
    const attempt = async (changes: Partial<LabelRequest>, settings: Readonly<Record<string, string>> = {}) => {
      const own = carrierAccount(dpd, { ...simulator.settings, ...settings });
      const { kind, carrierCode } = failureOf(
        await callCarrier(
          dpd.createLabel?.({ account: own, request: { ...request, ...changes }, sequence: 1, now }) ?? assert.fail(),
          dpd.origins(own),
          timeLimitFor(changes.nDossier),
        ),
      );
      return `${kind} ${carrierCode}`;
    };
    assert.equal(await attempt({ weight: '40000' }), 'invalid InvalidWeight');
    assert.equal(await attempt({ weight: '0' }), 'invalid InvalidWeight');
    assert.equal(await attempt({ destCountry: 'ZZ' }), 'invalid InvalidCountryPrefix');
    assert.equal(await attempt({ modeLiv: 'PREDICT', destTel1: '' }), 'invalid InvalidInput');
    assert.equal(await attempt({ destZip: '00000' }), 'invalid InvalidInput');
    assert.equal(await attempt({ destCity: 'x'.repeat(36) }), 'invalid InvalidInput');
    assert.equal(await attempt({ modeLiv: 'RELAIS', shippingPickupPoint: '1' }), 'invalid InvalidInput');
    assert.equal(await attempt({ destAddr1: 'NOPDF' }), 'unavailable null');
    assert.equal(await attempt({ outputType: 'ZplCode', outputFormat: 'ZPL600' }), 'unavailable Client');
    assert.equal(await attempt({}, { password: 'wrong' }), 'configuration PermissionDenied');
    assert.equal(await attempt({}, { customerNumber: '1' }), 'configuration CustomerPermissionDenied');
    assert.equal(await attempt({}, { userId: 'blocked' }), 'configuration IpPermissionDenied');
    for (const nDossier of ['FAULT429', 'FAULT500', 'FAULT503', 'FAULTTEXT', 'FAULTEMPTY', 'FAULTSHAPE', 'FAULTHALF'])
      assert.equal(await attempt({ nDossier }), 'unavailable null', nDossier);
    assert.equal(await attempt({ nDossier: 'FAULTMUTE' }), 'timeout null');
    const wrong = carrierAccount(dpd, { ...simulator.settings, password: 'wrong' });
    assert.equal(
      failureOf(await callCarrier(dpd.probe?.(wrong, 0) ?? assert.fail(), dpd.origins(wrong))).kind,
      'configuration',
    );
  });

  it('does not see what is out of its order or of another namespace, and knows its operations alone', async (t) => {
    const simulator = await startDpdSimulator();
    t.after(() => simulator.close());
    const own = carrierAccount(dpd, simulator.settings);
    const {
      requests: [right],
    } = await replay(dpd.createLabel?.({ account: own, request, sequence: 1, now }) ?? assert.fail(), [
      new CarrierError('timeout', 'x.'),
    ]);
    const [url, body, action] = [right?.url ?? '', right?.body ?? '', right?.headers.SOAPAction ?? ''];
    const said = async (changed: string, soapAction = action) => {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'Content-Type': 'text/xml; charset=utf-8', SOAPAction: soapAction },
        body: changed,
      });
      return `${response.status} ${/<ErrorId>(\w+)</.exec(await response.text())?.[1] ?? ''}`;
    };
    assert.equal(await said(body), '200 ');
    assert.equal(
      await said(body.replace('<weight>1.2</weight>', '').replace('</request>', '<weight>1.2</weight></request>')),
      '500 InvalidWeight',
    );
    assert.equal(
      await said(
        body.replace('<UserCredentials xmlns="http://www.cargonet.software">', '<UserCredentials xmlns="urn:other">'),
      ),
      '500 PermissionDenied',
    );
    assert.equal(
      await said(body.replace('<customer_number>18028</customer_number>', '<customer_number>acme</customer_number>')),
      '500 ',
    );
    assert.equal(await said(body.slice(0, -5)), '500 ');
    assert.equal(await said(body, '"http://www.cargonet.software/CancelShipment"'), '500 ');
    assert.equal((await fetch(`${simulator.url}/elsewhere`)).status, 404);
  });
});

describe('the page of DPD France', () => {
  const page = readFileSync(new URL('../../../docs/carriers/dpd.md', import.meta.url), 'utf8');

  it('names every setting with its default, and every output', () => {
    for (const { name, otherwise = '', secret } of dpd.settings) {
      assert.ok(page.includes(`\`${name}\``) && (otherwise === '' || page.includes(`\`${otherwise}\``)), name);
      if (secret === true) assert.match(page, new RegExp(`${name}\`[^\n]*stored encrypted`, 'i'), name);
    }
    for (const word of [...Object.keys(dpd.outputs), ...Object.values(dpd.outputs).flat()])
      assert.ok(page.includes(`\`${word}\``), word);
  });
});
