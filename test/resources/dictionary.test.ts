// Dictionaries: what is refused and why, and how what they say reaches the description of the interface.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { clientDocument } from '../../src/api/openapi-routes.ts';
import { demoDictionary } from '../../src/demo/dictionary.ts';
import { componentSchemas } from '../../src/model/schema.ts';
import { codesText } from '../../src/model/vocabulary.ts';
import { codedFields, interfaceLists, warehouseLists } from '../../src/resources/code-lists.ts';
import { dictionaryLimits, parseDictionary, vocabularyOf } from '../../src/resources/dictionary.ts';
import { article, resources } from '../../src/resources/index.ts';

const addresses = { baseUrl: 'https://api.logistics.example/v1', authUrl: 'https://login.logistics.example' };
const bytes = (value: unknown) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
const withCodes = (name: string, ...codes: readonly unknown[]) => ({ lists: [{ name, codes }] });

describe('the code lists', () => {
  it('are those that fields refer to, each named once', () => {
    assert.deepEqual(
      [...codedFields().keys()].sort(),
      [...Object.keys(warehouseLists), ...interfaceLists.keys()].sort(),
    );
  });

  it('of the interface are what clients may write', () => {
    const codesOf = (name: string) => interfaceLists.get(name)?.codes.map(({ code }) => code);
    assert.deepEqual(codesOf('articleType'), article.fields.articleType.values);
    assert.deepEqual(codesOf('articleAnalysisCode'), article.fields.articleAnalysisCode.values);
  });
});

describe('a dictionary', () => {
  it('is taken as it is written, with a byte order mark or without', () => {
    assert.deepEqual(parseDictionary(bytes(demoDictionary)), demoDictionary);
    assert.deepEqual(parseDictionary(bytes(`\uFEFF${JSON.stringify(demoDictionary)}`)), demoDictionary);
    assert.deepEqual(parseDictionary(bytes('{}')), {});
  });

  const code = { code: 'A', meaning: 'announced' };
  const refused: readonly (readonly [what: string, given: unknown, said: RegExp])[] = [
    ['nothing', '', /is not JSON/],
    ['no JSON', '{"lists":', /is not JSON/],
    ['a list', [], /must be an object with "units" and "lists"/],
    ['null', 'null', /must be an object/],
    ['an unknown member', { codes: {} }, /the dictionary has no member "codes"/],
    ['lists of another type', { lists: {} }, /"lists" must be an array/],
    ['a list without a name', { lists: [{ codes: [] }] }, /lists\[0\] must be \{"name"/],
    ['null as a list', { lists: [null] }, /lists\[0\] must be/],
    ['an unknown field', withCodes('colour', code), /there is no field or list "colour"/],
    ['a mistyped field', withCodes('recptionStatus', code), /"recptionStatus"; did you mean receptionStatus\?/],
    ['a name of every object', withCodes('constructor', code), /there is no field or list "constructor"/],
    ['a field whose list has another name', withCodes('barcodeUnit', code), /barcodeUnit are in the list unit/],
    ['a list of the interface', withCodes('articleType', code), /articleType are given by the interface/],
    [
      'a list twice',
      { lists: [...withCodes('gradeCode', code).lists, ...withCodes('gradeCode', code).lists] },
      /the list "gradeCode" is there twice/,
    ],
    ['a code twice', withCodes('receptionStatus', code, code), /the code "A" of receptionStatus is there twice/],
    ['a code that the field has no room for', withCodes('receptionStatus', { ...code, code: 'AB' }), /1 to 1 char/],
    ['an empty code', withCodes('gradeCode', { ...code, code: '' }), /gradeCode.codes\[0\].code must be a text/],
    ['a number where the field is a text', withCodes('gradeCode', { ...code, code: 1 }), /must be a text/],
    ['a text where the field is a number', withCodes('prepClosedState', code), /must be a number/],
    ['no codes', withCodes('gradeCode'), /an array of 1 to 500/],
    ['no meaning', withCodes('gradeCode', { code: 'A' }), /codes\[0\].meaning must be a text of 1 to 200/],
    ['a meaning on two lines', withCodes('gradeCode', { code: 'A', meaning: 'a\nb' }), /on one line/],
    ['markup', withCodes('gradeCode', { code: 'A', meaning: '<b>' }), /without < > \|/],
    ['a long meaning', withCodes('gradeCode', { code: 'A', meaning: 'x'.repeat(201) }), /1 to 200/],
    ['a member of a code', withCodes('gradeCode', { ...code, since: 1 }), /gradeCode.codes\[0\] has no member "since"/],
    ['an unknown measure', { units: { mass: 'kg' } }, /units."mass" is not known; there are weight/],
    ['an unknown unit', { units: { weight: 'stone' } }, /units.weight must be one of kg, g, t, lb/],
    ['a unit of another type', { units: { weight: 1 } }, /units.weight must be one of/],
    ['a currency in words', { units: { price: 'euro' } }, /units.price must be a currency code of ISO 4217/],
  ];
  for (const [what, given, said] of refused)
    it(`is refused with ${what}`, () => assert.throws(() => parseDictionary(bytes(given)), { message: said }));

  it('is refused in another encoding, and when it is huge', () => {
    const latin = Buffer.from('{"lists":[{"name":"itemType","codes":[{"code":"ROS\u00c9","meaning":"x"}]}]}', 'latin1');
    assert.throws(() => parseDictionary(latin), /is not UTF-8/);
    assert.throws(() => parseDictionary(Buffer.alloc(dictionaryLimits.bytes + 1, ' ')), /longer than 262144 bytes/);
  });

  it('names what is wrong at once, and no more than ten things of it', () => {
    const codes = Array.from({ length: 400 }, () => ({ code: '', meaning: 'x' }));
    assert.throws(
      () => parseDictionary(bytes(withCodes('gradeCode', ...codes))),
      (error: Error) => error.message.length < 2000 && /; and 789 more$/.test(error.message),
    );
  });
});

describe('the description of the interface', () => {
  const told = (dictionary: Parameters<typeof vocabularyOf>[0]) => {
    const document = clientDocument([], addresses, vocabularyOf(dictionary));
    const schemas = componentSchemas(resources, vocabularyOf(dictionary));
    const describe = (record: string, field: string): string => {
      const properties = schemas[record]?.properties as Record<string, { description: string }>;
      return properties[field]?.description ?? '';
    };
    return { document, describe, text: JSON.stringify(document) };
  };

  it('tells of codes what the interface says, and of the others whom to ask, where there is no dictionary', () => {
    const { document, describe } = told(null);
    assert.equal(
      describe('Article', 'articleType'),
      'Kind of the article. Codes: `0`: stockable; `1`: consumable; `2`: service.',
    );
    assert.match(
      describe('ArticleStockMovement', 'movementDirection'),
      /whoever runs the service says which there are/,
    );
    assert.deepEqual(Object.keys(document['x-code-lists'] as object), ['articleType', 'articleAnalysisCode']);
  });

  it('tells the codes and units of a dictionary, at the fields, in a table, and for programs', () => {
    const { document, describe, text } = told({
      units: { weight: 'g', length: 'mm', price: 'SEK' },
      lists: [{ name: 'movementDirection', codes: [{ code: 'I', meaning: 'into stock' }] }],
    });
    assert.match(
      describe('ArticleStockMovement', 'movementDirection'),
      /Codes: `I`: into stock\. There may be others\.$/,
    );
    assert.match(describe('Article', 'netWeightPerUVC'), /, in grams\.$/);
    assert.match(describe('LogisticalVariant', 'height'), /, in millimetres\.$/);
    assert.match(describe('LogisticalVariant', 'volume'), /, in litres\.$/);
    assert.match(describe('Article', 'articlePrice1'), /, in SEK\.$/);
    assert.match(text, /\| `movementDirection` \(ArticleStockMovement\) \| `I` into stock \|/);
    const lists = document['x-code-lists'] as Record<string, unknown>;
    assert.deepEqual(lists.movementDirection, {
      fields: ['ArticleStockMovement.movementDirection'],
      complete: false,
      codes: [{ code: 'I', meaning: 'into stock' }],
    });
    assert.equal((document['x-units'] as Record<string, string>)['Article.netWeightPerUVC'], 'g');
  });

  it('makes no list of values of it, which generators would make types of', () => {
    assert.doesNotMatch(JSON.stringify(componentSchemas(resources, vocabularyOf(demoDictionary))), /"(enum|x-[^"]*)":/);
  });

  it('says how many codes are not shown where there are many', () => {
    const codes = Array.from({ length: 500 }, (_, index) => ({ code: String(index), meaning: 'x'.repeat(200) }));
    assert.match(codesText({ codes, closed: false }), /; and 470 more\. There may be others\.$/);
  });
});
