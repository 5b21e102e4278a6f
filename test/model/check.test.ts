// What a checker accepts, what it refuses and with which reasons, and what its canonical form promises.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type CheckContext, createChecker, createSubmissionChecker } from '../../src/model/check.ts';
import type { Checked, IncomingRecord, Reason } from '../../src/model/record.ts';
import { createRenderer } from '../../src/model/render.ts';
import { article, articleStock, articleStockMovement, order, orderReport, procurement, procurementReport, resources } from '../../src/resources/index.ts';
import { incomingRecord } from './record-arbitrary.ts';

const context: CheckContext = { owner: 'AUR', ownerName: 'Aurora Outfitters' };
const checkArticle = createChecker(article);
const checkMovement = createChecker(articleStockMovement);
const checkStock = createChecker(articleStock);
const checkOrder = createChecker(order);
const checkReport = createChecker(orderReport);

const leastArticle = { articleReference: 'A1', longArticleDescription: 'Long', shortArticleDescription: 'Short' };
const leastOrder = { orderUniqueID: 'O1' };

describe('a checker refuses', () => {
  const cases: readonly (readonly [what: string, checked: () => Checked, reasons: readonly (readonly [code: string, pointer: string])[]])[] = [
    ...[null, [], 'text', 7, true, undefined].map(input => [`${JSON.stringify(input)} as a record`, () => checkArticle(input, context), [['wrong-type', '']]] as const),
    ['an article without what it needs, naming each', () => checkArticle({}, context), [['required', '/articleReference'], ['required', '/longArticleDescription'], ['required', '/shortArticleDescription']]],
    ['null where a value is required', () => checkOrder({ orderUniqueID: null }, context), [['required', '/orderUniqueID']]],
    ['an empty required text', () => checkMovement({ articleReference: '' }, context), [['too-short', '/articleReference']]],
    ['an empty text that has a minimum length', () => checkOrder({ ...leastOrder, deliveryAddressPhone: '' }, context), [['too-short', '/deliveryAddressPhone']]],
    ['a stock row without its image', () => checkStock({ articleReference: 'A1' }, context), [['required', '/stockImageExtractionDate']]],
    ['a report that belongs to no procurement', () => createChecker(procurementReport)({}, context), [['required', '/uniqueProcurementID']]],
    ['an article reference of 17 in an article', () => checkArticle({ ...leastArticle, articleReference: 'A'.repeat(17) }, context), [['too-long', '/articleReference']]],
    ['text counted in code points', () => checkMovement({ articleReference: 'A', movementDirection: '🚚🚚' }, context), [['too-long', '/movementDirection']]],
    ['control characters', () => checkMovement({ articleReference: 'A\u0000B', movementCode: '\u0085', gradeCode: '\u007f' }, context), [['bad-text', '/articleReference'], ['bad-text', '/movementCode'], ['bad-text', '/gradeCode']]],
    ['unpaired surrogates', () => checkMovement({ articleReference: 'A\ud83d' }, context), [['bad-text', '/articleReference']]],
    ['a number as text', () => checkMovement({ articleReference: 'A', movedQuantity: '2' }, context), [['wrong-type', '/movedQuantity']]],
    ['text as a number', () => checkMovement({ articleReference: 7 }, context), [['wrong-type', '/articleReference']]],
    ['a fraction where a whole number belongs', () => checkMovement({ articleReference: 'A', movedQuantity: 1.5 }, context), [['wrong-type', '/movedQuantity']]],
    ['a whole number beyond 32 bits', () => checkMovement({ articleReference: 'A', movedQuantity: 2 ** 31 }, context), [['out-of-range', '/movedQuantity']]],
    ['a whole number that numbers do not carry exactly', () => checkOrder({ ...leastOrder, orderProcessingPriority: 2 ** 53 }, context), [['out-of-range', '/orderProcessingPriority']]],
    ['infinity', () => checkOrder({ ...leastOrder, shippingCost: JSON.parse('1e400') }, context), [['out-of-range', '/shippingCost']]],
    ['not a number', () => checkOrder({ ...leastOrder, shippingCost: Number.NaN }, context), [['out-of-range', '/shippingCost']]],
    ['0 and 1 as booleans', () => checkOrder({ ...leastOrder, carrierImposed: 1 }, context), [['wrong-type', '/carrierImposed']]],
    ['a day that does not exist', () => checkMovement({ articleReference: 'A', movementTimestamp: '2026-02-29T00:00:00Z' }, context), [['bad-date', '/movementTimestamp']]],
    ['milliseconds as a date', () => checkMovement({ articleReference: 'A', movementTimestamp: 1772460000000 }, context), [['wrong-type', '/movementTimestamp']]],
    ['a country that is no code', () => checkOrder({ ...leastOrder, deliveryAddressCountry: 'fr', billingAddressCountry: 'F' }, context), [['bad-country', '/deliveryAddressCountry'], ['bad-country', '/billingAddressCountry']]],
    ['an object where a list belongs', () => checkOrder({ ...leastOrder, orderEntries: {} }, context), [['wrong-type', '/orderEntries']]],
    ['a list where an object belongs', () => checkArticle({ ...leastArticle, alcool: [] }, context), [['wrong-type', '/alcool']]],
    ['elements that are no objects', () => checkOrder({ ...leastOrder, orderEntries: [{ orderLineID: '1' }, null, 'x', []] }, context), [['wrong-type', '/orderEntries/1'], ['wrong-type', '/orderEntries/2'], ['wrong-type', '/orderEntries/3']]],
    ['more than 1000 elements', () => checkOrder({ ...leastOrder, orderEntries: Array.from({ length: 1001 }, () => ({})) }, context), [['too-many', '/orderEntries']]],
    ['faults deep inside, with their places', () => checkReport({ orderUniqueID: 'O1', parcels: [{ packageNumber: 'P1' }, { entries: [{ articleReference: 'A', properties: [{ value: 7 }] }] }] }, context),
      [['required', '/parcels/1/packageNumber'], ['required', '/parcels/1/entries/0/properties/0/name'], ['wrong-type', '/parcels/1/entries/0/properties/0/value']]],
    ['another activity', () => checkOrder({ ...leastOrder, activityCode: 'BIO', activityName: 'BioVital' }, context), [['wrong-activity', '/activityCode'], ['wrong-activity', '/activityName']]],
    ['an activity that is no text', () => checkStock({ articleReference: 'A', stockImageExtractionDate: '2026-01-01', activityCode: 7 }, context), [['wrong-activity', '/activityCode']]],
    ['properties that it does not know, nested ones too', () => checkOrder({ ...leastOrder, colour: 1, 'a/b~c': 1, orderEntries: [{ orderLineID: '1', qty: 1 }] }, context), [['unknown-property', '/colour'], ['unknown-property', '/a~1b~0c'], ['unknown-property', '/orderEntries/0/qty']]],
    ['names that objects inherit', () => checkArticle(JSON.parse('{"__proto__": {"x": 1}, "constructor": 1, "toString": 1}'), context),
      [['unknown-property', '/__proto__'], ['unknown-property', '/constructor'], ['unknown-property', '/toString'], ['required', '/articleReference'], ['required', '/longArticleDescription'], ['required', '/shortArticleDescription']]],
    ['an id of a movement that is no whole number', () => checkMovement({ articleReference: 'A', id: 'x' }, context), [['wrong-type', '/id']]],
  ];
  for (const [what, checked, expected] of cases) {
    it(what, () => assert.deepEqual(reasons(checked()).map(({ code, pointer }) => [code, pointer]), expected));
  }

  it('with sentences that say what would be right', () => {
    const found = reasons(checkOrder({ orderUniqueID: 'O'.repeat(21), deliveryAdressCity: 'Lille', deliveryAddressPhone: '', x: 1 }, context)).map(({ detail }) => detail);
    assert.deepEqual(found, [
      'There is no property "deliveryAdressCity" here; did you mean deliveryAddressCity?',
      'There is no property "x" here; leave it out.',
      'orderUniqueID has 21 characters; at most 20 are allowed.',
      'deliveryAddressPhone must not be empty: leave it out or send null.',
    ]);
  });

  it('hostile names and many of them without delay or harm', () => {
    const input = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`${'x'.repeat(60)}${index}`, 1]));
    assert.equal(reasons(checkArticle({ ...leastArticle, ...input }, context)).length, 20_000);
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
    const nulls = Object.fromEntries(Object.keys(order.fields).map(name => [name, null]));
    assert.deepEqual(accepted(checkOrder({ ...nulls, ...leastOrder }, context)), accepted(checkOrder(leastOrder, context)));
  });

  it('what the service assigns, and ignores it, whatever it is', () => {
    const assigned = { id: 7, dateCreated: 'yesterday', dateLastUpdated: null, barcodes: [{ code: '1', id: {} }] };
    assert.deepEqual(accepted(checkArticle({ ...leastArticle, ...assigned }, context)), accepted(checkArticle({ ...leastArticle, barcodes: [{ code: '1' }] }, context)));
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
    assert.equal(accepted(checkOrder({ ...leastOrder, deliveryComment: 'a\tb\r\nc' }, context)).value.deliveryComment, 'a\tb\r\nc');
  });
});

describe('the canonical form', () => {
  it('spells instants in UTC with milliseconds', () => {
    const given = { articleReference: 'A', movementTimestamp: '2026-03-02T15:04:51+01:00', dateProcessed: '2026-03-02', dateCreation: 'ignored' };
    const { value } = accepted(checkMovement(given, context));
    assert.equal(value.movementTimestamp, '2026-03-02T14:04:51.000Z');
    assert.equal(value.dateProcessed, '2026-03-02T00:00:00.000Z');
  });

  it('composes text, so that one spelling has one hash', () => {
    const composed = accepted(checkOrder({ ...leastOrder, deliveryAddressCity: 'Orl\u00e9ans' }, context));
    assert.deepEqual(accepted(checkOrder({ ...leastOrder, deliveryAddressCity: 'Orle\u0301ans' }, context)), composed);
  });

  it('has one zero', () => {
    assert.ok(Object.is(accepted(checkOrder({ ...leastOrder, shippingCost: -0 }, context)).value.shippingCost, 0));
  });

  it('tells an empty text from none, and an empty nested record from none', () => {
    const hashes = [{}, { deliveryComment: '' }, { orderEntries: [] }, { orderEntries: [{ orderLineID: '1' }] }].map(more => accepted(checkOrder({ ...leastOrder, ...more }, context)).contentHash);
    assert.equal(hashes[0], hashes[2]);
    assert.equal(new Set(hashes).size, 3);
    assert.notEqual(accepted(checkArticle({ ...leastArticle, alcool: {} }, context)).contentHash, accepted(checkArticle(leastArticle, context)).contentHash);
  });

  it('tells the same value in another field or another element', () => {
    const variants = [{ customField3: 'x' }, { customField4: 'x' }, { orderEntries: [{ orderLineID: 'x' }, { orderLineID: 'y' }] }, { orderEntries: [{ orderLineID: 'y' }, { orderLineID: 'x' }] },
      { orderEntries: [{ orderLineID: 'x', customField5: 'y' }] }, { orderEntries: [{ orderLineID: 'x', customField6: 'y' }] }];
    assert.equal(new Set(variants.map(more => accepted(checkOrder({ ...leastOrder, ...more }, context)).contentHash)).size, variants.length);
  });

  it('is identified by its key, in which null counts', () => {
    const image = '2026-01-01';
    assert.equal(accepted(checkOrder(leastOrder, context)).naturalKey, '["O1"]');
    assert.equal(accepted(checkStock({ articleReference: 'A', stockImageExtractionDate: image, gradeCode: 'STD' }, context)).naturalKey, '["A",null,null,"STD"]');
    assert.equal(accepted(checkReport({ orderUniqueID: 'O1', firstPackageCreationDate: '2026-01-01' }, context)).naturalKey, '["O1","2026-01-01T00:00:00.000Z"]');
    assert.equal(accepted(createChecker(procurement)({ uniqueProcurementID: 'P1' }, context)).naturalKey, '["P1"]');
  });

  it('of a movement is identified by the id of its source, else by its content', () => {
    const plain = accepted(checkMovement({ articleReference: 'A' }, context));
    assert.equal(plain.naturalKey, `#000000000${plain.contentHash}`);
    assert.match(plain.contentHash, /^[\w-]{22}$/);
    const numbered = accepted(checkMovement({ articleReference: 'A', id: 42 }, context));
    assert.deepEqual(numbered, { ...plain, naturalKey: 'id:0000000000000042' });
    assert.deepEqual(accepted(checkMovement({ articleReference: 'A', id: null }, context)), plain);
  });

  for (const resource of resources) {
    const check = createChecker(resource);
    const render = createRenderer(resource);
    let last = 0;
    const assign = { number: () => (last += 1), uuid: () => '019b9c3e-5c00-7a41-8d2f-6b1e0f3a9c00', now: 1_772_460_000_000 };

    it(`of every ${resource.record} has all fields in order but the assigned ones`, () => {
      const names = Object.entries({ ...resource.fields, ...resource.unpublished }).filter(([, field]) => field.assigned === undefined).map(([name]) => name);
      fc.assert(fc.property(incomingRecord(resource), input => assert.deepEqual(Object.keys(accepted(check(input, context)).value), names)), { numRuns: 20 });
    });

    it(`of every ${resource.record} is the same again after it was published and read back`, () => {
      fc.assert(fc.property(incomingRecord(resource), input => {
        const first = accepted(check(input, context));
        const unpublished = Object.fromEntries(Object.keys(resource.unpublished).map(name => [name, first.value[name]]));
        const again = accepted(check({ ...JSON.parse(render(first, assign, null).body), ...unpublished }, context));
        assert.deepEqual(again.value, first.value);
        assert.equal(again.contentHash, first.contentHash);
        if (resource.key.length > 0) assert.equal(again.naturalKey, first.naturalKey);
      }), { numRuns: 50 });
    });

    it(`of every ${resource.record} has the hash of its content`, () => {
      fc.assert(fc.property(incomingRecord(resource), incomingRecord(resource), (left, right) => {
        const [one, two] = [left, { ...left, ...right }].map(input => accepted(check(input, context)));
        assert.equal(one?.contentHash === two?.contentHash, JSON.stringify(one?.value) === JSON.stringify(two?.value));
      }), { numRuns: 50 });
    });

    it(`of ${resource.record} is made from any JSON, or refused with places that exist`, () => {
      const anything = fc.dictionary(fc.constantFrom(...Object.keys(resource.fields), 'x'), fc.jsonValue());
      fc.assert(fc.property(fc.oneof(fc.jsonValue(), anything), input => {
        const checked = check(input, context);
        if (!checked.ok) for (const reason of checked.reasons) placeExists(input, reason);
      }), { numRuns: 200 });
    });
  }
});

describe('a checker of what clients submit', () => {
  const activities = new Map([['AUR', 'Aurora Outfitters'], ['NOR', 'North Trading']]);
  const check = createSubmissionChecker(article);
  const submitted = (input: unknown): Checked => check(input, activities, [3]).checked;
  const least = { activityCode: 'AUR', ...leastArticle };
  const variant = { logisticalVariantCode: 'UVC' };

  const refused: readonly (readonly [what: string, input: unknown, reasons: readonly (readonly [code: string, pointer: string])[]])[] = [
    ...[null, [], 'text', 7, true, undefined].map(input => [`${JSON.stringify(input)} as an item`, input, [['wrong-type', '/3']]] as const),
    ['an article without what it needs, naming each', {}, [['required', '/3/activityCode'], ['required', '/3/articleReference'], ['required', '/3/longArticleDescription'], ['required', '/3/shortArticleDescription']]],
    ['null for the activity', { ...least, activityCode: null }, [['required', '/3/activityCode']]],
    ['an activity that is no text', { ...least, activityCode: 7 }, [['wrong-type', '/3/activityCode']]],
    ['an activity that is too long', { ...least, activityCode: 'AURA' }, [['too-long', '/3/activityCode']]],
    ['an empty activity', { ...least, activityCode: '' }, [['too-short', '/3/activityCode']]],
    ['an activity that is not the caller’s, whatever name it is given', { ...least, activityCode: 'SOU', activityName: 'South Trading' }, [['activity-forbidden', '/3/activityCode']]],
    ['an activity in other letters', { ...least, activityCode: 'aur' }, [['activity-forbidden', '/3/activityCode']]],
    ['the name of another activity', { ...least, activityName: 'North Trading' }, [['wrong-activity', '/3/activityName']]],
    ['the name of a foreign activity that is none', { ...least, activityCode: 'SOU', activityName: 7 }, [['activity-forbidden', '/3/activityCode'], ['wrong-type', '/3/activityName']]],
    ['what is read-only, null too', { ...least, id: null, alcool: { degree: 4 } }, [['read-only', '/3/id'], ['read-only', '/3/alcool']]],
    ['ids of nested records', { ...least, barcodes: [{ code: '1', id: 'x' }], logisticalVariants: [{ ...variant, id: null, barcodes: [{ code: '2', id: null }] }] },
      [['read-only', '/3/barcodes/0/id'], ['read-only', '/3/logisticalVariants/0/id'], ['read-only', '/3/logisticalVariants/0/barcodes/0/id']]],
    ['the second of two equal barcodes, and the third', { ...least, barcodes: [{ code: '1' }, { code: '2' }, { code: '1' }, { code: '1' }] }, [['duplicate', '/3/barcodes/2/code'], ['duplicate', '/3/barcodes/3/code']]],
    ['barcodes that are equal once they are composed', { ...least, barcodes: [{ code: '\u00e9' }, { code: 'e\u0301' }] }, [['duplicate', '/3/barcodes/1/code']]],
    ['equal barcodes of a variant', { ...least, logisticalVariants: [{ ...variant, barcodes: [{ code: '1' }, { code: '1' }] }] }, [['duplicate', '/3/logisticalVariants/0/barcodes/1/code']]],
    ['equal variants', { ...least, logisticalVariants: [variant, { ...variant, kit: true }] }, [['duplicate', '/3/logisticalVariants/1/logisticalVariantCode']]],
    ['a second primary barcode', { ...least, barcodes: [{ code: '1', isPrimary: true }, { code: '2', isPrimary: false }, { code: '3', isPrimary: true }] }, [['more-than-one', '/3/barcodes/2/isPrimary']]],
    ['a primary barcode after elements that are none', { ...least, barcodes: [null, { code: '1', isPrimary: true }, { isPrimary: true }] },
      [['wrong-type', '/3/barcodes/0'], ['required', '/3/barcodes/2/code'], ['more-than-one', '/3/barcodes/2/isPrimary']]],
    ['everything at once, in the order of the fields', { ...least, colour: 1, articleReference: 'A'.repeat(17), barcodes: [{ code: 7, id: 1 }], netWeightPerUVC: '1' },
      [['unknown-property', '/3/colour'], ['too-long', '/3/articleReference'], ['wrong-type', '/3/netWeightPerUVC'], ['read-only', '/3/barcodes/0/id'], ['wrong-type', '/3/barcodes/0/code']]],
    ['names that objects inherit', JSON.parse('{"__proto__": {"activityCode": "AUR"}}'), [['unknown-property', '/3/__proto__'], ['required', '/3/activityCode'], ['required', '/3/articleReference'], ['required', '/3/longArticleDescription'], ['required', '/3/shortArticleDescription']]],
    ['a name that no property can have, at the record', { ...least, ['x'.repeat(256)]: 1 }, [['unknown-property', '/3']]],
  ];
  for (const [what, input, expected] of refused) it(`refuses ${what}`, () => assert.deepEqual(reasons(submitted(input)).map(({ code, pointer }) => [code, pointer]), expected));

  it('refuses an activity that does not exist in the words that one of somebody else gets', () => {
    const [one, other] = ['SOU', 'XXX'].map(activityCode => check({ ...least, activityCode }, activities, [0]).checked);
    assert.deepEqual(one, other);
  });

  it('tells who sends back what was read what to leave out', () => {
    const [first] = reasons(submitted({ ...article.example }));
    assert.equal(first?.detail, 'alcool is read-only: leave it out. Read-only are barcodes.id, logisticalVariants.id, logisticalVariants.barcodes.id, alcool, id.');
  });

  it('lists a hundred reasons and counts the others', () => {
    const many = reasons(submitted({ ...least, barcodes: Array.from({ length: 1000 }, (_, index) => ({ code: String(index), id: 'x' })) }));
    assert.equal(many.length, 101);
    assert.deepEqual(many.at(-1), { code: 'more-errors', pointer: '/3', detail: 'There are more errors than these, by 900. Correct these first.' });
  });

  it('accepts the same barcode in the list of the article and in that of a variant, primary in both', () => {
    assert.ok(submitted({ ...least, barcodes: [{ code: '1', isPrimary: true }], logisticalVariants: [{ ...variant, barcodes: [{ code: '1', isPrimary: true }] }] }).ok);
  });

  it('knows the record by activity and key also where it refuses it, unless these are what is wrong', () => {
    const identities = [{ ...least, articleType: 'x' }, { ...least, activityCode: 'SOU' }, { ...least, activityCode: 'AURA' }, { ...least, articleReference: '' }, 7].map(input => check(input, activities, []).identity);
    assert.deepEqual(identities, [['AUR', 'A1'], ['SOU', 'A1'], null, null, null]);
  });

  it('ignores the dates of the service, whatever they are', () => {
    const dated = { ...least, dateCreated: 7, dateLastUpdated: 'x', logisticalVariants: [{ ...variant, dateCreation: {}, dateLasteUpdate: null }] };
    assert.deepEqual(accepted(submitted(dated)), accepted(submitted({ ...least, logisticalVariants: [variant] })));
  });

  it('gives a record the form and the hash that it has when it is imported', () => {
    fc.assert(fc.property(incomingRecord(article), input => {
      const { alcool: _, ...sent } = input;
      const checked = submitted({ activityCode: 'AUR', ...sent });
      if (!checked.ok) {
        // The only rules that importing does not have.
        assert.ok(checked.reasons.every(({ code }) => code === 'duplicate' || code === 'more-than-one'), JSON.stringify(checked));
        return;
      }
      assert.deepEqual(checked, checkArticle(sent, context));
    }), { numRuns: 200 });
  });

  it('makes a record of any JSON, or refuses it with places that exist', () => {
    const anything = fc.dictionary(fc.constantFrom(...Object.keys(article.fields), 'x'), fc.jsonValue());
    fc.assert(fc.property(fc.oneof(fc.jsonValue(), anything), input => {
      const { checked } = check(input, activities, [0]);
      if (!checked.ok) for (const reason of checked.reasons) placeExists([input], reason);
    }), { numRuns: 500 });
  });

  it('is not there for what clients cannot submit', () => {
    assert.throws(() => createSubmissionChecker(articleStockMovement), /movements/);
  });
});

function reasons(checked: Checked): readonly Reason[] {
  assert.ok(!checked.ok, 'must be refused');
  return checked.reasons;
}

function accepted(checked: Checked): IncomingRecord {
  assert.ok(checked.ok, JSON.stringify(checked));
  return checked.record;
}

/** A reason points at something in the input; one that names an absent value points at the record that lacks it. */
function placeExists(input: unknown, { code, pointer }: Reason): void {
  const steps = pointer.split('/').slice(1).map(step => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  if (code === 'required') steps.pop();
  let at: unknown = input;
  for (const step of steps) {
    assert.ok(typeof at === 'object' && at !== null && Object.hasOwn(at, step), `${code} ${pointer}`);
    at = Reflect.get(at, step);
  }
}
