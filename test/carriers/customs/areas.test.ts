// Between which places goods are declared, against lists that others publish.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { areaCode, leavesUnion, needsDeclaration } from '../../../src/carriers/customs/areas.ts';

const place = (text: string) => {
  const [country = '', ...zip] = text.split(' ');
  return { country, zip: zip.join(' ') };
};

describe('goods from France', () => {
  /** `cn23` of capabilitiesByCountryFR.json in La Poste's module for WooCommerce. */
  const undeclared = 'FR MC BE DE LU NL AT ES IE IT PT CZ DK EE HU LT LV PL SE SI SK BG CY FI GR HR MT RO';
  const declared = textOf(`
    AD SX GB GG GI IM JE SM VA MF CH FO GL LI AL AM AZ BA BY DZ GE IC IS MA MD ME MK NO RS TN TR UA AU CA CN HK IL IN
    JP KR RU SG TH TW US VN AE AF AG ZA ZM ZW BL GF GP MQ PM RE YT NC PF TF WF AQ IO LC NE PS UM
  `);

  it('are declared where the module of La Poste says so, and nowhere else', () => {
    const from = place('FR 59810');
    for (const code of undeclared.split(' ')) assert.equal(needsDeclaration(from, place(`${code} 1000`)), false, code);
    for (const code of declared) assert.equal(needsDeclaration(from, place(`${code} 1000`)), true, code);
  });

  for (const [to, is] of [
    ['ES 35001', true],
    ['ES 38002', true],
    ['ES 51001', true],
    ['ES 52006', true],
    ['ES 28001', false],
    ['IT 23041', true],
    ['IT 22061', true],
    ['IT 22100', false],
    ['DE 27498', true],
    ['DE 78266', true],
    ['DE 10115', false],
    ['FI 22100', true],
    ['AX 22100', true],
    ['FI 00100', false],
    ['GR 630 86', true],
    ['EL 10431', false],
    ['GB BT1 5GS', false],
    ['GB bt15gs', false],
    ['XI BT1 5GS', false],
    ['GB SW1A 1AA', true],
    ['FR 97100', true],
    ['FR 97133', true],
    ['FR 97400', true],
    ['FR 98800', true],
    ['FR 98000', false],
    ['FR 20000', false],
  ] as const)
    it(`${to}: ${is ? 'declared' : 'not declared'}`, () =>
      assert.equal(needsDeclaration(place('FR 59810'), place(to)), is));
});

it('goods are not declared within another area either', () => {
  for (const [from, to] of [
    ['CH 3000', 'LI 9490'],
    ['CH 3000', 'DE 78266'],
    ['GB SW1A 1AA', 'IM IM1 1AA'],
    ['GB SW1A 1AA', 'GB BT1 5GS'],
    ['US 10001', 'US 94105'],
    ['FR 97100', 'GP 97110'],
  ] as const)
    assert.equal(needsDeclaration(place(from), place(to)), false, `${from} to ${to}`);
  for (const [from, to] of [
    ['GB SW1A 1AA', 'JE JE2 3AB'],
    ['FR 97100', 'FR 97200'],
    ['CH 3000', 'DE 10115'],
    ['CN 100000', 'FR 75001'],
  ] as const)
    assert.equal(needsDeclaration(place(from), place(to)), true, `${from} to ${to}`);
});

it('goods leave the Union where they leave its customs territory, not that of its tax alone', () => {
  const from = place('FR 59810');
  for (const to of ['CH 3000', 'US 10001', 'IT 23041', 'ES 51001', 'FR 98800', 'FR 97133', 'GB SW1A 1AA', 'AD AD500'])
    assert.equal(leavesUnion(from, place(to)), true, to);
  for (const to of ['ES 35001', 'FI 22100', 'GP 97100', 'FR 97400', 'GB BT1 5GS', 'MC 98000', 'IT 22061'])
    assert.equal(leavesUnion(from, place(to)), false, to);
  assert.equal(leavesUnion(place('CH 3000'), place('US 10001')), false);
});

it('an overseas department has its code, whichever way it is written', () => {
  for (const [text, code] of [
    ['FR 97200', 'MQ'],
    ['MQ 97200', 'MQ'],
    ['FR 59000', 'FR'],
    ['FR 97500', 'PM'],
  ] as const)
    assert.equal(areaCode(place(text)), code);
});

function textOf(codes: string): readonly string[] {
  return codes.trim().split(/\s+/);
}
