// What follows from a standard: a client is told what would be right, the warehouse is warned.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createChecker } from '../../src/model/check.ts';
import { submissionReader } from '../../src/model/submission.ts';
import { article } from '../../src/resources/index.ts';

const least = { articleReference: 'A1', longArticleDescription: 'Long', shortArticleDescription: 'Short' };
const activities = new Map([['AUR', 'Aurora']]);

/** What a client is told, and what the warehouse is warned of, of the same record. */
function faultsOf(more: object): { readonly client: readonly string[]; readonly warehouse: readonly string[] } {
  const told = ({ code, pointer, detail }: { code: string; pointer: string; detail: string }): string =>
    `${code} ${pointer.replace(/^\/0/, '')}: ${detail}`;
  const { reasons } = submissionReader(article, activities, 1)({ ...least, ...more, activityCode: 'AUR' }, 0);
  const checked = createChecker(article)({ ...least, ...more }, { activity: 'AUR', activityName: 'Aurora' });
  assert.ok(checked.ok, JSON.stringify(checked));
  return { client: reasons.map(told), warehouse: (checked.warnings ?? []).map(told) };
}

describe('a code with the length of a GTIN', () => {
  it('has its check digit, or the right one is told', () => {
    for (const [code, right, name] of [
      ['96385075', '96385074', 'EAN-8'],
      ['12345678', '12345670', 'EAN-8'],
      ['036000291453', '036000291452', 'UPC-A'],
      ['4006381333930', '4006381333931', 'EAN-13'],
      ['9520000123450', '9520000123451', 'EAN-13'],
      ['2000000000001', '2000000000008', 'EAN-13'],
      ['14006381333930', '14006381333938', 'GTIN-14'],
    ] as const) {
      const detail = `as a GTIN (${name}), but not its check digit; ${right} would be right.`;
      const told = [`bad-check-digit /barcodes/0/code: code has ${code.length} digits, ${detail}`];
      assert.deepEqual(faultsOf({ barcodes: [{ code }] }), { client: told, warehouse: told });
      assert.deepEqual(faultsOf({ barcodes: [{ code: right }] }), { client: [], warehouse: [] });
      const variant = { logisticalVariantCode: 'UVC', barcodes: [{ code }] };
      assert.equal(faultsOf({ logisticalVariants: [variant] }).client.length, 1);
    }
  });

  it('is not looked for in codes of one’s own: other lengths, letters, blanks', () => {
    for (const code of [
      '1',
      '1234567',
      '12345678901',
      '1234567٨',
      'ABC4006381333930',
      '4006381 333930',
      '400638133393X',
      '1'.repeat(18),
    ])
      assert.deepEqual(faultsOf({ barcodes: [{ code }] }), { client: [], warehouse: [] }, code);
  });
});

describe('codes of a length that the operator takes for numbers of the warehouse', () => {
  it('are taken as they are, and others are checked', () => {
    const codes = ['12345678', '123456789011', '4006381333930', '14006381333930'];
    const record = { ...least, barcodes: codes.map((code) => ({ code })) };
    for (const gtinLengths of [[8, 12, 13, 14], [13, 14], [12]]) {
      const wrong = codes.filter(({ length }) => gtinLengths.includes(length)).length;
      const { reasons } = submissionReader(article, activities, 1, gtinLengths)({ ...record, activityCode: 'AUR' }, 0);
      assert.equal(reasons.length, wrong);
      const context = { activity: 'AUR', activityName: 'Aurora', gtinLengths };
      const checked = createChecker(article)(record, context);
      assert.equal(checked.ok && (checked.warnings ?? []).length, wrong);
    }
  });
});

describe('a country of origin', () => {
  it('is a code of ISO 3166-1, or the right one is told where it is known', () => {
    for (const [given, right] of [
      ['fr', 'FR'],
      ['UK', 'GB'],
      ['FRA', 'FR'],
      ['Deutschland', 'DE'],
      ['Italie', 'IT'],
      [' FR', 'FR'],
    ] as const) {
      const detail = `must be the two letters of a country (ISO 3166-1 alpha-2); ${right} would be right.`;
      const told = [`bad-country /countryOfOriginCode: countryOfOriginCode ${detail}`];
      assert.deepEqual(faultsOf({ countryOfOriginCode: given }), { client: told, warehouse: told });
    }
    for (const given of ['ZZ', 'AN', 'SU', 'EU', 'Narnia', '12'])
      assert.match(faultsOf({ countryOfOriginCode: given }).client.join(), /bad-country.*such as FR/);
    for (const given of ['FR', 'PT', 'TW', 'XK', '', null])
      assert.deepEqual(faultsOf({ countryOfOriginCode: given }), { client: [], warehouse: [] });
  });
});

describe('a day that no calendar has', () => {
  it('is refused to a client with the last one there is, and taken from the warehouse for none', () => {
    for (const given of ['2026-02-30', '2026-02-30T10:00:00Z', '20260230']) {
      const { reasons } = submissionReader(
        article,
        activities,
        1,
      )({ ...least, activityCode: 'AUR', customField1: given }, 0);
      assert.match(reasons.map(({ detail }) => detail).join(), /no calendar has; the last one is 2026-02-28/);
    }
    for (const given of ['2026-02-30', '0000-00-00', '2026-13-01T00:00:00Z', '00000000']) {
      const checked = createChecker(article)(
        { ...least, customField1: given, logisticalVariants: [{ logisticalVariantCode: 'V', specif1: given }] },
        { activity: 'AUR', activityName: 'Aurora' },
      );
      assert.ok(checked.ok);
      assert.deepEqual(
        checked.warnings?.map(({ code, pointer }) => `${code} ${pointer}`),
        ['bad-date /customField1', 'bad-date /logisticalVariants/0/specif1'],
      );
      assert.equal(checked.record.value.customField1, null);
    }
    const vague = createChecker(article)(
      { ...least, customField1: 'soon' },
      { activity: 'AUR', activityName: 'Aurora' },
    );
    assert.equal(vague.ok, false);
  });
});
