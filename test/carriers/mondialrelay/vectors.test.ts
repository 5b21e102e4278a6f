// The published and recorded values of Mondial Relay's signature and of the check of its label links.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { labelLink } from '../../../src/carriers/mondialrelay/soap.ts';
import { soapAccount as soapAccountOf } from '../../../src/carriers/mondialrelay/account.ts';
import { linkCheck, signature, soapEnvelope } from '../../../src/carriers/mondialrelay/soap-request.ts';
import { soapAccount } from './samples.ts';

const live = (modeLiv: string): readonly string[] => [
  'BDTEST13',
  'REL',
  modeLiv,
  'FR',
  'Akretion',
  '27 rue Henri Rolland',
  'Batiment B',
  'Villeurbanne',
  '69100',
  'FR',
  '+33482538457',
  'FR',
  'Hugo',
  '6 Place des Vosges',
  'Paris',
  '75004',
  'FR',
  '+33600000000',
  'hugo.victor@example.com',
  '1200',
  '1',
  '0',
  'EUR',
  'EUR',
  'FR',
  'AUTO',
];
const account = soapAccountOf(soapAccount);
assert.ok(account !== null);

describe('the signature of version 1', () => {
  it('is that of the documentation', () => {
    assert.equal(signature(['BDTEST13', '12345678', 'FR'], 'PrivateK'), '33DA5F122DAA40241087CC7845BEA4B1');
  });

  it('is that of calls that the carrier took', () => {
    assert.equal(signature(live('HOM'), 'TestAPI1key'), '635B5C88EFFFF7FCB5A0853001C63A2C');
    assert.equal(signature(live('LCC'), 'TestAPI1key'), '6A2E3C16861A41EC4E665C619F496EFA');
  });

  it('is over bytes of Windows-1252, not of UTF-8', () => {
    // MD5 of E9 80 3F 6B: é, the euro sign, a question mark for what the encoding lacks, and the key.
    assert.equal(signature(['é', '€', 'Ж'], 'k'), '6EEEE9B932B875F72C957EFD43A8050F');
  });

  it('passes over parameters without a text, which are not sent', () => {
    const envelope = soapEnvelope(
      'WSI3_GetEtiquettes',
      [
        ['Enseigne', 'BDTEST13'],
        ['Empty', ''],
        ['Expeditions', '12345678'],
        ['Langue', 'FR'],
      ],
      { ...account, privateKey: 'PrivateK' },
    );
    const signed = '<Enseigne>BDTEST13</Enseigne><Expeditions>12345678</Expeditions><Langue>FR</Langue>';
    assert.ok(envelope.includes(`${signed}<Security>33DA5F122DAA40241087CC7845BEA4B1</Security>`), envelope);
  });

  it('leaves out the text on the label', () => {
    const envelope = soapEnvelope(
      'WSI3_GetEtiquettes',
      [
        ['Enseigne', 'BDTEST13'],
        ['Expeditions', '12345678'],
        ['Langue', 'FR'],
      ],
      { ...account, privateKey: 'PrivateK' },
      [['Texte', 'abc']],
    );
    assert.match(envelope, /<Security>33DA5F122DAA40241087CC7845BEA4B1<\/Security><Texte>abc<\/Texte>/);
  });
});

describe('the check of a label link of version 1', () => {
  it('is that of links that the carrier gave', () => {
    assert.equal(linkCheck(account, '50554860'), 'D97CD8160D2DBCD8F7145C2F81097F40');
    assert.equal(linkCheck(account, '50554859'), 'C4530F968E6E507C379C538C5E36EC76');
  });

  const given =
    '/ww2/PDF/StickerMaker2.aspx?ens=BDTEST1311&expedition=50554860&lg=FR&format=A4&' +
    'crc=D97CD8160D2DBCD8F7145C2F81097F40';

  it('stays as it is when the format is another', () => {
    assert.equal(
      labelLink(account, '50554860', '10x15', given),
      `https://www.mondialrelay.com${given.replace('A4', '10x15')}`,
    );
  });

  it('makes the same link where the carrier gives none, one of another parcel, or one that leads elsewhere', () => {
    for (const other of [
      '',
      given.replace('50554860', '50554859'),
      'https://evil.example/x?expedition=50554860',
      '//evil.example/x?expedition=50554860',
      'http://[',
    ]) {
      assert.equal(labelLink(account, '50554860', 'A4', other), `https://www.mondialrelay.com${given}`);
    }
  });

  it('makes no link without a brand code', () => {
    assert.equal(labelLink({ ...account, brandCode: '' }, '50554860', 'A4', ''), null);
  });
});
