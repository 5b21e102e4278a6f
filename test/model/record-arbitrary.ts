// Random records of a definition, in the form in which a feed may send them.
import fc from '../contract/properties.ts';
import { formatInstant } from '../../src/model/instant.ts';
import { type Field, type Fields, isScalar, type Resource, type ScalarField } from '../../src/model/resource.ts';

type Values = Record<string, unknown>;

/**
 * Records that a checker accepts for the activity `AUR`, sparse and full ones, with values in all accepted notations.
 */
export function incomingRecord(resource: Resource): fc.Arbitrary<Values> {
  return record(
    { ...resource.fields, ...resource.unpublished },
    false,
    resource.activityField,
    resource.activityNameField,
  );
}

/** Records whose values clients may submit; their lists may hold what a client may not. */
export function submittedRecord(resource: Resource): fc.Arbitrary<Values> {
  const writable = Object.fromEntries(Object.entries(resource.fields).filter(([, field]) => !field.readOnly));
  return record(writable, true, resource.activityField, resource.activityNameField);
}

function record(fields: Fields, submitted: boolean, ...own: readonly (string | null)[]): fc.Arbitrary<Values> {
  const sent = Object.entries(fields).filter(([name, field]) => field.assigned === undefined && !own.includes(name));
  const required = sent.filter(([, field]) => field.required).map(([name]) => name);
  return fc.record(Object.fromEntries(sent.map(([name, field]) => [name, value(field, submitted)])), {
    requiredKeys: required,
  });
}

function value(field: Field, submitted: boolean): fc.Arbitrary<unknown> {
  const given = isScalar(field)
    ? submitted
      ? submittable(field)
      : scalar(field)
    : field.kind === 'list'
      ? fc.array(record(field.fields, submitted), { maxLength: 3 })
      : record(field.fields, submitted);
  return field.required
    ? given
    : fc.oneof({ weight: 1, arbitrary: fc.constant(null) }, { weight: 3, arbitrary: given });
}

function scalar(field: ScalarField): fc.Arbitrary<unknown> {
  switch (field.kind) {
    case 'text':
      return field.format === 'country'
        ? fc.constantFrom('FR', 'PT', 'ZZ')
        : text(field.max, field.min ?? (field.required ? 1 : 0), field.format === 'code');
    case 'integer':
      return field.bits === 32 ? fc.integer() : fc.maxSafeInteger();
    case 'decimal':
      return fc.double({ noNaN: true, noDefaultInfinity: true });
    case 'boolean':
      return fc.boolean();
    case 'date-time':
      return instant;
  }
}

function submittable(field: ScalarField): fc.Arbitrary<unknown> {
  if ((field.kind === 'text' || field.kind === 'integer') && field.values !== undefined)
    return fc.constantFrom(...field.values);
  if (field.kind === 'text' && field.standard === 'country') return fc.constantFrom('FR', 'PT', '');
  if (field.kind === 'text' && field.format === 'code')
    return fc.stringMatching(/^[!-~é中]{1,4}( [!-~ß]{1,3}){0,1}$/).filter((sent) => [...sent].length <= field.max);
  if (field.kind === 'decimal' && (field.least !== undefined || field.above !== undefined))
    return fc.double({
      min: field.least ?? field.above ?? 0,
      minExcluded: field.above !== undefined,
      noNaN: true,
      noDefaultInfinity: true,
    });
  if (field.kind === 'text' && field.required) return text(field.max, 1, false).filter((sent) => /\S/.test(sent));
  return field.kind === 'integer' && field.least !== undefined ? fc.maxSafeNat() : scalar(field);
}

function text(max: number, min: number, code: boolean): fc.Arbitrary<string> {
  const unit = fc.oneof(
    { weight: 4, arbitrary: fc.string({ unit: 'grapheme-ascii', maxLength: 1, minLength: 1 }) },
    { weight: 1, arbitrary: fc.constantFrom('é', 'e\u0301', '\u2126', '🚚', '\t', '\n', '"', '\\', '中') },
  );
  return fc
    .array(unit, { minLength: min, maxLength: Math.min(max, 12) })
    .map((units) => units.join(''))
    .map((sent) => (code ? sent.replaceAll(/[\t\n]/g, '-') : sent))
    .filter((sent) => [...sent.normalize('NFC')].length <= max && [...sent.normalize('NFC')].length >= min);
}

const instant = fc
  .tuple(
    fc.integer({ min: -2_000_000_000_000, max: 4_000_000_000_000 }),
    fc.constantFrom('Z', '', '+00:00', '-07:30', 'date', 'seconds'),
  )
  .map(([milliseconds, zone]) => {
    const written = formatInstant(milliseconds);
    if (zone === 'date') return written.slice(0, 10);
    if (zone === 'seconds') return `${written.slice(0, 19)}Z`;
    return written.slice(0, 23) + zone;
  });
