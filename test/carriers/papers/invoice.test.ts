// The commercial invoice as PDF, read by another program: every line of the goods, the totals, names of any script.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { invoicePages, invoicePaper } from '../../../src/carriers/papers/invoice.ts';
import { wrapped } from '../../../src/carriers/papers/paper.ts';
import type { CustomsDeclaration } from '../../../src/model/customs.ts';
import type { LabelRequest } from '../../../src/model/shipping.ts';
import { labelRequest } from '../drive.ts';
import { declarationWith, lineWith } from '../customs/order.ts';

const request = labelRequest({
  expAddr1: 'Acme Home',
  expAddr2: '4 rue des Entrepôts',
  expZip: '59810',
  expCity: 'Lesquin',
  expCountry: 'FR',
  destAddr1: 'Léa Favre',
  destAddr2: '1 rue du Rhône',
  destZip: '1204',
  destCity: 'Genève',
  destCountry: 'CH',
  destTel1: '+41 22 000 00 00',
  weight: '1250',
  nbPackage: '1',
  nDossier: 'WEB-7',
});
const now = Date.UTC(2026, 10, 23, 9);
const skip = spawnSync('pdftotext', ['-v']).error === undefined ? false : 'pdftotext is not here';

async function textOf(customs: CustomsDeclaration, wanted: LabelRequest = request): Promise<string> {
  const paper = await invoicePaper(customs, wanted, now);
  assert.ok(paper.kind === 'document');
  return execFileSync('pdftotext', ['-layout', '-', '-'], { input: paper.bytes }).toString();
}

describe('a commercial invoice', () => {
  it('says who sends what to whom, and what it is worth', { skip }, async () => {
    const text = await textOf(declarationWith({ eori: 'FR12345678900011', vatNumber: 'FR40303265045' }));
    for (const part of [
      'COMMERCIAL INVOICE INV-7',
      'Date: 2026-11-20',
      'Reason of export: sale of goods',
      'Terms of delivery: DAP',
      'Gross weight: 1.250 kg',
      'Acme Home',
      '4 rue des Entrepôts',
      '59810 Lesquin FR',
      'EORI: FR12345678900011',
      'VAT: FR40303265045',
      'Léa Favre',
      '1204 Genève CH',
      'T-shirt, cotton, été',
      'Ref. MUG-1',
      'page 1 of 1',
    ])
      assert.ok(text.includes(part), `${part} in ${text}`);
    assert.match(text, /61091000\s+PT\s+2\s+0\.360\s+20\.83\s+41\.66 EUR/);
    assert.match(text, /Goods\s+49\.16 EUR/);
    assert.match(text, /Transport\s+4\.90 EUR/);
    assert.match(text, /Total\s+54\.06 EUR/);
  });

  it('is a pro forma invoice of goods that are not sold', { skip }, async () => {
    const text = await textOf(declarationWith({ category: 'sample' }));
    assert.ok(text.includes('PRO FORMA INVOICE INV-7') && text.includes('Reason of export: commercial sample'), text);
    assert.ok(!text.includes('COMMERCIAL INVOICE'));
  });

  it('has every line on as many pages as it needs, and the totals once', { skip }, async () => {
    const lines = Array.from({ length: 99 }, (_, index) =>
      lineWith({ description: `Cotton shirt number ${index + 1}` }),
    );
    const text = await textOf(declarationWith({ lines }));
    for (const index of lines.keys()) assert.match(text, new RegExp(`number ${index + 1}\\b`));
    assert.equal(text.match(/Total /g)?.length, 1);
    assert.match(text, /page 6 of 6/);
  });

  it('prints names of any script, and cuts no page off at what is very long', { skip }, async () => {
    const text = await textOf(declarationWith(), {
      ...request,
      destAddr1: 'Ольга Петрова 田中さん',
      destAddr2: 'W'.repeat(255),
      destCity: 'Q'.repeat(255),
    });
    assert.ok(text.includes('Ольга Петрова') && text.includes('田中さん'));
    const marks = invoicePages(declarationWith(), {
      ...request,
      destAddr2: 'W'.repeat(255),
      destMail: 'm'.repeat(254),
    });
    for (const mark of marks.flat()) assert.ok(mark.x >= 0 && mark.y > 0 && mark.y < 2970, JSON.stringify(mark));
  });

  it('is the same bytes each time', async () => {
    const [one, other] = [
      await invoicePaper(declarationWith(), request, now),
      await invoicePaper(declarationWith(), request, now),
    ];
    assert.deepEqual(one, other);
  });
});

it('long texts are parted at spaces, at worst within words, and end with a sign of what is left out', () => {
  assert.deepEqual(wrapped('one two', 10_000, 30, 3), ['one two']);
  const lines = wrapped('word '.repeat(200), 600, 30, 3);
  assert.equal(lines.length, 3);
  assert.match(lines[2] ?? '', /…$/);
  assert.ok(wrapped('W'.repeat(200), 600, 30, 9).length > 3);
});
