// What Mondial Relay's answers are taken for: its traps, labels without a PDF, parcels that exist all the same, odd
// tables of tracking.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CarrierAnswer } from '../../../src/carriers/carrier.ts';
import { CarrierError } from '../../../src/carriers/carrier.ts';
import { mondialrelay } from '../../../src/carriers/mondialrelay/mondialrelay.ts';
import type { LabelRequest } from '../../../src/model/shipping.ts';
import { answer, carrierAccount, failureOf, replay, resultOf, fieldOf } from '../drive.ts';
import {
  fullAccount,
  homeRequest,
  password,
  pdf,
  relayRequest,
  restAccount,
  restLink,
  restMade,
  restRefused,
  soapAccount,
  soapResult,
  soapSettings,
  tracingTable,
} from './samples.ts';

const create = (
  answers: readonly (CarrierAnswer | Error)[],
  request: LabelRequest = relayRequest,
  account = restAccount,
) => {
  const exchange = mondialrelay.createLabel?.({ account, request, sequence: 1, now: 0 });
  assert.ok(exchange !== undefined);
  return replay(exchange, answers);
};
const track = (answers: readonly CarrierAnswer[], account = soapAccount) => {
  const exchange = mondialrelay.track?.({ account, expeditionNumber: '12345678', label: null, now: 0 });
  assert.ok(exchange !== undefined);
  return replay(exchange, answers);
};
const traced = (stat: string, rows: readonly (readonly string[])[]) =>
  track([soapResult('WSI2_TracingColisDetaille', `<STAT>${stat}</STAT>${tracingTable(rows)}`)]);
const pdfAnswer = answer(pdf);
const link = { name: 'CarrierPdfUrl', kind: 'text', text: restLink } as const;

describe('an answer of version 2', () => {
  it('of the sandbox is a success, though it holds a status', async () => {
    const { outputs } = resultOf(
      await create([
        restMade({
          statuses: '<Status Code="0" Message="API Mondial Relay Sandbox, aucune donnée n\'a été enregistrée."/>',
        }),
        pdfAnswer,
      ]),
    );
    assert.equal(outputs[0]?.kind, 'document');
  });

  it('with warnings is a success, which hands them on without the password', async () => {
    const { outputs } = resultOf(
      await create([
        restMade({
          statuses:
            '<Status Code="10008" Level="Warning" Message="Unknown outputFormat."/><Status code="10069" ' +
            'level="warning" message="Postcode of pw-7Qx!zT&amp;&lt;4."/>',
        }),
        pdfAnswer,
      ]),
    );
    assert.deepEqual(outputs.slice(1), [
      { name: 'Warning', kind: 'text', text: '10008: Unknown outputFormat.' },
      { name: 'Warning', kind: 'text', text: '10069: Postcode of ….' },
    ]);
  });

  it('with an error is none, and names the parcel that exists all the same', async () => {
    const error = failureOf(
      await create([restMade({ statuses: '<Status Code="10080" Level="Error" Message="PDF File unavailable."/>' })]),
    );
    assert.deepEqual([error.kind, error.carrierCode, error.acted], ['unavailable', '10080', 'unknown']);
    assert.deepEqual(error.parcels, ['96408887']);
    assert.match(
      error.message,
      /^The parcel 96408887 exists at Mondial Relay all the same\. The PDF of the label is not available/,
    );
  });

  it('with errors says that nothing was made, and gives the first code and the fields of all', async () => {
    const error = failureOf(
      await create([
        restRefused(
          '<Status Code="10044" Level="Error" Message="Postcode"/><Status Code="10046" Level="ERROR" ' +
            'Message="City"/><Status Code="10044" Level="Error" Message="Postcode"/>',
        ),
      ]),
    );
    assert.deepEqual(
      [error.kind, error.carrierCode, error.carrierMessage, error.acted],
      ['invalid', '10044', 'Postcode', 'no'],
    );
    assert.deepEqual(error.reasons.map(fieldOf), ['expZip', 'destZip', 'expCity', 'destCity']);
  });

  it('without a number is a failure, told by a status even where that has no level', async () => {
    assert.equal(failureOf(await create([restMade({ number: '' })])).kind, 'unavailable');
    assert.equal(failureOf(await create([restRefused('')])).kind, 'unavailable');
    assert.equal(failureOf(await create([restRefused('<Status Code="0" Message="Sandbox"/>')])).kind, 'unavailable');
    const error = failureOf(await create([restRefused('<Status Code="10034" Message="Invalid weight."/>')]));
    assert.deepEqual([error.kind, error.reasons.map(fieldOf)], ['invalid', ['weight']]);
  });

  it('without a number is no refusal by its warnings: the parcel may be lost on the way', async () => {
    const error = failureOf(
      await create([
        restRefused(
          '<Status Code="10008" Level="Warning" Message="Unknown outputFormat."/><Status code="10053" ' +
            'level="warning" message="Email."/>',
        ),
      ]),
    );
    assert.deepEqual([error.kind, error.carrierCode, error.acted], ['unavailable', null, 'unknown']);
  });

  it('in JSON is a fault on the way, and names the parcel that it made', async () => {
    const made = answer(
      '{"shipmentsListField":[{"shipmentNumberField":"96408887",' +
        '"labelListField":{"labelField":{"outputField":"x"}}}],"statusListField":[]}',
      200,
      { 'content-type': 'application/json' },
    );
    const error = failureOf(await create([made]));
    assert.deepEqual([error.kind, error.acted], ['unavailable', 'unknown']);
    assert.match(
      error.message,
      /^The parcel 96408887 exists .* JSON instead of XML: something on the way changes the header Accept\.$/,
    );
  });

  it('never gives away the password, whoever quotes it', async () => {
    const quoting = `pw ${password.replaceAll('&', '&amp;').replaceAll('<', '&lt;')} pw`;
    for (const answers of [
      [restRefused(`<Status Code="10001" Level="Critical Error" Message="${quoting}"/>`)],
      [restRefused(`<Status Code="${quoting}" Level="Error" Message="x"/>`)],
      [restMade({ number: '', statuses: `<Status Code="10002" Message="${quoting}"/>` })],
    ]) {
      const { message, carrierCode, carrierMessage, reasons } = failureOf(await create(answers));
      assert.ok(!JSON.stringify([message, carrierCode, carrierMessage, reasons]).includes('7Qx!zT'));
    }
  });

  it('whose PDF cannot be had gives the link of the carrier', async () => {
    for (const second of [
      answer('<html>', 200),
      answer('', 404),
      answer(pdf, 500),
      new CarrierError('timeout', 'The carrier did not answer in time.'),
    ]) {
      assert.deepEqual(resultOf(await create([restMade(), second])).outputs, [link]);
    }
  });

  it('whose link leads elsewhere is not followed there', async () => {
    for (const text of [
      'https://evil.example/label.pdf',
      'https://user:pw@connect.mondialrelay.com/x',
      'http://169.254.169.254/latest',
      'https://connect.mondialrelay.com:8443/x',
    ]) {
      const driven = await create([restMade({ outputs: [text] })]);
      assert.equal(driven.requests.length, 1);
      assert.deepEqual(resultOf(driven).outputs, [{ name: 'CarrierPdfUrl', kind: 'text', text }]);
    }
  });

  it('whose link is not protected is asked for protected', async () => {
    const driven = await create([restMade({ outputs: [restLink.replace('https:', 'http:')] }), pdfAnswer]);
    assert.equal(driven.requests[1]?.url, restLink);
  });

  it('with a PDF for each parcel gives them all, with the same one for all gives one', async () => {
    const several = { ...relayRequest, modeLiv: '24L', nbPackage: '2' };
    const other = restLink.replace('96408887&lg', '96408887&colis=2&lg');
    assert.equal(
      resultOf(await create([restMade({ outputs: [restLink, other] }), pdfAnswer, pdfAnswer], several)).outputs.length,
      2,
    );
    assert.equal(
      resultOf(await create([restMade({ outputs: [restLink, restLink] }), pdfAnswer], several)).outputs.length,
      1,
    );
  });

  it('with several parcels gives the number in the bar code of each, where all of them have one', async () => {
    const several = { ...relayRequest, modeLiv: '24L', nbPackage: '2', outputType: 'ZplCode' };
    const code = Buffer.from('^XA^XZ').toString('base64');
    const [first, second] = ['11964088870201006623669740', '11964088870202006623669741'];
    for (const [barcodes, expected] of [
      [
        [first, second],
        [first, second],
      ],
      [[first, first], []],
      [[first], []],
      [['SANDBOX MODE', 'SANDBOX MODE'], []],
      [[], []],
    ] as const) {
      const { outputs } = resultOf(await create([restMade({ outputs: [code, code], barcodes })], several));
      assert.deepEqual(
        outputs.flatMap((output) => (output.name === 'ParcelNumber' && output.kind === 'text' ? [output.text] : [])),
        expected,
      );
    }
    const single = resultOf(
      await create([restMade({ outputs: [code], barcodes: [first] })], { ...relayRequest, outputType: 'ZplCode' }),
    );
    assert.deepEqual(
      single.outputs.map(({ name }) => name),
      ['ZplCode'],
    );
  });

  it('with more PDFs than an exchange has requests gives the rest as links', async () => {
    const links = Array.from({ length: 20 }, (_, index) => restLink.replace('&lg', `&colis=${index}&lg`));
    const driven = await create([restMade({ outputs: links }), ...links.map(() => pdfAnswer)], {
      ...relayRequest,
      modeLiv: '24L',
      nbPackage: '20',
    });
    assert.deepEqual(
      resultOf(driven).outputs.map(({ kind }) => kind),
      [...Array.from({ length: 15 }, () => 'document'), ...Array.from({ length: 5 }, () => 'text')],
    );
  });

  it('with printer code gives it decoded, and is a failure where it is none', async () => {
    const request = { ...homeRequest, outputType: 'ZplCode' };
    const { outputs } = resultOf(await create([restMade({ outputs: ['XlhBXkZE\n VGVzdF5YWg=='] })], request));
    assert.deepEqual(outputs, [{ name: 'ZplCode', kind: 'text', text: '^XA^FDTest^XZ' }]);
    for (const broken of ['XlhBXkZEVGVzdF5YWg=', '^XA^XZ', 'https://connect.mondialrelay.com/x']) {
      const error = failureOf(await create([restMade({ outputs: [broken] })], request));
      assert.match(error.message, /^The parcel 96408887 exists .* a label that is not ZplCode in base64\.$/);
      assert.equal(error.acted, 'unknown');
    }
  });

  it('with labels of some parcels alone is half an answer', async () => {
    const several = { ...relayRequest, modeLiv: '24L', nbPackage: '3' };
    const code = Buffer.from('^XA^XZ').toString('base64');
    for (const [type, labels] of [
      ['PdfUrl', [restLink, restLink]],
      ['ZplCode', [code, code]],
      ['ZplCode', [code, '', code]],
    ] as const) {
      const error = failureOf(await create([restMade({ outputs: labels })], { ...several, outputType: type }));
      assert.deepEqual([error.kind, error.acted], ['unavailable', 'unknown']);
      assert.match(error.message, /^The parcel 96408887 exists .* 2 labels in place of 3\.$/);
    }
    assert.equal(
      resultOf(await create([restMade({ outputs: [code] })], { ...several, outputType: 'ZplCode' })).outputs.length,
      1,
    );
  });

  it('that is not whole leaves the labels in it, unless version 1 gives them again', async () => {
    const code = { name: 'ZplCode', kind: 'text', text: '^XA^XZ' } as const;
    const base64 = Buffer.from(code.text).toString('base64');
    const unavailable = '<Status Code="10080" Level="Error" Message="PDF File unavailable."/>';
    const several = { ...relayRequest, modeLiv: '24L', nbPackage: '3' };
    for (const [request, made, outputs] of [
      [relayRequest, { statuses: unavailable }, [link]],
      [several, { outputs: [restLink, `${restLink}&colis=2`] }, [link, { ...link, text: `${restLink}&colis=2` }]],
      [{ ...several, outputType: 'ZplCode' }, { outputs: [base64, 'none!', base64] }, [code, code]],
    ] as const) {
      const answers = [restMade(made)];
      assert.deepEqual(failureOf(await create(answers, request)).given, { outputs });
      assert.equal(failureOf(await create(answers, request, fullAccount)).given, null);
    }
  });

  it('without a label names the parcel that exists all the same', async () => {
    assert.match(failureOf(await create([restMade({ outputs: [] })])).message, /^The parcel 96408887 exists/);
  });
});

describe('a request of version 1', () => {
  it('wraps a long street into the fourth line of the address', async () => {
    const street = '27 rue Henri Rolland, Bâtiment B au fond de la cour';
    const { requests } = await create([], { ...homeRequest, expAddr2: street, destAddr2: street }, soapAccount);
    for (const side of ['Expe', 'Dest'])
      assert.match(
        requests[0]?.body ?? '',
        new RegExp(
          `<${side}_Ad3>27 RUE HENRI ROLLAND, BATIMENT B</${side}_Ad3><${side}_Ad4>AU FOND DE LA COUR</${side}_Ad4>`,
        ),
      );
  });
});

describe('a request of version 2', () => {
  const bodyOf = async (values: Partial<LabelRequest>): Promise<string> =>
    (await create([], { ...homeRequest, ...values })).requests[0]?.body ?? '';

  it('splits the weight over the parcels, with what is over on the first', async () => {
    const body = await bodyOf({ modeLiv: '24L', shippingPickupPoint: 'FR-66974', nbPackage: '3', weight: '1000' });
    assert.deepEqual(
      [...body.matchAll(/Value="(\d+)" Unit="gr"/g)].map(([, grams]) => grams),
      ['334', '333', '333'],
    );
    assert.match(body, /<ParcelCount>3<\/ParcelCount><DeliveryMode Mode="24L" Location="FR-66974"\/>/);
  });

  it('wraps a long street into the additional lines of the address', async () => {
    const destAddr2 = 'Résidence des Tilleuls, bâtiment C, escalier 2, 128 avenue du Maréchal de Lattre';
    const body = await bodyOf({ destAddr2 });
    assert.match(body, /<Streetname>Residence des Tilleuls, batiment C,<\/Streetname>/);
    assert.match(
      body,
      /<AddressAdd2>escalier 2, 128 avenue du<\/AddressAdd2><AddressAdd3>Marechal de Lattre<\/AddressAdd3>/,
    );
  });

  it('leaves the choice of a relay to Mondial Relay as its clients write it, without a country', async () => {
    for (const pickupPointCountry of ['', 'FR'])
      assert.match(
        await bodyOf({ modeCol: 'REL', pickupPoint: 'auto', pickupPointCountry }),
        /<CollectionMode Mode="REL" Location="AUTO"\/>/,
      );
    assert.match(await bodyOf({ modeCol: 'REL' }), /<CollectionMode Mode="REL" Location=""\/>/);
  });

  it('speaks the language of the sender', async () => {
    for (const [expLang, culture] of [
      ['', 'fr-FR'],
      ['fr', 'fr-FR'],
      ['ES', 'es-ES'],
      ['en', 'en-GB'],
    ])
      assert.match(await bodyOf({ expLang: expLang ?? '' }), new RegExp(`<Culture>${culture}<`));
  });

  it('carries whatever a text holds as text', async () => {
    const body = await bodyOf({ content: '<x>&amp;"\' é €', instruction: ']]>' });
    assert.match(body, /<Content>&lt;x&gt;&amp;amp;&quot;&apos; é €<\/Content>/);
    assert.match(body, /<DeliveryInstruction>\]\]&gt;<\/DeliveryInstruction>/);
  });

  it('has no format for a QR code', async () => {
    assert.match(
      await bodyOf({ outputType: 'QRCode' }),
      /<OutputOptions><OutputType>QRCode<\/OutputType><\/OutputOptions>/,
    );
  });

  it('is not made of what breaks a rule', async () => {
    const driven = await create([], { ...homeRequest, destCity: '' });
    assert.deepEqual(driven.requests, []);
    assert.deepEqual(
      failureOf(driven).reasons.map((reason) => [fieldOf(reason), reason.code]),
      [['destCity', 'required']],
    );
  });
});

describe('an answer of version 1', () => {
  const creation = (content: string) => soapResult('WSI2_CreationEtiquette', content);

  it('that refuses the text on the label alone has made the parcel', async () => {
    const { expeditionNumber, outputs } = resultOf(
      await create(
        [creation('<STAT>60</STAT><ExpeditionNum>50554860</ExpeditionNum>'), pdfAnswer],
        relayRequest,
        soapAccount,
      ),
    );
    assert.deepEqual(
      [expeditionNumber, outputs[1]],
      ['50554860', { name: 'Warning', kind: 'text', text: '60: Mondial Relay does not accept the text on the label.' }],
    );
    assert.equal(failureOf(await create([creation('<STAT>60</STAT>')], relayRequest, soapAccount)).kind, 'invalid');
  });

  it('without a number, or with an empty status, makes no sense', async () => {
    for (const content of ['<STAT>0</STAT>', '<STAT/>', '', '<ExpeditionNum>50554860</ExpeditionNum>']) {
      const error = failureOf(await create([creation(content)], relayRequest, soapAccount));
      assert.deepEqual([error.kind, error.acted], ['unavailable', 'unknown'], content);
    }
  });

  it('without a link, of an account without a brand code, names the parcel', async () => {
    const error = failureOf(
      await create(
        [creation('<STAT>0</STAT><ExpeditionNum>50554860</ExpeditionNum>')],
        relayRequest,
        carrierAccount(mondialrelay, { ...soapSettings, brandCode: '' }),
      ),
    );
    assert.match(error.message, /^The parcel 50554860 exists/);
  });

  it('tells a failure after which nothing is known from a refusal', async () => {
    const actedAt = async (stat: string) =>
      failureOf(await create([creation(`<STAT>${stat}</STAT>`)], relayRequest, soapAccount)).acted;
    assert.deepEqual([await actedAt('30'), await actedAt('97'), await actedAt('99')], ['no', 'no', 'unknown']);
  });
});

describe('an answer of version 1 about a parcel', () => {
  it('that finds something wrong beside its number blames the settings: the caller gave nothing else', async () => {
    for (const [stat, word] of [
      ['74', /language.*enseigne and culture/],
      ['36', /enseigne and culture/],
    ] as const) {
      const { kind, reasons, message } = failureOf(await traced(stat, []));
      assert.deepEqual([kind, reasons], ['configuration', []]);
      assert.match(message, word);
    }
  });
});

describe('tracking', () => {
  it('knows four states, and takes 0 for what its steps say', async () => {
    const row = ['PRISE EN CHARGE', '17/03/25', '10:10'];
    for (const stat of ['80', '81', '82', '83']) assert.equal(resultOf(await traced(stat, [])).status, stat);
    assert.equal(resultOf(await traced('0', [])).status, '80');
    assert.equal(resultOf(await traced('0', [row])).status, '81');
    assert.equal(failureOf(await traced('84', [row])).kind, 'unavailable');
    assert.equal(failureOf(await traced('24', [])).kind, 'unknown');
  });

  it('reads wordings in the encoding that the answer names, references and CDATA', async () => {
    const rows = tracingTable([["RÉCEPTION <![CDATA[<à l'agence>]]> &amp;&#233;&#xE9;", '17/03/25', '10:10']]);
    const utf8 = soapResult(
      'WSI2_TracingColisDetaille',
      `<STAT>81</STAT><Libelle01>COLIS LIVRÉ</Libelle01><Relais_Num>048607</Relais_Num>${rows}`,
    );
    const written = utf8.body.toString('utf8');
    for (const encoding of ['iso-8859-1', 'windows-1252', 'ISO-8859-15'] as const) {
      const tracking = resultOf(
        await track([
          { ...utf8, body: Buffer.from(written.replace('encoding="utf-8"', `encoding="${encoding}"`), 'latin1') },
        ]),
      );
      assert.deepEqual(
        [tracking.wording1, tracking.relayNumber, tracking.steps[0]?.wording],
        ['COLIS LIVRÉ', '048607', "RÉCEPTION <à l'agence> &éé"],
        encoding,
      );
    }
    assert.equal(failureOf(await track([{ ...utf8, body: Buffer.from(written, 'latin1') }])).kind, 'unavailable');
  });

  it('reads nothing beyond the answer: a document type makes no sense', async () => {
    const { body } = soapResult('WSI2_TracingColisDetaille', '<STAT>81</STAT><Libelle01>&x;</Libelle01>');
    for (const declared of [
      '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>',
      '<!DOCTYPE a [<!ENTITY x "y">]>',
      '',
    ]) {
      const driven = await track([answer(body.toString().replace('?>', `?>${declared}`))]);
      assert.deepEqual([failureOf(driven).kind, driven.requests.length], ['unavailable', 1]);
    }
  });

  it('calls a parcel registered that was made here lately and is not known there yet', async () => {
    const day = 24 * 60 * 60 * 1000;
    const look = async (stat: string, label: { readonly createdAt: number } | null) => {
      const exchange = mondialrelay.track?.({
        account: soapAccount,
        expeditionNumber: '12345678',
        label: label && { request: relayRequest, ...label },
        now: 20 * day,
      });
      return replay(exchange ?? assert.fail(), [soapResult('WSI2_TracingColisDetaille', `<STAT>${stat}</STAT>`)]);
    };
    assert.deepEqual(resultOf(await look('94', { createdAt: 19 * day })), {
      status: '80',
      wording1: '',
      wording2: '',
      relayWording: '',
      relayNumber: '',
      steps: [],
    });
    for (const [stat, label] of [
      ['94', { createdAt: 0 }],
      ['94', null],
      ['24', { createdAt: 19 * day }],
    ] as const)
      assert.equal(failureOf(await look(stat, label)).kind, 'unknown');
  });

  it('drops rows without a wording, and sorts the others by time', async () => {
    const { steps } = resultOf(
      await traced('82', [
        ['D', '02/01/26', '09:00'],
        ['', '01/01/26', '08:00'],
        ['C', '01/01/26', '10:00'],
        ['B', '31/12/25', '9:05'],
        ['  ', '', ''],
      ]),
    );
    assert.deepEqual(
      steps.map(({ wording, date, hour }) => [wording, date, hour]),
      [
        ['B', '2025-12-31', '09:05'],
        ['C', '2026-01-01', '10:00'],
        ['D', '2026-01-02', '09:00'],
      ],
    );
  });

  it('leaves empty what is no day or no hour, and keeps such a step in its place', async () => {
    const { steps } = resultOf(
      await traced('81', [
        ['A', '01/01/26', '10:00'],
        ['B', '31/02/26', '25:00'],
        ['C', '2026-01-02', 'noon'],
        ['D', '02/01/26', ''],
      ]),
    );
    assert.deepEqual(
      steps.map(({ wording, date, hour }) => [wording, date, hour]),
      [
        ['A', '2026-01-01', '10:00'],
        ['B', '', ''],
        ['C', '', ''],
        ['D', '2026-01-02', ''],
      ],
    );
  });

  it('asks in the language of the account, French or English', async () => {
    for (const [culture, language] of [
      ['fr-FR', 'FR'],
      ['fr-BE', 'FR'],
      ['es-ES', 'EN'],
    ]) {
      const { requests } = await track([], carrierAccount(mondialrelay, { ...soapSettings, culture: culture ?? '' }));
      assert.match(requests[0]?.body ?? '', new RegExp(`<Langue>${language}</Langue>`));
    }
  });

  it('works for parcels of version 2 where the account has version 1 as well, else the operator is told', async () => {
    assert.equal((await track([], fullAccount)).requests.length, 1);
    const error = failureOf(await track([], restAccount));
    assert.equal(error.kind, 'configuration');
    assert.match(error.message, /enseigne and privateKey/);
  });
});

describe('an account', () => {
  it('that has no version is told so by its test', async () => {
    const exchange = mondialrelay.probe?.(carrierAccount(mondialrelay, {}), 0);
    assert.ok(exchange !== undefined);
    assert.equal(failureOf(await replay(exchange, [])).kind, 'configuration');
  });

  it('may ask the hosts of its versions, and no other', () => {
    const origins = (settings: Readonly<Record<string, string>>) =>
      mondialrelay.origins(carrierAccount(mondialrelay, settings));
    assert.deepEqual(origins({}), []);
    assert.deepEqual(mondialrelay.origins(restAccount), [
      'https://connect-api.mondialrelay.com',
      'https://connect.mondialrelay.com',
    ]);
    assert.deepEqual(mondialrelay.origins(soapAccount), [
      'https://api.mondialrelay.com',
      'https://www.mondialrelay.com',
    ]);
    assert.equal(mondialrelay.origins(fullAccount).length, 4);
    assert.deepEqual(origins({ ...fullAccount.settings, enseigne: '', environment: 'sandbox' }), [
      'https://connect-api-sandbox.mondialrelay.com',
      'https://connect-sandbox.mondialrelay.com',
    ]);
    assert.deepEqual(origins({ ...soapSettings, v1Url: 'http://127.0.0.1:4000/Web_Services.asmx' }), [
      'http://127.0.0.1:4000',
    ]);
  });

  it('sends its secrets over a line that is protected, or not at all', () => {
    for (const name of ['environment', 'v1Url']) {
      const pattern = new RegExp(
        `^(?:${mondialrelay.settings.find((setting) => setting.name === name)?.pattern ?? ''})$`,
        'u',
      );
      for (const right of [
        'https://mr.example',
        'https://mr.example:8443/path',
        'http://127.0.0.1:4000',
        'http://localhost:4000/x',
        'http://[::1]:4000',
      ])
        assert.match(right, pattern);
      for (const wrong of [
        'http://mr.example',
        'http://127.0.0.1.evil.example',
        'https://user:pw@mr.example',
        'https://mr.example/?q',
        'ftp://mr.example',
        'mr.example',
        'https://',
      ])
        assert.doesNotMatch(wrong, pattern);
    }
  });
});
