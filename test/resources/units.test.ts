// The units of the numbers: each says what it counts or measures, and the documentation tells the unit.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Fields, isScalar } from '../../src/model/resource.ts';
import { componentSchemas, inputSchemas } from '../../src/model/schema.ts';
import { labelRequestFields } from '../../src/model/shipping.ts';
import { article, resources } from '../../src/resources/index.ts';

/** What numbers of a name measure: the first pattern counts. */
const told: readonly (readonly [measure: string, name: RegExp, words: RegExp])[] = [
  ['weight', /weight/i, /, in kilograms\.$/],
  ['length', /^(length|width|height|depth)/, /, in centimetres\.$/],
  ['volume', /volume/i, /, in litres\.$/],
  ['days', /InDays$/, /, in days\.$/],
  ['percent', /(VAT|discount)Rate$|^degree$/, /, in percent\.$/],
  ['money', /price|amount|total(Invoice|AdValorem)|^shippingCost$/i, /, in the currency /],
  ['quantity', /quantity(?!InSubpackaging)|PCB$/i, /, in consumer units\.$/],
];

describe('the units of numbers', () => {
  it('are told of every number that the service does not assign itself', () => {
    const silent = resources.flatMap(({ record, fields }) => numbersWithoutMeasure(fields, record));
    assert.deepEqual(silent, []);
  });

  it('stand in the description of every weight, length, volume, quantity and rate, of what is read and sent', () => {
    const schemas = { ...componentSchemas(resources), ...inputSchemas(article) };
    const found = new Map<string, number>();
    for (const [record, { properties }] of Object.entries(schemas))
      for (const [name, property] of Object.entries(properties as Record<string, Record<string, unknown>>)) {
        if (!/number|integer/.test(JSON.stringify(property.type ?? null))) continue;
        const [measure, , words] = told.find(([, pattern]) => pattern.test(name)) ?? [];
        if (measure === undefined || words === undefined) continue;
        found.set(measure, (found.get(measure) ?? 0) + 1);
        assert.match(String(property.description), words, `${record}.${name}`);
      }
    // None of the patterns misses what it is for.
    assert.ok((found.get('weight') ?? 0) >= 14, JSON.stringify([...found]));
    assert.ok((found.get('length') ?? 0) >= 32, JSON.stringify([...found]));
    assert.ok((found.get('volume') ?? 0) >= 4, JSON.stringify([...found]));
    assert.ok((found.get('quantity') ?? 0) >= 24, JSON.stringify([...found]));
    assert.ok((found.get('money') ?? 0) >= 20, JSON.stringify([...found]));
  });

  it('stand where numbers are written as text', () => {
    assert.match(labelRequestFields.weight.meaning, /grams/);
    assert.match(labelRequestFields.crtValue.meaning, /cents/);
    assert.match(article.fields.logisticalVariants.fields.quantityInBaseLv.meaning, /consumer unit/);
  });
});

/** Paths of the numbers that say nothing of what they count or measure. */
function numbersWithoutMeasure(fields: Fields, path: string): readonly string[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    const here = `${path}.${name}`;
    if (!isScalar(field)) return numbersWithoutMeasure(field.fields, here);
    if (field.kind !== 'integer' && field.kind !== 'decimal') return [];
    return field.measure !== undefined || field.assigned !== undefined ? [] : [here];
  });
}
