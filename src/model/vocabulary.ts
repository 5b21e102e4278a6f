// The meanings of values that a reader cannot guess (units of numbers, codes), and how the documentation states them.
import type { Field } from './resource.ts';
import { standardUnits, type Unit, type Units } from './units.ts';

/** One code and what it means, without a full stop. */
export interface Code {
  readonly code: string | number;
  readonly meaning: string;
}

/** The codes of a field, or of several fields that share them. */
export interface CodeList {
  readonly codes: readonly Code[];
  /**
   * True: the interface defines the list, and clients may write nothing else. False: the warehouse does, and may use
   * further codes.
   */
  readonly closed: boolean;
}

/** The units and code lists that the documentation states. */
export interface Vocabulary {
  readonly units: Units;
  /** By the name that fields give in `codes`. */
  readonly lists: ReadonlyMap<string, CodeList>;
}

/** The vocabulary of the interface and of this service's conventions, without any additions of a warehouse. */
export const standardVocabulary: Vocabulary = { units: standardUnits, lists: new Map() };

/** The most codes listed in the description of a field; `x-code-lists` of the OpenAPI document has all of them. */
const maxDescribed = 30;

/** The meaning of a field, with its unit or codes: "Net weight of the carton, in kilograms." */
export function explained(field: Field, { units, lists }: Vocabulary): string {
  const unit = unitOf(field, units);
  const meaning = unit === null ? field.meaning : `${field.meaning.replace(/\.$/, '')}, in ${unit.words}.`;
  return field.codes === undefined ? meaning : `${meaning} ${codesText(lists.get(field.codes))}`;
}

/** The unit of a field's values, or null. */
export function unitOf(field: Field, units: Units): Unit | null {
  return 'measure' in field && field.measure !== undefined ? units[field.measure] : null;
}

/** The codes of a list as a sentence: "`I`: into stock; `O`: out of stock." */
export function codesText(list: CodeList | undefined): string {
  if (list === undefined) return 'A code of the warehouse; whoever runs the service says which there are.';
  const shown = list.codes.slice(0, maxDescribed).map(({ code, meaning }) => `\`${code}\`: ${meaning}`);
  const hidden = list.codes.length - shown.length;
  return [
    `Codes: ${[...shown, ...(hidden > 0 ? [`and ${hidden} more`] : [])].join('; ')}.`,
    ...(list.closed ? [] : ['There may be others.']),
  ].join(' ');
}
