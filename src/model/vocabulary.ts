// What values mean that a reader cannot guess: the units of numbers, and how the documentation says them.
import type { Field } from './resource.ts';
import { standardUnits, type Unit, type Units } from './units.ts';

/** The units that the documentation tells. */
export interface Vocabulary {
  readonly units: Units;
}

export const standardVocabulary: Vocabulary = { units: standardUnits };

/** What a field means, with its unit: "Net weight of the carton, in kilograms." */
export function explained(field: Field, { units }: Vocabulary): string {
  const unit = unitOf(field, units);
  return unit === null ? field.meaning : `${field.meaning.replace(/\.$/, '')}, in ${unit.words}.`;
}

function unitOf(field: Field, units: Units): Unit | null {
  return 'measure' in field && field.measure !== undefined ? units[field.measure] : null;
}
