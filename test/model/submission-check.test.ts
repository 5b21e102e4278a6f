// What clients may submit of an article, what they may not, and the reasons that they are given.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from '../contract/properties.ts';
import {
  type CheckContext,
  createChecker,
  createSubmissionChecker,
  type SubmittedPlace,
} from '../../src/model/check.ts';
import type { Checked } from '../../src/model/record.ts';
import type { Fields } from '../../src/model/resource.ts';
import { article, articleStockMovement } from '../../src/resources/index.ts';
import { accepted, placeExists, reasons } from './checked.ts';
import { newReasonBudget } from '../../src/model/reasons.ts';
import { submittedRecord } from './record-arbitrary.ts';
import { rounds } from '../contract/rounds.ts';

const context: CheckContext = { activity: 'AUR', activityName: 'Aurora Outfitters' };
const checkArticle = createChecker(article);
const leastArticle = { articleReference: 'A1', longArticleDescription: 'Long', shortArticleDescription: 'Short' };

describe('a checker of what clients submit', () => {
  const activities = new Map([
    ['AUR', 'Aurora Outfitters'],
    ['NOR', 'North Trading'],
  ]);
  const check = createSubmissionChecker(article);
  const at = (...path: readonly number[]): SubmittedPlace => ({ path, faults: [], budget: newReasonBudget(1) });
  const submitted = (input: unknown): Checked => check(input, activities, at(3)).checked;
  const least = { activityCode: 'AUR', ...leastArticle };
  const variant = { logisticalVariantCode: 'UVC' };

  const refused: readonly (readonly [
    what: string,
    input: unknown,
    reasons: readonly (readonly [code: string, pointer: string])[],
  ])[] = [
    ...[null, [], 'text', 7, true, undefined].map(
      (input) => [`${JSON.stringify(input)} as an item`, input, [['wrong-type', '/3']]] as const,
    ),
    [
      'an article without what it needs, naming each',
      {},
      [
        ['required', '/3/activityCode'],
        ['required', '/3/articleReference'],
        ['required', '/3/longArticleDescription'],
        ['required', '/3/shortArticleDescription'],
      ],
    ],
    ['null for the activity', { ...least, activityCode: null }, [['required', '/3/activityCode']]],
    ['an activity that is no text', { ...least, activityCode: 7 }, [['wrong-type', '/3/activityCode']]],
    ['an activity that is too long', { ...least, activityCode: 'AURA' }, [['too-long', '/3/activityCode']]],
    ['an empty activity', { ...least, activityCode: '' }, [['too-short', '/3/activityCode']]],
    [
      'an activity that is not the caller’s, whatever name it is given',
      { ...least, activityCode: 'SOU', activityName: 'South Trading' },
      [['activity-forbidden', '/3/activityCode']],
    ],
    ['an activity in other letters', { ...least, activityCode: 'aur' }, [['activity-forbidden', '/3/activityCode']]],
    [
      'the name of a foreign activity that is none',
      { ...least, activityCode: 'SOU', activityName: 7 },
      [
        ['activity-forbidden', '/3/activityCode'],
        ['wrong-type', '/3/activityName'],
      ],
    ],
    [
      'what is read-only and cannot be the service’s own',
      { ...least, id: 'x', alcool: 4 },
      [
        ['read-only', '/3/id'],
        ['read-only', '/3/alcool'],
      ],
    ],
    [
      'ids of nested records',
      {
        ...least,
        barcodes: [{ code: '1', id: 'x' }],
        logisticalVariants: [{ ...variant, id: 7, barcodes: [{ code: '2', id: '' }] }],
      },
      [
        ['read-only', '/3/barcodes/0/id'],
        ['read-only', '/3/logisticalVariants/0/id'],
        ['read-only', '/3/logisticalVariants/0/barcodes/0/id'],
      ],
    ],
    [
      'the second of two equal barcodes, and the third',
      { ...least, barcodes: [{ code: '1' }, { code: '2' }, { code: '1' }, { code: '1' }] },
      [
        ['duplicate', '/3/barcodes/2/code'],
        ['duplicate', '/3/barcodes/3/code'],
      ],
    ],
    [
      'barcodes that are equal once they are composed',
      { ...least, barcodes: [{ code: '\u00e9' }, { code: 'e\u0301' }] },
      [['duplicate', '/3/barcodes/1/code']],
    ],
    [
      'equal barcodes of a variant',
      { ...least, logisticalVariants: [{ ...variant, barcodes: [{ code: '1' }, { code: '1' }] }] },
      [['duplicate', '/3/logisticalVariants/0/barcodes/1/code']],
    ],
    [
      'equal variants',
      { ...least, logisticalVariants: [variant, { ...variant, kit: true }] },
      [['duplicate', '/3/logisticalVariants/1/logisticalVariantCode']],
    ],
    [
      'a second primary barcode',
      {
        ...least,
        barcodes: [
          { code: '1', isPrimary: true },
          { code: '2', isPrimary: false },
          { code: '3', isPrimary: true },
        ],
      },
      [['more-than-one', '/3/barcodes/2/isPrimary']],
    ],
    [
      'a barcode of the article that is one of a variant, without being said to be the same',
      {
        ...least,
        barcodes: [{ code: '1' }],
        logisticalVariants: [{ ...variant, barcodes: [{ code: '2' }, { code: '1' }] }],
      },
      [['duplicate', '/3/logisticalVariants/0/barcodes/1/code']],
    ],
    [
      'a barcode of the article that is one of another variant than it says',
      {
        ...least,
        barcodes: [{ code: '1', logisticalVariantCode: 'PCB' }],
        logisticalVariants: [
          { ...variant, barcodes: [{ code: '1' }] },
          { logisticalVariantCode: 'PCB', barcodes: [{ code: '1' }] },
        ],
      },
      [['duplicate', '/3/logisticalVariants/0/barcodes/0/code']],
    ],
    [
      'a barcode of two variants',
      {
        ...least,
        logisticalVariants: [
          { ...variant, barcodes: [{ code: '1' }] },
          null,
          { logisticalVariantCode: 'PCB', barcodes: [7, { code: '1' }] },
        ],
      },
      [
        ['wrong-type', '/3/logisticalVariants/1'],
        ['wrong-type', '/3/logisticalVariants/2/barcodes/0'],
        ['duplicate', '/3/logisticalVariants/2/barcodes/1/code'],
      ],
    ],
    [
      'a second primary barcode of a variant, in the list of the article',
      {
        ...least,
        barcodes: [{ code: '1', isPrimary: true, logisticalVariantCode: 'UVC' }],
        logisticalVariants: [{ ...variant, barcodes: [{ code: '2', isPrimary: true }] }],
      },
      [['more-than-one', '/3/logisticalVariants/0/barcodes/0/isPrimary']],
    ],
    [
      'a barcode of a variant that names another one',
      { ...least, logisticalVariants: [{ ...variant, barcodes: [{ code: '1', logisticalVariantCode: 'PCB' }] }] },
      [['contradiction', '/3/logisticalVariants/0/barcodes/0/logisticalVariantCode']],
    ],
    [
      'values that are not listed',
      { ...least, articleType: 3, articleAnalysisCode: 'e' },
      [
        ['not-allowed', '/3/articleType'],
        ['not-allowed', '/3/articleAnalysisCode'],
      ],
    ],
    [
      'a description of blanks',
      { ...least, longArticleDescription: ' ', shortArticleDescription: '\t\u00a0\n' },
      [
        ['too-short', '/3/longArticleDescription'],
        ['too-short', '/3/shortArticleDescription'],
      ],
    ],
    [
      'an empty text where values are listed',
      { ...least, articleAnalysisCode: '' },
      [['not-allowed', '/3/articleAnalysisCode']],
    ],
    [
      'a barcode that stands for nothing',
      {
        ...least,
        barcodes: [
          { code: '1', barcodeQuantity: 0 },
          { code: '2', barcodeQuantity: -6 },
        ],
      },
      [
        ['out-of-range', '/3/barcodes/0/barcodeQuantity'],
        ['out-of-range', '/3/barcodes/1/barcodeQuantity'],
      ],
    ],
    [
      'a primary barcode after elements that are none',
      { ...least, barcodes: [null, { code: '1', isPrimary: true }, { isPrimary: true }] },
      [
        ['wrong-type', '/3/barcodes/0'],
        ['required', '/3/barcodes/2/code'],
        ['more-than-one', '/3/barcodes/2/isPrimary'],
      ],
    ],
    [
      'everything at once, in the order of the fields',
      { ...least, colour: 1, articleReference: 'A'.repeat(17), barcodes: [{ code: 7, id: 1 }], netWeightPerUVC: '1' },
      [
        ['unknown-property', '/3/colour'],
        ['too-long', '/3/articleReference'],
        ['wrong-type', '/3/netWeightPerUVC'],
        ['read-only', '/3/barcodes/0/id'],
        ['wrong-type', '/3/barcodes/0/code'],
      ],
    ],
    [
      'names that objects inherit',
      JSON.parse('{"__proto__": {"activityCode": "AUR"}}'),
      [
        ['unknown-property', '/3/__proto__'],
        ['required', '/3/activityCode'],
        ['required', '/3/articleReference'],
        ['required', '/3/longArticleDescription'],
        ['required', '/3/shortArticleDescription'],
      ],
    ],
    [
      'a name that no property can have, at the record',
      { ...least, ['x'.repeat(256)]: 1 },
      [['unknown-property', '/3']],
    ],
  ];
  for (const [what, input, expected] of refused)
    it(`refuses ${what}`, () =>
      assert.deepEqual(
        reasons(submitted(input)).map(({ code, pointer }) => [code, pointer]),
        expected,
      ));

  it('refuses an activity that does not exist in the words that one of somebody else gets', () => {
    const [one, other] = ['SOU', 'XXX'].map(
      (activityCode) => check({ ...least, activityCode }, activities, at(0)).checked,
    );
    assert.deepEqual(one, other);
  });

  it('tells who sends back what was read what to leave out', () => {
    const [first] = reasons(submitted({ ...article.example, alcool: '' }));
    assert.equal(
      first?.detail,
      'alcool is read-only: leave it out, or send it as it was read of this Article. Read-only are barcodes.id, ' +
        'logisticalVariants.id, logisticalVariants.barcodes.id, alcool, id.',
    );
  });

  it('lists a hundred reasons and counts the others', () => {
    const many = submitted({
      ...least,
      barcodes: Array.from({ length: 1000 }, (_, index) => ({ code: String(index), id: 'x' })),
    });
    assert.deepEqual(many.ok ? null : [many.reasons.length, many.unlisted], [100, 900]);
  });

  const accepts: readonly (readonly [what: string, more: object])[] = [
    [
      'the same barcode in the list of the article and in that of the variant that it names there, primary in both',
      {
        barcodes: [{ code: '1', isPrimary: true, logisticalVariantCode: 'UVC' }],
        logisticalVariants: [{ ...variant, barcodes: [{ code: '1', isPrimary: true, logisticalVariantCode: 'UVC' }] }],
      },
    ],
    [
      'a primary barcode of the article and one of each variant',
      {
        barcodes: [{ code: '1', isPrimary: true }],
        logisticalVariants: [
          { ...variant, barcodes: [{ code: '2', isPrimary: true }] },
          { logisticalVariantCode: 'PCB', barcodes: [{ code: '3', isPrimary: true }] },
        ],
      },
    ],
    ['a barcode that names a variant which is not sent', { barcodes: [{ code: '1', logisticalVariantCode: 'PAL' }] }],
    ['each listed value', { articleType: 2, articleAnalysisCode: 'D' }],
    [
      'nothing of a measure, a count or a limit of days',
      {
        netWeightPerUVC: 0,
        quantityPerPCB: 0,
        receptionDeadlineInDays: 0,
        logisticalVariants: [{ ...variant, volume: 0 }],
      },
    ],
    [
      'a price or a number for free use below zero',
      { articlePrice1: -1, customField12: -1, logisticalVariants: [{ ...variant, standardPrice: -1, specif9: -1 }] },
    ],
    [
      'codes of several words, in any script',
      { articleReference: 'BANK CHARGES é中', barcodes: [{ code: 'A 1', logisticalVariantCode: '' }] },
    ],
    ['line breaks in what is no code', { longArticleDescription: 'two\nlines ', customField3: ' x' }],
  ];
  for (const [what, more] of accepts)
    it(`accepts ${what}`, () =>
      assert.deepEqual(submitted({ ...least, ...more }).ok ? [] : reasons(submitted({ ...least, ...more })), []));

  it('refuses codes that look like others, each with its place', () => {
    for (const code of [
      ' A',
      'A ',
      'A  B',
      'A\u00a0B',
      '\u3000A',
      'A\u200b',
      '\ufeffA',
      'A\u202eB',
      'A\n',
      'A\tB',
      '\rA',
      'A\u2028',
      ' ',
    ]) {
      const sent = {
        ...least,
        articleReference: code,
        barcodes: [{ code, logisticalVariantCode: code }],
        logisticalVariants: [
          { ...variant, subpackagingLvCode: code, articleReference: code },
          { logisticalVariantCode: code },
        ],
      };
      const places = [
        '/3/articleReference',
        '/3/barcodes/0/code',
        '/3/barcodes/0/logisticalVariantCode',
        '/3/logisticalVariants/0/articleReference',
        '/3/logisticalVariants/0/subpackagingLvCode',
        '/3/logisticalVariants/1/logisticalVariantCode',
      ];
      assert.deepEqual(
        reasons(submitted(sent)).map((each) => [each.code, each.pointer]),
        places.map((place) => ['bad-text', place]),
        JSON.stringify(code),
      );
    }
  });

  it('refuses every measure, count and limit of days below zero', () => {
    const bounded = (fields: Fields): readonly string[] =>
      Object.keys(fields).filter(
        (name) =>
          !/^(?:articlePrice|customField|standardPrice|specif|numeroObjet|articleType)/.test(name) &&
          /^(?:decimal|integer)$/.test(fields[name]?.kind ?? '') &&
          fields[name]?.assigned === undefined,
      );
    const [own, nested] = [bounded(article.fields), bounded(article.fields.logisticalVariants.fields)];
    assert.deepEqual([own.length, nested.length], [22, 9]);
    const below = (names: readonly string[]): object => Object.fromEntries(names.map((name) => [name, -1]));
    const found = reasons(
      submitted({ ...least, ...below(own), logisticalVariants: [{ ...variant, ...below(nested) }] }),
    );
    assert.deepEqual(
      found.map(({ code, pointer }) => `${code} ${pointer}`),
      [
        ...own.map((name) => `out-of-range /3/${name}`),
        ...nested.map((name) => `out-of-range /3/logisticalVariants/0/${name}`),
      ],
    );
    assert.equal(found[0]?.detail, 'netWeightPerUVC must not be negative.');
  });

  it('leaves to the warehouse what only clients may not say', () => {
    const odd = {
      ...leastArticle,
      articleReference: ' A  1 ',
      articleType: 7,
      articleAnalysisCode: 'Z',
      netWeightPerUVC: -1,
      barcodes: [{ code: '1', barcodeQuantity: 0 }, { code: '1' }],
    };
    assert.ok(checkArticle(odd, context).ok);
    for (const articleReference of ['A\n', 'A\r', 'A\tB'])
      assert.deepEqual(
        reasons(checkArticle({ ...odd, articleReference }, context)).map(({ code, pointer }) => [code, pointer]),
        [['bad-text', '/articleReference']],
      );
  });

  it('knows the record by activity and key also where it refuses it, unless these are what is wrong', () => {
    const identities = [
      { ...least, articleType: 'x' },
      { ...least, activityCode: 'SOU' },
      { ...least, activityCode: 'AURA' },
      { ...least, articleReference: '' },
      7,
    ].map((input) => check(input, activities, at()).identity);
    assert.deepEqual(identities, [['AUR', 'A1'], ['SOU', 'A1'], null, null, null]);
  });

  it('ignores the dates of the service, whatever they are', () => {
    const dated = {
      ...least,
      dateCreated: 7,
      dateLastUpdated: 'x',
      logisticalVariants: [{ ...variant, dateCreation: {}, dateLasteUpdate: null }],
    };
    assert.deepEqual(accepted(submitted(dated)), accepted(submitted({ ...least, logisticalVariants: [variant] })));
  });

  it('gives a record the form and the hash that it has when it is imported', () => {
    fc.assert(
      fc.property(submittedRecord(article), (sent) => {
        const checked = submitted({ activityCode: 'AUR', ...sent });
        if (!checked.ok) {
          // The rules of lists, which importing does not have.
          assert.ok(
            checked.reasons.every(
              ({ code }) => code === 'duplicate' || code === 'more-than-one' || code === 'contradiction',
            ),
            JSON.stringify(checked),
          );
          return;
        }
        assert.deepEqual(checked, checkArticle(sent, context));
      }),
      { numRuns: rounds(200) },
    );
  });

  it('makes a record of any JSON, or refuses it with places that exist', () => {
    const anything = fc.dictionary(fc.constantFrom(...Object.keys(article.fields), 'x'), fc.jsonValue());
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), anything), (input) => {
        const { checked } = check(input, activities, at(0));
        if (!checked.ok) for (const reason of checked.reasons) placeExists([input], reason);
      }),
      { numRuns: rounds(500) },
    );
  });

  it('is not there for what clients cannot submit', () => {
    assert.throws(() => createSubmissionChecker(articleStockMovement), /movements/);
  });
});
