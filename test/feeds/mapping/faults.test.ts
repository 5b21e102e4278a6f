// A mapping file that is wrong is refused with every fault, its place, and what is allowed there.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { mappingSchema } from '../../../src/feeds/mapping/mapping-file.ts';
import { readMapping } from '../../../src/feeds/mapping/compile.ts';
import { resources } from '../../../src/resources/index.ts';
import { faultsOf } from './fixture.ts';

const good = {
  format: { kind: 'csv' },
  resources: { articles: { fields: { articleReference: 'sku' } } },
};
const withArticles = (articles: object, more: object = {}): object => ({ ...good, ...more, resources: { articles } });
const withField = (name: string, rule: unknown, more: object = {}): object =>
  withArticles({ fields: { [name]: rule } }, more);

const wrong: readonly (readonly [string, unknown, RegExp])[] = [
  ['no object', 7, /The file must be an object, not a number/],
  ['no format', { resources: good.resources }, /lacks "format"/],
  ['an unknown key', { ...good, skp: [] }, /\/skp is not known here. Did you mean "skip"\?/],
  [
    'an unknown format',
    { ...good, format: { kind: 'xml' } },
    /\/format\/kind must be one of "csv", "fixed", "ndjson", "json"/,
  ],
  [
    'an unknown delimiter',
    { ...good, format: { kind: 'csv', delimiter: '::' } },
    /\/format\/delimiter must be one of ",", ";", "\\t", "\|"/,
  ],
  [
    'an encoding of JSON',
    { ...good, format: { kind: 'json', encoding: 'utf-8' } },
    /\/format\/encoding is not known here. Allowed are kind/,
  ],
  ['names of columns beside a line of them', { ...good, format: { kind: 'csv', columns: ['a'] } }, /"header": false/],
  ['a column twice', { ...good, format: { kind: 'csv', header: false, columns: ['a', 'a'] } }, /names "a" twice/],
  [
    'an unknown resource',
    { ...good, resources: { article: good.resources.articles } },
    /\/resources\/article is no resource. Did you mean "articles"/,
  ],
  ['no resource', { ...good, resources: {} }, /must name a resource/],
  [
    'an unknown field',
    withField('articleRef', 'x'),
    /\/resources\/articles\/fields\/articleRef names no field: "articleRef"/,
  ],
  [
    'a list without element',
    withField('barcodes', 'x'),
    /is a list: name a field of an element, such as barcodes.0.code/,
  ],
  [
    'a record without field',
    withField('alcool', 'x'),
    /is a record: name a field in it, such as alcool.articleReference/,
  ],
  ['a way behind a value', withField('articleReference.x', 'x'), /goes on behind "articleReference"/],
  [
    'an option for another kind',
    withField('articleReference', { column: 'x', format: 'yyyy' }),
    /format is for date-time fields; this one is text/,
  ],
  [
    'a value of nothing',
    withField('articleReference', { trim: true }),
    /must have one of "column", "template", "join", "firstOf", "constant", "position"/,
  ],
  ['a constant of another kind', withField('articleReference', { constant: 5 }), /constant must be text/],
  [
    'a number that is rounded',
    withArticles({ ...good.resources.articles, skip: [{ rule: 'r', when: { column: 'x', oneOf: [1, 2 ** 53] } }] }),
    /\/skip\/0\/when\/oneOf\/1 is a number too long to be kept exactly: write it in quotation marks/,
  ],
  ['a template without columns', withField('articleReference', { template: 'x' }), /must have columns in braces/],
  [
    'an expression that is none',
    withField('articleReference', { column: 'x', extract: '(' }),
    /extract is no regular expression/,
  ],
  ['an expression without group', withField('articleReference', { column: 'x', extract: 'x' }), /must have a group/],
  [
    'an unknown code table',
    withField('articleReference', { column: 'x', codes: 'c' }, { codeTables: { d: { a: 'b' } } }),
    /codes names no code table; there are d/,
  ],
  [
    'a format that is none',
    withField('customField1', { column: 'x', format: 'YYYY' }),
    /format has "YYYY", which is none of yyyy/,
  ],
  [
    'a format without day',
    withField('customField1', { column: 'x', format: 'MM/yyyy' }),
    /must have year, month and day/,
  ],
  ['a time without zone', withField('customField1', { column: 'x', format: 'yyyyMMdd HH' }), /needs "zone"/],
  [
    'a zone that is none',
    withField('customField1', { column: 'x', format: 'yyyyMMdd', zone: 'Mars/Base' }),
    /zone "Mars\/Base" is no zone/,
  ],
  [
    'a column that a fixed file does not have',
    { ...good, format: { kind: 'fixed', columns: [{ name: 'a', start: 1, length: 1 }] } },
    /names the column "sku"; there are "a"/,
  ],
  [
    'a place before the first',
    { ...good, format: { kind: 'fixed', columns: [{ name: 'sku', start: 0, length: 1 }] } },
    /start must be a whole number from 1/,
  ],
  [
    'a test too many',
    withArticles({ ...good.resources.articles, skip: [{ rule: 'r', when: { column: 'x', empty: true, equals: '' } }] }),
    /must have one test of its column/,
  ],
  [
    'a rule with a name of the program',
    withArticles({ ...good.resources.articles, skip: [{ rule: 'blank', when: { column: 'x', empty: true } }] }),
    /is a name that the program uses/,
  ],
  [
    'groups that are distinct',
    withArticles({ ...good.resources.articles, group: { by: ['x'] }, distinct: {} }),
    /cannot stand beside "group"/,
  ],
  [
    'distinct records without key',
    { ...good, resources: { movements: { fields: {}, distinct: {} } } },
    /movements have no key/,
  ],
  [
    'a withdrawal without key',
    withArticles({ fields: { articleColor: 'x' }, withdraw: { when: { column: 'x', equals: 'D' } } }),
    /needs the key in "fields": articleReference/,
  ],
  ['a way of the file name that it has not', { ...good, message: { id: 'file:id' } }, /"fileName" has no group/],
  ['a message of a column', { ...good, message: { id: 'x' } }, /only file:…, header:… and around:… are known/],
  ['a name pattern without start', { ...good, fileName: 'x' }, /must be a regular expression that begins with \^/],
  [
    'a trailer in JSON',
    { ...good, format: { kind: 'json' }, trailer: { pattern: '^T' } },
    /\/trailer is for csv and fixed/,
  ],
  [
    'an array that CSV has not',
    withArticles({ ...good.resources.articles, lists: { barcodes: { each: 'x', fields: { code: 'x' } } } }),
    /is for JSON/,
  ],
];

describe('a mapping', () => {
  for (const [what, given, expected] of wrong)
    it(`with ${what} is refused`, () => {
      assert.match(faultsOf(given), expected);
    });

  it('names all of its faults at once, and counts those beyond twenty', () => {
    const fields = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`x${index}`, 'a']));
    const told = faultsOf(withArticles({ fields }));
    assert.equal(told.match(/names no field/g)?.length, 20);
    assert.match(told, /There are 10 more/);
  });

  it('that is no JSON is refused by its name', () => {
    assert.throws(() => readMapping('{', 'x.json', resources), /The mapping x.json is not JSON/);
  });

  it('nested without end is refused', () => {
    let rule: object = { column: 'x' };
    for (let depth = 0; depth < 500; depth += 1) rule = { firstOf: [rule] };
    assert.match(faultsOf(withField('articleReference', rule)), /nested too deeply/);
  });
});

describe('the published schema', () => {
  const validate = new Ajv2020({ strict: false }).compile(mappingSchema());
  it('takes what the program takes, and refuses unknown keys as it does', () => {
    assert.ok(validate(good), JSON.stringify(validate.errors));
    assert.equal(validate({ ...good, skp: [] }), false);
    assert.equal(validate({ ...good, format: { kind: 'xml' } }), false);
    assert.equal(
      validate({ ...good, resources: { articles: { fields: { articleReference: { colum: 'x' } } } } }),
      false,
    );
  });
});
