// What Mondial Relay's rules say of a label request: which field, which kind of fault, and what would be right.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CarrierError } from '../../../src/carriers/carrier.ts';
import { mondialrelay } from '../../../src/carriers/mondialrelay/mondialrelay.ts';
import type { LabelRequest } from '../../../src/model/shipping.ts';
import { carrierAccount, inBrief } from '../drive.ts';
import {
  fullAccount,
  homeRequest,
  relayRequest,
  restAccount,
  restSettings,
  soapAccount,
  soapSettings,
} from './samples.ts';

type Case = readonly [values: Partial<LabelRequest>, ...reasons: readonly string[]];

const briefly = (request: LabelRequest, account = fullAccount): readonly string[] =>
  mondialrelay.check(request, account).map(inBrief);
const detail = (values: Partial<LabelRequest>): string =>
  mondialrelay
    .check({ ...relayRequest, ...values }, fullAccount)
    .map((fault) => fault.detail)
    .join(' ');

/** Each case changes one right request. */
function check(version: string, right: LabelRequest, cases: readonly Case[]): void {
  for (const [values, ...reasons] of cases) {
    assert.deepEqual(briefly({ ...right, apiVersion: version, ...values }), reasons, JSON.stringify(values));
  }
}

describe('both versions', () => {
  it('say what each field lacks', () => {
    for (const version of ['1', '2']) {
      const empty = Object.fromEntries(Object.keys(relayRequest).map((name) => [name, '']));
      const found = briefly({ ...relayRequest, ...empty, apiVersion: version });
      for (const field of [
        'modeCol',
        'modeLiv',
        'expAddr1',
        'expAddr2',
        'expCity',
        'expZip',
        'expCountry',
        'destAddr1',
        'destAddr2',
        'destCity',
        'destZip',
        'destCountry',
        'weight',
        'nbPackage',
      ]) {
        assert.ok(found.includes(`${field} required`), `${version}: ${field}`);
      }
    }
  });

  it('never cut: what is too long is a fault, and says by how much', () => {
    assert.equal(
      detail({ apiVersion: '2', destAddr1: 'x'.repeat(31) }),
      'destAddr1 has 31 characters as it is sent; at most 30 are allowed.',
    );
    assert.equal(
      detail({ apiVersion: '1', destAddr1: 'x'.repeat(33) }),
      'destAddr1 has 33 characters as it is sent; at most 32 are allowed.',
    );
    // An œ goes out as two letters.
    assert.equal(
      detail({ apiVersion: '2', destAddr1: 'œ'.repeat(16) }),
      'destAddr1 has 32 characters as it is sent; at most 30 are allowed.',
    );
  });

  it('name the characters that do not go', () => {
    assert.equal(
      detail({ apiVersion: '2', destAddr1: 'Ma & Pa #1' }),
      'destAddr1 holds "&" "#"; it may hold letters, digits, spaces and - _ \' . , /.',
    );
    assert.equal(
      detail({ apiVersion: '1', destCity: 'Paris 15' }),
      'destCity holds "1" "5"; it may hold letters, spaces and - _ \'.',
    );
  });

  it('say of whom and for what something is needed', () => {
    for (const apiVersion of ['1', '2']) {
      assert.equal(
        detail({ apiVersion, destAddr1: '', expCity: '' }),
        'expCity is needed: the city of the sender. destAddr1 is needed: the name of the recipient.',
      );
      assert.equal(
        detail({ apiVersion, shippingPickupPoint: '' }),
        'shippingPickupPoint is needed: the relay where the recipient collects the parcel.',
      );
      assert.equal(
        detail({ apiVersion, modeLiv: 'HOM', shippingPickupPoint: '', shippingPickupPointCountry: '', destTel1: '' }),
        'destTel1 is needed: delivery to the door needs the telephone of the recipient.',
      );
    }
  });

  it('say how a telephone should be', () => {
    assert.equal(detail({ destTel1: '+3361234567' }), 'destTel1 must be +33 and nine digits, the first not 0.');
    assert.equal(
      detail({ destTel1: 'call me' }),
      'destTel1 must be a number with the prefix of its country, such as +33612345678.',
    );
    assert.equal(
      detail({ destTel1: '123', destCountry: 'US', apiVersion: '2' }),
      'destTel1 must be a number with the prefix of its country, such as +33612345678.',
    );
    assert.equal(
      detail({ apiVersion: '1', destTel1: '+34711223344' }),
      'destTel1 must be +34 and nine digits, the first 6 or 9.',
    );
  });

  it('take telephones as people write them', () => {
    for (const destTel1 of [
      '06 12 34 56 78',
      '06.12.34.56.78',
      '0033612345678',
      '+33 (0)6 12 34 56 78',
      '+32 470 12 34 56',
      '+1 202 555 0100',
    ]) {
      for (const version of ['1', '2']) check(version, relayRequest, [[{ destTel1 }]]);
    }
  });

  it('need a relay, and its country, where the recipient collects the parcel', () => {
    for (const version of ['1', '2']) {
      check(version, relayRequest, [
        [{ shippingPickupPoint: '' }, 'shippingPickupPoint required'],
        [{ shippingPickupPointCountry: '' }, 'shippingPickupPointCountry required'],
        [
          { shippingPickupPoint: '', shippingPickupPointCountry: '' },
          'shippingPickupPoint required',
          'shippingPickupPointCountry required',
        ],
        [{ shippingPickupPoint: 'FR-66974', shippingPickupPointCountry: '' }],
        [{ shippingPickupPoint: 'fr-066974' }],
        [{ shippingPickupPoint: 'BE-66974' }, 'shippingPickupPoint wrong-format'],
        [{ shippingPickupPoint: '66974 ' }],
        [{ shippingPickupPoint: '66-974' }, 'shippingPickupPoint wrong-format'],
        [{ pickupPoint: '66974' }, 'pickupPointCountry required'],
      ]);
    }
  });

  it('need the telephone of the recipient for the door', () => {
    check('1', { ...homeRequest, destTel1: '' }, [
      [{}, 'destTel1 required'],
      [{ modeLiv: 'LD1' }, 'destTel1 required'],
      [{ modeLiv: 'LDS' }, 'destTel1 required'],
      [{ modeLiv: 'LCC' }],
    ]);
    check('2', { ...homeRequest, destTel1: '' }, [[{}, 'destTel1 required'], [{ modeLiv: 'LCC' }]]);
  });

  it('count Monaco as France', () => {
    for (const version of ['1', '2'])
      check(version, relayRequest, [
        [{ destCountry: 'MC', destZip: '98000', destCity: 'Monaco', destTel1: '+37793151500' }],
      ]);
  });
});

describe('version 1', () => {
  it('has its own codes', () => {
    check('1', homeRequest, [
      ...['CCC', 'CDR', 'CDS'].map((modeCol): Case => [{ modeCol }]),
      ...['HOM', 'LD1', 'LDS', 'LCC', 'DRI', 'ESP'].map((modeLiv): Case => [{ modeLiv }]),
      [{ modeCol: 'ccc' }, 'modeCol unknown-code'],
      [{ modeLiv: 'XOH' }, 'modeLiv unknown-code'],
      [{ modeLiv: '24C' }, 'modeLiv unknown-code'],
      [{ destLang: 'DE' }, 'destLang wrong-format'],
      [{ expLang: 'DE' }],
      [{ expLang: 'fra' }, 'expLang wrong-format'],
      [{ outputType: 'ZplCode' }, 'outputType not-offered'],
      [{ outputFormat: 'A6' }, 'outputFormat unknown-code'],
      [{ outputType: 'PdfUrl', outputFormat: 'A4' }],
    ]);
  });

  it('counts grams, cents and parcels', () => {
    check('1', homeRequest, [
      [{ weight: '1' }],
      [{ weight: '0' }, 'weight out-of-range'],
      [{ weight: '9999999' }],
      [{ weight: '10000000' }, 'weight out-of-range'],
      [{ weight: '1.5' }, 'weight wrong-format'],
      [{ crtValue: '9999999' }],
      [{ crtValue: '0000000001' }],
      [{ crtValue: '10000000' }, 'crtValue out-of-range'],
      [{ crtValue: '1,5' }, 'crtValue wrong-format'],
      [{ nbPackage: '0' }, 'nbPackage out-of-range'],
      [{ nbPackage: '100' }, 'nbPackage out-of-range'],
      [{ nbPackage: 'two' }, 'nbPackage wrong-format'],
      [{ nbPackage: '2' }, 'nbPackage not-offered'],
      [{ nbPackage: '2', modeLiv: 'LD1' }],
      [{ nbPackage: '99', modeLiv: 'LDS' }],
    ]);
    check('1', relayRequest, [
      [{ nbPackage: '2' }, 'nbPackage not-offered'],
      [{ nbPackage: '2', modeLiv: '24X' }, 'nbPackage not-offered'],
      [{ nbPackage: '2', modeLiv: '24L' }],
    ]);
  });

  it('knows addresses by line, and postcodes of France', () => {
    check('1', homeRequest, [
      [{ destAddr1: 'A' }, 'destAddr1 too-short'],
      [{ destAddr2: '' }, 'destAddr2 required'],
      [{ destCity: 'x'.repeat(27) }, 'destCity too-long'],
      [{ expTel1: '' }, 'expTel1 required'],
      [{ destZip: '7500' }, 'destZip wrong-format'],
      [{ destZip: '75 004' }],
      [{ destZip: '@7500' }],
      [{ destZip: '1000', destCountry: 'BE' }],
      [{ destZip: '4000-001', destCountry: 'PT' }],
      [{ destCountry: 'FRA' }, 'destCountry wrong-format'],
      [{ destMail: 'a+b@example.com' }, 'destMail wrong-format'],
      [{ destMail: 'a@b.fr' }, 'destMail too-short'],
      [{ destMail: 'example.com' }, 'destMail wrong-format'],
    ]);
  });

  it('sends a relay to where the recipient is', () => {
    check('1', relayRequest, [
      [{ shippingPickupPointCountry: 'BE' }, 'shippingPickupPointCountry wrong-format'],
      [{ shippingPickupPointCountry: 'MC' }],
      [{ shippingPickupPoint: '1234567' }, 'shippingPickupPoint wrong-format'],
      [{ shippingPickupPoint: 'AUTO' }, 'shippingPickupPoint wrong-format'],
    ]);
  });

  it('collects at a relay, or at the nearest one', () => {
    check('1', { ...homeRequest, modeCol: 'REL' }, [
      [{}, 'pickupPoint required', 'pickupPointCountry required'],
      [{ pickupPoint: '1', pickupPointCountry: 'FR' }],
      [{ pickupPoint: 'AUTO' }],
      [{ pickupPoint: 'AUTO', pickupPointCountry: 'XX' }],
      [{ pickupPoint: 'auto', pickupPointCountry: 'FR' }],
      [{ pickupPoint: 'NEAR', pickupPointCountry: 'FR' }, 'pickupPoint wrong-format'],
    ]);
  });

  it('prints a street on two lines of thirty-two characters', () => {
    check('1', homeRequest, [
      [{ destAddr2: 'x'.repeat(33) }, 'destAddr2 too-long'],
      [{ destAddr2: `${'x'.repeat(32)} ${'y'.repeat(32)}` }],
      [{ destAddr2: `${'x'.repeat(32)} ${'y'.repeat(33)}` }, 'destAddr2 too-long'],
      [{ destAddr2: `${'x'.repeat(30)} rue #1` }, 'destAddr2 wrong-format'],
      [{ expAddr2: `A ${'x'.repeat(32)}` }, 'expAddr2 too-short'],
    ]);
  });

  it('prints ten lines of thirty characters', () => {
    check('1', homeRequest, [
      [{ content: 'un deux trois '.repeat(20) }],
      [{ content: 'un deux trois '.repeat(30) }, 'content too-long'],
      [{ content: 'x'.repeat(31) }, 'content too-long'],
      [{ content: 'ab' }, 'content too-short'],
      [{ content: 'abc' }],
      [{ content: "l'article" }, 'content wrong-format'],
      [{ content: 'a<b>' }, 'content wrong-format'],
      [{ content: 'abc\u0007' }, 'content wrong-format'],
      [{ content: 'vêtements 5 €' }],
      [{ instruction: 'x'.repeat(32) }, 'instruction too-long'],
      [{ instruction: 'Étage 3' }],
      [{ instruction: 'code #12' }, 'instruction wrong-format'],
    ]);
  });
});

describe('version 2', () => {
  it('has its own codes', () => {
    check('2', homeRequest, [
      ...['HOM', 'LCC'].map((modeLiv): Case => [{ modeLiv }]),
      [{ modeCol: 'REL' }],
      [{ modeCol: 'CDR' }, 'modeCol unknown-code'],
      ...['24X', 'LD1', 'LDS', 'DRI', 'ESP'].map((modeLiv): Case => [{ modeLiv }, 'modeLiv unknown-code']),
      [{ modeLiv: 'XOH' }, 'shippingPickupPoint required', 'shippingPickupPointCountry required'],
      [{ expLang: 'es' }],
      [{ expLang: 'EN' }],
      [{ expLang: 'xx' }, 'expLang wrong-format'],
      [{ destLang: 'DE' }],
      [{ destLang: 'deu' }, 'destLang wrong-format'],
    ]);
  });

  it('counts grams for each parcel, and takes no cash', () => {
    check('2', homeRequest, [
      [{ weight: '10' }],
      [{ weight: '9' }, 'weight out-of-range'],
      [{ crtValue: '0' }],
      [{ crtValue: '00' }],
      [{ crtValue: '1' }, 'crtValue not-offered'],
      [{ nbPackage: '2' }, 'nbPackage not-offered'],
    ]);
    check('2', relayRequest, [
      [{ nbPackage: '3', modeLiv: '24L', weight: '29' }, 'weight out-of-range'],
      [{ nbPackage: '3', modeLiv: '24L', weight: '30' }],
      [{ nbPackage: '2' }, 'nbPackage not-offered'],
    ]);
  });

  it('pairs types and formats', () => {
    check('2', homeRequest, [
      [{ outputType: 'PdfUrl', outputFormat: 'A5' }],
      [{ outputFormat: 'A4' }],
      [{ outputType: 'ZplCode' }],
      [{ outputType: 'ZplCode', outputFormat: 'Generic_ZPL_10x15_200dpi' }],
      [{ outputType: 'IplCode' }],
      [{ outputType: 'QRCode' }],
      [{ outputType: 'ZplCode', outputFormat: '10x15' }, 'outputFormat unknown-code'],
      [{ outputType: 'PdfUrl', outputFormat: 'Generic_ZPL_10x15_200dpi' }, 'outputFormat unknown-code'],
      [{ outputType: 'QRCode', outputFormat: '10x15' }, 'outputFormat not-offered'],
      [{ outputType: 'Zpl' }, 'outputType unknown-code'],
      [{ outputType: 'constructor' }, 'outputType unknown-code'],
    ]);
  });

  it('knows addresses by line', () => {
    check('2', homeRequest, [
      [{ destAddr1: 'A' }],
      [{ destAddr2: 'x'.repeat(40) }],
      [{ destAddr2: 'x'.repeat(41) }, 'destAddr2 too-long'],
      [{ destAddr2: `${'x'.repeat(40)} ${'y'.repeat(30)} ${'z'.repeat(30)}` }],
      [{ destAddr2: `${'x'.repeat(40)} ${'y'.repeat(30)} ${'z'.repeat(31)}` }, 'destAddr2 too-long'],
      [{ destCity: 'x'.repeat(31) }, 'destCity too-long'],
      [{ destCity: "Saint-Étienne d'En-Haut" }],
      [{ destZip: '1234 AB', destCountry: 'NL' }],
      [{ destZip: '1' }, 'destZip too-short'],
      [{ expTel1: '' }],
      [{ destCountry: 'PL', destZip: '00-950' }, 'destCountry not-offered'],
      [{ nDossier: 'ord-1_a' }],
      [{ nDossier: 'ord 1' }, 'nDossier wrong-format'],
      [{ nClient: 'C-1' }, 'nClient wrong-format'],
      [{ nClient: 'C123456789' }, 'nClient too-long'],
      [{ instruction: 'x'.repeat(31) }, 'instruction too-long'],
      [{ content: 'x'.repeat(41) }, 'content too-long'],
      [{ content: 'Ma & Pa <3 «été»' }],
      [{ content: 'a\u0000b' }, 'content wrong-format'],
      [{ content: '\ud800' }, 'content wrong-format'],
    ]);
  });
});

describe('the version of a request', () => {
  const versionOf = (apiVersion: string, account = fullAccount): string => {
    // Only version 2 prints for printers, only version 1 takes cash.
    const isRest = briefly({ ...homeRequest, apiVersion, outputType: 'ZplCode' }, account).length === 0;
    return isRest
      ? '2'
      : briefly({ ...homeRequest, apiVersion, crtValue: '100' }, account).length === 0
        ? '1'
        : briefly({ ...homeRequest, apiVersion }, account).join();
  };

  it('is that of its apiVersion', () => {
    for (const [asked, version] of [
      ['1', '1'],
      ['v1', '1'],
      ['2', '2'],
      ['v2', '2'],
      ['1.0', '2'],
    ] as const)
      assert.equal(versionOf(asked), version);
    for (const asked of ['3', 'V1', '2.0', 'toString', ' 1']) assert.equal(versionOf(asked), 'apiVersion unknown-code');
  });

  it('is that of the account where it names none', () => {
    assert.equal(versionOf(''), '2');
    assert.equal(versionOf('', soapAccount), '1');
    assert.equal(versionOf('', restAccount), '2');
    assert.equal(
      versionOf('', carrierAccount(mondialrelay, { ...restSettings, ...soapSettings, apiVersion: '1' })),
      '1',
    );
  });

  it('is one that the account has, or the fault says what to do', () => {
    assert.deepEqual(mondialrelay.check({ ...relayRequest, apiVersion: '1' }, restAccount), [
      {
        code: 'not-configured',
        pointer: '/apiVersion',
        detail:
          'apiVersion 1 needs settings that this account does not have: ask for version 2, or let the operator set ' +
          'enseigne and privateKey.',
      },
    ]);
    assert.deepEqual(mondialrelay.check({ ...relayRequest, apiVersion: '2' }, soapAccount), [
      {
        code: 'not-configured',
        pointer: '/apiVersion',
        detail:
          'apiVersion 2 needs settings that this account does not have: ask for version 1, or let the operator set ' +
          'login, password and customerId.',
      },
    ]);
  });

  it('is the operator’s matter where no request could have a version of the account', () => {
    for (const [settings, apiVersion] of [
      [{}, ''],
      [{}, '1'],
      [{}, '2'],
      [{ ...restSettings, apiVersion: '1' }, ''],
      [{ ...soapSettings, apiVersion: '2' }, ''],
    ] as const)
      assert.throws(
        () => mondialrelay.check({ ...relayRequest, apiVersion }, carrierAccount(mondialrelay, settings)),
        (error) => error instanceof CarrierError && error.kind === 'configuration',
      );
  });
});
