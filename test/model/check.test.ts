// What a checker accepts, what it refuses and with which reasons, and what its canonical form promises.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from '../contract/properties.ts';
import { type CheckContext, createChecker } from '../../src/model/check.ts';
import type { Checked } from '../../src/model/record.ts';
import { createRenderer } from '../../src/model/render.ts';
import {
  article,
  articleStock,
  articleStockMovement,
  order,
  orderReport,
  procurement,
  procurementReport,
  resources,
} from '../../src/resources/index.ts';
import { accepted, placeExists, reasons } from './checked.ts';
import { incomingRecord } from './record-arbitrary.ts';
import { rounds } from '../contract/rounds.ts';

const context: CheckContext = { activity: 'AUR', activityName: 'Aurora Outfitters' };
const checkArticle = createChecker(article);
const checkMovement = createChecker(articleStockMovement);
const checkStock = createChecker(articleStock);
const checkOrder = createChecker(order);
const checkReport = createChecker(orderReport);

const leastArticle = { articleReference: 'A1', longArticleDescription: 'Long', shortArticleDescription: 'Short' };
const leastOrder = { orderUniqueID: 'O1' };

describe('a checker refuses', () => {
  const cases: readonly (readonly [
    what: string,
    checked: () => Checked,
    reasons: readonly (readonly [code: string, pointer: string])[],
  ])[] = [
    ...[null, [], 'text', 7, true, undefined].map(
      (input) =>
        [`${JSON.stringify(input)} as a record`, () => checkArticle(input, context), [['wrong-type', '']]] as const,
    ),
    [
      'an article without what it needs, naming each',
      () => checkArticle({}, context),
      [
        ['required', '/articleReference'],
        ['required', '/longArticleDescription'],
        ['required', '/shortArticleDescription'],
      ],
    ],
    [
      'null where a value is required',
      () => checkOrder({ orderUniqueID: null }, context),
      [['required', '/orderUniqueID']],
    ],
    [
      'an empty reference',
      () => checkMovement({ articleReference: '' }, context),
      [['too-short', '/articleReference']],
    ],
    [
      'an empty text that has a minimum length',
      () => checkOrder({ ...leastOrder, deliveryAddressPhone: '' }, context),
      [['too-short', '/deliveryAddressPhone']],
    ],
    [
      'a stock row without its image',
      () => checkStock({ articleReference: 'A1' }, context),
      [['required', '/stockImageExtractionDate']],
    ],
    [
      'a report that belongs to no procurement',
      () => createChecker(procurementReport)({}, context),
      [['required', '/uniqueProcurementID']],
    ],
    [
      'an article reference of 17 in an article',
      () => checkArticle({ ...leastArticle, articleReference: 'A'.repeat(17) }, context),
      [['too-long', '/articleReference']],
    ],
    [
      'text counted in code points',
      () => checkMovement({ articleReference: 'A', movementDirection: '🚚🚚' }, context),
      [['too-long', '/movementDirection']],
    ],
    [
      'control characters',
      () => checkMovement({ articleReference: 'A\u0000B', movementCode: '\u0085', gradeCode: '\u007f' }, context),
      [
        ['bad-text', '/articleReference'],
        ['bad-text', '/movementCode'],
        ['bad-text', '/gradeCode'],
      ],
    ],
    [
      'unpaired surrogates',
      () => checkMovement({ articleReference: 'A\ud83d' }, context),
      [['bad-text', '/articleReference']],
    ],
    [
      'a number as text',
      () => checkMovement({ articleReference: 'A', movedQuantity: '2' }, context),
      [['wrong-type', '/movedQuantity']],
    ],
    ['text as a number', () => checkMovement({ articleReference: 7 }, context), [['wrong-type', '/articleReference']]],
    [
      'a fraction where a whole number belongs',
      () => checkMovement({ articleReference: 'A', movedQuantity: 1.5 }, context),
      [['wrong-type', '/movedQuantity']],
    ],
    [
      'a whole number beyond 32 bits',
      () => checkMovement({ articleReference: 'A', movedQuantity: 2 ** 31 }, context),
      [['out-of-range', '/movedQuantity']],
    ],
    [
      'a whole number that numbers do not carry exactly',
      () => checkOrder({ ...leastOrder, orderProcessingPriority: 2 ** 53 }, context),
      [['out-of-range', '/orderProcessingPriority']],
    ],
    [
      'infinity',
      () => checkOrder({ ...leastOrder, shippingCost: JSON.parse('1e400') }, context),
      [['out-of-range', '/shippingCost']],
    ],
    [
      'not a number',
      () => checkOrder({ ...leastOrder, shippingCost: Number.NaN }, context),
      [['out-of-range', '/shippingCost']],
    ],
    [
      '0 and 1 as booleans',
      () => checkOrder({ ...leastOrder, carrierImposed: 1 }, context),
      [['wrong-type', '/carrierImposed']],
    ],
    [
      'a day that does not exist',
      () => checkMovement({ articleReference: 'A', movementTimestamp: '2026-02-29T00:00:00Z' }, context),
      [['bad-date', '/movementTimestamp']],
    ],
    [
      'milliseconds as a date',
      () => checkMovement({ articleReference: 'A', movementTimestamp: 1772460000000 }, context),
      [['wrong-type', '/movementTimestamp']],
    ],
    [
      'a country that is no code',
      () => checkOrder({ ...leastOrder, deliveryAddressCountry: 'fr', billingAddressCountry: 'F' }, context),
      [
        ['bad-country', '/deliveryAddressCountry'],
        ['bad-country', '/billingAddressCountry'],
      ],
    ],
    [
      'an object where a list belongs',
      () => checkOrder({ ...leastOrder, orderEntries: {} }, context),
      [['wrong-type', '/orderEntries']],
    ],
    [
      'a list where an object belongs',
      () => checkArticle({ ...leastArticle, alcool: [] }, context),
      [['wrong-type', '/alcool']],
    ],
    [
      'elements that are no objects',
      () => checkOrder({ ...leastOrder, orderEntries: [{ orderLineID: '1' }, null, 'x', []] }, context),
      [
        ['wrong-type', '/orderEntries/1'],
        ['wrong-type', '/orderEntries/2'],
        ['wrong-type', '/orderEntries/3'],
      ],
    ],
    [
      'more than 1000 elements',
      () => checkOrder({ ...leastOrder, orderEntries: Array.from({ length: 1001 }, () => ({})) }, context),
      [['too-many', '/orderEntries']],
    ],
    [
      'faults deep inside, with their places',
      () =>
        checkReport(
          {
            orderUniqueID: 'O1',
            parcels: [{ packageNumber: 'P1' }, { entries: [{ articleReference: 'A', properties: [{ value: 7 }] }] }],
          },
          context,
        ),
      [
        ['required', '/parcels/1/packageNumber'],
        ['required', '/parcels/1/entries/0/properties/0/name'],
        ['wrong-type', '/parcels/1/entries/0/properties/0/value'],
      ],
    ],
    [
      'another activity',
      () => checkOrder({ ...leastOrder, activityCode: 'BIO', activityName: 'BioVital' }, context),
      [
        ['wrong-activity', '/activityCode'],
        ['wrong-activity', '/activityName'],
      ],
    ],
    [
      'an activity that is no text',
      () => checkStock({ articleReference: 'A', stockImageExtractionDate: '2026-01-01', activityCode: 7 }, context),
      [['wrong-activity', '/activityCode']],
    ],
    [
      'properties that it does not know, nested ones too',
      () => checkOrder({ ...leastOrder, colour: 1, 'a/b~c': 1, orderEntries: [{ orderLineID: '1', qty: 1 }] }, context),
      [
        ['unknown-property', '/colour'],
        ['unknown-property', '/a~1b~0c'],
        ['unknown-property', '/orderEntries/0/qty'],
      ],
    ],
    [
      'names that objects inherit',
      () => checkArticle(JSON.parse('{"__proto__": {"x": 1}, "constructor": 1, "toString": 1}'), context),
      [
        ['unknown-property', '/__proto__'],
        ['unknown-property', '/constructor'],
        ['unknown-property', '/toString'],
        ['required', '/articleReference'],
        ['required', '/longArticleDescription'],
        ['required', '/shortArticleDescription'],
      ],
    ],
    [
      'an id of a movement that is no whole number',
      () => checkMovement({ articleReference: 'A', id: 'x' }, context),
      [['wrong-type', '/id']],
    ],
  ];
  for (const [what, checked, expected] of cases) {
    it(what, () =>
      assert.deepEqual(
        reasons(checked()).map(({ code, pointer }) => [code, pointer]),
        expected,
      ),
    );
  }

  it('with sentences that say what would be right', () => {
    const found = reasons(
      checkOrder(
        { orderUniqueID: 'O'.repeat(21), deliveryAdressCity: 'Lille', deliveryAddressPhone: '', x: 1 },
        context,
      ),
    ).map(({ detail }) => detail);
    assert.deepEqual(found, [
      'There is no property "deliveryAdressCity" here; did you mean deliveryAddressCity?',
      'There is no property "x" here; leave it out.',
      'orderUniqueID has 21 characters; at most 20 are allowed.',
      'deliveryAddressPhone must not be empty: leave it out or send null.',
    ]);
  });

  it('hostile names and many of them without delay or harm', () => {
    const input = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`${'x'.repeat(60)}${index}`, 1]));
    const checked = checkArticle({ ...leastArticle, ...input }, context);
    assert.deepEqual(checked.ok ? null : [checked.reasons.length, checked.unlisted], [100, 19_900]);
    assert.equal(Object.hasOwn(Object.prototype, 'x'), false);
  });
});

describe('a checker accepts', () => {
  it('the least that a record needs, and fills in the rest', () => {
    const { value } = accepted(checkArticle(leastArticle, context));
    assert.equal(value.activityCode, 'AUR');
    assert.equal(value.activityName, 'Aurora Outfitters');
    assert.equal(value.netWeightPerUVC, null);
    assert.deepEqual(value.barcodes, []);
    assert.equal(value.alcool, null);
  });

  it('null for everything that is not required, lists and the activity too', () => {
    const nulls = Object.fromEntries(Object.keys(order.fields).map((name) => [name, null]));
    assert.deepEqual(
      accepted(checkOrder({ ...nulls, ...leastOrder }, context)),
      accepted(checkOrder(leastOrder, context)),
    );
  });

  it('what the service assigns, and ignores it, whatever it is', () => {
    const assigned = { id: 7, dateCreated: 'yesterday', dateLastUpdated: null, barcodes: [{ code: '1', id: {} }] };
    assert.deepEqual(
      accepted(checkArticle({ ...leastArticle, ...assigned }, context)),
      accepted(checkArticle({ ...leastArticle, barcodes: [{ code: '1' }] }, context)),
    );
  });

  it('17 characters of an article reference outside articles', () => {
    assert.ok(checkMovement({ articleReference: 'A'.repeat(17) }, context).ok);
  });

  it('as many code points as the length says', () => {
    assert.ok(checkMovement({ articleReference: '🚚'.repeat(17) }, context).ok);
  });

  it('exactly 1000 elements', () => {
    const lines = Array.from({ length: 1000 }, (_, index) => ({ orderLineID: String(index) }));
    assert.ok(checkOrder({ ...leastOrder, orderEntries: lines }, context).ok);
  });

  it('tabs and line breaks', () => {
    assert.equal(
      accepted(checkOrder({ ...leastOrder, deliveryComment: 'a\tb\r\nc' }, context)).value.deliveryComment,
      'a\tb\r\nc',
    );
  });
});

describe('the canonical form', () => {
  it('spells instants in UTC with milliseconds', () => {
    const given = {
      articleReference: 'A',
      movementTimestamp: '2026-03-02T15:04:51+01:00',
      dateProcessed: '2026-03-02',
      dateCreation: 'ignored',
    };
    const { value } = accepted(checkMovement(given, context));
    assert.equal(value.movementTimestamp, '2026-03-02T14:04:51.000Z');
    assert.equal(value.dateProcessed, '2026-03-02T00:00:00.000Z');
    for (const spelling of ['2026-03-02T14:04:51,000Z', '20260302T150451+0100', '2026-03-02T14:04:51.0+00']) {
      const other = accepted(checkMovement({ ...given, movementTimestamp: spelling }, context));
      assert.equal(other.value.movementTimestamp, '2026-03-02T14:04:51.000Z', spelling);
    }
  });

  it('composes text, so that one spelling has one hash', () => {
    const composed = accepted(checkOrder({ ...leastOrder, deliveryAddressCity: 'Orl\u00e9ans' }, context));
    assert.deepEqual(accepted(checkOrder({ ...leastOrder, deliveryAddressCity: 'Orle\u0301ans' }, context)), composed);
  });

  it('has one zero', () => {
    assert.ok(Object.is(accepted(checkOrder({ ...leastOrder, shippingCost: -0 }, context)).value.shippingCost, 0));
  });

  it('tells an empty text from none, and an empty nested record from none', () => {
    const hashes = [{}, { deliveryComment: '' }, { orderEntries: [] }, { orderEntries: [{ orderLineID: '1' }] }].map(
      (more) => accepted(checkOrder({ ...leastOrder, ...more }, context)).contentHash,
    );
    assert.equal(hashes[0], hashes[2]);
    assert.equal(new Set(hashes).size, 3);
    assert.notEqual(
      accepted(checkArticle({ ...leastArticle, alcool: {} }, context)).contentHash,
      accepted(checkArticle(leastArticle, context)).contentHash,
    );
  });

  it('tells the same value in another field or another element', () => {
    const variants = [
      { customField3: 'x' },
      { customField4: 'x' },
      { orderEntries: [{ orderLineID: 'x' }, { orderLineID: 'y' }] },
      { orderEntries: [{ orderLineID: 'y' }, { orderLineID: 'x' }] },
      { orderEntries: [{ orderLineID: 'x', customField5: 'y' }] },
      { orderEntries: [{ orderLineID: 'x', customField6: 'y' }] },
    ];
    assert.equal(
      new Set(variants.map((more) => accepted(checkOrder({ ...leastOrder, ...more }, context)).contentHash)).size,
      variants.length,
    );
  });

  it('is identified by its key, in which null counts', () => {
    const image = '2026-01-01';
    assert.equal(accepted(checkOrder(leastOrder, context)).naturalKey, '["O1"]');
    assert.equal(
      accepted(checkStock({ articleReference: 'A', stockImageExtractionDate: image, gradeCode: 'STD' }, context))
        .naturalKey,
      '["A",null,null,"STD"]',
    );
    assert.equal(
      accepted(checkReport({ orderUniqueID: 'O1', firstPackageCreationDate: '2026-01-01' }, context)).naturalKey,
      '["O1","2026-01-01T00:00:00.000Z"]',
    );
    assert.equal(accepted(createChecker(procurement)({ uniqueProcurementID: 'P1' }, context)).naturalKey, '["P1"]');
  });

  it('of a movement is identified by the id of its source, else by its content', () => {
    const plain = accepted(checkMovement({ articleReference: 'A' }, context));
    // As earlier programs named it: the same file imported again after an upgrade doubles nothing.
    assert.equal(plain.naturalKey, '#000000000VlYZvs2f1Hfeq-hbt0yCMJ');
    assert.match(plain.contentHash, /^[\w-]{22}$/);
    const numbered = accepted(checkMovement({ articleReference: 'A', id: 42 }, context));
    assert.deepEqual(numbered, { ...plain, naturalKey: 'id:0000000000000042' });
    assert.deepEqual(accepted(checkMovement({ articleReference: 'A', id: null }, context)), plain);
  });

  for (const resource of resources) {
    const check = createChecker(resource);
    const render = createRenderer(resource);
    let last = 0;
    const assign = {
      number: () => (last += 1),
      uuid: () => '019b9c3e-5c00-7a41-8d2f-6b1e0f3a9c00',
      now: 1_772_460_000_000,
    };

    it(`of every ${resource.record} has all fields in order but the assigned ones`, () => {
      const names = Object.entries({ ...resource.fields, ...resource.unpublished })
        .filter(([, field]) => field.assigned === undefined)
        .map(([name]) => name);
      fc.assert(
        fc.property(incomingRecord(resource), (input) =>
          assert.deepEqual(Object.keys(accepted(check(input, context)).value), names),
        ),
        { numRuns: 20 },
      );
    });

    it(`of every ${resource.record} is the same again after it was published and read back`, () => {
      fc.assert(
        fc.property(incomingRecord(resource), (input) => {
          const first = accepted(check(input, context));
          const unpublished = Object.fromEntries(
            Object.keys(resource.unpublished).map((name) => [name, first.value[name]]),
          );
          const again = accepted(check({ ...JSON.parse(render(first, assign, null).body), ...unpublished }, context));
          assert.deepEqual(again.value, first.value);
          assert.equal(again.contentHash, first.contentHash);
          if (resource.key.length > 0) assert.equal(again.naturalKey, first.naturalKey);
        }),
        { numRuns: 50 },
      );
    });

    it(`of every ${resource.record} has the hash of its content`, () => {
      fc.assert(
        fc.property(incomingRecord(resource), incomingRecord(resource), (left, right) => {
          const [one, two] = [left, { ...left, ...right }].map((input) => accepted(check(input, context)));
          assert.equal(
            one?.contentHash === two?.contentHash,
            JSON.stringify(one?.value) === JSON.stringify(two?.value),
          );
        }),
        { numRuns: 50 },
      );
    });

    it(`of ${resource.record} is made from any JSON, or refused with places that exist`, () => {
      const anything = fc.dictionary(fc.constantFrom(...Object.keys(resource.fields), 'x'), fc.jsonValue());
      fc.assert(
        fc.property(fc.oneof(fc.jsonValue(), anything), (input) => {
          const checked = check(input, context);
          if (!checked.ok) for (const reason of checked.reasons) placeExists(input, reason);
        }),
        { numRuns: rounds(200) },
      );
    });
  }
});
