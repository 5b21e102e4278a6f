// The JSON Schemas: what they refuse, and that they agree with the checker.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from '../contract/properties.ts';
import { createSubmissionChecker } from '../../src/model/check.ts';
import { newReasonBudget } from '../../src/model/reasons.ts';
import { componentSchemas, inputSchemas, responseSchema } from '../../src/model/schema.ts';
import { article, articleStockMovement, order, resources } from '../../src/resources/index.ts';
import { incomingRecord, submittedRecord } from './record-arbitrary.ts';
import { compiled, validatorOf } from './response-validator.ts';
import { rounds } from '../contract/rounds.ts';

describe('the response schemas', () => {
  const validate = validatorOf(articleStockMovement);
  const example = articleStockMovement.example;
  const refused: readonly (readonly [what: string, record: unknown])[] = [
    ['a record that lacks a property', Object.fromEntries(Object.entries(example).slice(1))],
    ['a property beyond those of a closed record', { ...example, colour: 1 }],
    ['null for the id', { ...example, id: null }],
    ['null for the creation date', { ...example, dateCreation: null }],
    ['text that is too long', { ...example, articleReference: 'A'.repeat(18) }],
    ['a whole number beyond 32 bits', { ...example, movedQuantity: 2 ** 31 }],
    ['a fraction', { ...example, movedQuantity: 0.5 }],
    ['a numeric text', { ...example, movedQuantity: '2' }],
    ['a date without a time', { ...example, movementTimestamp: '2026-03-02' }],
  ];
  for (const [what, record] of refused) it(`refuse ${what}`, () => assert.equal(validate(record), false));

  it('let everything in a movement be null but id and creation date', () => {
    const nulls = Object.fromEntries(Object.keys(example).map((name) => [name, null]));
    assert.ok(validate({ ...nulls, id: 1, dateCreation: example.dateCreation }), JSON.stringify(validate.errors));
  });

  it('refuse a country in small letters, and more than 1000 lines', () => {
    const validateOrder = validatorOf(order);
    assert.ok(validateOrder(order.example));
    assert.equal(validateOrder({ ...order.example, deliveryAddressCountry: 'fr' }), false);
    assert.equal(
      validateOrder({
        ...order.example,
        orderEntries: Array.from({ length: 1001 }, () => order.example.orderEntries[0]),
      }),
      false,
    );
  });

  it('leave every record open but the movement', () => {
    for (const [name, schema] of Object.entries(componentSchemas(resources)))
      assert.equal(schema.additionalProperties, name === 'ArticleStockMovement' ? false : undefined, name);
  });

  it('name each nested record once, and refer to it', () => {
    const names = Object.keys(componentSchemas(resources));
    assert.equal(names.length, 19);
    assert.ok(
      [
        'Barcode',
        'Alcool',
        'LogisticalVariant',
        'OrderLine',
        'SubOrder',
        'ParcelEntryProperty',
        'ReceptionDetail',
      ].every((name) => names.includes(name)),
    );
    assert.match(JSON.stringify(responseSchema(order)), /"items":\{"\$ref":"#\/components\/schemas\/OrderLine"\}/);
  });

  it('are refused as a whole when two different nested records bear one name', () => {
    const twin = { ...order, record: 'Twin', fields: { entries: { ...order.fields.orderEntries, fields: {} } } };
    assert.throws(() => componentSchemas([order, twin]), /OrderLine/);
  });
});

describe('the schemas of what is sent', () => {
  it('have names of their own, and no type that a record that was read does not fit', () => {
    const schemas = inputSchemas(article);
    assert.deepEqual(Object.keys(schemas), ['ArticleInput', 'BarcodeInput', 'LogisticalVariantInput', 'AlcoolInput']);
    assert.doesNotMatch(JSON.stringify([schemas, componentSchemas(resources)]), /"(enum|readOnly)":/);
  });
});

describe('the create schema of articles', () => {
  const validate = compiled({
    $ref: '#/components/schemas/ArticleInput',
    components: { schemas: inputSchemas(article) },
  });
  const least = {
    activityCode: 'AUR',
    articleReference: 'A1',
    longArticleDescription: 'Long',
    shortArticleDescription: 'Short',
  };

  it('accepts an article as it is read', () => assert.ok(validate(article.example), JSON.stringify(validate.errors)));

  it('accepts the least, nulls, and the dates that are ignored', () => {
    assert.ok(validate(least), JSON.stringify(validate.errors));
    assert.ok(
      validate({
        ...least,
        barcodes: null,
        netWeightPerUVC: null,
        dateCreated: '2026-01-01T00:00:00Z',
        dateLastUpdated: null,
      }),
      JSON.stringify(validate.errors),
    );
  });

  const refused: readonly (readonly [what: string, record: unknown])[] = [
    ...Object.keys(least).map((name) => [`an article without ${name}`, { ...least, [name]: undefined }] as const),
    ['an id that is none', { ...least, id: 7 }],
    ['alcohol data that are none', { ...least, alcool: 4.5 }],
    ['the id of a barcode', { ...least, barcodes: [{ code: '1', id: 'x' }] }],
    [
      'the id of a barcode of a variant',
      { ...least, logisticalVariants: [{ logisticalVariantCode: 'UVC', barcodes: [{ code: '1', id: 'x' }] }] },
    ],
    ['an unknown property', { ...least, colour: 'red' }],
    ['a type that is none', { ...least, articleType: 3 }],
    ['an analysis code that is none', { ...least, articleAnalysisCode: 'X' }],
    ['a negative weight', { ...least, netWeightPerUVC: -0.1 }],
    ['a barcode that stands for nothing', { ...least, barcodes: [{ code: '1', barcodeQuantity: 0 }] }],
    ...['A\n', ' A', 'A ', 'A  B', 'A\tB', '\u00a0A'].map(
      (reference) => [`the reference ${JSON.stringify(reference)}`, { ...least, articleReference: reference }] as const,
    ),
    ['a blank description', { ...least, longArticleDescription: ' ' }],
    ['an empty description', { ...least, longArticleDescription: '' }],
  ];
  for (const [what, record] of refused)
    it(`refuses ${what}`, () => assert.equal(validate(JSON.parse(JSON.stringify(record))), false));

  it('accepts every listed value, null among them, and nothing at all of a measure', () => {
    for (const more of [
      { articleType: 0 },
      { articleType: null, articleAnalysisCode: null },
      { articleAnalysisCode: 'C', netWeightPerUVC: 0, articlePrice1: -1 },
      { barcodes: [{ code: 'A 1', logisticalVariantCode: '' }] },
    ]) {
      assert.ok(validate({ ...least, ...more }), JSON.stringify(validate.errors));
    }
  });

  it('is stricter than what clients read', () => {
    const read = validatorOf(article);
    assert.ok(
      read({
        ...article.example,
        articleType: 9,
        articleAnalysisCode: 'X',
        netWeightPerUVC: -1,
        articleReference: ' A',
      }),
      JSON.stringify(read.errors),
    );
  });

  it('accepts only what the checker accepts', () => {
    const check = createSubmissionChecker(article);
    const loose = fc.record(
      {
        articleReference: fc.string({ maxLength: 20 }),
        articleType: fc.oneof(fc.double(), fc.string()),
        customsCode: fc.string({ maxLength: 18 }),
        barcodes: fc.jsonValue(),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.oneof(submittedRecord(article), incomingRecord(article), loose), (input) => {
        const { alcool: _, ...sent } = { ...least, ...JSON.parse(JSON.stringify(input)) };
        const { checked } = check(sent, new Map([['AUR', 'Aurora Outfitters']]), {
          path: [],
          faults: [],
          budget: newReasonBudget(1),
        });
        // Rules without a keyword: characters that text must not have, lengths after composition, and what elements of
        // lists say of each other.
        const unspoken = ['bad-text', 'too-long', 'duplicate', 'more-than-one', 'contradiction'];
        if (validate(sent) && !checked.ok)
          assert.ok(
            checked.reasons.every(({ code }) => unspoken.includes(code)),
            JSON.stringify(checked.reasons),
          );
      }),
      { numRuns: rounds(300) },
    );
  });
});
