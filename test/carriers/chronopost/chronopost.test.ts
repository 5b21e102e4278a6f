// Chronopost: the documented sample in both directions, its codes and traps, and the simulator over a socket.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import fc from '../../contract/properties.ts';
import { CarrierError } from '../../../src/carriers/carrier.ts';
import { isSupported } from '../../../src/carriers/desk.ts';
import { chronopost } from '../../../src/carriers/chronopost/chronopost.ts';
import { startChronopostSimulator } from '../../../simulators/chronopost/chronopost.ts';
import { samplePdf } from '../../../simulators/sample-label.ts';
import { xmlDescendants } from '../../../src/carriers/xml/element.ts';
import { parseXml } from '../../../src/carriers/xml/read.ts';
import type { LabelRequest } from '../../../src/model/shipping.ts';
import { carrierContract, type CarrierSubject, simulatorContract } from '../contract.ts';
import { singleChanges } from '../mondialrelay/random-request.ts';
import {
  answer,
  carrierAccount,
  callCarrier,
  failureOf,
  labelRequest,
  replay,
  resultOf,
  inBrief,
  fieldOf,
  timeLimitFor,
} from '../drive.ts';
import { deskRefusals, points, pointsAnswer, pointsQuery, pointsRequest } from './desk-samples.ts';

const account = carrierAccount(chronopost, { accountNumber: '1234', password: 'chr0n0-pw', suiviKey: 'okapi-77aa' });
const request = labelRequest({
  modeCol: '0',
  modeLiv: '01',
  expAddr1: 'Chef Royale',
  expAddr2: '28 rue du Clair Bocage',
  expCity: 'La Seyne-sur-mer',
  expZip: '83500',
  expCountry: 'FR',
  expTel1: '+33 6 47 11 04 94',
  destAddr1: 'HautSide & Fils',
  destAddr2: '72 rue Reine Elisabeth',
  destCity: 'Menton',
  destZip: '06500',
  destCountry: 'FR',
  destTel1: '04 93 00 00 00',
  destMail: 'lucas@example.com',
  weight: '5000',
  nbPackage: '1',
  nDossier: 'Ref. 123456',
  nClient: 'C-77',
});
const now = Date.UTC(2026, 10, 21, 23, 30);
const pdf = samplePdf(['Label']);
const service = 'https://ws.chronopost.fr/shipping-cxf/ShippingServiceWS';
const label = { name: 'PdfUrl', kind: 'document', mediaType: 'application/pdf', bytes: pdf } as const;

const party = (prefix: string, civility: string, rest: Readonly<Record<string, string>>) =>
  `<${prefix}Value>${Object.entries(rest)
    .map(([name, value]) => `<${prefix}${name}>${value}</${prefix}${name}>${name === 'City' ? civility : ''}`)
    .join('')}</${prefix}Value>`;
const sender = {
  Adress1: '28 rue du Clair Bocage',
  City: 'La Seyne-sur-mer',
  ContactName: 'Chef Royale',
  Country: 'FR',
  MobilePhone: '0647110494',
  Name: 'Chef Royale',
  Phone: '0647110494',
  PreAlert: '0',
  ZipCode: '83500',
};
const recipient = {
  Adress1: '72 rue Reine Elisabeth',
  City: 'Menton',
  ContactName: 'HautSide &amp; Fils',
  Country: 'FR',
  Email: 'lucas@example.com',
  Name: 'HautSide &amp; Fils',
  Phone: '0493000000',
  PreAlert: '0',
  ZipCode: '06500',
};
const envelope = (content: string) =>
  '<?xml version="1.0" encoding="utf-8"?><soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/">' +
  `<soap:Body>${content}</soap:Body></soap:Envelope>`;
const order = envelope(
  '<cxf:shippingMultiParcelV5 xmlns:cxf="http://cxf.shipping.soap.chronopost.fr/"><headerValue>' +
    '<accountNumber>1234</accountNumber><idEmit>CHRFR</idEmit></headerValue>' +
    party('shipper', '<shipperCivility>M</shipperCivility>', sender) +
    party('customer', '<customerCivility>M</customerCivility>', sender) +
    party('recipient', '', recipient) +
    '<refValue><recipientRef>C-77</recipientRef><shipperRef>Ref. 123456</shipperRef></refValue><skybillValue>' +
    '<bulkNumber>1</bulkNumber><evtCode>DC</evtCode><objectType>MAR</objectType><productCode>01</productCode>' +
    '<service>0</service>' +
    // The day has begun in Paris, where it is later than in UTC.
    '<shipDate>2026-11-22T00:30:00</shipDate><shipHour>0</shipHour><skybillRank>1</skybillRank><weight>5.000' +
    '</weight><weightUnit>KGM</weightUnit><height>1</height><length>1</length><width>1</width></skybillValue>' +
    '<skybillParamsValue><mode>THE</mode></skybillParamsValue><password>chr0n0-pw</password><modeRetour>' +
    '1</modeRetour><numberOfParcel>1</numberOfParcel><version>2.0</version><multiParcel>N</multiParcel>' +
    '</cxf:shippingMultiParcelV5>',
);

/** The rest of a parcel is as it is documented. */
const parcel = (number: string, etiquette = pdf.toString('base64')) =>
  '<resultMultiParcelValue><codeDepot>75327227</codeDepot><codeService>226</codeService><destinationDepot>' +
  '0477</destinationDepot><geoPostCodeBarre>%0006500XP696982485248226250</geoPostCodeBarre><geoPostNumeroColis>' +
  'XP696982485248D</geoPostNumeroColis><groupingPriorityLabel>SIA1</groupingPriorityLabel><pdfEtiquette>' +
  `${etiquette}</pdfEtiquette><serviceMark/><serviceName>AM2-NO</serviceName><signaletiqueProduit>` +
  `13H</signaletiqueProduit><skybillNumber>${number}</skybillNumber></resultMultiParcelValue>`;
const returned = (content: string, operation = 'shippingMultiParcelV5', service = 'shipping') =>
  answer(
    '<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/">\n<soap:Body>' +
      `\n<ns1:${operation}Response xmlns:ns1="http://cxf.${service}.soap.chronopost.fr/">\n<return>` +
      `${content}</return>\n</ns1:${operation}Response>\n</soap:Body>\n</soap:Envelope>`,
    200,
    { 'content-type': 'text/xml;charset=UTF-8' },
  );
const made = (...parcels: readonly string[]) => returned(`<errorCode>0</errorCode><errorMessage/>${parcels.join('')}`);
const refused = (code: number, message: string) =>
  returned(`<errorCode>${code}</errorCode><errorMessage>${message}</errorMessage>`);
const cancelled = (code: number, message: string) =>
  returned(
    `<errorCode>${code}</errorCode><errorMessage>${message}</errorMessage><statusCode>0</statusCode>`,
    'cancelSkybill',
    'tracking',
  );
const notOfContract =
  'The parcel does not fall within the scope of the contract or is not yet registered in the tracking system';
const priced = (content: string) => returned(content, 'calculateProducts', 'quickcost');
const fault = (code: string, message: string) =>
  answer(
    envelope(`<soap:Fault><faultcode>${code}</faultcode><faultstring>${message}</faultstring></soap:Fault>`),
    500,
    { 'content-type': 'text/xml' },
  );

const subject: CarrierSubject = {
  carrier: chronopost,
  account,
  request,
  now,
  createLabel: {
    requests: [
      {
        method: 'POST',
        url: service,
        repeat: 'never',
        headers: { 'content-type': 'text/xml; charset=utf-8', soapaction: '""' },
        body: order,
      },
    ],
    answers: [made(parcel('XP696982485FR'))],
    result: { expeditionNumber: 'XP696982485FR', outputs: [label], aliases: ['XP696982485248D'] },
  },
  fetchLabel: null,
  track: {
    expeditionNumber: 'XP696982485FR',
    requests: [
      {
        method: 'GET',
        url: 'https://api.laposte.fr/suivi/v2/idships/XP696982485FR?lang=fr_FR',
        repeat: 'safe',
        headers: { 'x-okapi-key': 'okapi-77aa' },
        body: null,
      },
    ],
    answers: [
      answer(
        JSON.stringify({
          returnCode: 200,
          shipment: {
            idShip: 'XP696982485FR',
            holder: 3,
            isFinal: false,
            event: [{ code: 'ET1', label: 'En cours', date: '2026-11-22T08:00:00+01:00' }],
          },
        }),
      ),
    ],
    result: {
      status: '81',
      wording1: 'En cours',
      wording2: '',
      relayWording: '',
      relayNumber: '',
      steps: [{ wording: 'En cours', date: '2026-11-22', hour: '08:00', location: '', relayId: '', relayCountry: '' }],
    },
  },
  probe: {
    requests: [
      {
        method: 'POST',
        url: 'https://ws.chronopost.fr/quickcost-cxf/QuickcostServiceWS',
        repeat: 'safe',
        body: envelope(
          '<cxf:calculateProducts xmlns:cxf="http://cxf.quickcost.soap.chronopost.fr/"><accountNumber>' +
            '1234</accountNumber><password>chr0n0-pw</password><depCountryCode>FR</depCountryCode><depZipCode>' +
            '75001</depZipCode><arrCountryCode>FR</arrCountryCode><arrZipCode>91210</arrZipCode><arrCity>' +
            'Draveil</arrCity><type>M</type><weight>1</weight></cxf:calculateProducts>',
        ),
      },
      {
        method: 'GET',
        url: 'https://api.laposte.fr/suivi/v2/idships/CB662173705US?lang=fr_FR',
        repeat: 'safe',
        headers: { 'x-okapi-key': 'okapi-77aa' },
        body: null,
      },
    ],
    answers: [
      priced(
        '<errorCode>0</errorCode><productList><amount>6.0</amount><amountTTC>7.2</amountTTC><amountTVA>' +
          '1.2</amountTVA><productCode>0</productCode></productList>',
      ),
      answer('{"returnCode":104}', 404),
    ],
    result:
      'Chronopost accepts the account number and the password. Which products the contract covers shows only with ' +
      'a label. La Poste accepts the key of this account.',
  },
  voidLabel: {
    expeditionNumber: 'XP696982485FR',
    parcelNumbers: ['XP696982485FR', 'XP696982494FR'],
    requests: ['XP696982485FR', 'XP696982494FR'].map((skybill) => ({
      method: 'POST',
      url: 'https://ws.chronopost.fr/tracking-cxf/TrackingServiceWS',
      repeat: 'never',
      body: envelope(
        '<cxf:cancelSkybill xmlns:cxf="http://cxf.tracking.soap.chronopost.fr/"><accountNumber>1234</accountNumber>' +
          `<password>chr0n0-pw</password><language>fr_FR</language><skybillNumber>${skybill}</skybillNumber>` +
          '</cxf:cancelSkybill>',
      ),
    })),
    answers: [cancelled(0, ''), cancelled(2, 'LT déjà annulée')],
    result: 'Chronopost has voided the parcels XP696982485FR, XP696982494FR.',
  },
  findPoints: { query: pointsQuery, requests: [pointsRequest], answers: [pointsAnswer], result: points },
  refusals: [
    ...deskRefusals,
    {
      name: 'a parcel that it has taken over already',
      operation: 'voidLabel',
      answers: [cancelled(0, ''), cancelled(3, 'Le colis a été pris en charge')],
      kind: 'refused',
      carrierCode: '3',
      fields: [],
    },
    {
      name: 'a parcel that is not of the contract or not registered',
      operation: 'voidLabel',
      answers: [cancelled(2, notOfContract)],
      kind: 'refused',
      carrierCode: '2',
      fields: [],
    },
    {
      name: 'a parcel that is not of the contract, in French',
      operation: 'voidLabel',
      answers: [cancelled(2, 'Le colis ne rentre pas dans le cadre du contrat')],
      kind: 'refused',
      carrierCode: '2',
      fields: [],
    },
    {
      name: 'a void over which its system failed',
      operation: 'voidLabel',
      answers: [cancelled(1, 'A system error has occurred')],
      kind: 'unavailable',
      carrierCode: '1',
      fields: [],
    },
    {
      name: 'a void of an account that it does not accept',
      operation: 'voidLabel',
      answers: [cancelled(3, 'invalid account or password chr0n0-pw')],
      kind: 'configuration',
      carrierCode: '3',
      fields: [],
    },
    {
      name: 'a void with a code that nobody knows',
      operation: 'voidLabel',
      answers: [cancelled(99, 'x')],
      kind: 'refused',
      carrierCode: '99',
      fields: [],
    },
    {
      name: 'an account, as documented',
      operation: 'createLabel',
      answers: [refused(33, 'Invalid accesColis account number')],
      kind: 'configuration',
      carrierCode: '33',
      fields: [],
    },
    {
      name: 'an account, in French',
      operation: 'createLabel',
      answers: [refused(33, 'Le mot de passe est invalide chr0n0-pw')],
      kind: 'configuration',
      carrierCode: '33',
      fields: [],
    },
    {
      name: 'another invalid value under the same code',
      operation: 'createLabel',
      answers: [refused(33, 'Invalid recipientZipCode')],
      kind: 'invalid',
      carrierCode: '33',
      fields: [],
    },
    {
      name: 'an empty value',
      operation: 'createLabel',
      answers: [refused(31, 'a')],
      kind: 'invalid',
      carrierCode: '31',
      fields: [],
    },
    {
      name: 'a long value',
      operation: 'createLabel',
      answers: [refused(32, 'a')],
      kind: 'invalid',
      carrierCode: '32',
      fields: [],
    },
    {
      name: 'a value that is no number',
      operation: 'createLabel',
      answers: [refused(34, 'a')],
      kind: 'invalid',
      carrierCode: '34',
      fields: [],
    },
    {
      name: 'a number of a contract that is none',
      operation: 'createLabel',
      answers: [refused(30, 'a')],
      kind: 'configuration',
      carrierCode: '30',
      fields: [],
    },
    {
      name: 'a service that is none',
      operation: 'createLabel',
      answers: [refused(35, 'a')],
      kind: 'refused',
      carrierCode: '35',
      fields: [],
    },
    {
      name: 'a system that failed',
      operation: 'createLabel',
      answers: [refused(29, 'System Error')],
      kind: 'unavailable',
      carrierCode: '29',
      fields: [],
    },
    {
      name: 'a request that it could not read',
      operation: 'createLabel',
      answers: [fault('soap:Client', 'Unmarshalling Error')],
      kind: 'unavailable',
      carrierCode: 'Client',
      fields: [],
    },
    {
      name: 'a fault of the server',
      operation: 'createLabel',
      answers: [fault('soap:Server', 'Fault occurred while processing.')],
      kind: 'unavailable',
      carrierCode: 'Server',
      fields: [],
    },
    {
      name: 'a door that is shut',
      operation: 'createLabel',
      answers: [answer('<html>', 403)],
      kind: 'configuration',
      carrierCode: null,
      fields: [],
    },
    {
      name: 'a password, as documented',
      operation: 'probe',
      answers: [priced('<errorCode>3</errorCode><errorMessage>invalid account or password</errorMessage>')],
      kind: 'configuration',
      carrierCode: '3',
      fields: [],
    },
    {
      name: 'prices that cannot be had',
      operation: 'probe',
      answers: [priced('<errorCode>1</errorCode><errorMessage>System Error</errorMessage>')],
      kind: 'unavailable',
      carrierCode: '1',
      fields: [],
    },
    {
      name: 'a key for tracking that is not accepted',
      operation: 'probe',
      answers: [priced('<errorCode>0</errorCode>'), answer('HMAC failed okapi-77aa', 401)],
      kind: 'configuration',
      carrierCode: null,
      fields: [],
    },
    {
      name: 'a parcel that La Poste does not know',
      operation: 'track',
      answers: [answer('{"returnCode":104,"returnMessage":"x"}', 404)],
      kind: 'unknown',
      carrierCode: '104',
      fields: [],
    },
  ],
};

carrierContract(subject);
simulatorContract({
  ...{ carrier: chronopost, start: startChronopostSimulator, request, unknownNumber: 'XY999999999FR' },
  pointRequest: { ...request, modeLiv: '86' },
});

/** Of an answer that was recorded: code, time, wording, place, and what is said beside. */
const event = (code: string, time: string, label: string, office: string, more = '') =>
  `<events><code>${code}</code><eventDate>${time}</eventDate><eventLabel>${label}</eventLabel><highPriority>` +
  `false</highPriority>${more}<NPC/><officeLabel>${office}</officeLabel><zipCode/></events>`;
const traced = (...events: readonly string[]) =>
  returned(
    '<errorCode>0</errorCode><errorMessage/><listEventInfoComp>' +
      `${events.join('')}<skybillNumber>89108749065090</skybillNumber></listEventInfoComp>`,
    'trackSkybillV2',
    'tracking',
  );
const way = [
  event('DC', '2022-06-19T13:47:53+02:00', "Envoi prêt chez l'expéditeur", 'Web Services'),
  event('TA', '2022-06-22T07:02:00+02:00', 'Envoi en cours de livraison', 'ARRAS CHRONOPOST'),
  event('D', '2022-06-22T08:30:00+02:00', 'Livraison effectuée', 'ARRAS CHRONOPOST'),
];
const stepAt = (wording: string, date: string, hour: string, location: string) => ({
  wording,
  date,
  hour,
  location,
  relayId: '',
  relayCountry: '',
});
const keyless = carrierAccount(chronopost, { accountNumber: '1234', password: 'chr0n0-pw' });

carrierContract({
  ...subject,
  name: 'chronopost, without a key for tracking',
  account: keyless,
  track: {
    expeditionNumber: '89108749065090',
    requests: [
      {
        method: 'POST',
        url: 'https://ws.chronopost.fr/tracking-cxf/TrackingServiceWS',
        repeat: 'safe',
        headers: { 'content-type': 'text/xml; charset=utf-8', soapaction: '""' },
        body: envelope(
          '<cxf:trackSkybillV2 xmlns:cxf="http://cxf.tracking.soap.chronopost.fr/"><language>fr_FR</language>' +
            '<skybillNumber>89108749065090</skybillNumber></cxf:trackSkybillV2>',
        ),
      },
    ],
    answers: [traced(...way)],
    result: {
      status: '82',
      wording1: 'Livraison effectuée',
      wording2: '',
      relayWording: '',
      relayNumber: '',
      steps: [
        stepAt("Envoi prêt chez l'expéditeur", '2022-06-19', '13:47', 'Web Services'),
        stepAt('Envoi en cours de livraison', '2022-06-22', '07:02', 'ARRAS CHRONOPOST'),
        stepAt('Livraison effectuée', '2022-06-22', '08:30', 'ARRAS CHRONOPOST'),
      ],
    },
  },
  probe: {
    requests: subject.probe?.requests.slice(0, 1) ?? [],
    answers: subject.probe?.answers.slice(0, 1) ?? [],
    result:
      'Chronopost accepts the account number and the password. Which products the contract covers shows only with ' +
      'a label.',
  },
  voidLabel: subject.voidLabel,
  refusals: [
    ...subject.refusals.filter(({ operation, name }) => operation !== 'track' && !name.startsWith('a key')),
    {
      name: 'a parcel without a way',
      operation: 'track',
      answers: [traced()],
      kind: 'unknown',
      carrierCode: null,
      fields: [],
    },
    {
      name: 'tracking that cannot be had',
      operation: 'track',
      answers: [
        returned('<errorCode>1</errorCode><errorMessage>System Error</errorMessage>', 'trackSkybillV2', 'tracking'),
      ],
      kind: 'unavailable',
      carrierCode: '1',
      fields: [],
    },
  ],
});
simulatorContract({
  name: 'chronopost, without a key for tracking,',
  carrier: chronopost,
  start: async () => {
    const simulator = await startChronopostSimulator();
    return { ...simulator, settings: { ...simulator.settings, suiviKey: '' } };
  },
  request,
  unknownNumber: 'XY999999999FR',
});
simulatorContract({
  name: 'chronopost, with several parcels to a point,',
  carrier: chronopost,
  start: startChronopostSimulator,
  request: { ...request, modeLiv: '86', shippingPickupPoint: '854af', nbPackage: '3', outputType: 'ZplCode' },
  unknownNumber: 'XY999999999FR',
});

const create = (
  changes: Partial<LabelRequest>,
  answers: Parameters<typeof replay>[1],
  settings: Readonly<Record<string, string>> = {},
) =>
  replay(
    chronopost.createLabel?.({
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
  xmlDescendants(await sent(changes, settings), name).map(({ text }) => text);

/** The point of a recorded answer; its country is a number there. */
const point = (more = '') =>
  `<listePointRelais><actif>true</actif><adresse1>104 RUE DE LA LIBERATION</adresse1>${more}<codePays>250</codePays>` +
  '<codePostal>91210</codePostal><identifiant>854AF</identifiant><localite>DRAVEIL</localite>' +
  '<nom>PRESSING DE LA LIBERATION ET RETOUCHES DU CENTRE</nom></listePointRelais>';
const located = (content: string, operation = 'rechercheDetailPointChronopost') =>
  returned(content, operation, 'rechercheBt');
const found = (operation?: string) =>
  located(`<errorCode>0</errorCode>${point('<adresse2>GALERIE MARCHANDE</adresse2>')}`, operation);
const relay = { modeLiv: '86', shippingPickupPoint: '854af' } as const;
const abroad = { modeLiv: '49', shippingPickupPoint: '27B1', destCountry: 'BE', destZip: '1000' } as const;
/** What stands in the order to a point. */
const toPoint = async (name: string, changes: Partial<LabelRequest>) => {
  const values = { ...relay, ...changes };
  const inFrance = (values.destCountry ?? 'FR') === 'FR';
  const { requests } = await create(values, [
    found(inFrance ? undefined : 'rechercheDetailPointChronopostInter'),
    answer(''),
  ]);
  return xmlDescendants(parseXml(Buffer.from(requests[1]?.body ?? '')), name).map(({ text }) => text);
};

describe('points of Chronopost', () => {
  it('are what a parcel is addressed to, for the recipient by name', async () => {
    const parts = [
      'Name',
      'Name2',
      'ContactName',
      'Adress1',
      'Adress2',
      'ZipCode',
      'City',
      'Country',
      'Phone',
      'Email',
    ];
    const sentParts = [];
    for (const part of parts) sentParts.push((await toPoint(`recipient${part}`, {}))[0] ?? null);
    assert.deepEqual(sentParts, [
      'PRESSING DE LA LIBERATION ET RETOUCHES',
      'HautSide & Fils',
      'HautSide & Fils',
      '104 RUE DE LA LIBERATION',
      'GALERIE MARCHANDE',
      '91210',
      'DRAVEIL',
      'FR',
      '0493000000',
      'lucas@example.com',
    ]);
  });

  it('are asked for once, whatever the number of parcels', async () => {
    const { requests } = await create({ ...relay, nbPackage: '3' }, [found(), answer('')]);
    assert.equal(requests.length, 2);
    assert.deepEqual(
      [requests[0]?.url, requests[0]?.repeat, requests[1]?.url, requests[1]?.repeat],
      ['https://ws.chronopost.fr/recherchebt-ws-cxf/PointRelaisServiceWS', 'safe', service, 'never'],
    );
    assert.equal(
      requests[0]?.body,
      envelope(
        '<cxf:rechercheDetailPointChronopost xmlns:cxf="http://cxf.rechercheBt.soap.chronopost.fr/"><accountNumber>1234' +
          '</accountNumber><password>chr0n0-pw</password><identifiant>854AF</identifiant>' +
          '</cxf:rechercheDetailPointChronopost>',
      ),
    );
  });

  it('are asked for with their country abroad, and keep it', async () => {
    const { requests } = await create(abroad, [found('rechercheDetailPointChronopostInter'), answer('')]);
    assert.equal(
      requests[0]?.body,
      envelope(
        '<cxf:rechercheDetailPointChronopostInter xmlns:cxf="http://cxf.rechercheBt.soap.chronopost.fr/">' +
          '<accountNumber>1234</accountNumber><password>chr0n0-pw</password><identifiant>27B1</identifiant>' +
          '<countryCode>BE</countryCode><language>FR</language><version>2.0</version>' +
          '</cxf:rechercheDetailPointChronopostInter>',
      ),
    );
    assert.deepEqual(await toPoint('recipientCountry', abroad), ['BE']);
  });

  for (const [name, given, kind, fields] of [
    [
      'a number that is none',
      located('<errorCode>317</errorCode><errorMessage>x</errorMessage>'),
      'invalid',
      ['shippingPickupPoint'],
    ],
    ['an answer without a point', located('<errorCode>0</errorCode>'), 'invalid', ['shippingPickupPoint']],
    [
      'an account that may not ask',
      located('<errorCode>3</errorCode><errorMessage>invalid account or password</errorMessage>'),
      'configuration',
      [],
    ],
    ['a service that failed', fault('soap:Server', 'x'), 'unavailable', []],
    ['a point without an address', located('<errorCode>0</errorCode><listePointRelais/>'), 'unavailable', []],
    ['an answer of something else', answer('<html>'), 'unavailable', []],
  ] as const) {
    it(`make no parcel after ${name}`, async () => {
      const driven = await create(relay, [given]);
      const error = failureOf(driven);
      assert.equal(driven.requests.length, 1);
      assert.deepEqual([error.kind, error.acted, error.reasons.map(fieldOf)], [kind, 'no', fields]);
    });
  }
});

describe("services of Chronopost's products", () => {
  for (const [modeLiv, modeCol, weight, expected] of [
    ['01', '', '5000', '0'],
    ['01', '6', '5000', '6'],
    ['86', '1', '5000', '1'],
    ['2R', '226', '5000', '226'],
    ['49', '', '3000', '337'],
    ['49', '0', '3001', '338'],
    ['6B', '6', '3000', '337'],
    ['6B', '338', '3000', '338'],
    ['4P', '', '5000', '368'],
    ['4P', '6', '5000', '369'],
    ['4I', '', '5000', '973'],
    ['4I', '6', '5000', '974'],
    ['5X', '', '5000', '6'],
  ] as const) {
    it(`are ${expected} for ${modeLiv} of ${weight} g and ${modeCol === '' ? 'no day' : modeCol}`, async () => {
      const changes = { modeLiv, modeCol, weight };
      const points = ['86', '49', '6B', '4P', '5X'].includes(modeLiv);
      assert.deepEqual(points ? await toPoint('service', changes) : await texts('service', changes), [expected]);
    });
  }
});

describe('labels of Chronopost', () => {
  it('makes several parcels with one request, numbered, and loses no gram', async () => {
    assert.deepEqual(await texts('weight', { nbPackage: '3', weight: '1000' }), ['0.334', '0.333', '0.333']);
    assert.deepEqual(await texts('skybillRank', { nbPackage: '3' }), ['1', '2', '3']);
    assert.deepEqual(await texts('bulkNumber', { nbPackage: '3' }), ['3', '3', '3']);
    assert.deepEqual(await texts('shipperRef', { nbPackage: '2' }), ['Ref. 123456', 'Ref. 123456']);
    assert.deepEqual(
      [...(await texts('numberOfParcel', { nbPackage: '3' })), ...(await texts('multiParcel', { nbPackage: '3' }))],
      ['3', 'Y'],
    );
  });

  it('hands on a document for each parcel, or the one for all of them', async () => {
    const numbers = [
      { name: 'ParcelNumber', kind: 'text', text: 'XP1' },
      { name: 'ParcelNumber', kind: 'text', text: 'XP2' },
    ];
    const both = resultOf(await create({ nbPackage: '2' }, [made(parcel('XP1'), parcel('XP2'))]));
    assert.equal(both.expeditionNumber, 'XP1');
    assert.deepEqual(both.outputs, [label, label, ...numbers]);
    assert.deepEqual(resultOf(await create({ nbPackage: '2' }, [made(parcel('XP1'), parcel('XP2', ''))])).outputs, [
      label,
      ...numbers,
    ]);
  });

  it('names the parcels that exist when their labels are not in the answer, or not all', async () => {
    for (const answers of [
      made(parcel('XP1', ''), parcel('XP2', '')),
      made(parcel('XP1'), parcel('XP2', 'Tm90IGEgUERG')),
      made(parcel('XP1'), parcel('XP2', '%%%')),
      made(parcel('XP1'), parcel('XP2'), parcel('XP3', '')),
    ]) {
      const error = failureOf(await create({ nbPackage: '2' }, [answers]));
      assert.deepEqual([error.kind, error.acted], ['unavailable', 'unknown']);
      assert.match(error.message, /^The parcels XP1, XP2.* exist at Chronopost all the same\. /);
    }
    const fewer = failureOf(await create({ nbPackage: '2' }, [made(parcel('XP1'))]));
    assert.deepEqual(fewer.given, { outputs: [label], aliases: ['XP696982485248D'] }, 'which it does not give again');
    assert.match(
      fewer.message,
      /^The parcel XP1 exists .* Whether there is another one is not known\. .* 1 parcels in place of 2\.$/,
    );
  });

  it('names the parcels that exist when another of the shipment is refused', async () => {
    for (const [code, kind] of [
      ['33', 'invalid'],
      ['29', 'unavailable'],
      ['99', 'refused'],
    ] as const) {
      const error = failureOf(
        await create({ nbPackage: '2' }, [
          returned(`<errorCode>${code}</errorCode><errorMessage>x</errorMessage>${parcel('XP1')}${parcel('')}`),
        ]),
      );
      assert.deepEqual([error.kind, error.carrierCode, error.acted], [kind, code, 'unknown']);
      assert.match(error.message, /^The parcel XP1 exists at Chronopost all the same\. /);
    }
  });

  it('knows that nothing was made where the request could not be read, and does not know it elsewhere', async () => {
    assert.equal(failureOf(await create({}, [fault('soap:Client', 'x')])).acted, 'no');
    assert.equal(failureOf(await create({}, [fault('soap:Server', 'x')])).acted, 'unknown');
    assert.equal(failureOf(await create({}, [refused(29, 'x')])).acted, 'unknown');
    assert.equal(failureOf(await create({}, [refused(33, 'x')])).acted, 'no');
  });

  it('asks for every mode that its formats stand for', async () => {
    const asked = [];
    for (const [outputType, formats] of Object.entries(chronopost.outputs))
      for (const outputFormat of formats) asked.push(...(await texts('mode', { outputType, outputFormat })));
    assert.deepEqual(asked, ['THE', 'SPD', 'PDF', 'Z2D', 'ZPL300']);
  });

  it('gives printer code as text', async () => {
    const { outputs } = resultOf(
      await create({ outputType: 'ZplCode' }, [made(parcel('XP1', Buffer.from('^XA^FDé^FS^XZ').toString('base64')))]),
    );
    assert.deepEqual(outputs, [{ name: 'ZplCode', kind: 'text', text: '^XA^FDé^FS^XZ' }]);
  });

  it('sends the number of the point in place of the reference', async () => {
    assert.deepEqual(await toPoint('recipientRef', {}), ['854AF']);
    assert.deepEqual(await texts('recipientRef', { nClient: '' }), []);
  });

  it('parts a long street at a space', async () => {
    const street = '12 bis avenue du Maréchal de Lattre de Tassigny, bâtiment C';
    assert.deepEqual(
      [
        ...(await texts('recipientAdress1', { destAddr2: street })),
        ...(await texts('recipientAdress2', { destAddr2: street })),
      ],
      ['12 bis avenue du Maréchal de Lattre de', 'Tassigny, bâtiment C'],
    );
  });

  for (const [given, phone, mobile] of [
    ['06 12 34 56 78', '0612345678', '0612345678'],
    ['+33 (0)6 12 34 56 78', '0612345678', '0612345678'],
    ['0033612345678', '0612345678', '0612345678'],
    ['04.93.00.00.00', '0493000000', null],
    ['+32 470 12 34 56', '0032470123456', null],
    ['', null, null],
  ] as const) {
    it(`dials ${given === '' ? 'nobody' : given} as ${phone}`, async () => {
      assert.deepEqual(
        [
          (await texts('recipientPhone', { destTel1: given }))[0] ?? null,
          (await texts('recipientMobilePhone', { destTel1: given }))[0] ?? null,
        ],
        [phone, mobile],
      );
    });
  }

  it('ships for a sub-account and under another emitter', async () => {
    assert.deepEqual(
      [...(await texts('subAccount', {}, { subAccount: '12' })), ...(await texts('idEmit', {}, { idEmit: 'ACME' }))],
      ['12', 'ACME'],
    );
  });

  it('writes whatever a request holds as a request that can be read again', async () => {
    const word = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(word, word, async (destAddr1, nDossier) => {
        const values = { ...request, destAddr1, nDossier };
        if (chronopost.check(values, account).length > 0) return;
        assert.deepEqual(
          [
            (await texts('recipientName', { destAddr1, nDossier }))[0],
            (await texts('shipperRef', { destAddr1, nDossier }))[0],
          ],
          [destAddr1, nDossier],
        );
      }),
    );
  });
});

describe('voids at Chronopost', () => {
  const voided = async (again: boolean, ...answers: ReturnType<typeof cancelled>[]) => {
    const way = chronopost.desk.voidLabel;
    assert.ok(isSupported(way));
    const parcelNumbers = answers.map((_, index) => `XP69698248${index}FR`);
    const task = { account, expeditionNumber: 'XP696982480FR', parcelNumbers, outputs: [], label: null, again, now };
    return replay(way(task), answers);
  };

  it('that were asked for before are done if the wording says so', async () => {
    const answers = [cancelled(2, 'LT déjà annulée'), cancelled(0, '')];
    assert.match(resultOf(await voided(true, ...answers)), /has voided the parcels/);
  });

  it('are refused for a parcel that is dispatched or not registered, also if they were asked for before', async () => {
    for (const again of [false, true])
      for (const [code, text] of [
        [2, notOfContract],
        [3, 'dispatched'],
      ] as const) {
        const { kind, message } = failureOf(await voided(again, cancelled(code, text)));
        const sentence = `Chronopost does not take the label back: "${text}".`;
        assert.deepEqual([kind, message], ['refused', sentence], String(again));
      }
  });
});

describe('tracking of Chronopost', () => {
  const track = (
    settings: Readonly<Record<string, string>>,
    label: Parameters<NonNullable<typeof chronopost.track>>[0]['label'],
    answers: Parameters<typeof replay>[1],
  ) =>
    replay(
      chronopost.track?.({
        account: { settings: { ...account.settings, ...settings } },
        expeditionNumber: 'XP696982485FR',
        label,
        now,
      }) ?? assert.fail(),
      answers,
    );

  const status = async (...codes: readonly string[]) => {
    const events = codes.map((code, index) => event(code, `2022-06-${10 + index}T08:00:00+02:00`, code, 'X'));
    return resultOf(await track({ suiviKey: '' }, null, [traced(...events)])).status;
  };

  for (const [codes, expected] of [
    [['DC'], '80'],
    [['EA', 'SM'], '80'],
    [['DC', 'DB'], '81'],
    [['DC', 'TS', 'TA', 'CL'], '81'],
    [['DC', 'TA', 'P'], '83'],
    [['DC', 'TA', 'P', 'SM'], '83'],
    [['DC', 'TA', 'P', 'TA'], '81'],
    [['DC', 'SK'], '83'],
    [['DC', 'TA', 'R'], '83'],
    [['DC', 'TA', 'd'], '82'],
    [['DC', 'D', 'SM'], '82'],
    [['DC', 'P', 'R', 'D'], '83'],
    [['NEW'], '81'],
  ] as const) {
    it(`takes ${codes.join(', ')} for ${expected} where Chronopost is asked`, async () =>
      assert.equal(await status(...codes), expected));
  }

  it('names the point that a parcel waits at', async () => {
    const info = '<infoCompList><name>Point de retrait</name><value>TABAC DU CENTRE</value></infoCompList>';
    const waiting = traced(event('EI', '2022-06-22T08:30:00+02:00', 'Disponible', 'ARRAS', info), way[0] ?? '');
    const result = resultOf(await track({ suiviKey: '' }, null, [waiting]));
    assert.deepEqual([result.relayWording, result.wording1, result.steps.length], ['TABAC DU CENTRE', 'Disponible', 2]);
  });

  it('asks Chronopost for no number that is none', async () => {
    const exchange = chronopost.track?.({ account: keyless, expeditionNumber: '1 2', label: null, now });
    const driven = await replay(exchange ?? assert.fail(), []);
    assert.deepEqual([failureOf(driven).kind, driven.requests], ['unknown', []]);
  });

  it('calls a parcel registered that was made here and that Chronopost has not heard of', async () => {
    const driven = await track({ suiviKey: '' }, { request, createdAt: now }, [traced()]);
    assert.equal(resultOf(driven).status, '80');
  });

  it('calls a parcel registered that was made here and that La Poste has not heard of', async () => {
    const driven = await track({}, { request, createdAt: now }, [
      answer('{"returnCode":104,"returnMessage":"pas encore disponible"}', 404),
    ]);
    assert.equal(resultOf(driven).status, '80');
  });
});

describe("Chronopost's rules", () => {
  const fields = (changes: Partial<LabelRequest>) => chronopost.check({ ...request, ...changes }, account).map(inBrief);

  for (const [name, changes, expected] of [
    ['no product', { modeLiv: '' }, ['modeLiv required']],
    ['a product that is no code', { modeLiv: 'Chrono13' }, ['modeLiv wrong-format']],
    ['a product that only this contract has', { modeLiv: '2R' }, []],
    ['a service that is no code', { modeCol: 'CCC' }, ['modeCol wrong-format']],
    ['no service', { modeCol: '' }, []],
    ['a point with a product for the door', { shippingPickupPoint: '854AF' }, ['shippingPickupPoint not-offered']],
    ['a relay without a point', { modeLiv: '86' }, ['shippingPickupPoint required']],
    ['a point that is none', { modeLiv: '86', shippingPickupPoint: 'FR-1' }, ['shippingPickupPoint wrong-format']],
    ['a point with a product that is not in the list', { modeLiv: '5E', shippingPickupPoint: '854AF' }, []],
    ['a parcel of more than 30 kg', { weight: '30001' }, ['weight out-of-range']],
    ['a parcel of 20 kg to a point', { ...relay, weight: '20000' }, []],
    ['a parcel of more than 20 kg to a point', { ...relay, weight: '20001' }, ['weight out-of-range']],
    ['the service of another product', { ...abroad, modeCol: '368' }, ['modeCol unknown-code']],
    ['a service of the product itself', { ...abroad, modeCol: '338' }, []],
    ['two parcels of 30 kg', { weight: '60000', nbPackage: '2' }, []],
    ['too many parcels', { nbPackage: '21' }, ['nbPackage out-of-range']],
    ['cash on delivery', { crtValue: '100' }, ['crtValue not-offered']],
    ['no cash on delivery', { crtValue: '000' }, []],
    ['an instruction', { instruction: 'x' }, ['instruction not-offered']],
    ['a place to hand in', { pickupPoint: '854AF' }, ['pickupPoint not-offered']],
    ['a postcode that is none', { destZip: '6500' }, ['destZip wrong-format']],
    ['a postcode of another country', { destZip: 'SW1A 1AA', destCountry: 'GB' }, []],
    ['a country that is none', { destCountry: 'fr' }, ['destCountry wrong-format']],
    ['a street too long for two lines', { destAddr2: 'x'.repeat(39) }, ['destAddr2 too-long']],
    ['no street of the sender', { expAddr2: ' ' }, ['expAddr2 required']],
    ['a telephone of 15 digits', { destTel1: '+001 23 45 67 89 01 23' }, []],
    ['a telephone of 16 digits', { destTel1: '+001 23 45 67 89 01 23 4' }, ['destTel1 wrong-format']],
    ['a telephone of 3 digits', { destTel1: '112' }, ['destTel1 wrong-format']],
    ['a telephone that is none', { destTel1: 'call me' }, ['destTel1 wrong-format']],
    ['an e-mail that is too long', { destMail: `${'x'.repeat(50)}@example.com` }, ['destMail too-long']],
    ['a line break in a name', { destAddr1: 'Lucas\nDupont' }, ['destAddr1 wrong-format']],
    ['half a character in a reference', { nDossier: '\ud83d' }, ['nDossier wrong-format']],
    ['a reference that is too long', { nDossier: 'x'.repeat(36) }, ['nDossier too-long']],
    ['a format that it does not have', { outputFormat: 'A5' }, ['outputFormat unknown-code']],
    ['an output that it does not have', { outputType: 'PngUrl' }, ['outputType unknown-code']],
    ['a version that it does not have', { apiVersion: 'V4' }, ['apiVersion unknown-code']],
  ] as const) {
    it(`knows what is wrong with ${name}`, () => assert.deepEqual(fields(changes), expected));
  }
});

describe('the simulator of Chronopost', () => {
  it('takes whatever the rules let pass', async (t) => {
    const simulator = await startChronopostSimulator();
    t.after(() => simulator.close());
    const own = carrierAccount(chronopost, simulator.settings);
    let passed = 0;
    for (const right of [request, { ...request, modeLiv: '86', shippingPickupPoint: '854AF' }]) {
      for (const values of singleChanges(right)) {
        if (chronopost.check(values, own).length > 0) continue;
        resultOf(
          await callCarrier(
            chronopost.createLabel?.({ account: own, request: values, sequence: 1, now }) ?? assert.fail(),
            chronopost.origins(own),
          ),
        );
        passed += 1;
      }
    }
    assert.ok(passed > 200, String(passed));
  });

  it('refuses as Chronopost does, and fails on demand', async (t) => {
    const simulator = await startChronopostSimulator();
    t.after(() => simulator.close());
    const attempt = async (changes: Partial<LabelRequest>, settings: Readonly<Record<string, string>> = {}) => {
      const own = carrierAccount(chronopost, { ...simulator.settings, ...settings });
      const { kind, carrierCode } = failureOf(
        await callCarrier(
          chronopost.createLabel?.({ account: own, request: { ...request, ...changes }, sequence: 1, now }) ??
            assert.fail(),
          chronopost.origins(own),
          timeLimitFor(changes.nDossier),
        ),
      );
      return `${kind} ${carrierCode}`;
    };
    assert.equal(await attempt({ destZip: '00000' }), 'invalid 33');
    assert.equal(await attempt({ modeLiv: '00' }), 'invalid 33');
    assert.equal(await attempt({ weight: '31000' }), 'invalid 33');
    assert.equal(await attempt({ expCity: '' }), 'invalid 31');
    assert.equal(await attempt({ destCity: 'x'.repeat(51) }), 'invalid 32');
    assert.equal(await attempt({ nDossier: 'x'.repeat(36) }), 'invalid 32');
    assert.equal(await attempt({ destTel1: '1'.repeat(18) }), 'invalid 32');
    assert.equal(await attempt({ destMail: `${'x'.repeat(80)}@example.com` }), 'invalid 32');
    assert.equal(await attempt({ destAddr1: 'NOPDF' }), 'unavailable null');
    assert.equal(await attempt({}, { password: 'wrong' }), 'configuration 33');
    assert.equal(await attempt({}, { accountNumber: '30' }), 'configuration 30');
    assert.equal(await attempt({ ...relay, shippingPickupPoint: '0000F' }), 'invalid 317');
    assert.equal(await attempt({ ...relay, shippingPickupPointCountry: 'US' }), 'invalid 700');
    assert.equal(await attempt({ ...relay, weight: '20001' }), 'invalid 33');
    assert.equal(await attempt({ ...abroad, modeCol: '368' }), 'refused 35');
    assert.equal(await attempt({ ...abroad, weight: '3001', modeCol: '337' }), 'refused 35');
    assert.equal(await attempt({ modeLiv: '4I', modeCol: '226' }), 'refused 35');
    for (const nDossier of ['FAULT429', 'FAULT500', 'FAULT503', 'FAULTTEXT', 'FAULTEMPTY', 'FAULTSHAPE', 'FAULTHALF'])
      assert.equal(await attempt({ nDossier }), 'unavailable null', nDossier);
    assert.equal(await attempt({ nDossier: 'FAULTMUTE' }), 'timeout null');
    const wrong = carrierAccount(chronopost, { ...simulator.settings, password: 'wrong' });
    assert.equal(
      failureOf(await callCarrier(chronopost.probe?.(wrong, 0) ?? assert.fail(), chronopost.origins(wrong))).kind,
      'configuration',
    );
  });

  it('takes elements in their order alone, without a namespace of their own', async (t) => {
    const simulator = await startChronopostSimulator();
    t.after(() => simulator.close());
    const own = carrierAccount(chronopost, simulator.settings);
    const {
      requests: [right],
    } = await replay(chronopost.createLabel?.({ account: own, request, sequence: 1, now }) ?? assert.fail(), [
      new CarrierError('timeout', 'x.'),
    ]);
    const body = right?.body ?? '';
    const statusOf = async (
      changed: string,
      headers: Readonly<Record<string, string>> = { 'Content-Type': 'text/xml' },
    ) =>
      (await fetch(`${simulator.url}/shipping-cxf/ShippingServiceWS`, { method: 'POST', headers, body: changed }))
        .status;
    assert.equal(await statusOf(body), 200);
    assert.equal(await statusOf(body, { 'Content-Type': 'application/json' }), 415);
    for (const changed of [
      body.replace(
        '<evtCode>DC</evtCode><objectType>MAR</objectType>',
        '<objectType>MAR</objectType><evtCode>DC</evtCode>',
      ),
      body.replace('<headerValue>', '<headerValue xmlns="http://cxf.shipping.soap.chronopost.fr/">'),
      body.replaceAll('shippingMultiParcelV5', 'shippingMultiParcelV9'),
      body.replace('cxf.shipping.', 'cxf.tracking.'),
      body.slice(0, -10),
      body.replace('<mode>THE</mode>', '<mode>THE</mode><colour>red</colour>'),
    ])
      assert.equal(await statusOf(changed), 500);
    assert.equal((await fetch(`${simulator.url}/elsewhere`)).status, 404);
  });
});

describe('the page of Chronopost', () => {
  const page = readFileSync(new URL('../../../docs/carriers/chronopost.md', import.meta.url), 'utf8');

  it('names every setting with its default, and every output', () => {
    for (const { name, otherwise = '', secret } of chronopost.settings) {
      assert.ok(page.includes(`\`${name}\``) && (otherwise === '' || page.includes(`\`${otherwise}\``)), name);
      if (secret === true) assert.match(page, new RegExp(`${name}\`[^\n]*stored encrypted`, 'i'), name);
    }
    for (const word of [...Object.keys(chronopost.outputs), ...Object.values(chronopost.outputs).flat()])
      assert.ok(page.includes(`\`${word}\``), word);
  });
});
