// The contract of carriers, for both interfaces of Mondial Relay, on recorded answers.
import { mondialrelay } from '../../../src/carriers/mondialrelay/mondialrelay.ts';
import { carrierContract, type ExpectedRequest, type Refusal } from '../contract.ts';
import { answer } from '../drive.ts';
import { relayRefusals, relays, relaysAnswer, relaysContent, relaysQuery } from './desk-samples.ts';
import {
  password,
  pdf,
  relayRequest,
  restAccount,
  restBody,
  restLink,
  restMade,
  restRefused,
  restShipmentRefused,
  soapAccount,
  soapCall,
  soapResult,
  tracingTable,
} from './samples.ts';

const pdfAnswer = answer(pdf, 200, { 'content-type': 'application/pdf' });
const fetching = (url: string): ExpectedRequest => ({ method: 'GET', url, repeat: 'safe', body: null });
const restCall: ExpectedRequest = {
  method: 'POST',
  url: 'https://connect-api.mondialrelay.com/api/shipment',
  repeat: 'never',
  headers: { accept: 'application/xml', 'content-type': 'text/xml' },
  body: restBody,
};
const soapPost = (operation: string, repeat: 'safe' | 'never', content: string): ExpectedRequest => ({
  method: 'POST',
  url: 'https://api.mondialrelay.com/Web_Services.asmx',
  repeat,
  headers: {
    'content-type': 'text/xml; charset=utf-8',
    soapaction: `"http://www.mondialrelay.fr/webservice/${operation}"`,
  },
  body: soapCall(operation, content),
});
const document = { name: 'PdfUrl', kind: 'document', mediaType: 'application/pdf', bytes: pdf } as const;

const restRefusals: readonly Refusal[] = [
  {
    name: 'an error at the root',
    operation: 'createLabel',
    answers: [restRefused('<Status Code="10047" Level="Error" Message="No city defined in the address."/>')],
    kind: 'invalid',
    carrierCode: '10047',
    fields: ['expCity', 'destCity'],
  },
  {
    name: 'a warning of the table that comes as an error',
    operation: 'createLabel',
    answers: [restRefused('<Status Code="10051" Level="Error" Message="Service_Expedition_DomicileTelephoneRequis"/>')],
    kind: 'invalid',
    carrierCode: '10051',
    fields: ['expTel1', 'destTel1'],
  },
  {
    name: 'an error inside the shipment, in lower case',
    operation: 'createLabel',
    answers: [
      restShipmentRefused('<Status code="10073" level="Error" message="Location not allowed for this shipment."/>'),
    ],
    kind: 'refused',
    carrierCode: '10073',
    fields: ['shippingPickupPoint', 'pickupPoint'],
  },
  {
    name: 'a login that is not taken, whose message quotes the password',
    operation: 'createLabel',
    answers: [
      restRefused(
        '<Status Code="10001" Level="Critical Error" Message="Invalid user and/or password ' +
          `${password.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}."/>`,
      ),
    ],
    kind: 'configuration',
    carrierCode: '10001',
    fields: [],
  },
  {
    name: 'a system that is down',
    operation: 'createLabel',
    answers: [restRefused('<Status Code="-1" Level="Critical Error" Message="Severe System Error."/>')],
    kind: 'unavailable',
    carrierCode: '-1',
    fields: [],
  },
  {
    name: 'an error of which the documentation knows nothing',
    operation: 'createLabel',
    answers: [restRefused('<Status Code="12345" Level="Error" Message="Nouveau"/>')],
    kind: 'refused',
    carrierCode: '12345',
    fields: [],
  },
  {
    name: 'no way in',
    operation: 'createLabel',
    answers: [answer('', 401)],
    kind: 'configuration',
    carrierCode: null,
    fields: [],
  },
];

carrierContract({
  name: 'mondialrelay, version 2',
  carrier: mondialrelay,
  account: restAccount,
  request: relayRequest,
  createLabel: {
    requests: [restCall, fetching(restLink)],
    answers: [restMade(), pdfAnswer],
    result: { expeditionNumber: '96408887', outputs: [document] },
    dispensable: [1],
  },
  fetchLabel: null,
  track: null,
  voidLabel: null,
  probe: {
    requests: [],
    answers: [],
    result:
      'Version 2 of Mondial Relay has no request that makes nothing: its login shows with the first label, in the ' +
      'sandbox if you like.',
  },
  refusals: restRefusals,
});

const link =
  'https://www.mondialrelay.com/ww2/PDF/StickerMaker2.aspx?ens=BDTEST1311&expedition=50554860&lg=FR&format=10x15&' +
  'crc=D97CD8160D2DBCD8F7145C2F81097F40';
const relative = (format: string): string =>
  `/ww2/PDF/StickerMaker2.aspx?ens=BDTEST1311&amp;expedition=50554860&amp;lg=FR&amp;format=${format}&amp;` +
  'crc=D97CD8160D2DBCD8F7145C2F81097F40';

const soapCreation =
  '<Enseigne>BDTEST13</Enseigne><ModeCol>CCC</ModeCol><ModeLiv>24R</ModeLiv><NDossier>ORD-000001</NDossier>' +
  '<NClient>C42</NClient>' +
  '<Expe_Langage>FR</Expe_Langage><Expe_Ad1>ACME HOME</Expe_Ad1><Expe_Ad3>12 RUE DE L&apos;ETE</Expe_Ad3>' +
  '<Expe_Ville>VILLEURBANNE</Expe_Ville><Expe_CP>69100</Expe_CP><Expe_Pays>FR</Expe_Pays><Expe_Tel1>+33482538457' +
  '</Expe_Tel1><Expe_Mail>depot@acme.example</Expe_Mail>' +
  '<Dest_Langage>FR</Dest_Langage><Dest_Ad1>ZOE LEFEVRE</Dest_Ad1><Dest_Ad3>6, PLACE DES VOSGES</Dest_Ad3>' +
  '<Dest_Ville>PARIS</Dest_Ville><Dest_CP>75004</Dest_CP><Dest_Pays>FR</Dest_Pays><Dest_Tel1>+33600000000' +
  '</Dest_Tel1><Dest_Mail>zoe@example.com</Dest_Mail>' +
  '<Poids>1200</Poids><NbColis>1</NbColis><CRT_Valeur>0</CRT_Valeur><LIV_Rel_Pays>FR</LIV_Rel_Pays><LIV_Rel>' +
  '066974</LIV_Rel><Instructions>SONNEZ</Instructions>' +
  // Computed by another program, over the texts above and the key.
  '<Security>D5B437FA5E0575E4E2D864D3D5374405</Security><Texte>Vêtements</Texte>';

const stat = (operation: string, code: string) => [soapResult(operation, `<STAT>${code}</STAT>`)];
const creationRefusal = (code: string, kind: Refusal['kind'], fields: Refusal['fields']): Refusal => ({
  name: `STAT ${code} of a creation`,
  operation: 'createLabel',
  answers: stat('WSI2_CreationEtiquette', code),
  kind,
  carrierCode: code,
  fields,
});

carrierContract({
  name: 'mondialrelay, version 1',
  carrier: mondialrelay,
  account: soapAccount,
  request: relayRequest,
  createLabel: {
    requests: [soapPost('WSI2_CreationEtiquette', 'never', soapCreation), fetching(link)],
    answers: [
      soapResult(
        'WSI2_CreationEtiquette',
        `<STAT>0</STAT><ExpeditionNum>50554860</ExpeditionNum><URL_Etiquette>${relative('A4')}</URL_Etiquette>`,
      ),
      pdfAnswer,
    ],
    result: { expeditionNumber: '50554860', outputs: [document] },
    dispensable: [1],
  },
  fetchLabel: {
    requests: [
      soapPost(
        'WSI3_GetEtiquettes',
        'safe',
        '<Enseigne>BDTEST13</Enseigne><Expeditions>50554860</Expeditions><Langue>FR</Langue><Security>' +
          '3AC63F33A2248C066EC000E201399266</Security>',
      ),
      fetching(link),
    ],
    answers: [
      soapResult(
        'WSI3_GetEtiquettes',
        `<STAT>0</STAT>${['A4', 'A5', '10x15']
          .map((format) => `<URL_PDF_${format}>${relative(format)}</URL_PDF_${format}>`)
          .join('')}`,
      ),
      pdfAnswer,
    ],
    result: { expeditionNumber: '50554860', outputs: [document] },
    expeditionNumber: '50554860',
  },
  track: {
    requests: [
      soapPost(
        'WSI2_TracingColisDetaille',
        'safe',
        '<Enseigne>BDTEST13</Enseigne><Expedition>31297410</Expedition><Langue>FR</Langue><Security>' +
          '75CD5E00DBFF906437DDA3FA7B198F50</Security>',
      ),
    ],
    answers: [
      soapResult(
        'WSI2_TracingColisDetaille',
        '<STAT>81</STAT><Libelle01>COLIS PRIS EN CHARGE</Libelle01><Relais_Libelle>EYBENS</Relais_Libelle>' +
          `<Relais_Num>048607</Relais_Num><Libelle02 />${tracingTable()}`,
      ),
    ],
    result: {
      status: '81',
      wording1: 'COLIS PRIS EN CHARGE',
      wording2: '',
      relayWording: 'EYBENS',
      relayNumber: '048607',
      steps: [
        {
          wording: 'RÉCEPTION DES DONNÉES',
          date: '2025-03-17',
          hour: '10:10',
          location: '',
          relayId: '',
          relayCountry: '',
        },
        {
          wording: 'PRISE EN CHARGE EN AGENCE',
          date: '2025-03-18',
          hour: '11:11',
          location: 'ESPAGNE',
          relayId: '',
          relayCountry: '',
        },
      ],
    },
    expeditionNumber: '31297410',
  },
  probe: {
    requests: [
      soapPost(
        'WSI3_GetEtiquettes',
        'safe',
        '<Enseigne>BDTEST13</Enseigne><Expeditions>00000000</Expeditions><Langue>FR</Langue><Security>' +
          '245D008BBF2B71A7E4A8B6EFE972D9C6</Security>',
      ),
    ],
    answers: [soapResult('WSI3_GetEtiquettes', '<STAT>24</STAT><URL_PDF_A4 /><URL_PDF_A5 /><URL_PDF_10x15 />')],
    result: 'Mondial Relay accepts the enseigne and the private key of version 1.',
  },
  voidLabel: null,
  findPoints: {
    query: relaysQuery,
    requests: [soapPost('WSI4_PointRelais_Recherche', 'safe', relaysContent)],
    answers: [relaysAnswer],
    result: relays,
  },
  refusals: [
    ...relayRefusals,
    creationRefusal('30', 'invalid', ['expAddr1', 'destAddr1']),
    creationRefusal('97', 'configuration', []),
    creationRefusal('93', 'refused', ['shippingPickupPoint', 'destZip']),
    creationRefusal('98', 'refused', []),
    creationRefusal('99', 'unavailable', []),
    creationRefusal('4', 'refused', []),
    {
      name: 'a label that does not exist',
      operation: 'fetchLabel',
      answers: stat('WSI3_GetEtiquettes', '24'),
      kind: 'unknown',
      carrierCode: '24',
      fields: [],
    },
    {
      name: 'a parcel that does not exist',
      operation: 'track',
      answers: stat('WSI2_TracingColisDetaille', '94'),
      kind: 'unknown',
      carrierCode: '94',
      fields: [],
    },
    {
      name: 'a key that is wrong',
      operation: 'probe',
      answers: stat('WSI3_GetEtiquettes', '97'),
      kind: 'configuration',
      carrierCode: '97',
      fields: [],
    },
    {
      name: 'a SOAP fault',
      operation: 'track',
      answers: [
        answer(
          '<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body><soap:Fault><faultcode>' +
            'soap:Server</faultcode><faultstring>Out of memory</faultstring></soap:Fault></soap:Body></soap:Envelope>',
          500,
        ),
      ],
      kind: 'unavailable',
      carrierCode: 'Server',
      fields: [],
    },
  ],
});
