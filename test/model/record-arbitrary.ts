// Random records of a definition, in the form in which a feed may send them.
import fc from 'fast-check';
import { formatInstant } from '../../src/model/instant.ts';
import { type Field, type Fields, isScalar, type Resource, type ScalarField } from '../../src/model/resource.ts';

type Values = Record<string, unknown>;

/** Records that a checker accepts for the activity `AUR`, sparse and full ones, with values in all accepted notations. */
export function incomingRecord(resource: Resource): fc.Arbitrary<Values> {
  return record({ ...resource.fields, ...resource.unpublished }, resource.ownerField, resource.ownerNameField);
}

function record(fields: Fields, ...own: readonly (string | null)[]): fc.Arbitrary<Values> {
  const sent = Object.entries(fields).filter(([name, field]) => field.assigned === undefined && !own.includes(name));
  const required = sent.filter(([, field]) => field.required).map(([name]) => name);
  return fc.record(Object.fromEntries(sent.map(([name, field]) => [name, value(field)])), { requiredKeys: required });
}

function value(field: Field): fc.Arbitrary<unknown> {
  const given = isScalar(field) ? scalar(field) : field.kind === 'list' ? fc.array(record(field.fields), { maxLength: 3 }) : record(field.fields);
  return field.required ? given : fc.oneof({ weight: 1, arbitrary: fc.constant(null) }, { weight: 3, arbitrary: given });
}

function scalar(field: ScalarField): fc.Arbitrary<unknown> {
  switch (field.kind) {
    case 'text': return field.format === 'country' ? fc.constantFrom('FR', 'PT', 'ZZ') : text(field.max, field.min ?? (field.required ? 1 : 0));
    case 'integer': return field.bits === 32 ? fc.integer() : fc.maxSafeInteger();
    case 'decimal': return fc.double({ noNaN: true, noDefaultInfinity: true });
    case 'boolean': return fc.boolean();
    case 'date-time': return instant;
  }
}

function text(max: number, min: number): fc.Arbitrary<string> {
  const unit = fc.oneof({ weight: 4, arbitrary: fc.string({ unit: 'grapheme-ascii', maxLength: 1, minLength: 1 }) }, { weight: 1, arbitrary: fc.constantFrom('é', 'e\u0301', '\u2126', '🚚', '\t', '\n', '"', '\\', '中') });
  return fc.array(unit, { minLength: min, maxLength: Math.min(max, 12) }).map(units => units.join(''))
    .filter(sent => [...sent.normalize('NFC')].length <= max && [...sent.normalize('NFC')].length >= min);
}

const instant = fc.tuple(fc.integer({ min: -2_000_000_000_000, max: 4_000_000_000_000 }), fc.constantFrom('Z', '', '+00:00', '-07:30', 'date', 'seconds'))
  .map(([milliseconds, zone]) => {
    const written = formatInstant(milliseconds);
    if (zone === 'date') return written.slice(0, 10);
    if (zone === 'seconds') return `${written.slice(0, 19)}Z`;
    return written.slice(0, 23) + zone;
  });
