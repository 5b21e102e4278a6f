// Colissimo: requests and answers as recorded, its codes and traps, and the simulator over a socket.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CarrierError } from '../../../src/carriers/carrier.ts';
import { colissimo } from '../../../src/carriers/colissimo/colissimo.ts';
import { colissimoContract, startColissimoSimulator } from '../../../simulators/colissimo/colissimo.ts';
import { samplePdf } from '../../../simulators/sample-label.ts';
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
  fieldOf,
  inBrief,
  timeLimitFor,
} from '../drive.ts';
import { deskRefusals, points, pointsAnswer, pointsQuery, pointsRequest } from './desk-samples.ts';

const account = carrierAccount(colissimo, { apiKey: 'col-key-4f1d', suiviKey: 'okapi-77aa', commercialName: 'Acme' });
const request = labelRequest({
  modeCol: 'depot',
  modeLiv: 'DOM',
  expAddr1: 'Entrepôt Nord',
  expAddr2: '3 rue des Docks',
  expCity: 'Lille',
  expZip: '59000',
  expCountry: 'FR',
  expTel1: '03 20 00 00 00',
  expMail: 'depot@example.com',
  expLang: 'fr',
  destAddr1: 'Hélène Dupré',
  destAddr2: '8 place Bellecour',
  destCity: 'Lyon',
  destZip: '69002',
  destCountry: 'FR',
  destTel1: '06 00 00 00 00',
  destMail: 'helene@example.com',
  weight: '1250',
  nbPackage: '1',
  nDossier: 'CMD-1',
  nClient: 'C-77',
  instruction: '2e étage',
});
const now = Date.UTC(2026, 10, 21, 23, 30);
const pdf = samplePdf(['Label']);
const boundary = 'uuid:e4b1c2';
const info = {
  messages: [{ id: '0', type: 'INFOS', messageContent: 'La requête a été traitée avec succès', replacementValues: [] }],
  labelXmlV2Reponse: null,
  labelV2Response: {
    parcelNumber: '9V34929818521',
    parcelNumberPartner: '0075004119V3492981852802250G',
    pdfUrl: null,
    fields: {},
  },
};

function parts(json: unknown, documents: Readonly<Record<string, Buffer>>) {
  const head = (id: string, type: string) =>
    Buffer.from(
      `\r\n--${boundary}\r\nContent-Type: ${type}\r\nContent-Transfer-Encoding: binary\r\nContent-ID: <${id}>\r\n\r\n`,
    );
  const body = Buffer.concat([
    head('jsonInfos', 'application/json;charset=UTF-8'),
    Buffer.from(JSON.stringify(json)),
    ...Object.entries(documents).flatMap(([id, bytes]) => [head(id, 'application/octet-stream'), bytes]),
    Buffer.from(`\r\n--${boundary}--`),
  ]);
  return answer(body, 200, {
    'content-type': `multipart/related; type="application/json"; boundary="${boundary}"; start="<jsonInfos>"`,
  });
}
const failed = (errors: readonly (readonly [string, string])[], status = 400) =>
  answer(
    JSON.stringify({
      messages: errors.map(([id, messageContent]) => ({ id, type: 'ERROR', messageContent, replacementValues: [] })),
      labelV2Response: null,
    }),
    status,
    { 'content-type': 'application/json;charset=UTF-8' },
  );
const address = {
  line2: '8 place Bellecour',
  countryCode: 'FR',
  city: 'Lyon',
  zipCode: '69002',
  mobileNumber: '0600000000',
  email: 'helene@example.com',
};
const order = {
  outputFormat: { x: 0, y: 0, outputPrintingType: 'PDF_10x15_300dpi' },
  letter: {
    service: {
      productCode: 'DOM',
      depositDate: '2026-11-22',
      orderNumber: 'CMD-1',
      commercialName: 'Acme',
      returnTypeChoice: 3,
    },
    parcel: { weight: 1.25, instructions: '2e étage' },
    sender: {
      senderParcelRef: 'CMD-1',
      address: {
        companyName: 'Entrepot Nord',
        line2: '3 rue des Docks',
        countryCode: 'FR',
        city: 'Lille',
        zipCode: '59000',
        phoneNumber: '0320000000',
        email: 'depot@example.com',
        language: 'FR',
      },
    },
    addressee: { addresseeParcelRef: 'C-77', address: { lastName: 'Helene Dupre', ...address } },
  },
};
const suiviProbe = {
  method: 'GET',
  url: 'https://api.laposte.fr/suivi/v2/idships/CB662173705US?lang=fr_FR',
  repeat: 'safe',
  headers: { 'x-okapi-key': 'okapi-77aa' },
  body: null,
} as const;
const service = 'https://ws.colissimo.fr/sls-ws/SlsServiceWSRest';
const label = { name: 'PdfUrl', kind: 'document', mediaType: 'application/pdf', bytes: pdf } as const;
const partner = { name: 'PartnerParcelNumber', kind: 'text', text: '0075004119V3492981852802250G' } as const;

/** What a check answers that finds nothing wrong. */
const checked = answer(JSON.stringify({ messages: info.messages }), 200, { 'content-type': 'application/json' });

const subject: CarrierSubject = {
  carrier: colissimo,
  account,
  request,
  now,
  createLabel: {
    // The day has begun in Paris, where it is later than in UTC.
    requests: [
      {
        method: 'POST',
        url: `${service}/2.0/generateLabel`,
        repeat: 'never',
        headers: { apikey: 'col-key-4f1d', 'content-type': 'application/json' },
        body: JSON.stringify(order),
      },
    ],
    answers: [parts(info, { label: pdf })],
    result: { expeditionNumber: '9V34929818521', outputs: [label, partner] },
  },
  fetchLabel: {
    expeditionNumber: '9V34929818521',
    requests: [
      {
        method: 'POST',
        url: `${service}/3.1/getLabel`,
        repeat: 'safe',
        headers: { apikey: 'col-key-4f1d' },
        body: '{"parcelNumber":"9V34929818521","outputPrintingType":"PDF_10x15_300dpi"}',
      },
    ],
    answers: [parts({ messages: info.messages }, { label: pdf })],
    result: { expeditionNumber: '9V34929818521', outputs: [label] },
  },
  track: {
    expeditionNumber: '9V34929818521',
    requests: [
      {
        method: 'GET',
        url: 'https://api.laposte.fr/suivi/v2/idships/9V34929818521?lang=fr_FR',
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
            idShip: '9V34929818521',
            isFinal: false,
            event: [{ code: 'PC1', label: 'Pris en charge', date: '2026-11-22T08:00:00+01:00' }],
          },
        }),
      ),
    ],
    result: {
      status: '81',
      wording1: 'Pris en charge',
      wording2: '',
      relayWording: '',
      relayNumber: '',
      steps: [
        { wording: 'Pris en charge', date: '2026-11-22', hour: '08:00', location: '', relayId: '', relayCountry: '' },
      ],
    },
  },
  probe: {
    requests: [
      {
        method: 'POST',
        url: `${service}/2.0/checkGenerateLabel`,
        repeat: 'safe',
        headers: { apikey: 'col-key-4f1d' },
        body: /"productCode":"DOM","depositDate":"2026-11-22".*"line2":"50 rue du Louvre"/,
      },
      suiviProbe,
    ],
    answers: [failed([['30014', "Le code produit n'est pas autorisé"]]), answer('{"returnCode":104}', 404)],
    result:
      'Colissimo accepts the credentials of this account. It would not make a label of a parcel within France: ' +
      'Colissimo finds the shipment wrong: "Le code produit n\'est pas autorisé". La Poste accepts the key of this ' +
      'account.',
  },
  voidLabel: null,
  findPoints: { query: pointsQuery, requests: [pointsRequest], answers: [pointsAnswer], result: points },
  dryRun: {
    requests: [
      {
        method: 'POST',
        url: `${service}/2.0/checkGenerateLabel`,
        repeat: 'safe',
        headers: { apikey: 'col-key-4f1d', 'content-type': 'application/json' },
        body: JSON.stringify(order),
      },
    ],
    answers: [checked],
    result: 'Colissimo would take this request.',
  },
  // As the client roulier recorded it, apart from the number.
  handOver: {
    parcelNumbers: ['9V34572629277', '9V34929818521'],
    requests: [
      {
        method: 'POST',
        url: `${service}/2.0/generateBordereauByParcelsNumbers`,
        repeat: 'never',
        headers: { apikey: 'col-key-4f1d', 'content-type': 'application/json' },
        body: '{"generateBordereauParcelNumberList":{"parcelsNumbers":["9V34572629277","9V34929818521"]}}',
      },
    ],
    answers: [
      parts(
        {
          messages: info.messages,
          bordereauHeader: { bordereauNumber: 114_207_881, publishingDate: 1_726_586_132_000 },
        },
        { deliveryPaper: pdf },
      ),
    ],
    result: { detail: 'Colissimo has made the delivery slip 114207881.', number: '114207881', slip: pdf },
  },
  refusals: [
    {
      name: 'a number that it does not know, on a slip, as recorded',
      operation: 'handOver',
      answers: [
        {
          ...parts(
            {
              messages: [{ id: '50031', type: 'ERROR', messageContent: 'Numéro de colis invalide unknown' }],
              bordereauHeader: null,
            },
            {},
          ),
          status: 400,
        },
      ],
      kind: 'refused',
      carrierCode: '50031',
      fields: [],
    },
    {
      name: 'a slip for an account that it does not let in',
      operation: 'handOver',
      answers: [failed([['30000', 'Identifiant ou mot de passe incorrect']])],
      kind: 'configuration',
      carrierCode: '30000',
      fields: [],
    },
    ...deskRefusals,
    {
      name: 'a weight, as recorded',
      operation: 'createLabel',
      answers: [failed([['30301', 'Le poids du colis est incorrect']])],
      kind: 'invalid',
      carrierCode: '30301',
      fields: ['weight'],
    },
    {
      name: 'an error with status 200',
      operation: 'createLabel',
      answers: [failed([['30301', 'Le poids du colis est incorrect']], 200)],
      kind: 'invalid',
      carrierCode: '30301',
      fields: ['weight'],
    },
    {
      name: 'an error in parts',
      operation: 'createLabel',
      answers: [
        parts(
          {
            messages: [{ id: '30213', type: 'ERROR', messageContent: 'Le code postal du destinataire est incorrect' }],
          },
          {},
        ),
      ],
      kind: 'invalid',
      carrierCode: '30213',
      fields: ['destZip'],
    },
    {
      name: 'a sender, as recorded',
      operation: 'createLabel',
      answers: [failed([['30109', 'Le pays ou code postal expéditeur ne permet pas d’effectuer un envoi']])],
      kind: 'invalid',
      carrierCode: '30109',
      fields: ['expZip'],
    },
    {
      name: 'a mobile telephone, as recorded',
      operation: 'createLabel',
      answers: [failed([['30220', "Le numéro de portable du destinataire n'a pas été transmis"]])],
      kind: 'invalid',
      carrierCode: '30220',
      fields: ['destTel1'],
    },
    {
      name: 'several errors at once',
      operation: 'createLabel',
      answers: [
        failed([
          ['30220', 'a'],
          ['30301', 'b'],
        ]),
      ],
      kind: 'invalid',
      carrierCode: '30220',
      fields: ['destTel1', 'weight'],
    },
    {
      name: 'an account that is wrong, whatever else is',
      operation: 'createLabel',
      answers: [
        failed([
          ['30301', 'b'],
          ['30000', 'Identifiant ou mot de passe incorrect col-key-4f1d'],
        ]),
      ],
      kind: 'configuration',
      carrierCode: '30000',
      fields: ['weight'],
    },
    {
      name: 'a customs declaration that is missing',
      operation: 'createLabel',
      answers: [failed([['30500', 'a']])],
      kind: 'refused',
      carrierCode: '30500',
      fields: [],
    },
    {
      name: 'routing',
      operation: 'createLabel',
      answers: [failed([['ROUTING_18', 'a']])],
      kind: 'refused',
      carrierCode: 'ROUTING_18',
      fields: [],
    },
    {
      name: 'a service that is away',
      operation: 'createLabel',
      answers: [failed([['40015', 'a']])],
      kind: 'unavailable',
      carrierCode: '40015',
      fields: [],
    },
    {
      name: 'a token that is not accepted',
      operation: 'createLabel',
      answers: [answer('', 403)],
      kind: 'configuration',
      carrierCode: null,
      fields: [],
    },
    {
      name: 'JSON that it cannot read',
      operation: 'createLabel',
      answers: [answer('', 422)],
      kind: 'unavailable',
      carrierCode: null,
      fields: [],
    },
    {
      name: 'a reprint of nobody',
      operation: 'fetchLabel',
      answers: [failed([['30321', 'Le numéro de colis est incorrect']])],
      kind: 'unknown',
      carrierCode: '30321',
      fields: [],
    },
    {
      name: 'a probe without access',
      operation: 'probe',
      answers: [failed([['30000', 'Identifiant ou mot de passe incorrect']])],
      kind: 'configuration',
      carrierCode: '30000',
      fields: [],
    },
    {
      name: 'a probe whose key for tracking is not accepted',
      operation: 'probe',
      answers: [checked, answer('HMAC failed okapi-77aa', 401)],
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
  ...{ carrier: colissimo, start: startColissimoSimulator, request, unknownNumber: '6A99999999999' },
  pointRequest: { ...request, modeLiv: 'HD' },
});
simulatorContract({
  name: 'colissimo, with a contract in place of a key,',
  carrier: colissimo,
  request: { ...request, modeLiv: 'HD', shippingPickupPoint: '693870', apiVersion: '3.1' },
  unknownNumber: '6A99999999999',
  start: async () => {
    const simulator = await startColissimoSimulator();
    return { ...simulator, settings: { ...simulator.settings, ...colissimoContract, apiKey: '', environment: 'test' } };
  },
});

/** As the tests of a client recorded it: a parcel that was announced in the night and handed in. */
const timeline = (event: unknown, step: unknown = [], more: object = {}) =>
  answer(
    JSON.stringify({
      lang: 'fr_FR',
      status: [{ code: '0', message: 'OK' }],
      parcel: { parcelNumber: '6C14140000002', removalPoint: null, step, event, ...more },
    }),
  );
const said = (code: string, message = 'x') =>
  answer(JSON.stringify({ lang: 'fr_FR', status: [{ code, message }], parcel: null }));
const handedIn = {
  date: '2019-04-05T09:09:00.000',
  code: 'PCHCFM',
  labelShort: 'Pris en charge',
  labelLong: 'Votre Colissimo a été déposé.',
  siteName: 'PFC PARIS',
};
const announced = {
  date: '2019-04-05T02:06:33.000',
  code: 'PCHMQT',
  labelShort: 'Annoncé',
  labelLong: 'Votre Colissimo va bientôt nous être confié.',
  siteName: null,
};
const timelineRefusals: CarrierSubject['refusals'] = [
  ['101', 'unknown'],
  ['103', 'unknown'],
  ['104', 'unknown'],
  ['105', 'unknown'],
  ['201', 'configuration'],
  ['202', 'configuration'],
  ['1000', 'unavailable'],
].map(([carrierCode = '', kind]) => ({
  name: `${carrierCode} of tracking`,
  operation: 'track',
  answers: [said(carrierCode)],
  kind: kind === 'unknown' || kind === 'configuration' ? kind : 'unavailable',
  carrierCode,
  fields: [],
}));

carrierContract({
  ...subject,
  name: 'colissimo, without a key for tracking',
  account: carrierAccount(colissimo, { apiKey: 'col-key-4f1d', commercialName: 'Acme' }),
  track: {
    expeditionNumber: '6C14140000002',
    requests: [
      {
        method: 'POST',
        url: 'https://ws.colissimo.fr/tracking-timeline-ws/rest/tracking/timelineCompany',
        repeat: 'safe',
        headers: { 'content-type': 'application/json' },
        body: '{"apiKey":"col-key-4f1d","parcelNumber":"6C14140000002","lang":"fr_FR"}',
      },
    ],
    answers: [
      timeline(
        [handedIn, announced],
        [
          { stepId: 0, labelShort: 'Annoncé', status: 'STEP_STATUS_ACTIVE' },
          { stepId: 1, labelShort: 'Pris en charge', status: 'STEP_STATUS_ACTIVE' },
          { stepId: 2, labelShort: 'En transit', status: 'STEP_STATUS_INACTIVE' },
        ],
      ),
    ],
    result: {
      status: '81',
      wording1: 'Votre Colissimo a été déposé.',
      wording2: 'Pris en charge',
      relayWording: '',
      relayNumber: '',
      steps: [
        {
          wording: 'Votre Colissimo va bientôt nous être confié.',
          date: '2019-04-05',
          hour: '02:06',
          location: '',
          relayId: '',
          relayCountry: '',
        },
        {
          wording: 'Votre Colissimo a été déposé.',
          date: '2019-04-05',
          hour: '09:09',
          location: 'PFC PARIS',
          relayId: '',
          relayCountry: '',
        },
      ],
    },
  },
  probe: {
    requests: subject.probe?.requests.slice(0, 1) ?? [],
    answers: [checked],
    result: 'Colissimo accepts the credentials of this account, and would make a label of a parcel within France.',
  },
  voidLabel: null,
  refusals: [
    ...subject.refusals.filter(({ operation, answers }) => operation !== 'track' && answers.length === 1),
    ...timelineRefusals,
  ],
});
simulatorContract({
  name: 'colissimo, without a key for tracking,',
  carrier: colissimo,
  request,
  unknownNumber: '6A99999999999',
  start: async () => {
    const simulator = await startColissimoSimulator();
    return { ...simulator, settings: { ...simulator.settings, suiviKey: '' } };
  },
});

describe("Colissimo's own tracking", () => {
  const track = (
    answers: Parameters<typeof replay>[1],
    settings: Readonly<Record<string, string>> = {},
    label: Parameters<NonNullable<typeof colissimo.track>>[0]['label'] = null,
    expeditionNumber = '6A00000000001',
  ) =>
    replay(
      colissimo.track?.({
        account: { settings: { ...account.settings, suiviKey: '', ...settings } },
        expeditionNumber,
        label,
        now,
      }) ?? assert.fail(),
      answers,
    );
  const status = async (code: string) => resultOf(await track([timeline({ ...handedIn, code })])).status;

  for (const [codes, expected] of [
    ['COMCFM PCHMQT PCHCLI PCHDFT', '80'],
    ['PCHCFM AARCFM MLVARS MLVARV DOUACH RENAVI RENRDV NEW', '81'],
    ['LIVCFM LIVBPO LIVVOI LIVRTI LIVACC LIVCGA livgar', '82'],
    ['LIVREO LIVEXP RCDNRZ REFINC SOLREF RENCAD RSTREF RDVABS AARLIB FENRET PCHREN DOUCOI DOUEOR', '83'],
  ] as const) {
    it(`takes ${codes} for ${expected}`, async () => {
      for (const code of codes.split(' ')) assert.equal(await status(code), expected, code);
    });
  }

  it('reads a lone event, and the point where the parcel waits', async () => {
    const point = { removalPoint: { siteName: 'BUREAU DE POSTE LYON', siteCode: '694470' } };
    const result = resultOf(await track([timeline({ ...handedIn, code: 'MLVARV' }, [], point)]));
    assert.deepEqual(
      [result.steps.length, result.relayWording, result.relayNumber],
      [1, point.removalPoint.siteName, '694470'],
    );
  });

  for (const [stepId, expected] of [
    [0, '80'],
    [1, '81'],
    [4, '81'],
    [5, '82'],
  ] as const) {
    it(`goes by the stage ${stepId} where there is no event`, async () => {
      const step = [
        { stepId, labelShort: 'x', status: 'STEP_STATUS_ACTIVE' },
        { stepId: 6, labelShort: 'y', status: 'STEP_STATUS_DISABLED' },
      ];
      assert.equal(resultOf(await track([timeline([], step)])).status, expected);
    });
  }

  it('asks with contract and password where there is no key', async () => {
    const { requests } = await track([said('105')], { apiKey: '', contractNumber: '123456', password: 'secret-pw' });
    assert.equal(
      requests[0]?.body,
      '{"login":"123456","password":"secret-pw","parcelNumber":"6A00000000001","lang":"fr_FR"}',
    );
  });

  it('calls a parcel registered that was made here and that Colissimo has not heard of', async () => {
    assert.equal(resultOf(await track([said('105')], {}, { request, createdAt: now })).status, '80');
  });

  it('asks for no number that is none', async () => {
    const driven = await track([], {}, null, '6A/1');
    assert.deepEqual([failureOf(driven).kind, driven.requests], ['unknown', []]);
  });
});

const create = (
  changes: Partial<LabelRequest>,
  answers: Parameters<typeof replay>[1],
  settings: Readonly<Record<string, string>> = {},
) =>
  replay(
    colissimo.createLabel?.({
      account: { settings: { ...account.settings, ...settings } },
      request: { ...request, ...changes },
      sequence: 1,
      now,
    }) ?? assert.fail(),
    answers,
  );

describe('labels of Colissimo', () => {
  it('asks for each parcel by itself, and loses no gram: begun tens of grams count whole', async () => {
    const driven = await create(
      { nbPackage: '3', weight: '1000' },
      ['A', 'B', 'C'].map((letter) =>
        parts({ ...info, labelV2Response: { parcelNumber: `6A0000000000${letter}` } }, { label: pdf }),
      ),
    );
    assert.deepEqual(
      driven.requests.map(({ body }) => /"weight":([\d.]+)/.exec(body ?? '')?.[1]),
      ['0.34', '0.34', '0.34'],
    );
    const { expeditionNumber, outputs } = resultOf(driven);
    assert.equal(expeditionNumber, '6A0000000000A');
    assert.deepEqual(
      outputs.map((output) => (output.kind === 'text' ? output.text : output.name)),
      ['PdfUrl', 'PdfUrl', 'PdfUrl', '6A0000000000A', '6A0000000000B', '6A0000000000C'],
    );
  });

  it('names the parcels that exist when a later one fails', async () => {
    const first = parts({ ...info, labelV2Response: { parcelNumber: '6A00000000001' } }, { label: pdf });
    for (const [next, kind] of [
      [failed([['40015', 'x']]), 'unavailable'],
      [new CarrierError('timeout', 'The carrier did not answer in time.'), 'timeout'],
      [failed([['30301', 'x']]), 'invalid'],
    ] as const) {
      const error = failureOf(await create({ nbPackage: '2' }, [first, next]));
      assert.equal(error.kind, kind);
      assert.match(error.message, /^The parcel 6A00000000001 exists at Colissimo all the same\. /);
      assert.equal(error.message.includes('Whether there is another one is not known.'), kind !== 'invalid', kind);
    }
  });

  it('keeps the parcel of an answer that says no all the same beside those before it', async () => {
    const messages = [...info.messages, { id: '30301', type: 'ERROR', messageContent: 'x' }];
    const error = failureOf(
      await create({ nbPackage: '2' }, [
        parts({ ...info, labelV2Response: { parcelNumber: '6A00000000001' } }, { label: pdf }),
        parts({ ...info, messages, labelV2Response: { parcelNumber: '6A00000000002' } }, { label: pdf }),
      ]),
    );
    assert.deepEqual(error.parcels, ['6A00000000001', '6A00000000002']);
    assert.doesNotMatch(error.message, /not known/);
  });

  it('names the parcel of an answer that says no all the same', async () => {
    for (const [id, kind] of [
      ['30301', 'invalid'],
      ['30500', 'refused'],
      ['40015', 'unavailable'],
    ] as const) {
      const error = failureOf(
        await create({}, [
          parts({ ...info, messages: [...info.messages, { id, type: 'ERROR', messageContent: 'x' }] }, { label: pdf }),
        ]),
      );
      assert.deepEqual([error.kind, error.acted], [kind, 'unknown']);
      assert.match(error.message, /^The parcel 9V34929818521 exists at Colissimo all the same\. /);
    }
  });

  it('sends names in plain letters, everything else as it is', async () => {
    const { requests } = await create(
      { destAddr1: 'Zoë Çınar-Łódź', destAddr2: "12 rue de l'Église", destCity: 'Orléans' },
      [answer('')],
    );
    assert.match(
      requests[0]?.body ?? '',
      /"lastName":"Zoe Cınar-Łodz","line2":"12 rue de l'Église","countryCode":"FR","city":"Orléans"/,
    );
  });

  it('rounds weights up to ten grams, as kilograms with two decimals at most', async () => {
    for (const [weight, kilograms] of [
      ['10', '0.01'],
      ['11', '0.02'],
      ['1004', '1.01'],
      ['1250', '1.25'],
      ['1230', '1.23'],
      ['30000', '30'],
    ] as const) {
      const { requests } = await create({ weight }, [answer('')]);
      assert.equal(/"weight":([\d.]+)/.exec(requests[0]?.body ?? '')?.[1], kilograms, weight);
    }
  });

  it('says what becomes of a parcel that cannot be delivered, as the account has it', async () => {
    const abroad = { destCountry: 'DE', destZip: '10115' };
    const choice = async (settings: Readonly<Record<string, string>>) =>
      /"returnTypeChoice":(\d)/.exec((await create(abroad, [answer('')], settings)).requests[0]?.body ?? '')?.[1];
    assert.deepEqual([await choice({}), await choice({ returnTypeChoice: '2' })], ['3', '2']);
  });

  it('asks for cash on delivery by the names that JSON has', async () => {
    const { requests } = await create({ modeLiv: 'DOS', crtValue: '1050' }, [answer('')]);
    assert.match(requests[0]?.body ?? '', /"cod":true,"codamount":1050/);
  });

  it('writes mobile telephones in Belgium with +32, however they are given', async () => {
    for (const given of [
      '0470123456',
      '0470/12.34.56',
      '0470 12 34 56',
      '+32 470 12 34 56',
      '+32 (0)470 12 34 56',
      '0032470123456',
      '32470123456',
      '+320470123456',
    ]) {
      const { requests } = await create({ destCountry: 'BE', destZip: '1000', destTel1: given }, [answer('')]);
      assert.match(requests[0]?.body ?? '', /"mobileNumber":"\+32470123456"/, given);
    }
    const { requests } = await create({ destCountry: 'BE', destZip: '1000', destTel1: '02 123 45 67' }, [answer('')]);
    assert.match(requests[0]?.body ?? '', /"phoneNumber":"021234567"/);
  });

  it('sends a return from a person to a company', async () => {
    const { requests } = await create({ modeLiv: 'CORE', expAddr1: 'Hélène de la Tour', destAddr1: 'Acme Retours' }, [
      answer(''),
    ]);
    const { letter } = JSON.parse(requests[0]?.body ?? '');
    const { firstName, lastName, companyName, email } = letter.sender.address;
    assert.deepEqual(
      [firstName, lastName, companyName, email],
      ['Helene', 'de la Tour', undefined, 'depot@example.com'],
    );
    assert.equal(letter.addressee.address.companyName, 'Acme Retours');
    assert.equal(letter.addressee.address.lastName, undefined);
  });

  it('names the parcel whose label is not in the answer', async () => {
    assert.match(failureOf(await create({}, [parts(info, {})])).message, /9V34929818521/);
  });

  it('reads the answers of version 3.1 and gives the customs declaration too', async () => {
    const { labelV2Response, ...rest } = info;
    const driven = await create({ apiVersion: '3.1' }, [
      parts({ ...rest, labelV31Response: labelV2Response }, { cn23: pdf, label: pdf }),
    ]);
    assert.equal(driven.requests[0]?.url, `${service}/3.1/generateLabel`);
    assert.deepEqual(resultOf(driven).outputs, [label, { ...label, name: 'CustomsUrl' }, partner]);
  });

  it('gives printer code as text, without the byte order mark before it', async () => {
    const driven = await create({ outputType: 'ZplCode' }, [
      parts(info, { label: Buffer.from('\ufeff\u0010CT~~CD,~CC^~CT~^XA^FDx^FS^XZ') }),
    ]);
    assert.match(driven.requests[0]?.body ?? '', /"outputPrintingType":"ZPL_10x15_203dpi"/);
    assert.deepEqual(resultOf(driven).outputs[0], {
      name: 'ZplCode',
      kind: 'text',
      text: '\u0010CT~~CD,~CC^~CT~^XA^FDx^FS^XZ',
    });
  });

  it('names every format as Colissimo does', async () => {
    const asked = [];
    for (const [outputType, formats] of Object.entries(colissimo.outputs)) {
      for (const outputFormat of formats)
        asked.push(
          /"outputPrintingType":"(\w+)"/.exec(
            (await create({ outputType, outputFormat }, [answer('')])).requests[0]?.body ?? '',
          )?.[1],
        );
    }
    const printers = ['10x15_203dpi', '10x15_300dpi', '10x10_203dpi', '10x10_300dpi', '10x12_203dpi', '10x12_300dpi'];
    assert.deepEqual(asked, [
      ...['PDF_10x15', 'PDF_A4', 'PDF_10x10', 'PDF_10x12'].map((name) => `${name}_300dpi`),
      ...printers.map((name) => `ZPL_${name}`),
      ...printers.map((name) => `DPL_${name}`),
    ]);
  });

  it('goes in with contract and password where there is no key', async () => {
    const { requests } = await create({}, [answer('')], {
      apiKey: '',
      contractNumber: '123456',
      password: 'secret-pw',
    });
    assert.match(requests[0]?.body ?? '', /^\{"contractNumber":"123456","password":"secret-pw",/);
    assert.equal(requests[0]?.headers.apiKey, undefined);
  });

  it('asks nobody without access', async () => {
    const driven = await create({}, [], { apiKey: '' });
    assert.equal(failureOf(driven).kind, 'configuration');
  });

  it('asks only for labels with an account without a key for tracking, and the other way round', async () => {
    const driven = await replay(
      colissimo.probe?.({ settings: { ...account.settings, suiviKey: '' } }, now) ?? assert.fail(),
      [checked],
    );
    assert.match(resultOf(driven), /^Colissimo accepts the credentials of this account, and would make a label/);
    const tracking = await replay(
      colissimo.probe?.({ settings: { ...account.settings, apiKey: '' } }, now) ?? assert.fail(),
      [answer(JSON.stringify({ returnCode: 404, returnMessage: 'x' }))],
    );
    assert.equal(resultOf(tracking), 'La Poste accepts the key of this account.');
  });

  it('sends tests to the sandbox, and the number of the account that it ships for', async () => {
    const { requests } = await create({}, [answer('')], { environment: 'test', accountNumber: '100102' });
    assert.equal(requests[0]?.url, 'https://ws.colissimo.fr/sandbox/sls-ws/SlsServiceWSRest/2.0/generateLabel');
    assert.match(requests[0]?.body ?? '', /"fields":\{"field":\[\{"key":"ACCOUNT_NUMBER","value":"100102"\}\]\}/);
  });

  it('calls a parcel registered that was made here and that La Poste has not heard of', async () => {
    const driven = await replay(
      colissimo.track?.({ account, expeditionNumber: '6A00000000001', label: { request, createdAt: now }, now }) ??
        assert.fail(),
      [answer('{"returnCode":104,"returnMessage":"Votre suivi n\'est pas encore disponible."}', 404)],
    );
    assert.deepEqual(resultOf(driven), {
      status: '80',
      wording1: "Votre suivi n'est pas encore disponible.",
      wording2: '',
      relayWording: '',
      relayNumber: '',
      steps: [],
    });
  });
});

describe('points of Colissimo', () => {
  const toPoint = { modeLiv: 'HD', shippingPickupPoint: '060567' } as const;
  /** As the tests of the client roulier recorded it, the opening hours left out. */
  const recorded = {
    errorCode: 0,
    errorMessage: 'Code retour OK',
    pointRetraitAcheminement: {
      identifiant: '060567',
      nom: 'BUREAU DE POSTE VILLEURBANNE BELLECOMBE RP',
      adresse1: '13 RUE BELLECOMBE',
      adresse2: 'CARREFOUR CITY',
      adresse3: '',
      codePostal: '69100',
      localite: 'VILLEURBANNE',
      typeDePoint: 'BPR',
      poidsMaxi: 30000,
      reseau: 'R01',
      codePays: 'FR',
      langue: 'FR',
    },
  };

  it('are what a parcel is addressed to, with both names of whoever collects it', async () => {
    const driven = await create(toPoint, [answer(JSON.stringify(recorded)), parts(info, { label: pdf })]);
    const [asked, ordered] = driven.requests;
    assert.equal(
      asked?.url,
      'https://ws.colissimo.fr/pointretrait-ws-cxf/rest/v2/pointretrait/findPointRetraitAcheminementByID',
    );
    assert.deepEqual(JSON.parse(asked?.body ?? ''), {
      apiKey: 'col-key-4f1d',
      id: '060567',
      date: '22/11/2026',
      filterRelay: '1',
    });
    assert.equal(asked?.repeat, 'safe');
    assert.deepEqual(JSON.parse(ordered?.body ?? '').letter.addressee.address, {
      companyName: 'BUREAU DE POSTE VILLEURBANNE BELLEC',
      firstName: 'Helene',
      lastName: 'Dupre',
      line2: '13 RUE BELLECOMBE',
      line3: 'CARREFOUR CITY',
      countryCode: 'FR',
      city: 'VILLEURBANNE',
      zipCode: '69100',
      mobileNumber: '0600000000',
      email: 'helene@example.com',
    });
    assert.equal(resultOf(driven).expeditionNumber, '9V34929818521');
  });

  it('are asked for once, with contract and password where there is no key', async () => {
    const { requests } = await create(
      { ...toPoint, nbPackage: '2' },
      [answer(JSON.stringify(recorded)), parts(info, { label: pdf }), parts(info, { label: pdf })],
      { apiKey: '', contractNumber: '123456', password: 'secret-pw' },
    );
    assert.equal(requests.length, 3);
    assert.match(requests[0]?.body ?? '', /^\{"accountNumber":"123456","password":"secret-pw","id":"060567"/);
  });

  it('outside of France keep the address that was given: the directory wants their network', async () => {
    const { requests } = await create(
      { ...toPoint, destCountry: 'BE', destZip: '1000', destTel1: '0470123456', shippingPickupPoint: 'B1234' },
      [answer('')],
    );
    assert.equal(requests.length, 1);
    assert.match(requests[0]?.body ?? '', /"line2":"8 place Bellecour"/);
  });

  for (const [name, reply, kind, field] of [
    ['a number that is none', { errorCode: 124, errorMessage: 'Identifiant point de retrait incorrect' }, 'invalid', 1],
    ['an account that may not ask', { errorCode: 202, errorMessage: 'Service non autorisé' }, 'configuration', 0],
    ['a service that failed', { errorCode: 1000, errorMessage: 'Erreur système' }, 'unavailable', 0],
    ['an answer without a point', { errorCode: 0, pointRetraitAcheminement: null }, 'unavailable', 0],
    ['an answer of something else', { a: 1 }, 'unavailable', 0],
  ] as const) {
    it(`make no parcel after ${name}`, async () => {
      const error = failureOf(await create(toPoint, [answer(JSON.stringify(reply))]));
      assert.deepEqual([error.kind, error.acted], [kind, 'no']);
      assert.deepEqual(error.reasons.map(fieldOf), field === 1 ? ['shippingPickupPoint'] : []);
    });
  }
});

describe("Colissimo's rules", () => {
  const fields = (changes: Partial<LabelRequest>) => colissimo.check({ ...request, ...changes }, account).map(inBrief);

  for (const [name, changes, expected] of [
    ['an unknown product', { modeLiv: 'XXL' }, ['modeLiv unknown-code']],
    ['a point with a product for the home', { shippingPickupPoint: '693870' }, ['shippingPickupPoint not-offered']],
    ['HD without a point', { modeLiv: 'HD' }, ['shippingPickupPoint required']],
    ['HD without a telephone', { modeLiv: 'HD', shippingPickupPoint: '1', destTel1: '' }, ['destTel1 required']],
    [
      'HD with a landline',
      { modeLiv: 'HD', shippingPickupPoint: '1', destTel1: '0472000000' },
      ['destTel1 wrong-format'],
    ],
    [
      'HD with a mobile telephone written abroad',
      { modeLiv: 'HD', shippingPickupPoint: '1', destTel1: '+33 6 00 00 00 00' },
      [],
    ],
    ['a parcel of more than 30 kg', { weight: '30001' }, ['weight out-of-range']],
    ['two parcels of 30 kg', { weight: '60000', nbPackage: '2' }, []],
    ['a parcel of less than 10 g', { weight: '9' }, ['weight out-of-range']],
    ['cash on delivery without a signature', { crtValue: '100' }, ['crtValue not-offered']],
    ['cash on delivery with DOS', { modeLiv: 'DOS', crtValue: '100' }, []],
    [
      'cash on delivery with several parcels, which would ask for it each',
      { modeLiv: 'DOS', crtValue: '100', nbPackage: '2' },
      ['crtValue not-offered'],
    ],
    ['no cash on delivery with several parcels', { modeLiv: 'DOS', crtValue: '0', nbPackage: '2' }, []],
    [
      'cash on delivery abroad',
      { modeLiv: 'DOS', crtValue: '100', destCountry: 'BE', destZip: '1000' },
      ['crtValue not-offered'],
    ],
    ['cash that is no number', { modeLiv: 'DOS', crtValue: '1,5' }, ['crtValue wrong-format']],
    ['another script', { destAddr1: 'Γιώργος' }, ['destAddr1 wrong-format']],
    ['a postcode that is too long', { destZip: 'SW1A 1AA X', destCountry: 'GB' }, ['destZip too-long']],
    ['a postcode in another script', { destZip: '١٠١', destCountry: 'EG' }, ['destZip wrong-format']],
    [
      'pictures',
      { destAddr1: 'Zoé 😀', instruction: '2e étage 🔔' },
      ['destAddr1 wrong-format', 'instruction wrong-format'],
    ],
    [
      'typographic signs',
      { destAddr1: 'L’Été – n° 5', destAddr2: '12 bis, rue “Łódź” & Fils', instruction: 'Sonnez 2×, 5 €' },
      [],
    ],
    ['a postcode that is none', { destZip: '6900' }, ['destZip wrong-format']],
    ['no street', { destAddr2: '' }, ['destAddr2 required']],
    ['a street too long for two lines', { destAddr2: 'x'.repeat(36) }, ['destAddr2 too-long']],
    ['a reference that is too long', { nClient: 'x'.repeat(16) }, ['nClient too-long']],
    ["the sender's reference of 18", { nDossier: 'x'.repeat(18) }, ['nDossier too-long']],
    ["the sender's reference of 17", { nDossier: 'x'.repeat(17) }, []],
    ['an instruction of 36', { instruction: 'x'.repeat(36) }, ['instruction too-long']],
    ['an instruction of 35', { instruction: 'x'.repeat(35) }, []],
    ['HD without an e-mail address', { modeLiv: 'HD', shippingPickupPoint: '1', destMail: '' }, ['destMail required']],
    [
      'HD to somebody with one name',
      { modeLiv: 'HD', shippingPickupPoint: '1', destAddr1: 'Dupré' },
      ['destAddr1 wrong-format'],
    ],
    [
      'HD to somebody with a first name that is too long',
      { modeLiv: 'HD', shippingPickupPoint: '1', destAddr1: `${'x'.repeat(30)} B` },
      ['destAddr1 too-long'],
    ],
    [
      'HD with the telephone of another country in Belgium',
      { modeLiv: 'HD', shippingPickupPoint: '1', destCountry: 'BE', destZip: '1000' },
      ['destTel1 wrong-format'],
    ],
    [
      'HD with a mobile telephone in Belgium',
      { modeLiv: 'HD', shippingPickupPoint: '1', destCountry: 'BE', destZip: '1000', destTel1: '0470/12.34.56' },
      [],
    ],
    [
      'HD with half a telephone',
      { modeLiv: 'HD', shippingPickupPoint: '1', destTel1: '06 00' },
      ['destTel1 wrong-format'],
    ],
    ['a return without the e-mail of the sender', { modeLiv: 'CORE', expMail: '' }, ['expMail required']],
    ['a return of somebody with one name', { modeLiv: 'CORI', expAddr1: 'Entrepôt' }, ['expAddr1 wrong-format']],
    ['a return', { modeLiv: 'CORE', expAddr1: 'Hélène Dupré', destAddr1: 'Acme' }, []],
    ['a format that it does not have', { outputFormat: 'A5' }, ['outputFormat unknown-code']],
    ['an output that it does not have', { outputType: 'PngImage' }, ['outputType unknown-code']],
    ['a version that it does not have', { apiVersion: '4.0' }, ['apiVersion unknown-code']],
  ] as const) {
    it(`knows what is wrong with ${name}`, () => assert.deepEqual(fields(changes), expected));
  }
});

describe("Colissimo's codes", () => {
  /** Every code that the page names, as `30001` or `30007-30009`, by who must act and the field. */
  const rules: readonly (readonly [codes: string, kind: string, field: string | null])[] = [
    [
      '30000 30001 30002 30007-30009 30013 30018 30028 30323 30324 30700-30705 31001 32001 943-948',
      'configuration',
      null,
    ],
    ['1 40014 40015 40018', 'unavailable', null],
    ['30321', 'unknown', null],
    ['30014 30015 30027', 'invalid', 'modeLiv'],
    ['30017 30906-30908', 'invalid', 'crtValue'],
    ['30022', 'invalid', 'expLang'],
    ['30023', 'invalid', 'destLang'],
    ['30025 30026', 'invalid', 'outputFormat'],
    ['30043 30065', 'invalid', 'expAddr1'],
    ['30100 30101', 'invalid', 'expAddr2'],
    ['30104 30105', 'invalid', 'expCity'],
    ['30106-30110 31000', 'invalid', 'expZip'],
    ['30102 30103', 'invalid', 'expCountry'],
    ['30045 30046', 'invalid', 'expMail'],
    ['30047 30085', 'invalid', 'expTel1'],
    ['30089 30200-30203', 'invalid', 'destAddr1'],
    ['30204 30205', 'invalid', 'destAddr2'],
    ['30206 30207 40011', 'invalid', 'destCountry'],
    ['30208 30209', 'invalid', 'destCity'],
    ['30210-30214', 'invalid', 'destZip'],
    ['30222 30223', 'invalid', 'destMail'],
    ['30220 30221', 'invalid', 'destTel1'],
    ['30090', 'invalid', 'nClient'],
    ['30300 30301', 'invalid', 'weight'],
    ['30400-30404 30900-30904', 'invalid', 'shippingPickupPoint'],
    ['30600', 'invalid', null],
    ['30312 30500 30562 30020 30320 39999 ROUTING_18 0030301x', 'refused', null],
  ];
  const codesOf = (text: string): readonly string[] =>
    text.split(' ').flatMap((range) => {
      const [from = '', to = from] = range.split('-');
      return /^\d+$/.test(from)
        ? Array.from({ length: Number(to) - Number(from) + 1 }, (_, index) => String(Number(from) + index))
        : [from];
    });

  for (const [codes, kind, field] of rules) {
    it(`lets ${kind} answer for ${codes}${field === null ? '' : `, on ${field}`}`, async () => {
      for (const code of codesOf(codes)) {
        const error = failureOf(await create({}, [failed([[code, 'Dit par Colissimo']])]));
        assert.deepEqual(
          [error.kind, error.carrierCode, error.carrierMessage, error.reasons.map(fieldOf)],
          [kind, code, 'Dit par Colissimo', field === null ? [] : [field]],
          code,
        );
        assert.equal(error.acted, kind === 'unavailable' ? 'unknown' : 'no', code);
      }
    });
  }
});

describe('the day of deposit at Colissimo', () => {
  it('that has passed says that the clock of this server is wrong', async () => {
    const error = failureOf(
      await create({}, [failed([['30002', 'La date de dépôt est antérieure à la date courante']])]),
    );
    assert.match(error.message, /clock here is wrong/);
  });
});

describe('the simulator of Colissimo', () => {
  it('takes whatever the rules let pass, but for customs and what only Colissimo knows', async (t) => {
    const simulator = await startColissimoSimulator();
    t.after(() => simulator.close());
    const own = carrierAccount(colissimo, simulator.settings);
    let passed = 0;
    for (const right of [
      request,
      { ...request, modeLiv: 'HD', shippingPickupPoint: '693870' },
      { ...request, modeLiv: 'DOS', crtValue: '100', nbPackage: '1' },
    ]) {
      for (const values of singleChanges(right)) {
        if (colissimo.check(values, own).length > 0) continue;
        const driven = await callCarrier(
          colissimo.createLabel?.({ account: own, request: values, sequence: 1, now }) ?? assert.fail(),
          colissimo.origins(own),
        );
        if (driven.error !== null) assert.equal(failureOf(driven).carrierCode, '30500', JSON.stringify(values));
        passed += 1;
      }
    }
    assert.ok(passed > 300, String(passed));
  });

  it('refuses as Colissimo does, and fails on demand', async (t) => {
    const simulator = await startColissimoSimulator();
    t.after(() => simulator.close());
    const attempt = async (changes: Partial<LabelRequest>, settings: Readonly<Record<string, string>> = {}) => {
      const own = carrierAccount(colissimo, { ...simulator.settings, ...settings });
      const { kind, carrierCode } = failureOf(
        await callCarrier(
          colissimo.createLabel?.({ account: own, request: { ...request, ...changes }, sequence: 1, now }) ??
            assert.fail(),
          colissimo.origins(own),
          timeLimitFor(changes.nDossier),
        ),
      );
      return `${kind} ${carrierCode}`;
    };
    assert.equal(await attempt({ destZip: '00000' }), 'invalid 30213');
    assert.equal(await attempt({ expZip: '00000' }), 'invalid 30109');
    assert.equal(await attempt({ weight: '31000' }), 'invalid 30301');
    assert.equal(await attempt({ modeLiv: 'ZZ' }), 'invalid 30015');
    assert.equal(await attempt({ shippingPickupPoint: '1' }), 'invalid 30404');
    assert.equal(await attempt({ modeLiv: 'HD', shippingPickupPoint: '1', destTel1: '' }), 'invalid 30220');
    assert.equal(await attempt({ modeLiv: 'HD', shippingPickupPoint: '000000' }), 'invalid 124');
    assert.equal(await attempt({ destCountry: 'CH', destZip: '1200' }), 'refused 30500');
    assert.equal(await attempt({}, { apiKey: 'wrong' }), 'configuration 30000');
    for (const nDossier of ['FAULT429', 'FAULT500', 'FAULT503', 'FAULTTEXT', 'FAULTEMPTY', 'FAULTSHAPE', 'FAULTHALF'])
      assert.equal(await attempt({ nDossier }), 'unavailable null', nDossier);
    assert.equal(await attempt({ nDossier: 'FAULTMUTE' }), 'timeout null');
  });
});
