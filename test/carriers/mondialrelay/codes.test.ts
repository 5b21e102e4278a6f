// The tables of status codes: complete, in sentences, and those that an operator acts on the same in the documentation.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import type { CarrierAccount, CarrierErrorKind, CarrierAnswer } from '../../../src/carriers/carrier.ts';
import { restAnswer, restCodes, soapAnswer, soapCodes } from '../../../src/carriers/mondialrelay/codes.ts';
import { mondialrelay } from '../../../src/carriers/mondialrelay/mondialrelay.ts';
import { failureOf, replay, fieldOf } from '../drive.ts';
import { relayRequest, restAccount, restRefused, soapAccount, soapResult } from './samples.ts';

const page = readFileSync(new URL('../../../docs/carriers/mondialrelay.md', import.meta.url), 'utf8');
const statuses: Readonly<Record<CarrierErrorKind, number>> = {
  invalid: 400,
  refused: 422,
  unknown: 404,
  configuration: 502,
  unavailable: 502,
  timeout: 504,
};

/** Cells of the table of codes: answer, what to do, codes of version 1, codes of version 2. */
const pageRows =
  (page.split('\n## Who must act')[1] ?? '')
    .split('\n## ')[0]
    ?.split('\n')
    .filter((line) => /^\| \w+ \(\d{3}\) \|/.test(line))
    .map((line) =>
      line
        .split('|')
        .slice(1, 5)
        .map((cell) => cell.trim()),
    ) ?? [];

/**
 * What each code must come to, from the facts about the carrier: kind, then the fields it is about. Written apart from
 * the tables.
 */
const soapExpected: readonly (readonly [kind: CarrierErrorKind, codes: string, ...fields: readonly string[]])[] = [
  ['configuration', '1 2 3 8 25 46 69 92 95 96 97'],
  ['unknown', '24 91 94'],
  ['unavailable', '84 85 86 87 88 89 90 99'],
  ['refused', '21 22 26 31 40 44 45 49 51 61 63 64 65 66 67 68 71 98'],
  ['refused', '93', 'shippingPickupPoint', 'destZip'],
  ['invalid', '5', 'nDossier'],
  ['invalid', '7', 'nClient'],
  ['invalid', '9 18 35', 'expCity', 'destCity'],
  ['invalid', '10 28', 'modeCol'],
  ['invalid', '13 29 41', 'modeLiv'],
  ['invalid', '27', 'modeCol', 'modeLiv'],
  ['invalid', '11', 'pickupPoint'],
  ['invalid', '12 78', 'pickupPointCountry'],
  ['invalid', '14', 'shippingPickupPoint'],
  ['invalid', '15 79', 'shippingPickupPointCountry'],
  ['invalid', '70', 'pickupPoint', 'shippingPickupPoint'],
  ['invalid', '16 37', 'expCountry', 'destCountry'],
  ['invalid', '17 33 34', 'expAddr2', 'destAddr2'],
  ['invalid', '19 36', 'expZip', 'destZip'],
  ['invalid', '30', 'expAddr1', 'destAddr1'],
  ['invalid', '38', 'expTel1', 'destTel1'],
  ['invalid', '39', 'expMail', 'destMail'],
  ['invalid', '20', 'weight'],
  ['invalid', '42 43', 'crtValue'],
  ['invalid', '47', 'nbPackage'],
  ['invalid', '48', 'nbPackage', 'modeLiv'],
  ['invalid', '60', 'content'],
  ['invalid', '62', 'instruction'],
  ['invalid', '50', 'destAddr1'],
  ['invalid', '53 54', 'destAddr2'],
  ['invalid', '55', 'destCity'],
  ['invalid', '56', 'destZip'],
  ['invalid', '57', 'destCountry'],
  ['invalid', '58', 'destTel1'],
  ['invalid', '59', 'destMail'],
  ['invalid', '72', 'expLang'],
  ['invalid', '73', 'destLang'],
  ['invalid', '74', 'expLang', 'destLang'],
];
const restExpected: typeof soapExpected = [
  ['configuration', '10000 10001 10002 10003 10004 10005 10006 10007 10066 10067'],
  ['unavailable', '-1 10011 10058 10060 10061 10065 10068 10078 10080 10081 99998 99999'],
  ['refused', '10018 10019 10020 10021 10022 10030 10031 10032 10036 10037 10038 10041 10057 10059'],
  ['invalid', '10008 10077', 'outputFormat'],
  ['invalid', '10009 10010', 'outputType'],
  ['invalid', '10012', 'expAddr1'],
  ['invalid', '10013', 'destAddr1'],
  ['invalid', '10014', 'nDossier'],
  ['invalid', '10015', 'nClient'],
  ['invalid', '10016 10017', 'nbPackage'],
  ['invalid', '10023 10024', 'modeLiv'],
  ['invalid', '10025', 'shippingPickupPoint'],
  ['invalid', '10026 10027', 'modeCol'],
  ['invalid', '10028', 'pickupPoint'],
  ['invalid', '10029', 'content'],
  ['invalid', '10033 10034', 'weight'],
  ['invalid', '10035', 'instruction'],
  ['invalid', '10039 10040 10049 10050 10063', 'expAddr2', 'destAddr2'],
  ['invalid', '10042 10043', 'expCountry', 'destCountry'],
  ['invalid', '10044 10045', 'expZip', 'destZip'],
  ['invalid', '10046 10047', 'expCity', 'destCity'],
  ['invalid', '10048 10062', 'expAddr1', 'destAddr1'],
  ['invalid', '10051 10052 10085', 'expTel1', 'destTel1'],
  ['invalid', '10053', 'expMail', 'destMail'],
  ['refused', '10054', 'expAddr2', 'destAddr2', 'expZip', 'destZip', 'expCity', 'destCity'],
  ['refused', '10055', 'expZip', 'expCity', 'expCountry'],
  ['refused', '10056', 'destZip', 'destCity', 'destCountry'],
  ['refused', '10069', 'expZip', 'destZip'],
  ['refused', '10070', 'nbPackage', 'modeLiv'],
  ['refused', '10071', 'pickupPoint'],
  ['refused', '10072 10073', 'shippingPickupPoint', 'pickupPoint'],
  ['refused', '10074 10076', 'modeLiv'],
  ['refused', '10075', 'shippingPickupPoint', 'modeLiv'],
  ['refused', '10079 10090', 'destCountry'],
];
const expected = (table: typeof soapExpected) =>
  table.flatMap(([kind, codes, ...fields]) => codes.split(' ').map((code) => ({ code, kind, fields })));

describe('whoever must act', () => {
  const ask = async (account: CarrierAccount, given: CarrierAnswer) =>
    failureOf(
      await replay(
        mondialrelay.createLabel?.({ account, request: relayRequest, sequence: 1, now: 0 }) ?? assert.fail(),
        [given],
      ),
    );

  it('is named for every code of the tables', () => {
    assert.deepEqual(new Set(expected(soapExpected).map(({ code }) => code)), new Set(Object.keys(soapCodes)));
    assert.deepEqual(new Set(expected(restExpected).map(({ code }) => code)), new Set(Object.keys(restCodes)));
  });

  for (const { code, kind, fields } of expected(soapExpected)) {
    it(`of STAT ${code} is told: ${kind} ${fields.join(', ')}`, async () => {
      const error = await ask(soapAccount, soapResult('WSI2_CreationEtiquette', `<STAT>${code}</STAT>`));
      // Who asks for a new parcel names none that could be unknown.
      const created = kind === 'unknown' ? 'refused' : kind;
      assert.deepEqual(
        [error.kind, error.carrierCode, error.reasons.map(fieldOf), error.acted],
        [created, code, fields, kind === 'unavailable' ? 'unknown' : 'no'],
      );
      const asked = failureOf(
        await replay(
          mondialrelay.fetchLabel?.({ account: soapAccount, expeditionNumber: '12345678', label: null, now: 0 }) ??
            assert.fail(),
          [soapResult('WSI3_GetEtiquettes', `<STAT>${code}</STAT>`)],
        ),
      );
      assert.equal(asked.kind, kind === 'invalid' ? 'configuration' : kind);
    });
  }

  for (const { code, kind, fields } of expected(restExpected)) {
    it(`of the code ${code} is told: ${kind} ${fields.join(', ')}`, async () => {
      for (const level of ['Error', 'Critical Error']) {
        const error = await ask(
          restAccount,
          restRefused(`<Status Code="${code}" Level="${level}" Message="Dit par le transporteur"/>`),
        );
        assert.deepEqual(
          [error.kind, error.carrierCode, error.carrierMessage, error.reasons.map(fieldOf), error.acted],
          [kind, code, 'Dit par le transporteur', fields, code === '-1' || code === '99999' ? 'unknown' : 'no'],
        );
      }
    });
  }
});

describe('the codes of mondialrelay', () => {
  it('are all those that are documented', () => {
    const soap = [
      1, 2, 3, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 20, 21, 22, 24, 25, 26, 27, 28, 29, 30, 31, 33, 34, 35, 36, 37, 38,
      39, 40, 42, 43, 44, 45, 46, 47, 48, 49, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 74, 78, 79, 92, 93, 94,
      95, 96, 97, 98, 99,
    ];
    for (const code of soap) assert.ok(Object.hasOwn(soapCodes, code), String(code));
    const missing = [10064, 10082, 10083, 10084, 10086, 10087, 10088, 10089];
    const rest = Array.from({ length: 91 }, (_, index) => 10000 + index).filter((code) => !missing.includes(code));
    assert.deepEqual(
      Object.keys(restCodes)
        .map(Number)
        .toSorted((left, right) => left - right),
      [-1, ...rest, 99998, 99999],
    );
  });

  it('each say in a sentence what is to be done', () => {
    for (const { kind, detail, fields } of [...Object.values(soapCodes), ...Object.values(restCodes)]) {
      assert.match(detail, /^[A-Z].*\.$/);
      assert.ok(kind !== 'invalid' || fields.length > 0, detail);
      assert.equal(new Set(fields).size, fields.length, detail);
    }
  });

  it('let the operator act where the account is at fault', () => {
    for (const code of ['1', '2', '3', '8', '46', '69', '92', '95', '96', '97'])
      assert.equal(soapAnswer(code).kind, 'configuration', code);
    for (const code of ['10000', '10001', '10002', '10003', '10004', '10005', '10006', '10007', '10066', '10067'])
      assert.equal(restAnswer(code).kind, 'configuration', code);
  });

  it('are the refusal of the carrier where nobody knows them', () => {
    for (const code of ['4', '', 'toString', '<b>', '999999999999']) {
      assert.equal(soapAnswer(code).kind, 'refused');
      assert.equal(restAnswer(code).kind, 'refused');
      assert.doesNotMatch(soapAnswer(code).detail, /</);
    }
  });

  it('that an operator must act on are each in one row of the page of the carrier, with the setting', () => {
    for (const [column, codes] of [
      [2, soapCodes],
      [3, restCodes],
    ] as const) {
      const listed = pageRows.flatMap((cells) => (cells[column] ?? '').split(', ').filter((code) => code !== ''));
      const ofOperators = Object.entries(codes).filter(([, { kind }]) => statuses[kind] === 502);
      assert.deepEqual(listed.toSorted(), ofOperators.map(([code]) => code).toSorted());
      for (const [code, { kind, detail }] of ofOperators) {
        const [answer, about = ''] = pageRows.find((cells) => cells[column]?.split(', ').includes(code)) ?? [];
        assert.equal(answer, `${kind} (${statuses[kind]})`, code);
        const settings = /correct the settings? (.*)\.$/.exec(detail)?.[1]?.replace(' and ', ', ') ?? '';
        if (settings !== '') assert.equal(about.replaceAll('`', ''), settings, code);
      }
    }
  });

  it('stand beside every setting on that page', () => {
    for (const { name } of mondialrelay.settings) assert.ok(page.includes(`\n| \`${name}\` |`), name);
  });
});
